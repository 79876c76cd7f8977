//! Colours, widths, and text that is safe to show on a terminal.

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

use crate::Verdict;

/// The text between the escape sequences of a style.
pub fn painted(text: impl std::fmt::Display, style: Style) -> String {
    format!("{style}{text}{style:#}")
}

/// Text with weight: headings, the figure that matters.
pub fn bold(text: impl std::fmt::Display) -> String {
    painted(text, Style::new().bold())
}

/// Text that stands back: units, remarks.
pub fn dim(text: impl std::fmt::Display) -> String {
    painted(text, Style::new().dimmed())
}

/// A verdict with its sign, in its colour: `✓ pass`.
#[must_use]
pub fn verdict(verdict: Verdict) -> String {
    painted(format!("{} {verdict}", verdict.sign()), colour(verdict))
}

pub(super) fn colour(verdict: Verdict) -> Style {
    let colour = match verdict {
        Verdict::Fail => AnsiColor::Red,
        Verdict::Warn => AnsiColor::Yellow,
        Verdict::Skip => AnsiColor::BrightBlack,
        Verdict::Pass => AnsiColor::Green,
    };
    let style = Style::new().fg_color(Some(colour.into()));
    if verdict == Verdict::Fail { style.bold() } else { style }
}

/// What stands before an error: `error:`, red on a terminal.
#[must_use]
pub fn error_mark() -> String {
    painted("error:", colour(Verdict::Fail))
}

/// What stands before a warning: `warning:`, yellow on a terminal.
#[must_use]
pub fn warning_mark() -> String {
    painted("warning:", colour(Verdict::Warn).bold())
}

/// As [`clean`], but for several lines: line ends stay.
#[must_use]
pub fn clean_lines(text: &str) -> String {
    text.lines().map(clean).collect::<Vec<_>>().join("\n")
}

/// Text from outside on one line: control characters (escape sequences, line ends, bells) and
/// the invisible ones that reorder text become `�`, tabs a space.
#[must_use]
pub fn clean(text: &str) -> String {
    let safe = |letter: char| match letter {
        '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c => c,
    };
    text.chars().map(safe).collect()
}

/// The text without escape sequences.
#[must_use]
pub fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

/// The columns a text takes, escape sequences not counted.
#[must_use]
pub fn text_width(text: &str) -> usize {
    anstream::adapter::strip_str(text).map(UnicodeWidthStr::width).sum()
}

/// The columns of the terminal that standard output is, if it is one.
#[must_use]
pub fn width() -> Option<usize> {
    let term = console::Term::stdout();
    if !term.is_term() {
        return None;
    }
    term.size_checked().map(|(_, columns)| usize::from(columns))
}

/// The text cut to this many columns, with `…` where something is missing.
pub(super) fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for letter in text.chars() {
        used += unicode_width::UnicodeWidthChar::width(letter).unwrap_or(0);
        if used > columns {
            break;
        }
        out.push(letter);
    }
    if columns > 0 {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_cannot_paint_the_screen() {
        assert_eq!(clean("a\u{1b}[2Jb\r\n\tc\u{7}"), "a\u{fffd}[2Jb\u{fffd}\u{fffd} c\u{fffd}");
    }

    #[test]
    fn lines_stay_lines() {
        assert_eq!(clean_lines("a\u{1b}\r\nb\n"), "a\u{fffd}\nb");
    }

    #[test]
    fn widths_count_columns_not_bytes() {
        assert_eq!(text_width(&verdict(Verdict::Pass)), 6);
        assert_eq!(text_width("棋"), 2);
        assert_eq!(cut("棋棋棋", 4), "棋…");
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("abcd", 4), "abcd");
        assert_eq!(cut("abcd", 0), "");
    }
}
