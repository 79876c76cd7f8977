//! CPU affinity of threads. Only Linux lets one process read and set that of another; elsewhere
//! it is unknown and cannot be set.

#[cfg(target_os = "linux")]
pub(crate) use linux::{affinity_of, set_affinity, threads_of};
#[cfg(not(target_os = "linux"))]
pub(crate) use other::{affinity_of, set_affinity, threads_of};

/// Pins the calling thread to some CPUs; says whether the system could.
pub fn pin_current_thread(cpus: &[usize]) -> bool {
    set_affinity(None, cpus)
}

#[cfg(target_os = "linux")]
mod linux {
    use rustix::process::Pid;
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    /// A thread by its id; `None` is the calling one.
    fn thread_id(thread: Option<u32>) -> Option<Pid> {
        thread.and_then(|id| Pid::from_raw(id.cast_signed()))
    }

    /// The CPUs a thread, or the calling one, may run on.
    pub(crate) fn affinity_of(thread: Option<u32>) -> Option<Vec<usize>> {
        let set = sched_getaffinity(thread_id(thread)).ok()?;
        let cpus = (0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu));
        Some(cpus.take(set.count() as usize).collect())
    }

    /// Pins a thread, or the calling one, to some CPUs; says whether the system could.
    pub(crate) fn set_affinity(thread: Option<u32>, cpus: &[usize]) -> bool {
        let mut set = CpuSet::new();
        for cpu in cpus.iter().filter(|cpu| **cpu < CpuSet::MAX_CPU) {
            set.set(*cpu);
        }
        sched_setaffinity(thread_id(thread), &set).is_ok()
    }

    /// The threads of a process.
    pub(crate) fn threads_of(pid: u32) -> Vec<u32> {
        let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
        tasks.flatten().filter_map(|t| t.file_name().to_str()?.parse().ok()).collect()
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    pub(crate) fn affinity_of(_: Option<u32>) -> Option<Vec<usize>> {
        None
    }

    pub(crate) fn set_affinity(_: Option<u32>, _: &[usize]) -> bool {
        false
    }

    pub(crate) fn threads_of(_: u32) -> Vec<u32> {
        Vec::new()
    }
}
