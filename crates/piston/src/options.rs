//! The engine's options as UCI declares and sets them.

use crate::tunables::tunables;
use std::fmt;

/// The largest table that may be asked for, in mebibytes.
const MAX_HASH: u64 = 32_768;
const MAX_THREADS: u64 = 256;
const MAX_LINES: u64 = 256;
const MAX_OVERHEAD: u64 = 5_000;

/// The values of all options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The size of the table in mebibytes.
    pub hash: u64,
    /// How many threads search.
    pub threads: u64,
    /// How many best lines are reported.
    pub lines: u64,
    /// Whether the GUI may let the engine ponder; nothing changes for the engine.
    pub ponder: bool,
    /// Whether castling is always written as king takes rook.
    pub chess960: bool,
    /// The delay on the way to the GUI, in milliseconds.
    pub overhead: u64,
    /// Whether the numbers of search and evaluation are options too. Not an option itself: most
    /// users are better off without a thousand of them.
    pub tunable: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            hash: 16,
            threads: 1,
            lines: 1,
            ponder: false,
            chess960: false,
            overhead: 10,
            tunable: false,
        }
    }
}

/// What setting an option asks of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Only the value has changed.
    Value,
    /// The table is to be made anew.
    Hash,
    /// The threads are to be made anew.
    Threads,
    /// The table is to be emptied, and what the threads remember.
    Clear,
}

/// Why an option was not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionError {
    /// There is no such option.
    Unknown(String),
    /// The value is missing.
    NoValue(String),
    /// The value is not a number within the limits.
    OutOfRange(String, String, i64, i64),
    /// The value is neither true nor false.
    NotABool(&'static str, String),
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionError::Unknown(name) => write!(f, "no such option: {name}"),
            OptionError::NoValue(name) => write!(f, "option {name} needs a value"),
            OptionError::OutOfRange(name, value, min, max) => {
                write!(f, "option {name} takes a number from {min} to {max}, not {value}")
            }
            OptionError::NotABool(name, value) => {
                write!(f, "option {name} takes true or false, not {value}")
            }
        }
    }
}

impl std::error::Error for OptionError {}

impl Options {
    /// The `option` lines of the handshake.
    pub fn declarations(&self) -> Vec<String> {
        let d = Options::default();
        let mut lines = vec![
            spin("Hash", d.hash, 1, MAX_HASH),
            "option name Clear Hash type button".to_owned(),
            spin("Threads", d.threads, 1, MAX_THREADS),
            spin("MultiPV", d.lines, 1, MAX_LINES),
            format!("option name Ponder type check default {}", d.ponder),
            format!("option name UCI_Chess960 type check default {}", d.chess960),
            spin("Move Overhead", d.overhead, 0, MAX_OVERHEAD),
        ];
        if self.tunable {
            lines.extend(tunables().iter().map(|t| spin(&t.name, t.default, t.min, t.max)));
        }
        lines
    }

    /// The `setoption` lines that make any engine of this version have these values.
    pub fn settings(&self) -> Vec<String> {
        let set =
            |name: &str, value: &dyn fmt::Display| format!("setoption name {name} value {value}");
        vec![
            set("Hash", &self.hash),
            set("Threads", &self.threads),
            set("MultiPV", &self.lines),
            set("Ponder", &self.ponder),
            set("UCI_Chess960", &self.chess960),
            set("Move Overhead", &self.overhead),
        ]
    }

    /// Sets an option by its name, in any case of letters.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<Change, OptionError> {
        match name.to_ascii_lowercase().as_str() {
            "hash" => {
                let hash = number("Hash", value, 1, MAX_HASH)?;
                let changed = hash != self.hash;
                self.hash = hash;
                return Ok(if changed { Change::Hash } else { Change::Value });
            }
            "threads" => {
                self.threads = number("Threads", value, 1, MAX_THREADS)?;
                return Ok(Change::Threads);
            }
            "clear hash" => return Ok(Change::Clear),
            "multipv" => self.lines = number("MultiPV", value, 1, MAX_LINES)?,
            "ponder" => self.ponder = boolean("Ponder", value)?,
            "uci_chess960" => self.chess960 = boolean("UCI_Chess960", value)?,
            "move overhead" => self.overhead = number("Move Overhead", value, 0, MAX_OVERHEAD)?,
            _ if self.tunable => return set_tunable(name, value),
            _ => return Err(OptionError::Unknown(name.to_owned())),
        }
        Ok(Change::Value)
    }
}

fn spin<T: fmt::Display>(name: &str, default: T, min: T, max: T) -> String {
    format!("option name {name} type spin default {default} min {min} max {max}")
}

fn set_tunable(name: &str, value: Option<&str>) -> Result<Change, OptionError> {
    let tunable = tunables().into_iter().find(|tunable| tunable.name.eq_ignore_ascii_case(name));
    let tunable = tunable.ok_or_else(|| OptionError::Unknown(name.to_owned()))?;
    tunable.set(integer(&tunable.name, value, tunable.min.into(), tunable.max.into())? as i32);
    // Scores and evaluations that were kept are those of the old value.
    Ok(Change::Clear)
}

fn number(name: &str, value: Option<&str>, min: u64, max: u64) -> Result<u64, OptionError> {
    integer(name, value, min as i64, max as i64).map(|number| number as u64)
}

fn integer(name: &str, value: Option<&str>, min: i64, max: i64) -> Result<i64, OptionError> {
    let text = value.ok_or_else(|| OptionError::NoValue(name.to_owned()))?.trim();
    match text.parse() {
        Ok(number) if (min..=max).contains(&number) => Ok(number),
        _ => Err(OptionError::OutOfRange(name.to_owned(), text.to_owned(), min, max)),
    }
}

fn boolean(name: &'static str, value: Option<&str>) -> Result<bool, OptionError> {
    let text = value.ok_or_else(|| OptionError::NoValue(name.to_owned()))?.trim();
    match text.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(OptionError::NotABool(name, text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tunables_are_options_only_where_asked_for() {
        let line = "option name see_pawn type spin default 100 min 60 max 150";
        let declares = |options: &Options| options.declarations().iter().any(|l| l == line);
        let mut options = Options::default();
        assert!(!declares(&options) && options.set("see_pawn", Some("100")).is_err());
        options.tunable = true;
        assert!(declares(&options));
        // Its own default: the other tests of this process search meanwhile.
        assert_eq!(options.set("See_Pawn", Some("100")), Ok(Change::Clear));
        assert!(options.set("see_pawn", Some("1000")).is_err());
        assert!(options.set("see_prawn", Some("100")).is_err());
    }

    #[test]
    fn good_values_are_taken_and_bad_ones_leave_the_old() {
        let mut options = Options::default();
        assert_eq!(options.set("hash", Some("64")), Ok(Change::Hash));
        assert_eq!(options.set("Move Overhead", Some("30")), Ok(Change::Value));
        assert_eq!(options.set("UCI_CHESS960", Some("true")), Ok(Change::Value));
        assert_eq!(options.set("clear hash", None), Ok(Change::Clear));
        let before = options.clone();
        for (name, value) in [
            ("Hash", Some("0")),
            ("Hash", Some("-3")),
            ("Threads", Some("many")),
            ("Threads", None),
            ("Ponder", Some("maybe")),
            ("Contempt", Some("1")),
        ] {
            assert!(options.set(name, value).is_err(), "{name} {value:?}");
        }
        assert_eq!(options, before);
    }
}
