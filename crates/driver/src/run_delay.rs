//! How long threads have waited for a processor, as the scheduler of Linux counts it.
//!
//! On a busy machine a line from an engine lies in its pipe until the thread that reads it gets a
//! processor. That wait is Dyno's, not the engine's: the scheduler knows it to the nanosecond, so
//! it is taken off the time of arrival and kept beside it. Elsewhere it is unknown and counts as
//! none.

use std::time::Duration;

#[cfg(target_os = "linux")]
pub(crate) use linux::{ThreadTimes, own_run_delay};
#[cfg(not(target_os = "linux"))]
pub(crate) use other::{ThreadTimes, own_run_delay};

/// What the threads of a process did in some time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ThreadActivity {
    /// How long they waited for a processor, all together.
    pub(crate) waited: Duration,
    /// How long the busiest of them worked or waited for a processor.
    pub(crate) busiest: Duration,
}

/// What the calling thread has waited since `before`, but no longer than `bound`.
pub(crate) fn waited_since(before: Option<Duration>, bound: Duration) -> Duration {
    match (before, own_run_delay()) {
        (Some(before), Some(now)) => now.saturating_sub(before).min(bound),
        _ => Duration::ZERO,
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use super::ThreadActivity;
    use rustix::fs::{Mode, OFlags, open};
    use rustix::io::pread;
    use std::collections::HashMap;
    use std::fs;
    use std::os::fd::OwnedFd;
    use std::time::Duration;

    thread_local! {
        /// Kept open, because it is read before every wait for an engine.
        static OWN: Option<OwnedFd> =
            open("/proc/thread-self/schedstat", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok();
    }

    /// What the calling thread has waited for a processor in its life.
    pub(crate) fn own_run_delay() -> Option<Duration> {
        let mut text = [0u8; 80];
        let length = OWN.with(|file| pread(file.as_ref()?, &mut text, 0).ok())?;
        parse(&text[..length])
    }

    /// The second of three numbers: nanoseconds run, nanoseconds waited, times run.
    fn parse(text: &[u8]) -> Option<Duration> {
        number(text, 1)
    }

    fn number(text: &[u8], place: usize) -> Option<Duration> {
        let digits = text.split(|byte| *byte == b' ').nth(place)?;
        let nanos = digits.iter().try_fold(0u64, |sum, byte| {
            byte.is_ascii_digit().then(|| sum.wrapping_mul(10).wrapping_add(u64::from(byte - b'0')))
        })?;
        Some(Duration::from_nanos(nanos))
    }

    /// How long the threads of a process have run and waited when they were last asked about.
    #[derive(Debug, Default)]
    pub(crate) struct ThreadTimes(HashMap<u32, (Duration, Duration)>);

    impl ThreadTimes {
        /// What the threads did since the last call; those that ended in between are not known any
        /// more.
        pub(crate) fn since_last(&mut self, pid: u32) -> ThreadActivity {
            let before = std::mem::take(&mut self.0);
            let mut activity = ThreadActivity::default();
            for thread in crate::affinity::threads_of(pid) {
                let path = format!("/proc/{pid}/task/{thread}/schedstat");
                let Ok(text) = fs::read(path) else { continue };
                let (Some(ran), Some(waited)) = (number(&text, 0), parse(&text)) else { continue };
                let (old_ran, old_waited) = before.get(&thread).copied().unwrap_or_default();
                let (new_ran, new_waited) =
                    (ran.saturating_sub(old_ran), waited.saturating_sub(old_waited));
                activity.waited += new_waited;
                activity.busiest = activity.busiest.max(new_ran + new_waited);
                self.0.insert(thread, (ran, waited));
            }
            activity
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
        }

        #[test]
        fn a_thread_that_works_is_busy() {
            let mut times = ThreadTimes::default();
            times.since_last(std::process::id());
            if times.0.is_empty() {
                return;
            }
            let began = std::time::Instant::now();
            while began.elapsed() < Duration::from_millis(20) {}
            let activity = times.since_last(std::process::id());
            // The scheduler brings its counts up to date now and then.
            assert!(activity.busiest >= Duration::from_millis(5), "{activity:?}");
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    use super::ThreadActivity;
    use std::time::Duration;

    pub(crate) fn own_run_delay() -> Option<Duration> {
        None
    }

    #[derive(Debug, Default)]
    pub(crate) struct ThreadTimes;

    impl ThreadTimes {
        pub(crate) fn since_last(&mut self, _: u32) -> ThreadActivity {
            ThreadActivity::default()
        }
    }
}
