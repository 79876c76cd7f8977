//! The processor time of a thread: a measure of work that other programs on the machine disturb
//! less than they disturb the wall clock.

use std::time::Duration;

/// The processor time that this thread has used.
#[cfg(unix)]
pub fn thread_cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

/// Where there is no such clock, the wall clock has to do.
#[cfg(not(unix))]
pub fn thread_cpu_time() -> Duration {
    use std::{sync::OnceLock, time::Instant};
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
