//! Unix: process groups.

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid,
};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

#[cfg(target_os = "linux")]
pub(super) use super::linux::{activity, usage};
pub(super) use super::orphan_guard::{register_group, unregister_group};

/// Starts the child in a group of its own: Ctrl-C in the terminal reaches Dyno alone, and one
/// signal reaches everything the engine starts.
pub(super) fn spawn(mut command: Command) -> io::Result<Child> {
    command.process_group(0);
    #[cfg(target_os = "linux")]
    return super::linux::spawn_with_death_signal(command);
    #[cfg(not(target_os = "linux"))]
    command.spawn()
}

/// Without reaping it, so that its number stays reserved until the group is dealt with.
pub(super) fn has_ended(child: &mut Child) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(Pid::from_child(child)), options), Ok(None))
}

pub(super) fn terminate_group(child: &mut Child) {
    signal_group(child, Signal::TERM);
}

pub(super) fn kill_group(child: &mut Child) {
    signal_group(child, Signal::KILL);
}

/// The child as well as its group, which it may have left.
fn signal_group(child: &Child, signal: Signal) {
    let leader = Pid::from_child(child);
    let _ = kill_process_group(leader, signal);
    let _ = kill_process(leader, signal);
}

#[cfg(not(target_os = "linux"))]
pub(super) fn usage(_: u32) -> Option<super::usage::Usage> {
    None
}

#[cfg(not(target_os = "linux"))]
pub(super) fn activity(_: u32) -> Option<super::usage::Activity> {
    None
}
