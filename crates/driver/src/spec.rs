//! What to run: a program with its arguments, surroundings, options and protocol.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// An engine as a user names it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EngineSpec {
    /// What the user calls it; otherwise it is called what it calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub program: Program,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Working directory; Dyno's own when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// Variables added to the environment.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<(String, String)>,
    /// Options to set after the handshake, in this order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<(String, String)>,
    pub protocol: Protocol,
    /// Lines to send right after the handshake.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub init: Vec<String>,
    /// A file that receives the engine's standard error instead of Dyno's memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr: Option<PathBuf>,
}

/// The program of an engine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Program {
    /// Piston: this very executable, run as `dyno engine`.
    #[default]
    Builtin,
    /// A path, or a bare name to be looked up.
    Path(PathBuf),
}

/// The language an engine speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// Try UCI, and XBoard when the engine does not understand it.
    #[default]
    Auto,
    Uci,
    Xboard,
}

/// Why a text names no engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// Nothing but spaces.
    #[error("the engine is empty: give `builtin`, a path or a command line")]
    Empty,
    /// A quote that is never closed.
    #[error("unclosed quote in the engine's command line: {0}")]
    UnclosedQuote(String),
    /// A protocol Dyno does not speak.
    #[error("unknown protocol {0:?}: uci, xboard or auto")]
    UnknownProtocol(String),
}

impl EngineSpec {
    /// The built-in engine.
    #[must_use]
    pub fn builtin() -> Self {
        Self { protocol: Protocol::Uci, ..Self::default() }
    }

    /// A program by path or bare name.
    pub fn program(path: impl Into<PathBuf>) -> Self {
        Self { program: Program::Path(path.into()), ..Self::default() }
    }

    /// The user's name for it, or the program's own.
    #[must_use]
    pub fn label(&self) -> String {
        match (&self.name, &self.program) {
            (Some(name), _) => name.clone(),
            (None, Program::Builtin) => "builtin".to_owned(),
            (None, Program::Path(path)) => path
                .file_stem()
                .map_or_else(|| path.display().to_string(), |s| s.to_string_lossy().into_owned()),
        }
    }
}

impl FromStr for EngineSpec {
    type Err = SpecError;

    /// `builtin`, a path (which may hold spaces when such a file exists), or a command line.
    fn from_str(text: &str) -> Result<Self, SpecError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(SpecError::Empty);
        }
        if text == "builtin" {
            return Ok(Self::builtin());
        }
        if Path::new(text).is_file() {
            return Ok(Self::program(text));
        }
        let mut words = split_command_line(text)?.into_iter();
        let first = words.next().ok_or(SpecError::Empty)?;
        let mut spec = if first == "builtin" { Self::builtin() } else { Self::program(first) };
        spec.args = words.collect();
        Ok(spec)
    }
}

impl FromStr for Protocol {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        match text.to_ascii_lowercase().as_str() {
            "auto" => Ok(Protocol::Auto),
            "uci" => Ok(Protocol::Uci),
            "xboard" | "cecp" | "winboard" => Ok(Protocol::Xboard),
            _ => Err(SpecError::UnknownProtocol(text.to_owned())),
        }
    }
}

impl fmt::Display for EngineSpec {
    /// The command line, quoted where needed; reads back as the same program and arguments.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.program {
            Program::Builtin => f.write_str("builtin")?,
            Program::Path(path) => f.write_str(&quoted(&path.to_string_lossy()))?,
        }
        self.args.iter().try_for_each(|arg| write!(f, " {}", quoted(arg)))
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| !c.is_whitespace() && !matches!(c, '\'' | '"' | '\\');
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Splits a command line into words the way a shell does: blanks separate, single quotes are
/// literal, double quotes keep blanks, a backslash keeps the next character (except on Windows,
/// where it separates folders).
pub fn split_command_line(text: &str) -> Result<Vec<String>, SpecError> {
    let escapes = !cfg!(windows);
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('\''), c) => word.get_or_insert_default().push(c),
            (_, '\\') if escapes => match (quote, chars.peek()) {
                (Some(_), Some(next)) if !matches!(next, '"' | '\\') => {
                    word.get_or_insert_default().push('\\');
                }
                _ => word.get_or_insert_default().extend(chars.next()),
            },
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(SpecError::UnclosedQuote(text.to_owned()));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn command_lines_split_and_rejoin() {
        for (line, words) in [
            ("a  b", vec!["a", "b"]),
            ("'a b' c", vec!["a b", "c"]),
            (r#""a b" --x="1 2""#, vec!["a b", "--x=1 2"]),
            (r"a\ b ''", vec!["a b", ""]),
            (r#""a\n\"""#, vec![r#"a\n""#]),
        ] {
            assert_eq!(split_command_line(line).unwrap(), words, "{line}");
        }
        assert!(split_command_line("'open").is_err());
        let spec: EngineSpec = r#"./my\ engine --uci "it's" """#.parse().unwrap();
        assert_eq!(spec.to_string().parse::<EngineSpec>().unwrap(), spec);
        assert_eq!(spec.args, ["--uci", "it's", ""]);
        assert_eq!(spec.label(), "my engine");
    }

    #[test]
    fn builtin_and_empty() {
        assert_eq!("builtin".parse::<EngineSpec>().unwrap(), EngineSpec::builtin());
        assert_eq!(" ".parse::<EngineSpec>(), Err(SpecError::Empty));
        assert!("telepathy".parse::<Protocol>().is_err());
    }
}
