//! White-box checks for an engine's own tests, and engines that misbehave on demand.

#![deny(missing_docs)]

mod binary;
#[cfg(target_os = "linux")]
pub mod escapes;
pub mod kit;
pub mod protocol_faults;
pub mod scripted;
pub mod toy;
pub mod tunable;
