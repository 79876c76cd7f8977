//! One child process and everything it starts.

use super::exit::Exit;
#[cfg(unix)]
use super::unix as system;
use super::usage::{Activity, Usage};
#[cfg(windows)]
use super::windows as system;
use crate::affinity::{set_affinity, threads_of};
use std::io;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

/// A child process, running or ended.
#[derive(Debug)]
pub(crate) struct ChildProcess {
    child: Child,
    exit: Option<Exit>,
    usage: Usage,
}

impl ChildProcess {
    /// Starts the command in a process group of its own.
    pub(crate) fn spawn(command: Command) -> io::Result<Self> {
        let child = system::spawn(command)?;
        system::register_group(&child);
        Ok(Self { child, exit: None, usage: Usage::default() })
    }

    pub(crate) fn child_mut(&mut self) -> &mut Child {
        &mut self.child
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Pins every thread of the process to some CPUs; says whether the system could. Later threads
    /// inherit it.
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

    /// CPU time and peak memory; after the end, as last seen.
    pub(crate) fn usage(&mut self) -> Usage {
        if self.exit.is_none()
            && let Some(now) = system::usage(self.pid())
        {
            self.usage.cpu = self.usage.cpu.max(now.cpu);
            self.usage.peak_memory = self.usage.peak_memory.max(now.peak_memory);
        }
        self.usage
    }

    /// What the process and everything it started are doing, where the system says.
    pub(crate) fn activity(&self) -> Option<Activity> {
        system::activity(self.pid())
    }

    /// Whether the process has ended by itself, waited for or not.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.exit.is_some() || system::has_ended(&mut self.child)
    }

    /// Waits for the process to end by itself, and then kills whatever it started.
    pub(crate) fn wait_for_end(&mut self, timeout: Duration) -> Option<Exit> {
        let deadline = Instant::now() + timeout;
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

    /// The group is killed before its leader is waited for: until then the number cannot have
    /// been given to another group.
    fn reap(&mut self) -> Exit {
        self.usage();
        system::kill_group(&mut self.child);
        let exit = self.child.wait().map(Exit::from).unwrap_or_default();
        system::unregister_group(&self.child);
        self.exit = Some(exit);
        exit
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.kill();
    }
}
