//! The command line, read; a wrong one is answered in one line that says what to do.

use clap::error::ErrorKind;
use clap::{ArgAction, Command, CommandFactory, FromArgMatches};
use dyno_report::terminal::{self, error_mark};
use std::ffi::OsString;

use crate::cli::Cli;
use crate::exit::Exit;
use crate::right_form;
use crate::short_help::beside_the_long_one;

/// Reads the arguments of this process, or ends it with help, version or an error.
pub fn parse() -> Cli {
    read(with_switch_first(std::env::args_os()))
}

/// Reads words, the name of the command first, or ends the process as [`parse`] does.
pub fn read<T: CommandFactory + FromArgMatches>(words: Vec<OsString>) -> T {
    let mut command = beside_the_long_one(taking_negative_numbers(T::command()));
    let parsed = command.try_get_matches_from_mut(words);
    match parsed.and_then(|matches| T::from_arg_matches(&matches)) {
        Ok(read) => read,
        Err(error) => refuse(error, command),
    }
}

/// `dyno match` takes its words as they are; `--no-history` is not one of them.
fn with_switch_first(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let (switches, mut words): (Vec<_>, Vec<_>) = words.partition(|word| word == "--no-history");
    words.splice(words.len().min(1)..words.len().min(1), switches.into_iter().take(1));
    words
}

/// `--movetime -5` is a wrong number, not an unknown option called `-5`.
fn taking_negative_numbers(command: Command) -> Command {
    let takes_value = |action: &ArgAction| action.takes_values();
    command
        .mut_args(|arg| match takes_value(arg.get_action()) {
            true => arg.allow_negative_numbers(true),
            false => arg,
        })
        .mut_subcommands(taking_negative_numbers)
}

fn refuse(error: clap::Error, mut command: Command) -> ! {
    let asked_for_text = matches!(
        error.kind(),
        ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    );
    if asked_for_text {
        error.exit();
    }
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let (named, name) = command_named(&command, &words);
    let instead = right_form::of(&error, named, &name, &words);
    let text = error.format(&mut command).render().to_string();
    terminal::eprintln!("{} {}", error_mark(), one_line(&text, &name, instead.as_deref()));
    std::process::exit(Exit::Usage as i32)
}

/// `dyno mate solve`: as far as the words name commands.
fn command_named<'a>(root: &'a Command, words: &[String]) -> (&'a Command, String) {
    let mut name = root.get_name().to_owned();
    let mut command = root;
    for word in words {
        let Some(found) = command.find_subcommand(word) else { break };
        name = format!("{name} {word}");
        command = found;
    }
    (command, name)
}

/// What clap says in a paragraph, without the usage that `--help` shows better. `instead` is a
/// better tip than clap's.
fn one_line(text: &str, command: &str, instead: Option<&str>) -> String {
    let mut line = String::new();
    let said = text.lines().map(str::trim).filter(|part| !part.is_empty());
    for part in said.take_while(|part| !part.starts_with("Usage:")) {
        if part.starts_with("For more information") {
            break;
        }
        if part.starts_with("tip:") && instead.is_some() {
            continue;
        }
        let glue = match part.starts_with("tip:") {
            _ if line.is_empty() => "",
            true => "; ",
            false => " ",
        };
        line += glue;
        line += part;
    }
    let line = line.strip_prefix("error: ").unwrap_or(&line);
    let tip = instead.map_or(String::new(), |form| format!("; write {form}"));
    format!("{}{tip} (see {command} --help)", in_plain_words(line))
}

/// The few phrases that only programmers understand.
fn in_plain_words(line: &str) -> String {
    let line = line
        .replace("invalid digit found in string", "a whole number is wanted")
        .replace("invalid float literal", "a number is wanted")
        .replace("cannot parse integer from empty string", "a whole number is wanted");
    plain_range(&line).unwrap_or(line)
}

/// `0 is not in 1..=4294967295` is `it must be 1 or more`.
fn plain_range(line: &str) -> Option<String> {
    /// Beyond this a bound is only that of a type.
    const BOUNDLESS: i128 = u32::MAX as i128;
    let (before, range) = line.split_once(" is not in ")?;
    let (before, _) = before.rsplit_once(": ")?;
    let range_end = range.find(|c: char| !c.is_ascii_digit() && !"-.=".contains(c));
    let (range, after) = range.split_at(range_end.unwrap_or(range.len()));
    let (least, most) = range.split_once("..")?;
    let least: i128 = least.parse().ok()?;
    let most: i128 = match most.strip_prefix('=') {
        Some(most) => most.parse().ok()?,
        None => most.parse::<i128>().ok()? - 1,
    };
    let wanted = match most >= BOUNDLESS {
        true => format!("it must be {least} or more"),
        false => format!("it must be from {least} to {most}"),
    };
    Some(format!("{before}: {wanted}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paragraph_becomes_a_line() {
        let text = "error: unexpected argument '--outt' found\n\n  tip: a similar argument exists: \
                    '--out'\n\nUsage: dyno man --out <DIR>\n\nFor more information, try '--help'.\n";
        let line = "unexpected argument '--outt' found; tip: a similar argument exists: '--out' \
                    (see dyno man --help)";
        assert_eq!(one_line(text, "dyno man", None), line);
        let line = "unexpected argument '--outt' found; write --out (see dyno man --help)";
        assert_eq!(one_line(text, "dyno man", Some("--out")), line);
        let text = "error: the following required arguments were not provided:\n  --epd <FILE>\n\n\
                    Usage: dyno suite --epd <FILE>\n";
        let line = "the following required arguments were not provided: --epd <FILE> \
                    (see dyno suite --help)";
        assert_eq!(one_line(text, "dyno suite", None), line);
    }

    #[test]
    fn ranges_in_plain_words() {
        let cases = [
            ("'0' for '--depth <N>': 0 is not in 1..=4294967295", "it must be 1 or more"),
            ("'0' for '--nodes <N>': 0 is not in 1..18446744073709551615", "it must be 1 or more"),
            ("'300' for '[DEPTH]': 300 is not in 0..=100", "it must be from 0 to 100"),
            ("'0' for '--hash <MB>': 0 is not in 1..65536", "it must be from 1 to 65535"),
        ];
        for (said, wanted) in cases {
            assert!(in_plain_words(said).ends_with(wanted), "{}", in_plain_words(said));
        }
    }
}
