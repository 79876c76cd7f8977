//! What a process uses, and whether it is at work.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What a process has used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// CPU time of all its threads.
    pub cpu: Duration,
    /// The most memory it ever held, in bytes.
    pub peak_memory: u64,
}

/// What an engine and everything it started are doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// CPU time so far.
    pub cpu: Duration,
    /// Whether a thread runs, or would if it were given a CPU.
    pub runs: bool,
}
