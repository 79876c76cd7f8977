//! What the user asks of `dyno match`, beyond the plan of the match itself.

use crate::live::PageArgs;
use dyno_tournament::Plan;
use std::path::PathBuf;

#[derive(Debug, Default)]
pub struct Request {
    pub plan: Plan,
    pub help: bool,
    pub version: bool,
    /// Only name the engines that `conf=` knows.
    pub list_engines: bool,
    pub print_plan: bool,
    /// The seed was not given: another run would draw another.
    pub fresh_seed: bool,
    /// Go on with this journal, or with the one named by other options.
    pub resume: Option<Option<PathBuf>>,
    /// The names of the flags that were given, for a match that is resumed.
    pub given: Vec<&'static str>,
    /// The words of `-engine` and `-each`, likewise.
    pub engine_words: Vec<Vec<String>>,
    pub each_words: Vec<String>,
    pub journal: JournalChoice,
    pub events: Option<PathBuf>,
    pub reports: Reports,
    pub quiet: bool,
    /// Workers whose games are played again when the match is resumed.
    pub replay_workers: Vec<String>,
    pub log: Option<LogChoice>,
    /// Show the match in a browser.
    pub live: bool,
    /// How the page is served.
    pub page: PageArgs,
}

/// What is written once the match is over.
#[derive(Clone, Debug, Default)]
pub struct Reports {
    pub html: Option<PathBuf>,
    pub json_file: Option<PathBuf>,
    /// JSON on standard output, and nothing else there.
    pub json: bool,
}

impl Reports {
    /// The same, wherever the working directory may be then.
    pub fn absolute(&self) -> std::io::Result<Self> {
        let absolute = |path: &Option<PathBuf>| path.as_ref().map(std::path::absolute).transpose();
        Ok(Self {
            html: absolute(&self.html)?,
            json_file: absolute(&self.json_file)?,
            json: self.json,
        })
    }
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
    /// Add to the file instead of replacing it.
    pub append: bool,
}

impl LogChoice {
    /// cutechess-cli's `-debug`.
    pub fn to_stderr() -> Self {
        Self { file: "/dev/stderr".into(), level: LogLevel::Trace, engine: true, append: false }
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
