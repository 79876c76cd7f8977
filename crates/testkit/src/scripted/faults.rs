//! Behaviours that never return: floods, hangs and exits.

use super::{Behaviour, Scripted};
use std::io::{self, Read, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

pub(super) fn sleep(duration: Duration) {
    thread::sleep(duration);
}

/// Works, rather than sleeps, for exactly that long.
pub(super) fn spin(duration: Duration) {
    let end = Instant::now() + duration;
    while Instant::now() < end {
        std::hint::spin_loop();
    }
}

pub(super) fn sleep_for_ever() -> ! {
    loop {
        thread::sleep(Duration::from_secs(3600));
    }
}

/// What is wrong before the first command.
pub(super) fn at_start(script: &[Scripted]) {
    for scripted in script {
        match &scripted.behaviour {
            Behaviour::ExitAtStart(code) => {
                complain("scripted: ending at once, as told");
                std::process::exit(*code);
            }
            Behaviour::SlowStart(ms) => sleep(Duration::from_millis(*ms)),
            Behaviour::SpawnChild => {
                let child = Command::new("sleep").arg("1000").stdin(Stdio::null()).spawn();
                if let Ok(child) = child {
                    complain(&format!("scripted: child {}", child.id()));
                }
            }
            Behaviour::StderrFlood => (0..20_000).for_each(|i| complain(&format!("complaint {i}"))),
            _ => {}
        }
    }
}

/// What happens instead of a search. Behaviours that do not concern `go` return at once.
pub(super) fn on_go(behaviour: &Behaviour) {
    match behaviour {
        Behaviour::Crash => {
            complain("scripted: assertion failed, as told");
            std::process::abort();
        }
        Behaviour::Exit(code) => std::process::exit(*code),
        Behaviour::Hang => {
            read_and_ignore(false);
            sleep_for_ever();
        }
        Behaviour::Deaf => sleep_for_ever(),
        Behaviour::IgnoreStop => {
            read_and_ignore(true);
            std::process::exit(0);
        }
        Behaviour::InfoForever => loop {
            write_all(b"info depth 1 score cp 0 nodes 1 pv e2e4\n");
            thread::sleep(Duration::from_millis(1));
        },
        Behaviour::FloodLines => {
            let lines = b"info depth 1 score cp 0 nodes 1 pv e2e4\n".repeat(1000);
            loop {
                write_all(&lines);
            }
        }
        Behaviour::FloodBytes => loop {
            write_all(&[b'x'; 65_536]);
        },
        Behaviour::CloseStdout => {
            close_stdout();
            sleep_for_ever();
        }
        _ => {}
    }
}

/// Reads on, so that the pipe never fills; ends at the end of input and, if wished, at `quit`.
fn read_and_ignore(obeys_quit: bool) {
    let mut input = io::stdin();
    let mut bytes = [0u8; 4096];
    while let Ok(count @ 1..) = input.read(&mut bytes) {
        if obeys_quit && bytes[..count].windows(4).any(|w| w == b"quit") {
            return;
        }
    }
}

/// Ends when the reader has gone, as any program does.
fn write_all(bytes: &[u8]) {
    let mut out = io::stdout();
    if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}

fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

#[cfg(unix)]
fn close_stdout() {
    // Putting another file in its place closes the pipe.
    if let Ok(null) = std::fs::File::options().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(null);
    }
}

#[cfg(not(unix))]
fn close_stdout() {}
