//! Systems without process groups: only the child itself can be ended, and its usage is unknown.

use super::usage::{Activity, Usage};
use std::io;
use std::process::{Child, Command};

pub(super) fn spawn(mut command: Command) -> io::Result<Child> {
    command.spawn()
}

pub(super) fn register_group(_: &Child) {}

pub(super) fn unregister_group(_: &Child) {}

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
