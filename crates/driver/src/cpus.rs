//! The processors a thread may run on: asked and set. Elsewhere than on Linux the system does not
//! say, and cannot be told.

#[cfg(target_os = "linux")]
pub(crate) use linux::{confine, cpus_of, threads_of};
#[cfg(not(target_os = "linux"))]
pub(crate) use other::{confine, cpus_of, threads_of};

#[cfg(target_os = "linux")]
mod linux {
    use rustix::process::Pid;
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    /// A thread by its number; `None` is the calling one.
    fn by_number(thread: Option<u32>) -> Option<Pid> {
        thread.and_then(|number| Pid::from_raw(number.cast_signed()))
    }

    /// The processors of a thread, or of the calling one.
    pub(crate) fn cpus_of(thread: Option<u32>) -> Option<Vec<usize>> {
        let set = sched_getaffinity(by_number(thread)).ok()?;
        let cpus = (0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu));
        Some(cpus.take(set.count() as usize).collect())
    }

    /// Confines a thread, or the calling one, to some processors; says whether the system could.
    pub(crate) fn confine(thread: Option<u32>, cpus: &[usize]) -> bool {
        let mut set = CpuSet::new();
        for cpu in cpus.iter().filter(|cpu| **cpu < CpuSet::MAX_CPU) {
            set.set(*cpu);
        }
        sched_setaffinity(by_number(thread), &set).is_ok()
    }

    /// The threads of a process.
    pub(crate) fn threads_of(pid: u32) -> Vec<u32> {
        let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
        tasks.flatten().filter_map(|t| t.file_name().to_str()?.parse().ok()).collect()
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    pub(crate) fn cpus_of(_: Option<u32>) -> Option<Vec<usize>> {
        None
    }

    pub(crate) fn confine(_: Option<u32>, _: &[usize]) -> bool {
        false
    }

    pub(crate) fn threads_of(_: u32) -> Vec<u32> {
        Vec::new()
    }
}
