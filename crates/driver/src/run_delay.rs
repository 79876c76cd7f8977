//! How long threads have waited for a processor, as the scheduler of Linux counts it.
//!
//! On a busy machine a line from an engine lies in its pipe until the thread that reads it gets a
//! processor. That wait is Dyno's, not the engine's: the scheduler knows it to the nanosecond, so
//! it is taken off the time of arrival and kept beside it. Elsewhere it is unknown and counts as
//! none.

#![cfg_attr(not(unix), allow(dead_code, reason = "only `poll` asks how long it waited"))]

use std::time::Duration;

#[cfg(target_os = "linux")]
pub(crate) use linux::{RunDelays, own_run_delay};
#[cfg(not(target_os = "linux"))]
pub(crate) use other::{RunDelays, own_run_delay};

/// What the calling thread has waited since `before`, but no longer than `bound`.
pub(crate) fn waited_since(before: Option<Duration>, bound: Duration) -> Duration {
    match (before, own_run_delay()) {
        (Some(before), Some(now)) => now.saturating_sub(before).min(bound),
        _ => Duration::ZERO,
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use rustix::fs::{Mode, OFlags, open};
    use rustix::io::pread;
    use std::os::fd::OwnedFd;
    use std::time::Duration;

    thread_local! {
        /// Kept open, because it is read before every wait for an engine.
        static OWN: Option<OwnedFd> =
            open("/proc/thread-self/schedstat", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok();
    }

    /// What the calling thread has waited for a processor in its life.
    pub(crate) fn own_run_delay() -> Option<Duration> {
        OWN.with(|file| read(file.as_ref()?))
    }

    fn read(file: &OwnedFd) -> Option<Duration> {
        let mut text = [0u8; 80];
        let length = pread(file, &mut text, 0).ok()?;
        parse(&text[..length])
    }

    /// The second of three numbers: nanoseconds run, nanoseconds waited, times run.
    fn parse(text: &[u8]) -> Option<Duration> {
        let waited = text.split(|byte| *byte == b' ').nth(1)?;
        let digits = waited.iter().try_fold(0u64, |sum, byte| {
            byte.is_ascii_digit().then(|| sum.wrapping_mul(10).wrapping_add(u64::from(byte - b'0')))
        })?;
        Some(Duration::from_nanos(digits))
    }

    /// What the threads of a process have waited, since this was asked last.
    #[derive(Debug, Default)]
    pub(crate) struct RunDelays {
        threads: Vec<ThreadDelay>,
        /// How often the threads may be asked until they are listed anew.
        listed_for: u32,
    }

    /// The count of one thread, kept open, and what it last said.
    #[derive(Debug)]
    struct ThreadDelay {
        id: u32,
        file: OwnedFd,
        waited: Duration,
    }

    /// Listing the threads costs more than asking them, and engines seldom start any during a game.
    const LISTED_FOR: u32 = 64;

    /// Each thread costs an open file; the first ones of an engine do its work.
    const MOST_THREADS: usize = 16;

    impl RunDelays {
        /// The wait of all threads together since the last call; those that ended in between are
        /// not known any more, and those that started are known a little later.
        pub(crate) fn since_last(&mut self, pid: u32) -> Duration {
            self.listed_for = match self.listed_for.checked_sub(1) {
                Some(left) => left,
                None => {
                    self.list(pid);
                    LISTED_FOR
                }
            };
            let mut sum = Duration::ZERO;
            self.threads.retain_mut(|thread| {
                let Some(now) = read(&thread.file) else { return false };
                sum += now.saturating_sub(thread.waited);
                thread.waited = now;
                true
            });
            sum
        }

        fn list(&mut self, pid: u32) {
            for id in crate::affinity::threads_of(pid) {
                if self.threads.len() == MOST_THREADS {
                    return;
                }
                if self.threads.iter().any(|thread| thread.id == id) {
                    continue;
                }
                let path = format!("/proc/{pid}/task/{id}/schedstat");
                if let Ok(file) = open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) {
                    self.threads.push(ThreadDelay { id, file, waited: Duration::ZERO });
                }
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_second_number_is_the_wait() {
            assert_eq!(parse(b"12 345 6\n"), Some(Duration::from_nanos(345)));
            assert_eq!(parse(b"12 x 6\n"), None);
            assert_eq!(parse(b""), None);
        }

        #[test]
        fn waits_only_grow() {
            let Some(before) = own_run_delay() else { return };
            std::thread::yield_now();
            assert!(own_run_delay() >= Some(before));
            let mut delays = RunDelays::default();
            delays.since_last(std::process::id());
            assert!(!delays.threads.is_empty());
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    use std::time::Duration;

    pub(crate) fn own_run_delay() -> Option<Duration> {
        None
    }

    // With braces, for it is made by `default` as its twin is, and clippy wants none for a unit struct.
    #[derive(Debug, Default)]
    pub(crate) struct RunDelays {}

    impl RunDelays {
        pub(crate) fn since_last(&mut self, _: u32) -> Duration {
            Duration::ZERO
        }
    }
}
