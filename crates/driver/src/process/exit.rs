//! How a process ended.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::process::ExitStatus;

/// How a process ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    /// The exit code, when it ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

impl Exit {
    /// Whether it ended by itself with code 0.
    #[must_use]
    pub fn is_clean(self) -> bool {
        self.code == Some(0)
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code, self.signal) {
            (_, Some(signal)) => {
                let name = match signal {
                    4 => " (SIGILL: illegal instruction)",
                    6 => " (SIGABRT: aborted, often a failed assertion)",
                    8 => " (SIGFPE: division by zero)",
                    9 => " (SIGKILL: killed, perhaps out of memory)",
                    11 => " (SIGSEGV: invalid memory access)",
                    13 => " (SIGPIPE)",
                    15 => " (SIGTERM)",
                    _ => "",
                };
                write!(f, "crashed with signal {signal}{name}")
            }
            (Some(code), None) => match windows_exception(code) {
                Some(name) => write!(f, "crashed with code {code:#X} ({name})"),
                None => write!(f, "exited with code {code}"),
            },
            (None, None) => f.write_str("ended"),
        }
    }
}

/// What Windows gives as the code of a program that it ended. Elsewhere codes are a byte.
fn windows_exception(code: i32) -> Option<&'static str> {
    match code.cast_unsigned() {
        0xC000_0005 => Some("invalid memory access"),
        0xC000_001D => Some("illegal instruction"),
        0xC000_0094 => Some("division by zero"),
        0xC000_00FD => Some("stack overflow"),
        0xC000_0135 => Some("a DLL is missing"),
        0xC000_013A => Some("Ctrl-C"),
        0xC000_0374 => Some("heap corruption"),
        0xC000_0409 => Some("aborted, often a failed assertion"),
        _ => None,
    }
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        Self { code: status.code(), signal: signal_of(status) }
    }
}

#[cfg(unix)]
fn signal_of(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal_of(_: ExitStatus) -> Option<i32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crashes_are_named_by_signal_and_by_exception() {
        let exit = |code, signal| Exit { code, signal }.to_string();
        assert_eq!(exit(None, Some(11)), "crashed with signal 11 (SIGSEGV: invalid memory access)");
        assert_eq!(
            exit(Some(-1_073_741_819), None),
            "crashed with code 0xC0000005 (invalid memory access)"
        );
        assert_eq!(exit(Some(3), None), "exited with code 3");
        assert_eq!(exit(Some(-1), None), "exited with code -1");
    }
}
