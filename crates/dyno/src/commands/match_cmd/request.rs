//! What the user asks of `dyno match`, beyond the plan of the match itself.

use dyno_trials::tournament::Plan;
use std::path::PathBuf;

#[derive(Debug, Default)]
pub struct Request {
    pub plan: Plan,
    pub help: bool,
    pub version: bool,
    pub print_plan: bool,
    /// Go on with this journal, or with the one named by other options.
    pub resume: Option<Option<PathBuf>>,
    pub journal: JournalChoice,
    pub events: Option<PathBuf>,
    pub report_html: Option<PathBuf>,
    pub report_json: Option<PathBuf>,
    pub json: bool,
    pub quiet: bool,
    pub log: Option<LogChoice>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum JournalChoice {
    /// Beside the PGN, or in the current folder.
    #[default]
    Usual,
    File(PathBuf),
    Nowhere,
}

/// Where the log goes and how much of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogChoice {
    pub file: PathBuf,
    pub level: LogLevel,
    /// Also everything said to and by the engines.
    pub engine: bool,
}

impl LogChoice {
    /// cutechess-cli's `-debug`.
    pub fn to_stderr() -> Self {
        Self { file: "/dev/stderr".into(), level: LogLevel::Trace, engine: true }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    Trace,
    Info,
    #[default]
    Warn,
    Error,
}
