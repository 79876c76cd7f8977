//! An engine that tries to get at what is not its own, and says what came of it: the test of a jail.
//!
//! On `uci` it prints a line for each attempt, `info string escape NAME: got through` or `…: refused`.
//! Some attempts need something to aim at, named by variables of the environment:
//! `ESCAPE_READ` (a file), `ESCAPE_WRITE` (a folder), `ESCAPE_TCP` (an address that listens).

use dyno_chess::Position;
use rustix::fs::{CWD, FileType, Mode, OFlags, inotify, makedev, mknodat};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, getpgid, getppid, kill_process, setpgid, setsid};
use rustix::process::{getpriority_process, setpriority_process};
use rustix::thread::{sched_getaffinity, sched_setaffinity};
use std::io::{BufRead, Write};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::PathBuf;

/// The path of the program.
#[must_use]
pub fn program() -> PathBuf {
    crate::binary::built("escaping-engine")
}

/// Something to try: its name, and whether it got through.
pub type Attempt = (&'static str, fn() -> bool);

/// What it tries, by name. The first are its right, in a jail as well.
pub const ATTEMPTS: &[Attempt] = &[
    ("thread", thread),
    ("scratch", scratch),
    ("own processors", || keep_processors(None)),
    ("file that is removed", || std::fs::remove_file(scratch_path()).is_ok()),
    ("file without a name", nameless_file),
    ("password file", || std::fs::read("/etc/passwd").is_ok()),
    ("file elsewhere", || aim("ESCAPE_READ").is_some_and(|path| std::fs::read(path).is_ok())),
    ("folder elsewhere", || aim("ESCAPE_WRITE").is_some_and(|at| std::fs::read_dir(at).is_ok())),
    ("write elsewhere", write_elsewhere),
    ("permissions", permissions),
    ("owner", || {
        aim("ESCAPE_READ").is_some_and(|path| std::os::unix::fs::chown(path, None, None).is_ok())
    }),
    ("times", times),
    ("attributes", attributes),
    ("news of files", || inotify::init(inotify::CreateFlags::empty()).is_ok()),
    ("tcp", || aim("ESCAPE_TCP").is_some_and(|to| std::net::TcpStream::connect(to).is_ok())),
    ("udp", || std::net::UdpSocket::bind("127.0.0.1:0").is_ok()),
    ("abstract socket", abstract_socket),
    ("kill", || getppid().is_some_and(|parent| kill_process(parent, Signal::CONT).is_ok())),
    ("priority of others", keep_priority),
    ("processors of others", || keep_processors(getppid())),
    ("memory", || Vec::<u8>::new().try_reserve_exact(6 << 30).is_ok()),
    ("process", || std::process::Command::new("/bin/true").status().is_ok()),
    ("group", leave_group),
    // Only those who left their group may.
    ("session", || setsid().is_ok()),
    // The last one takes root.
    (DEVICE, device),
];

/// How many of the attempts are an engine's right.
pub const RIGHTS: usize = 3;

/// The attempt that only root can make.
pub const DEVICE: &str = "device";

fn aim(variable: &str) -> Option<String> {
    std::env::var(variable).ok()
}

fn thread() -> bool {
    std::thread::Builder::new().spawn(|| {}).is_ok_and(|thread| thread.join().is_ok())
}

fn scratch() -> bool {
    std::fs::write(scratch_path(), "note").is_ok()
}

/// Not every file system has them, either.
fn nameless_file() -> bool {
    let flags = OFlags::TMPFILE | OFlags::WRONLY;
    !matches!(rustix::fs::open(std::env::temp_dir(), flags, Mode::RUSR), Err(Errno::PERM))
}

/// Something of this process alone in the folder that it may write to.
fn scratch_path() -> PathBuf {
    std::env::temp_dir().join(format!("dyno-escape-{}", std::process::id()))
}

fn write_elsewhere() -> bool {
    let Some(folder) = aim("ESCAPE_WRITE").map(PathBuf::from) else { return false };
    std::fs::write(folder.join("escaped"), "here").is_ok()
}

fn permissions() -> bool {
    let open = std::fs::Permissions::from_mode(0o644);
    aim("ESCAPE_READ").is_some_and(|path| std::fs::set_permissions(path, open).is_ok())
}

fn times() -> bool {
    let now = rustix::fs::Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_NOW };
    let times = rustix::fs::Timestamps { last_access: now, last_modification: now };
    let flags = rustix::fs::AtFlags::empty();
    aim("ESCAPE_READ").is_some_and(|path| rustix::fs::utimensat(CWD, path, &times, flags).is_ok())
}

/// Not every file system has them.
fn attributes() -> bool {
    let flags = rustix::fs::XattrFlags::empty();
    let set = |path| rustix::fs::setxattr(path, "user.dyno", b"here", flags);
    aim("ESCAPE_READ").is_some_and(|path| set(path) != Err(Errno::PERM))
}

fn abstract_socket() -> bool {
    let name = format!("dyno-escape-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(name);
    address.is_ok_and(|address| UnixListener::bind_addr(&address).is_ok())
}

/// What another process has already, so that it does no harm.
fn keep_priority() -> bool {
    let parent = getppid();
    getpriority_process(parent).is_ok_and(|nice| setpriority_process(parent, nice).is_ok())
}

fn keep_processors(process: Option<Pid>) -> bool {
    sched_getaffinity(process).is_ok_and(|cpus| sched_setaffinity(process, &cpus).is_ok())
}

/// Joins the group of its parent, where signals to its own do not reach it.
#[must_use]
pub fn leave_group() -> bool {
    getpgid(getppid()).is_ok_and(|group| setpgid(None, Some(group)).is_ok())
}

/// What `/dev/null` is, in the one folder where it may make something.
fn device() -> bool {
    let path = scratch_path().with_extension("device");
    let made = mknodat(CWD, &path, FileType::CharacterDevice, Mode::RUSR, makedev(1, 3)).is_ok();
    let _ = std::fs::remove_file(path);
    made
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
