//! The engine's process: started so that it dies with Dyno, ended so that nothing of it is left.

mod child_process;
mod exit;
mod usage;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(unix)]
mod orphan_guard;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub(crate) use child_process::ChildProcess;
pub use exit::Exit;
pub use usage::{Activity, Usage};
