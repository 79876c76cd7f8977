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
            (Some(code), None) => write!(f, "exited with code {code}"),
            (None, None) => f.write_str("ended"),
        }
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
