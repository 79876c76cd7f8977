//! The engine's options as UCI declares and sets them.

#[cfg(feature = "tunable")]
use crate::parameters::PARAMETERS;
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
}

impl Default for Options {
    fn default() -> Self {
        Options { hash: 16, threads: 1, lines: 1, ponder: false, chess960: false, overhead: 10 }
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
    /// The table is to be emptied.
    Clear,
}

/// Why an option was not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionError {
    /// There is no such option.
    Unknown(String),
    /// The value is missing.
    NoValue(&'static str),
    /// The value is not a number within the limits.
    OutOfRange(&'static str, String, u64, u64),
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
    pub fn declarations() -> Vec<String> {
        let d = Options::default();
        #[allow(unused_mut, reason = "grows with the feature `tunable`")]
        let mut lines = vec![
            spin("Hash", d.hash, 1, MAX_HASH),
            "option name Clear Hash type button".to_owned(),
            spin("Threads", d.threads, 1, MAX_THREADS),
            spin("MultiPV", d.lines, 1, MAX_LINES),
            format!("option name Ponder type check default {}", d.ponder),
            format!("option name UCI_Chess960 type check default {}", d.chess960),
            spin("Move Overhead", d.overhead, 0, MAX_OVERHEAD),
        ];
        #[cfg(feature = "tunable")]
        lines.extend(PARAMETERS.iter().map(|p| spin(p.name, p.default, p.min, p.max)));
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
            _ => return set_parameter(name, value),
        }
        Ok(Change::Value)
    }
}

fn spin<T: fmt::Display>(name: &str, default: T, min: T, max: T) -> String {
    format!("option name {name} type spin default {default} min {min} max {max}")
}

/// The parameters of the search are options only where they can be set.
#[cfg(not(feature = "tunable"))]
fn set_parameter(name: &str, _value: Option<&str>) -> Result<Change, OptionError> {
    Err(OptionError::Unknown(name.to_owned()))
}

#[cfg(feature = "tunable")]
fn set_parameter(name: &str, value: Option<&str>) -> Result<Change, OptionError> {
    let unknown = || OptionError::Unknown(name.to_owned());
    let parameter = PARAMETERS.iter().find(|p| p.name == name).ok_or_else(unknown)?;
    let (min, max) = (parameter.min as u64, parameter.max as u64);
    crate::parameters::set(name, number(parameter.name, value, min, max)? as i32);
    Ok(Change::Value)
}

fn number(name: &'static str, value: Option<&str>, min: u64, max: u64) -> Result<u64, OptionError> {
    let text = value.ok_or(OptionError::NoValue(name))?.trim();
    match text.parse() {
        Ok(number) if (min..=max).contains(&number) => Ok(number),
        _ => Err(OptionError::OutOfRange(name, text.to_owned(), min, max)),
    }
}

fn boolean(name: &'static str, value: Option<&str>) -> Result<bool, OptionError> {
    let text = value.ok_or(OptionError::NoValue(name))?.trim();
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
    #[cfg(feature = "tunable")]
    fn parameters_are_options_where_they_can_be_set() {
        let line = "option name see_pawn type spin default 100 min 60 max 150";
        assert!(Options::declarations().iter().any(|declared| declared == line));
        let mut options = Options::default();
        assert_eq!(options.set("see_pawn", Some("101")), Ok(Change::Value));
        assert_eq!(crate::parameters::see_pawn(), 101);
        assert!(options.set("see_pawn", Some("1000")).is_err());
        assert_eq!(options.set("see_pawn", Some("100")), Ok(Change::Value));
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
