//! The child process: started so that it dies with Dyno, ended so that nothing of it is left.

use crate::affinity::{set_affinity, threads_of};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

#[cfg(unix)]
mod unix;
#[cfg(unix)]
use unix as system;
#[cfg(not(unix))]
mod other;
#[cfg(not(unix))]
use other as system;

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
        Self { code: status.code(), signal: system::signal_of(status) }
    }
}

/// What a process has used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Processor time of all its threads.
    pub cpu: Duration,
    /// The most memory it ever held, in bytes.
    pub peak_memory: u64,
}

/// What an engine and everything it started are doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// Processor time so far.
    pub cpu: Duration,
    /// Whether a thread runs, or would if it were given a processor.
    pub runs: bool,
}

/// A running child, and after its end what is left to know about it.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    exit: Option<Exit>,
    usage: Usage,
}

impl Process {
    /// Starts the command in a process group of its own.
    pub(crate) fn spawn(command: Command) -> io::Result<Self> {
        let child = system::spawn(command)?;
        system::guard(&child);
        Ok(Self { child, exit: None, usage: Usage::default() })
    }

    pub(crate) fn child_mut(&mut self) -> &mut Child {
        &mut self.child
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Confines the process to some processors; says whether the system could. Applies to every
    /// thread there is; later ones inherit it.
    pub(crate) fn set_affinity(&self, cpus: &[usize]) -> bool {
        if self.exit.is_some() {
            return false;
        }
        let applied: Vec<bool> = threads_of(self.pid())
            .into_iter()
            .map(|thread| set_affinity(Some(thread), cpus))
            .collect();
        !applied.is_empty() && applied.iter().all(|ok| *ok)
    }

    /// Processor time and peak memory; after the end, as last seen.
    pub(crate) fn usage(&mut self) -> Usage {
        if self.exit.is_none()
            && let Some(now) = system::usage(self.pid())
        {
            self.usage.cpu = self.usage.cpu.max(now.cpu);
            self.usage.peak_memory = self.usage.peak_memory.max(now.peak_memory);
        }
        self.usage
    }

    /// What the process and everything it started are doing, where the system tells.
    pub(crate) fn activity(&self) -> Option<Activity> {
        system::activity(self.pid())
    }

    /// Whether the process has ended by itself, waited for or not.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.exit.is_some() || system::has_ended(&mut self.child)
    }

    /// Waits for the process to end by itself, and clears away whatever it started.
    pub(crate) fn wait_for_end(&mut self, patience: Duration) -> Option<Exit> {
        let deadline = Instant::now() + patience;
        let mut pause = Duration::from_micros(200);
        while self.exit.is_none() {
            if self.has_ended() {
                return Some(self.reap());
            }
            let now = Instant::now();
            if now >= deadline {
                break;
            }
            thread::sleep(pause.min(deadline - now));
            pause = (2 * pause).min(Duration::from_millis(10));
        }
        self.exit
    }

    /// Asks the whole group to end.
    pub(crate) fn terminate(&mut self) {
        if self.exit.is_none() {
            system::terminate_group(&mut self.child);
        }
    }

    /// Ends the whole group at once.
    pub(crate) fn kill(&mut self) -> Exit {
        match self.exit {
            Some(exit) => exit,
            None => {
                self.usage();
                self.reap()
            }
        }
    }

    /// The group is killed before its leader is waited for: until then its number cannot have
    /// passed to somebody else.
    fn reap(&mut self) -> Exit {
        self.usage();
        system::kill_group(&mut self.child);
        let exit = self.child.wait().map(Exit::from).unwrap_or_default();
        system::unguard(&self.child);
        self.exit = Some(exit);
        exit
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
