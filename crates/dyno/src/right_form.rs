//! A word in the wrong place, answered with the form it should have had.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};
use dyno_trials::{Kind, builtins};
use std::path::Path;

/// What to write instead; `command` is the one that the words name, called `name`.
pub fn of(error: &Error, command: &Command, name: &str, words: &[String]) -> Option<String> {
    match error.kind() {
        ErrorKind::InvalidSubcommand if name == "dyno" => {
            command_for(said(error, ContextKind::InvalidSubcommand)?)
        }
        ErrorKind::UnknownArgument => {
            let word = said(error, ContextKind::InvalidArg)?;
            match word.strip_prefix('-') {
                Some(letter) => two_dashes(letter, command, words),
                None => option_for(word, command, name),
            }
        }
        ErrorKind::ValueValidation if name == "dyno perft" => {
            let word = said(error, ContextKind::InvalidValue)?;
            let is_position = dyno_trials::perft::named(word).is_some();
            is_position.then(|| format!("dyno perft DEPTH --position {word}"))
        }
        _ => None,
    }
}

fn said(error: &Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text),
        _ => None,
    }
}

/// The command that takes such a word: an engine, a suite, a file of games.
fn command_for(word: &str) -> Option<String> {
    let is_suite = |kind| builtins(kind).any(|suite| suite.is_named(word));
    let path = Path::new(word);
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    Some(match ending {
        _ if is_suite(Kind::Epd) => format!("dyno suite {word}"),
        _ if is_suite(Kind::Mate) => format!("dyno mate {word}"),
        _ if is_suite(Kind::Perft) => format!("dyno perft --suite {word}"),
        "epd" => format!("dyno suite {word}"),
        "pgn" => format!("dyno elo {word}"),
        "json" => format!("dyno report {word} --html page.html"),
        "journal" => format!("dyno match --resume {word}"),
        _ if word.contains('/') || path.is_file() || is_on_path(word) => {
            format!("dyno check {word}")
        }
        _ => return None,
    })
}

fn is_on_path(word: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(word).is_file())
}

/// A word without dashes where only options are wanted.
fn option_for(word: &str, command: &Command, name: &str) -> Option<String> {
    let has = |long: &str| command.get_arguments().any(|arg| arg.get_long() == Some(long));
    let looks_like_suite = word.ends_with(".epd") || builtins(Kind::Epd).any(|s| s.is_named(word));
    match () {
        () if has("epd") && looks_like_suite => Some(format!("{name} --epd {word}")),
        () if has("engine") => Some(format!("{name} --engine {word}")),
        () => None,
    }
}

/// `-epd` is `--epd`: users of other tools write one dash.
fn two_dashes(letter: &str, command: &Command, words: &[String]) -> Option<String> {
    let with_one = |long: &&str| {
        let written = format!("-{long}");
        long.starts_with(letter)
            && words.iter().any(|word| word.split('=').next() == Some(&written))
    };
    let long = command.get_arguments().filter_map(|arg| arg.get_long()).find(with_one)?;
    Some(format!("--{long}, with two dashes"))
}
