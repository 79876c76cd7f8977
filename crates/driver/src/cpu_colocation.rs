//! Starting a game's three processes on one CPU.
//!
//! Between two moves only one of three works: an engine, Dyno, the other engine. The scheduler
//! tends to spread them over the CPUs, and then every line sent has to wake an idle CPU, which
//! takes several times as long as a context switch. When every CPU has a game of its own and moves
//! come faster than that, the three are pinned to one CPU before the game and released at once:
//! from then on the scheduler decides again, and while all CPUs are busy it leaves them there.

use crate::affinity::{affinity_of, set_affinity, threads_of};

/// The CPU on which the processes of one board are brought together.
#[derive(Clone, Debug)]
pub struct CpuColocation {
    cpu: usize,
    /// The affinity of the calling thread, which engines inherit.
    unpinned: Vec<usize>,
}

impl CpuColocation {
    /// The CPU of a board; `None` when there is only one, or the system does not say.
    #[must_use]
    pub fn for_board(board: usize) -> Option<CpuColocation> {
        let unpinned = affinity_of(None).filter(|cpus| cpus.len() > 1)?;
        Some(CpuColocation { cpu: unpinned[board % unpinned.len()], unpinned })
    }

    /// How many CPUs there are to choose from.
    #[must_use]
    pub fn cpu_count(&self) -> usize {
        self.unpinned.len()
    }

    /// Runs the closure with the calling thread pinned to the board's CPU.
    pub fn run_pinned<T>(&self, run: impl FnOnce() -> T) -> T {
        let pinned = set_affinity(None, &[self.cpu]);
        let result = run();
        if pinned {
            set_affinity(None, &self.unpinned);
        }
        result
    }

    /// Pins the main thread of a process, unless it has chosen its CPUs itself; says whether it
    /// did.
    pub(crate) fn pin_process(&self, pid: u32) -> bool {
        affinity_of(Some(pid)).is_some_and(|now| now == self.unpinned)
            && set_affinity(Some(pid), &[self.cpu])
    }

    /// Releases a process, with every thread it created while pinned.
    pub(crate) fn release_process(&self, pid: u32) {
        let release = |thread: u32| {
            if affinity_of(Some(thread)).is_some_and(|now| now == [self.cpu]) {
                set_affinity(Some(thread), &self.unpinned);
            }
        };
        // The main thread first: the threads it creates from now on inherit its freedom.
        release(pid);
        threads_of(pid).into_iter().for_each(release);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use std::process::Command;

    #[test]
    fn pinned_processes_are_released() {
        let Some(colocation) = CpuColocation::for_board(1) else {
            return; // One CPU: nothing to choose.
        };
        assert_eq!(colocation.run_pinned(|| affinity_of(None)), Some(vec![colocation.cpu]));
        assert_eq!(affinity_of(None).as_ref(), Some(&colocation.unpinned));
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let cpus = |child: &std::process::Child| affinity_of(Some(child.id())).unwrap();
        assert!(colocation.pin_process(child.id()));
        assert_eq!(cpus(&child), [colocation.cpu]);
        assert!(!colocation.pin_process(child.id()), "its affinity is not the inherited one");
        colocation.release_process(child.id());
        assert_eq!(cpus(&child), colocation.unpinned);
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
