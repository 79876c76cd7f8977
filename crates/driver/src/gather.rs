//! Calling the parties of a game together on one processor.
//!
//! Between two moves only one of three works: an engine, Dyno, the other engine. The system likes
//! to spread them over the processors, and then every word has to wake a sleeping processor, which
//! takes several times as long as changing from one to the next on the spot. Where every processor
//! has a game of its own, and moves come quicker than that, the three are called together before a
//! game and let go at once: where they run from then on is the system's choice again, and while
//! all processors are busy it leaves them there.

use crate::cpus::{confine, cpus_of, threads_of};

/// The processor where a board's parties meet.
#[derive(Clone, Debug)]
pub struct Spot {
    cpu: usize,
    /// Where the calling thread may be, and engines start out.
    anywhere: Vec<usize>,
}

impl Spot {
    /// The spot of a board; `None` when there is only one processor, or the system does not say.
    #[must_use]
    pub fn of_board(board: usize) -> Option<Spot> {
        let anywhere = cpus_of(None).filter(|cpus| cpus.len() > 1)?;
        Some(Spot { cpu: anywhere[board % anywhere.len()], anywhere })
    }

    /// How many processors there are to meet on.
    #[must_use]
    pub fn processors(&self) -> usize {
        self.anywhere.len()
    }

    /// The calling thread is there for as long as `meet` lasts.
    pub fn attend<T>(&self, meet: impl FnOnce() -> T) -> T {
        let there = confine(None, &[self.cpu]);
        let result = meet();
        if there {
            confine(None, &self.anywhere);
        }
        result
    }

    /// Calls the main thread of a process, unless it has chosen its processors itself.
    pub(crate) fn call(&self, pid: u32) -> bool {
        cpus_of(Some(pid)).is_some_and(|now| now == self.anywhere)
            && confine(Some(pid), &[self.cpu])
    }

    /// Lets a process go, with every thread that was born at the spot.
    pub(crate) fn dismiss(&self, pid: u32) {
        let release = |thread: u32| {
            if cpus_of(Some(thread)).is_some_and(|now| now == [self.cpu]) {
                confine(Some(thread), &self.anywhere);
            }
        };
        // The main thread first: what it starts from now on is free from birth.
        release(pid);
        threads_of(pid).into_iter().for_each(release);
    }
}

/// Confines the calling thread to some processors; says whether the system could.
pub fn stay_on(cpus: &[usize]) -> bool {
    confine(None, cpus)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use std::process::Command;

    #[test]
    fn who_is_called_is_let_go() {
        let Some(spot) = Spot::of_board(1) else {
            return; // One processor: nothing to gather.
        };
        assert_eq!(spot.attend(|| cpus_of(None)), Some(vec![spot.cpu]));
        assert_eq!(cpus_of(None).as_ref(), Some(&spot.anywhere));
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let cpus = |child: &std::process::Child| cpus_of(Some(child.id())).unwrap();
        assert!(spot.call(child.id()));
        assert_eq!(cpus(&child), [spot.cpu]);
        assert!(!spot.call(child.id()), "it is not free to come");
        spot.dismiss(child.id());
        assert_eq!(cpus(&child), spot.anywhere);
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
