//! The options an engine declares, and whether a value fits one.

use crate::finding::Deviation;
use crate::tokens::Tokens;
use serde::{Deserialize, Serialize};

/// An option as declared by an `option` line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineOption {
    /// Its name, in the engine's spelling.
    pub name: String,
    /// Its type, default and range.
    #[serde(flatten)]
    pub kind: OptionKind,
}

/// The type of an option with what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum OptionKind {
    /// A switch.
    Check {
        /// Its value unless set.
        default: bool,
    },
    /// A whole number.
    Spin {
        /// Its value unless set.
        default: i64,
        /// The least it may be.
        min: i64,
        /// The most it may be.
        max: i64,
    },
    /// One of several choices.
    Combo {
        /// Its value unless set.
        default: String,
        /// The values it may have.
        choices: Vec<String>,
    },
    /// An action without a value.
    Button,
    /// A text.
    String {
        /// Its value unless set.
        default: String,
    },
}

/// Why a value does not fit an option.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionValueError {
    /// Not `true` or `false`.
    #[error("option {option} wants true or false, not {value:?}")]
    NotABool {
        /// The option's name.
        option: String,
        /// The value that does not fit.
        value: String,
    },
    /// Not a whole number.
    #[error("option {option} wants a whole number, not {value:?}")]
    NotANumber {
        /// The option's name.
        option: String,
        /// The value that does not fit.
        value: String,
    },
    /// Outside the declared range.
    #[error("option {option} wants {min} to {max}, not {value}")]
    OutOfRange {
        /// The option's name.
        option: String,
        /// The value that does not fit.
        value: i64,
        /// The least it may be.
        min: i64,
        /// The most it may be.
        max: i64,
    },
    /// Not one of the declared choices.
    #[error("option {option} wants one of {}, not {value:?}", choices.join(", "))]
    NotAChoice {
        /// The option's name.
        option: String,
        /// The value that does not fit.
        value: String,
        /// The declared choices.
        choices: Vec<String>,
    },
}

const KEYWORDS: [&str; 6] = ["name", "type", "default", "min", "max", "var"];

impl EngineOption {
    /// Reads a line that starts with `option`; `None` when it names nothing.
    pub fn parse(line: &str, found: &mut dyn FnMut(Deviation)) -> Option<Self> {
        let mut bad = |reason: &str| found(Deviation::BadOption { reason: reason.to_owned() });
        let mut tokens = Tokens::new(line);
        tokens.next();
        if tokens.next() != Some("name") {
            bad("no name");
            return None;
        }
        let name = tokens.run_until(|w| w == "type").to_owned();
        if name.is_empty() {
            bad("empty name");
            return None;
        }
        tokens.next();
        let Some(kind) = tokens.next() else {
            bad("no type");
            return None;
        };
        let kind = match kind {
            "button" => OptionKind::Button,
            "string" => OptionKind::String { default: string_default(&mut tokens) },
            "check" | "spin" | "combo" => {
                let parts = Parts::read(&mut tokens);
                parts.into_kind(kind, &name, found)?
            }
            other => {
                bad(&format!("unknown type {other:?}"));
                return None;
            }
        };
        Some(Self { name, kind })
    }

    /// Whether the engine means this option by `name`; the protocol ignores case.
    #[must_use]
    pub fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// The value as the engine should receive it, or why it does not fit.
    pub fn check(&self, value: &str) -> Result<String, OptionValueError> {
        let option = self.name.clone();
        match &self.kind {
            OptionKind::Button => Ok(String::new()),
            OptionKind::String { .. } => Ok(value.to_owned()),
            OptionKind::Check { .. } => match value.to_ascii_lowercase().as_str() {
                "true" | "on" | "yes" | "1" => Ok("true".to_owned()),
                "false" | "off" | "no" | "0" => Ok("false".to_owned()),
                _ => Err(OptionValueError::NotABool { option, value: value.to_owned() }),
            },
            OptionKind::Spin { min, max, .. } => match value.trim().parse::<i64>() {
                Ok(number) if (*min..=*max).contains(&number) => Ok(number.to_string()),
                Ok(value) => {
                    Err(OptionValueError::OutOfRange { option, value, min: *min, max: *max })
                }
                Err(_) => Err(OptionValueError::NotANumber { option, value: value.to_owned() }),
            },
            OptionKind::Combo { choices, .. } => {
                choices.iter().find(|c| c.eq_ignore_ascii_case(value)).cloned().ok_or_else(|| {
                    OptionValueError::NotAChoice {
                        option,
                        value: value.to_owned(),
                        choices: choices.clone(),
                    }
                })
            }
        }
    }

    /// The default as text; `None` for a button.
    #[must_use]
    pub fn default_text(&self) -> Option<String> {
        match &self.kind {
            OptionKind::Check { default } => Some(default.to_string()),
            OptionKind::Spin { default, .. } => Some(default.to_string()),
            OptionKind::Combo { default, .. } | OptionKind::String { default } => {
                Some(default.clone())
            }
            OptionKind::Button => None,
        }
    }
}

/// A string's default runs to the end of the line and `<empty>` stands for nothing.
fn string_default(tokens: &mut Tokens<'_>) -> String {
    if tokens.peek() == Some("default") {
        tokens.next();
    }
    let default = tokens.rest();
    if default == "<empty>" { String::new() } else { default.to_owned() }
}

/// The keyword parts of a declaration, not yet given meaning.
#[derive(Default)]
struct Parts<'a> {
    default: Option<&'a str>,
    min: Option<&'a str>,
    max: Option<&'a str>,
    choices: Vec<String>,
}

impl<'a> Parts<'a> {
    fn read(tokens: &mut Tokens<'a>) -> Self {
        let mut parts = Self::default();
        while let Some(keyword) = tokens.next() {
            let value = tokens.run_until(|w| KEYWORDS.contains(&w));
            match keyword {
                "default" => parts.default = Some(value),
                "min" => parts.min = Some(value),
                "max" => parts.max = Some(value),
                "var" => parts.choices.push(value.to_owned()),
                _ => {}
            }
        }
        parts
    }

    fn into_kind(
        self,
        kind: &str,
        name: &str,
        found: &mut dyn FnMut(Deviation),
    ) -> Option<OptionKind> {
        let bad_default = |value: Option<&str>| Deviation::BadDefault {
            option: name.to_owned(),
            value: value.unwrap_or_default().to_owned(),
        };
        match kind {
            "check" => {
                let default = match self.default {
                    Some(text) if text.eq_ignore_ascii_case("true") => true,
                    Some(text) if text.eq_ignore_ascii_case("false") => false,
                    other => {
                        found(bad_default(other));
                        false
                    }
                };
                Some(OptionKind::Check { default })
            }
            "combo" => {
                let default = self.default.unwrap_or_default().to_owned();
                if !self.choices.iter().any(|c| c.eq_ignore_ascii_case(&default)) {
                    found(bad_default(self.default));
                }
                Some(OptionKind::Combo { default, choices: self.choices })
            }
            _ => {
                let mut number = |field: &str, text: Option<&str>, otherwise: i64| match text {
                    Some(text) => text.parse::<i64>().unwrap_or_else(|_| {
                        let (field, value) = (format!("{name} {field}"), text.to_owned());
                        found(Deviation::BadNumber { field, value });
                        otherwise
                    }),
                    None => otherwise,
                };
                let min = number("min", self.min, i64::MIN);
                let max = number("max", self.max, i64::MAX);
                let default = number("default", self.default, min.max(0));
                if !(min <= default && default <= max) {
                    found(bad_default(self.default));
                }
                Some(OptionKind::Spin { default, min, max })
            }
        }
    }
}

/// The name closest to a mistyped one, when one is close enough to be meant.
pub fn nearest_name<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = wanted.to_lowercase();
    names
        .map(|name| (distance(&wanted, &name.to_lowercase()), name))
        .filter(|(distance, name)| {
            let length = wanted.len().max(name.len());
            // Names that share no letter are not near, however short they are.
            *distance <= 1 + length / 3 && *distance < length
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Edit distance, with a swap of neighbours counted as one slip.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut best =
                (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn parse(line: &str) -> (Option<EngineOption>, Vec<&'static str>) {
        let mut codes = Vec::new();
        let option = EngineOption::parse(line, &mut |d| codes.push(d.code()));
        (option, codes)
    }

    #[test]
    fn kinds() {
        let kind = |line: &str| {
            let (option, codes) = parse(line);
            assert!(codes.is_empty(), "{line}: {codes:?}");
            option.unwrap().kind
        };
        assert_eq!(
            kind("option name Hash type spin default 16 min 1 max 33554432"),
            OptionKind::Spin { default: 16, min: 1, max: 33_554_432 }
        );
        assert_eq!(kind("option name Clear Hash type button"), OptionKind::Button);
        assert_eq!(
            kind("option name Ponder type check default true"),
            OptionKind::Check { default: true }
        );
        assert_eq!(
            kind("option name Style type combo default Very Solid var Very Solid var Wild"),
            OptionKind::Combo {
                default: "Very Solid".into(),
                choices: vec!["Very Solid".into(), "Wild".into()]
            }
        );
        assert_eq!(
            kind("option name Book File type string default books/min max.bin"),
            OptionKind::String { default: "books/min max.bin".into() }
        );
        assert_eq!(
            kind("option name SyzygyPath type string default <empty>"),
            OptionKind::String { default: String::new() }
        );
        assert_eq!(
            kind("option name X type string"),
            OptionKind::String { default: String::new() }
        );
        assert_eq!(parse("option name Clear Hash type button").0.unwrap().name, "Clear Hash");
    }

    #[test]
    fn faults() {
        assert_eq!(parse("option type spin").1, ["bad-option"]);
        assert_eq!(parse("option name A").1, ["bad-option"]);
        assert_eq!(parse("option name A type slider").1, ["bad-option"]);
        assert_eq!(parse("option name A type spin default 9 min 1 max 5").1, ["bad-default"]);
        assert_eq!(parse("option name A type check").1, ["bad-default"]);
        assert_eq!(parse("option name A type spin default x min 1 max 5").1, ["bad-number"]);
    }

    #[test]
    fn values() {
        let hash = parse("option name Hash type spin default 16 min 1 max 64").0.unwrap();
        assert_eq!(hash.check("32"), Ok("32".into()));
        assert_eq!(hash.check("65").unwrap_err().to_string(), "option Hash wants 1 to 64, not 65");
        assert!(hash.check("many").is_err());
        let ponder = parse("option name Ponder type check default true").0.unwrap();
        assert_eq!(ponder.check("Off"), Ok("false".into()));
        assert!(ponder.check("maybe").is_err());
        assert!(hash.is_named("hash"));
    }

    #[test]
    fn nearest() {
        let names = ["Hash", "Threads", "MultiPV", "Skill Level"];
        assert_eq!(nearest_name("Hsah", names.into_iter()), Some("Hash"));
        assert_eq!(nearest_name("thread", names.into_iter()), Some("Threads"));
        assert_eq!(nearest_name("Contempt", names.into_iter()), None);
    }
}
