//! Where there are no signals: the child alone can be ended, and usage is unknown.

use super::{Activity, Usage};
use std::io;
use std::process::{Child, Command, ExitStatus};

pub(super) fn spawn(mut command: Command) -> io::Result<Child> {
    command.spawn()
}

pub(super) fn guard(_: &Child) {}

pub(super) fn unguard(_: &Child) {}

pub(super) fn signal_of(_: ExitStatus) -> Option<i32> {
    None
}

pub(super) fn has_ended(child: &mut Child) -> bool {
    matches!(child.try_wait(), Ok(Some(_)) | Err(_))
}

pub(super) fn terminate_group(child: &mut Child) {
    let _ = child.kill();
}

pub(super) fn kill_group(child: &mut Child) {
    let _ = child.kill();
}

pub(super) fn usage(_: u32) -> Option<Usage> {
    None
}

pub(super) fn activity(_: u32) -> Option<Activity> {
    None
}
