//! Keys on a terminal while a match runs.

#![cfg_attr(not(unix), allow(dead_code, reason = "keys are read on Unix only"))]

use dyno_report::terminal::Progress;
use dyno_tournament::Control;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the keys do.
pub const KEYS: &str = "keys: p pause, + and - games at once, s stop after the current pairs, q finish the running games and stop";

/// Does what a key stands for and says what happened.
fn press(key: u8, control: &Control) -> Option<String> {
    match key {
        b'p' | b' ' => Some(match control.toggle_pause() {
            true => {
                "paused: the running games are finished, no new ones start; p goes on".to_owned()
            }
            false => "going on".to_owned(),
        }),
        b'+' => Some(at_once(control.change_concurrency(1))),
        b'-' => Some(at_once(control.change_concurrency(-1))),
        b's' => {
            control.stop_after_pair();
            Some("stopping after the current pairs".to_owned())
        }
        b'q' => {
            crate::interrupt::counter().fetch_add(1, Ordering::SeqCst);
            Some("finishing the running games; q again stops now".to_owned())
        }
        b'?' | b'h' => Some(KEYS.to_owned()),
        _ => None,
    }
}

fn at_once(games: usize) -> String {
    format!("{games} game{} at once", if games == 1 { "" } else { "s" })
}

/// Listens to the keyboard until `over`. Does nothing where there is no terminal.
#[cfg(unix)]
pub fn listen(control: &Control, over: &AtomicBool, status: &Progress) {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdin = rustix::stdio::stdin();
    let Some(_restore) = unix::single_keys(stdin) else { return };
    status.line(KEYS);
    let pause = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };
    while !over.load(Ordering::Relaxed) {
        let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
        if !matches!(poll(&mut fds, Some(&pause)), Ok(1..)) {
            continue;
        }
        let mut bytes = [0u8; 16];
        match rustix::io::read(stdin, &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(count) => bytes[..count]
                .iter()
                .filter_map(|k| press(*k, control))
                .for_each(|t| status.line(t)),
        }
    }
}

#[cfg(not(unix))]
pub fn listen(_: &Control, _: &AtomicBool, _: &Progress) {}

#[cfg(unix)]
mod unix {
    use rustix::fd::BorrowedFd;
    use rustix::termios::{LocalModes, OptionalActions, Termios, isatty, tcgetattr, tcsetattr};

    /// Puts the terminal back as it was.
    pub struct Restore<'a>(BorrowedFd<'a>, Termios);

    impl Drop for Restore<'_> {
        fn drop(&mut self) {
            let _ = tcsetattr(self.0, OptionalActions::Now, &self.1);
        }
    }

    /// Keys one by one and without echo, on a terminal; Ctrl-C stays what it is.
    pub fn single_keys(stdin: BorrowedFd<'_>) -> Option<Restore<'_>> {
        if !isatty(stdin) || !isatty(rustix::stdio::stderr()) {
            return None;
        }
        // A job in the background must not touch the terminal.
        let mine = rustix::process::getpgrp();
        if rustix::termios::tcgetpgrp(stdin).ok() != Some(mine) {
            return None;
        }
        let before = tcgetattr(stdin).ok()?;
        let mut keys = before.clone();
        keys.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        tcsetattr(stdin, OptionalActions::Now, &keys).ok()?;
        Some(Restore(stdin, before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn keys_do_what_they_say() {
        let control = Control::new(Arc::default(), 2);
        assert!(
            press(b'p', &control).is_some_and(|t| t.starts_with("paused")) && control.is_paused()
        );
        assert!(press(b'p', &control).is_some() && !control.is_paused());
        assert_eq!(press(b'+', &control).as_deref(), Some("3 games at once"));
        press(b'-', &control);
        press(b'-', &control);
        assert_eq!(press(b'-', &control).as_deref(), Some("1 game at once"), "never none");
        assert!(press(b's', &control).is_some() && control.is_stopping_after_pair());
        assert_eq!(press(b'x', &control), None);
    }
}
