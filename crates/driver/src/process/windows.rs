//! Windows: a job for each engine, which holds everything the engine starts.

#![allow(unsafe_code, reason = "jobs are reached by calls to the system alone")]

use super::usage::{Activity, Usage};
use std::collections::BTreeMap;
use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::os::windows::process::CommandExt;
use std::process::{Child, Command};
use std::ptr::null;
use std::sync::{Mutex, MutexGuard, PoisonError};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation,
    SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::Threading::CREATE_NEW_PROCESS_GROUP;

/// The jobs of the engines that run, by the number of their process. However Dyno ends, the system
/// closes them, and what is in a job is killed with it.
static JOBS: Mutex<BTreeMap<u32, OwnedHandle>> = Mutex::new(BTreeMap::new());

fn jobs() -> MutexGuard<'static, BTreeMap<u32, OwnedHandle>> {
    JOBS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ctrl-C in the console reaches Dyno alone.
pub(super) fn spawn(mut command: Command) -> io::Result<Child> {
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
    command.spawn()
}

pub(super) fn register_group(child: &Child) {
    if let Some(job) = job_of(child) {
        jobs().insert(child.id(), job);
    }
}

pub(super) fn unregister_group(child: &Child) {
    jobs().remove(&child.id());
}

/// A new job with the child in it. Without one, only the child itself can be ended.
fn job_of(child: &Child) -> Option<OwnedHandle> {
    // SAFETY: neither attributes nor a name have to be given.
    let job = unsafe { CreateJobObjectW(null(), null()) };
    if job.is_null() {
        return None;
    }
    // SAFETY: it was opened just now, and is used from here on only as what owns it.
    let job = unsafe { OwnedHandle::from_raw_handle(job) };
    let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    // SAFETY: the limits are of the type that this class stands for, and the size is theirs.
    let is_limited = unsafe {
        SetInformationJobObject(
            job.as_raw_handle(),
            JobObjectExtendedLimitInformation,
            (&raw const limits).cast(),
            size_of_val(&limits) as u32,
        )
    };
    // SAFETY: both are open as long as they are borrowed.
    let is_inside = unsafe { AssignProcessToJobObject(job.as_raw_handle(), child.as_raw_handle()) };
    (is_limited != 0 && is_inside != 0).then_some(job)
}

pub(super) fn has_ended(child: &mut Child) -> bool {
    matches!(child.try_wait(), Ok(Some(_)) | Err(_))
}

/// There is no asking: a console program hears nothing but what it reads.
pub(super) fn terminate_group(child: &mut Child) {
    kill_group(child);
}

pub(super) fn kill_group(child: &mut Child) {
    if let Some(job) = jobs().get(&child.id()) {
        // SAFETY: the job is open as long as it is in the list.
        unsafe { TerminateJobObject(job.as_raw_handle(), 1) };
    }
    let _ = child.kill();
}

pub(super) fn usage(_: u32) -> Option<Usage> {
    None
}

pub(super) fn activity(_: u32) -> Option<Activity> {
    None
}
