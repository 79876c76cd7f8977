//! What to run: a program with its arguments, surroundings, options and protocol.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// An engine as a user names it. This is also its form in files: `engines.toml`, plans and journals
/// of matches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EngineSpec {
    /// What the user calls it; otherwise it is called what it calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(rename = "cmd", alias = "command")]
    pub program: Program,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Working directory; Dyno's own when absent.
    #[serde(alias = "workingDirectory", skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// Variables added to the environment.
    #[serde(with = "settings_form", skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<(String, String)>,
    #[serde(alias = "proto")]
    pub protocol: Protocol,
    /// Options to set after the handshake, in this order.
    #[serde(with = "settings_form", skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<(String, String)>,
    /// Lines to send right after the handshake.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub init: Vec<String>,
    /// A file that receives the engine's standard error instead of Dyno's memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr: Option<PathBuf>,
    /// Run in a jail: no network, no other processes, no files but its own.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub jail: bool,
    /// What it may read in the jail besides itself; the files that its arguments and options name
    /// where this is absent. Those who run the engine decide, so no file and no message has it.
    #[serde(skip)]
    pub readable: Option<Vec<PathBuf>>,
}

/// The program of an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Program {
    /// Piston: this very executable, run as `dyno engine`.
    Builtin,
    /// A path, or a bare name to be looked up. Empty as long as none was given.
    Path(PathBuf),
}

impl Default for Program {
    fn default() -> Self {
        Program::Path(PathBuf::new())
    }
}

impl Program {
    /// Whether no program was given yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self, Program::Path(path) if path.as_os_str().is_empty())
    }
}

impl From<String> for Program {
    fn from(text: String) -> Self {
        match text.as_str() {
            "builtin" => Program::Builtin,
            _ => Program::Path(text.into()),
        }
    }
}

impl From<Program> for String {
    fn from(program: Program) -> Self {
        program.to_string()
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Program::Builtin => f.write_str("builtin"),
            Program::Path(path) => write!(f, "{}", path.display()),
        }
    }
}

/// The language an engine speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", try_from = "String")]
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
    /// An entry of a file that cannot be called by a name.
    #[error("the engine has no name: add name = \"…\"")]
    NoName,
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
        Self { program: Program::Builtin, protocol: Protocol::Uci, ..Self::default() }
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

    /// The value an option is set to, if it is: the last one counts.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&str> {
        let same = |(n, _): &&(String, String)| n.eq_ignore_ascii_case(name);
        self.options.iter().rev().find(same).map(|(_, value)| value.as_str())
    }

    /// Sets an option, in the place of an earlier value.
    pub fn set_option(&mut self, name: &str, value: &str) {
        self.options.retain(|(n, _)| !n.eq_ignore_ascii_case(name));
        self.options.push((name.to_owned(), value.to_owned()));
    }
}

/// Pairs in files: written as a list of `Name=Value`, which keeps their order; read from a table
/// as well.
mod settings_form {
    use serde::de::{Error, MapAccess, SeqAccess, Visitor};
    use serde::{Deserializer, Serializer};
    use std::fmt;

    type Pairs = Vec<(String, String)>;

    pub fn serialize<S: Serializer>(pairs: &Pairs, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(pairs.iter().map(|(name, value)| format!("{name}={value}")))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Pairs, D::Error> {
        deserializer.deserialize_any(PairsVisitor)
    }

    struct PairsVisitor;

    impl<'de> Visitor<'de> for PairsVisitor {
        type Value = Pairs;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of NAME=VALUE, or a table")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Pairs, A::Error> {
            let mut pairs = Pairs::new();
            while let Some(text) = list.next_element::<String>()? {
                let (name, value) = text.split_once('=').unwrap_or((&text, ""));
                if name.is_empty() {
                    return Err(A::Error::custom(format!("{text:?}: write NAME=VALUE")));
                }
                pairs.push((name.to_owned(), value.to_owned()));
            }
            Ok(pairs)
        }

        fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<Pairs, A::Error> {
            let mut pairs = Pairs::new();
            while let Some((name, value)) = table.next_entry::<String, Scalar>()? {
                pairs.push((name, value.0));
            }
            Ok(pairs)
        }
    }

    /// The text of a value, whatever its type.
    struct Scalar(String);

    impl<'de> serde::Deserialize<'de> for Scalar {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct ScalarVisitor;
            impl Visitor<'_> for ScalarVisitor {
                type Value = Scalar;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("a text, a number, true or false")
                }

                fn visit_str<E: Error>(self, value: &str) -> Result<Scalar, E> {
                    Ok(Scalar(value.to_owned()))
                }

                fn visit_bool<E: Error>(self, value: bool) -> Result<Scalar, E> {
                    Ok(Scalar(value.to_string()))
                }

                fn visit_i64<E: Error>(self, value: i64) -> Result<Scalar, E> {
                    Ok(Scalar(value.to_string()))
                }

                fn visit_u64<E: Error>(self, value: u64) -> Result<Scalar, E> {
                    Ok(Scalar(value.to_string()))
                }

                fn visit_f64<E: Error>(self, value: f64) -> Result<Scalar, E> {
                    Ok(Scalar(value.to_string()))
                }
            }
            deserializer.deserialize_any(ScalarVisitor)
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

impl TryFrom<String> for Protocol {
    type Error = SpecError;

    fn try_from(text: String) -> Result<Self, SpecError> {
        text.parse()
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
    fn the_form_in_files() {
        let text = r#"{"name":"sf","cmd":"./sf","args":["-x"],"env":["A=b=c"],"protocol":"uci","options":["Hash=16","Clear Hash="]}"#;
        let spec: EngineSpec = serde_json::from_str(text).unwrap();
        assert_eq!(spec.env, [("A".into(), "b=c".into())]);
        assert_eq!((spec.option("hash"), spec.option("Threads")), (Some("16"), None));
        assert_eq!(serde_json::to_string(&spec).unwrap(), text);
        let table = r#"{"command":"builtin","options":{"Hash":16,"Ponder":false},"proto":"cecp"}"#;
        let spec: EngineSpec = serde_json::from_str(table).unwrap();
        assert_eq!((&spec.program, spec.protocol), (&Program::Builtin, Protocol::Xboard));
        assert_eq!((spec.option("Hash"), spec.option("Ponder")), (Some("16"), Some("false")));
    }

    #[test]
    fn builtin_and_empty() {
        assert_eq!("builtin".parse::<EngineSpec>().unwrap(), EngineSpec::builtin());
        assert_eq!(" ".parse::<EngineSpec>(), Err(SpecError::Empty));
        assert!("telepathy".parse::<Protocol>().is_err());
    }
}
