//! The help of `dyno match`, made from its table of flags.

use super::engine_words::ENGINE_SETTINGS;
use super::flags::{Row, SECTIONS};

const WIDTH: usize = 80;
/// Where texts begin.
const COLUMN: usize = 26;

const HEAD: &str = include_str!("help_head.txt");
const TAIL: &str = include_str!("help_tail.txt");

/// The whole text.
pub fn text() -> String {
    let mut text = HEAD.to_owned();
    for section in SECTIONS {
        text += &format!("\n{}\n", section.title);
        for row in section.rows {
            text += &flag(row, section.dashes);
            if row.name == "each" {
                text += &engine_settings();
            }
        }
    }
    text + "\n" + TAIL
}

/// What is wanted every day.
pub fn short_text() -> String {
    const DAILY: [&str; 15] = [
        "engine",
        "each",
        "tc",
        "games",
        "rounds",
        "tournament",
        "concurrency",
        "openings",
        "sprt",
        "draw",
        "resign",
        "pgnout",
        "resume",
        "live",
        "report-html",
    ];
    let usage = HEAD.split("\n\n").take(2).collect::<Vec<_>>().join("\n\n");
    let mut text = format!("{usage}\n\nOptions\n");
    for section in SECTIONS {
        let daily = section.rows.iter().filter(|row| DAILY.contains(&row.name));
        daily.for_each(|row| text += &flag(row, section.dashes));
    }
    text += "\nExample:\n  dyno match --engine ./new --engine ./old --tc 10+0.1 -games 200 -pgnout a.pgn\n";
    text + "\nAll options, and more examples: dyno match --help\n"
}

fn flag(row: &Row, dashes: &str) -> String {
    let dashes = |name: &str| if name.len() == 1 { "-" } else { dashes };
    let names: Vec<String> = row.names().map(|name| dashes(name).to_owned() + name).collect();
    entry(2, &names.join(", "), row.values, row.about)
}

/// A line a setting; those without a text are other spellings, or have no effect.
fn engine_settings() -> String {
    let shown = ENGINE_SETTINGS.iter().filter(|setting| !setting.about.is_empty());
    shown.map(|s| entry(6, &format!("{}{}", s.name, s.value), "", s.about)).collect()
}

/// `  -name VALUES    about`, wrapped; a long head has its text on the next line.
fn entry(indent: usize, name: &str, values: &str, about: &str) -> String {
    let column = COLUMN + if indent > 2 { 2 } else { 0 };
    let mut text = format!("{:indent$}{name}", "");
    text += &wrapped(values, indent + name.len() + 1, indent + name.len() + 1);
    let width = text.lines().last().map_or(0, |line| line.chars().count());
    if width + 1 > column || text.contains('\n') {
        text += "\n";
        text += &" ".repeat(column - 1);
        text += &wrapped(about, column, column);
    } else {
        text += &" ".repeat(column - 1 - width);
        text += &wrapped(about, column, column);
    }
    text + "\n"
}

/// The words, each after a blank, with lines broken at the width; the first begins at `at`.
fn wrapped(words: &str, at: usize, indent: usize) -> String {
    let (mut text, mut width) = (String::new(), at - 1);
    for word in words.split_ascii_whitespace() {
        let length = word.chars().count();
        if width + 1 + length > WIDTH && width >= indent {
            text += "\n";
            text += &" ".repeat(indent - 1);
            width = indent - 1;
        }
        text += " ";
        text += word;
        width += 1 + length;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::flags;
    use super::*;

    #[test]
    fn every_flag_has_a_line_and_no_line_is_too_long() {
        for line in short_text().lines() {
            assert!(line.chars().count() <= WIDTH, "{line}");
        }
        assert!(short_text().lines().count() < 40);
        let text = text();
        for name in flags::all().flat_map(Row::names) {
            assert!(text.contains(&format!("-{name}")), "{name}");
        }
        for line in text.lines() {
            assert!(line.chars().count() <= WIDTH, "{line}");
            assert_eq!(line.trim_end(), line, "blanks at the end");
        }
    }
}
