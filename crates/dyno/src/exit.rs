//! Exit codes: an interface that scripts and CI rely on (docs/exit-codes.md).

use std::io;
use std::process::ExitCode;

use dyno_report::terminal::{self, clean_lines, error_mark};

/// How a run of `dyno` ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// All is well; the engine under test passed its bar.
    Passed = 0,
    /// The engine under test failed its bar.
    Failed = 1,
    /// Bad usage or a bad input file.
    Usage = 2,
    /// The engine could not be run: no such program, a crash, no handshake.
    Engine = 3,
    /// A fault of Dyno's own.
    Internal = 4,
    /// A sequential test has reached neither bound. (H1 accepted is a pass, H0 a failure.)
    Undecided = 5,
    /// A disk or a quota is full: what was written before stays.
    DiskFull = 6,
    /// Ctrl-C: what was done is saved.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// An error that knows its exit code; anything else counts as bad usage or input.
#[derive(Debug)]
pub struct Coded {
    /// The exit code the process ends with.
    pub exit: Exit,
    /// What went wrong and what to do about it.
    pub message: String,
}

impl std::fmt::Display for Coded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Coded {}

/// Prints the error with its causes and returns its exit code. The text may quote an engine or
/// a file, so it is cleaned first.
pub fn report(error: &anyhow::Error) -> Exit {
    terminal::eprintln!("{} {}", error_mark(), clean_lines(&format!("{error:#}")));
    let full = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(is_disk_full)
    };
    match error.chain().find_map(|cause| cause.downcast_ref::<Coded>()) {
        Some(coded) => coded.exit,
        None if error.chain().any(full) => Exit::DiskFull,
        None => Exit::Usage,
    }
}

/// Whether there is no room left where something was to be written.
pub fn is_disk_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}
