//! What can go wrong with an engine, in words that tell its author where to look.

use crate::process::Exit;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// What an engine was doing when it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Starting,
    Handshake,
    Options,
    Ready,
    Search,
    Command,
    Idle,
    Quitting,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Phase::Starting => "while starting",
            Phase::Handshake => "during the handshake",
            Phase::Options => "while its options were set",
            Phase::Ready => "while it was asked whether it is ready",
            Phase::Search => "while searching",
            Phase::Command => "while carrying out a command",
            Phase::Idle => "while idle",
            Phase::Quitting => "while quitting",
        })
    }
}

/// Why an engine could not do what was asked. Every message names the engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// No such program.
    #[error("{engine}: no executable file {path:?}{hint}", path = .program.display().to_string())]
    NotFound { engine: String, program: PathBuf, hint: &'static str },
    /// The operating system refused to run it.
    #[error("{engine}: cannot run {}: {source}", .program.display())]
    Spawn { engine: String, program: PathBuf, source: std::io::Error },
    /// The working directory or the file for its standard error cannot be used.
    #[error("{engine}: cannot use {}: {source}", .path.display())]
    Environment { engine: String, path: PathBuf, source: std::io::Error },
    /// No `uciok` (or no sign of XBoard) in time.
    #[error("{engine}: no {wanted} within {} ms of {asked}{heard} (is it a UCI or XBoard engine?)", .after.as_millis())]
    NoHandshake {
        engine: String,
        asked: &'static str,
        wanted: &'static str,
        after: Duration,
        heard: String,
    },
    /// No `readyok` in time.
    #[error("{engine}: no answer to {asked} within {} ms", .after.as_millis())]
    NotReady { engine: String, asked: &'static str, after: Duration },
    /// The pipe to it stays full: it no longer reads commands.
    #[error("{engine}: does not read its input: {} ms after sending it was still not taken {phase}", .after.as_millis())]
    NotReading { engine: String, phase: Phase, after: Duration },
    /// The process ended.
    #[error("{engine}: {exit} {phase}{stderr}")]
    Exited { engine: String, phase: Phase, exit: Exit, stderr: String },
    /// Its output ended although the process goes on.
    #[error("{engine}: closed its standard output {phase}, but still runs")]
    ClosedOutput { engine: String, phase: Phase },
    /// No `bestmove`, not even after `stop`.
    #[error("{engine}: no bestmove: {} ms after the start of the search it had not answered, and it ignored stop", .after.as_millis())]
    Hung { engine: String, after: Duration },
    /// A value that does not fit the option.
    #[error("{engine}: {fault}")]
    BadOption { engine: String, fault: dyno_uci::OptionValueError },
    /// Something the protocol of this engine cannot express.
    #[error("{engine}: {what}")]
    Unsupported { engine: String, what: String },
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The pipe itself failed.
    #[error("{engine}: pipe error {phase}: {source}")]
    Pipe { engine: String, phase: Phase, source: std::io::Error },
}

impl EngineError {
    /// Whether the process can no longer be used and must be restarted.
    #[must_use]
    pub fn is_fatal(&self) -> bool {
        !matches!(
            self,
            EngineError::Interrupted
                | EngineError::BadOption { .. }
                | EngineError::Unsupported { .. }
        )
    }
}
