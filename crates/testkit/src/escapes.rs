//! An engine that tries to get at what is not its own, and says what came of it: the test of a jail.
//!
//! On `uci` it prints a line for each attempt, `info string escape NAME: got through` or `…: refused`.
//! Some attempts need something to aim at, named by variables of the environment:
//! `ESCAPE_READ` (a file), `ESCAPE_WRITE` (a folder), `ESCAPE_TCP` (an address that listens).

use dyno_chess::Position;
use std::io::{BufRead, Write};
use std::path::PathBuf;

/// The path of the program.
#[must_use]
pub fn program() -> PathBuf {
    crate::binary::built("escaping-engine")
}

/// Something to try: its name, and whether it got through.
pub type Attempt = (&'static str, fn() -> bool);

/// What it tries, by name. The first two are its right, in a jail as well.
pub const ATTEMPTS: [Attempt; 11] = [
    ("thread", thread),
    ("scratch", scratch),
    ("password file", || std::fs::read("/etc/passwd").is_ok()),
    ("file elsewhere", || aim("ESCAPE_READ").is_some_and(|path| std::fs::read(path).is_ok())),
    ("write elsewhere", write_elsewhere),
    ("tcp", || aim("ESCAPE_TCP").is_some_and(|to| std::net::TcpStream::connect(to).is_ok())),
    ("udp", || std::net::UdpSocket::bind("127.0.0.1:0").is_ok()),
    ("kill", kill),
    ("priority of others", slow_down),
    ("memory", || Vec::<u8>::new().try_reserve_exact(6 << 30).is_ok()),
    ("process", || std::process::Command::new("/bin/true").status().is_ok()),
];

/// How many of the attempts are an engine's right.
pub const RIGHTS: usize = 2;

fn aim(variable: &str) -> Option<String> {
    std::env::var(variable).ok()
}

fn thread() -> bool {
    std::thread::Builder::new().spawn(|| {}).is_ok_and(|thread| thread.join().is_ok())
}

fn scratch() -> bool {
    std::fs::write(std::env::temp_dir().join("dyno-escape"), "note").is_ok()
}

fn write_elsewhere() -> bool {
    let Some(folder) = aim("ESCAPE_WRITE").map(PathBuf::from) else { return false };
    std::fs::write(folder.join("escaped"), "here").is_ok()
}

/// A signal that does no harm, to the one process that is sure to be there.
#[cfg(unix)]
fn kill() -> bool {
    use rustix::process::{Signal, getppid, kill_process};
    getppid().is_some_and(|parent| kill_process(parent, Signal::CONT).is_ok())
}

/// What another process has already, so that it does no harm.
#[cfg(unix)]
fn slow_down() -> bool {
    use rustix::process::{getppid, getpriority_process, setpriority_process};
    let parent = getppid();
    getpriority_process(parent).is_ok_and(|nice| setpriority_process(parent, nice).is_ok())
}

#[cfg(not(unix))]
fn kill() -> bool {
    false
}

#[cfg(not(unix))]
fn slow_down() -> bool {
    false
}

/// Speaks UCI until `quit`, playing any legal move in positions given as FEN.
pub fn run(input: impl BufRead, mut output: impl Write) -> std::io::Result<()> {
    let mut position = Position::startpos();
    for line in input.lines() {
        let line = line?;
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("uci") => {
                for (name, attempt) in ATTEMPTS {
                    let end = if attempt() { "got through" } else { "refused" };
                    writeln!(output, "info string escape {name}: {end}")?;
                }
                writeln!(output, "id name Escapes\nuciok")?;
            }
            Some("isready") => writeln!(output, "readyok")?,
            Some("position") => {
                let fen = line.trim_start_matches("position").trim().trim_start_matches("fen");
                position = Position::from_fen(fen.trim()).unwrap_or(position);
            }
            Some("go") => {
                let first = position.legal_moves().iter().next().map(|mv| position.uci(*mv));
                writeln!(output, "bestmove {}", first.as_deref().unwrap_or("0000"))?;
            }
            Some("quit") => return Ok(()),
            _ => {}
        }
        output.flush()?;
    }
    Ok(())
}
