//! The words of the dialect: flags, and what follows them.

use dyno_uci::nearest_name;
use std::fmt;
use std::str::FromStr;

/// What is wrong with the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialectError(pub String);

impl fmt::Display for DialectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DialectError {}

pub type Result<T> = std::result::Result<T, DialectError>;

pub fn fail<T>(message: impl Into<String>) -> Result<T> {
    Err(DialectError(message.into()))
}

/// ` (did you mean …?)`, when a known name is near.
pub fn hint<'a>(wanted: &str, names: impl Iterator<Item = &'a str>, prefix: &str) -> String {
    nearest_name(wanted, names).map(|n| format!("; did you mean {prefix}{n}?")).unwrap_or_default()
}

/// A flag with the words up to the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// Without its dashes.
    pub name: String,
    pub words: Vec<String>,
}

/// Cuts the command line at its flags. A flag is a dash or two and a letter; `--name=value` is
/// one with its first word.
pub fn cut(words: &[String]) -> Result<Vec<Flag>> {
    let mut flags: Vec<Flag> = Vec::new();
    for word in words {
        match (flag_name(word), flags.last_mut()) {
            (Some(text), _) => {
                let (name, value) = match text.split_once('=') {
                    Some((name, value)) => (name, Some(value.to_owned())),
                    None => (text, None),
                };
                flags.push(Flag { name: name.to_owned(), words: value.into_iter().collect() });
            }
            (None, Some(flag)) => flag.words.push(word.clone()),
            (None, None) => {
                return fail(format!(
                    "unexpected {word:?}: options begin with a dash, and an engine is given by --engine {word}"
                ));
            }
        }
    }
    Ok(flags)
}

fn flag_name(word: &str) -> Option<&str> {
    let name = word.strip_prefix("--").or_else(|| word.strip_prefix('-'))?;
    name.starts_with(|c: char| c.is_ascii_alphabetic()).then_some(name)
}

impl Flag {
    /// The only word.
    pub fn one(&self) -> Result<&str> {
        match self.words.as_slice() {
            [word] => Ok(word),
            [] => fail(format!("-{}: a value is missing", self.name)),
            [_, extra, ..] => fail(format!("-{}: unexpected {extra:?}", self.name)),
        }
    }

    /// The only word, if there is one.
    pub fn optional(&self) -> Result<Option<&str>> {
        if self.words.is_empty() { Ok(None) } else { self.one().map(Some) }
    }

    /// All words, with blanks between them.
    pub fn text(&self) -> Result<String> {
        if self.words.is_empty() { self.one().map(str::to_owned) } else { Ok(self.words.join(" ")) }
    }

    pub fn number<T: FromStr>(&self) -> Result<T> {
        number(&format!("-{}", self.name), self.one()?)
    }

    /// No word at all.
    pub fn nothing(&self) -> Result<()> {
        match self.words.first() {
            None => Ok(()),
            Some(word) => fail(format!("-{} takes no value, but {word:?} follows", self.name)),
        }
    }

    /// The file: the only word, or `file=…` among other settings.
    pub fn file(&self) -> Result<String> {
        let word = self.one()?;
        Ok(word.strip_prefix("file=").unwrap_or(word).to_owned())
    }

    /// Changes a value as the settings say.
    pub fn read_settings<T>(&self, target: &mut T, known: Settings<T>) -> Result<()> {
        self.settings().try_for_each(|setting| {
            match known.iter().find(|(name, _)| *name == setting.name) {
                Some((_, apply)) => apply(target, setting),
                None => setting.unknown(known.iter().map(|(name, _)| *name)),
            }
        })
    }

    /// The same flag with its file named: `x.pgn min` becomes `file=x.pgn min`.
    pub fn with_file<T>(&self, known: Settings<T>) -> Flag {
        let mut flag = self.clone();
        let bare = |first: &Setting<'_>| known.iter().all(|(name, _)| *name != first.name);
        if self.settings().next().is_some_and(|first| bare(&first)) {
            flag.words[0].insert_str(0, "file=");
        }
        flag
    }

    /// The words as settings `name=value`; a word alone is a setting that is on.
    pub fn settings(&self) -> impl Iterator<Item = Setting<'_>> {
        self.words.iter().map(|word| {
            let (name, value) = word.split_once('=').unwrap_or((word, "true"));
            Setting { flag: &self.name, name, value }
        })
    }
}

/// The settings that a flag knows: the name, and what it does to the value that is being read.
pub type Settings<T> = &'static [(&'static str, fn(&mut T, Setting<'_>) -> Result<()>)];

/// Puts what was read in its place.
pub fn set<T>(place: &mut T, value: Result<T>) -> Result<()> {
    *place = value?;
    Ok(())
}

/// One `name=value` of a flag.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    pub flag: &'a str,
    pub name: &'a str,
    pub value: &'a str,
}

impl Setting<'_> {
    fn place(&self) -> String {
        format!("-{} {}", self.flag, self.name)
    }

    pub fn number<T: FromStr>(&self) -> Result<T> {
        number(&self.place(), self.value)
    }

    pub fn flag_value(&self) -> Result<bool> {
        match self.value.to_ascii_lowercase().as_str() {
            "true" | "on" | "yes" | "1" => Ok(true),
            "false" | "off" | "no" | "0" => Ok(false),
            _ => fail(format!("{}: {:?} is neither true nor false", self.place(), self.value)),
        }
    }

    /// One of several words.
    pub fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T> {
        choose(&self.place(), self.value, choices)
    }

    pub fn unknown<'a, T>(&self, known: impl Iterator<Item = &'a str>) -> Result<T> {
        let hint = hint(self.name, known, "");
        fail(format!("-{}: unknown setting {:?}{hint}", self.flag, self.name))
    }
}

pub fn number<T: FromStr>(place: &str, text: &str) -> Result<T> {
    text.trim().parse().or_else(|_| fail(format!("{place}: not a valid number: {text:?}")))
}

pub fn choose<T: Copy>(place: &str, text: &str, choices: &[(&str, T)]) -> Result<T> {
    match choices.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
        Some((_, choice)) => Ok(*choice),
        None => {
            let hint = hint(text, choices.iter().map(|c| c.0), "");
            let names: Vec<&str> = choices.iter().map(|c| c.0).collect();
            fail(format!("{place}: {text:?} is not one of {}{hint}", names.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn parts(line: &str) -> Vec<(String, Vec<String>)> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        cut(&words).unwrap().into_iter().map(|f| (f.name, f.words)).collect()
    }

    #[test]
    fn lines_are_cut_at_flags() {
        let flags =
            parts("-engine cmd=./a arg=-x -each tc=1+1 --resume=x.journal -sprt elo0=-5 -1");
        let names: Vec<&str> = flags.iter().map(|f| f.0.as_str()).collect();
        assert_eq!(names, ["engine", "each", "resume", "sprt"]);
        assert_eq!(flags[0].1, ["cmd=./a", "arg=-x"]);
        assert_eq!(flags[2].1, ["x.journal"]);
        assert_eq!(flags[3].1, ["elo0=-5", "-1"]);
        assert!(cut(&["lost".to_owned()]).is_err());
    }
}
