//! Writing PGN in export format: tags, then movetext in lines of at most 80 columns.

use super::{PgnGame, PgnLine, SEVEN_TAGS};
use crate::Digits;
use dyno_chess::{Color, Move, Position, STARTPOS};
use std::fmt;

const WIDTH: usize = 80;

/// The text of one game while it is being written.
///
/// ```
/// use dyno_chess::Position;
/// use dyno_formats::pgn::PgnText;
///
/// let start = Position::startpos();
/// let mut pgn = PgnText::new();
/// pgn.tag("White", "Ann \"Ace\"").tag("Result", "1-0").start(&start);
/// pgn.mv(&start, start.parse_san("e4").unwrap(), "book");
/// assert_eq!(
///     pgn.finish("1-0"),
///     "[White \"Ann \\\"Ace\\\"\"]\n[Result \"1-0\"]\n\n1. e4 {book} 1-0\n\n"
/// );
/// ```
#[derive(Clone, Debug, Default)]
pub struct PgnText {
    text: String,
    column: usize,
    /// A black move needs its number after a comment and at the beginning.
    number_due: bool,
}

impl PgnText {
    /// An empty game.
    #[must_use]
    pub fn new() -> PgnText {
        PgnText { text: String::with_capacity(4096), column: 0, number_due: true }
    }

    /// Adds a tag pair; quotes and backslashes are escaped, line breaks become spaces.
    pub fn tag(&mut self, name: &str, value: &str) -> &mut PgnText {
        self.text.push('[');
        self.text.push_str(name);
        self.text.push_str(" \"");
        for c in value.chars() {
            match c {
                '"' | '\\' => self.text.extend(['\\', c]),
                c if c.is_control() => self.text.push(' '),
                c => self.text.push(c),
            }
        }
        self.text.push_str("\"]\n");
        self
    }

    /// Ends the tags. A game from elsewhere than the start position says so here.
    pub fn start(&mut self, position: &Position) -> &mut PgnText {
        let fen = position.fen();
        if fen != STARTPOS {
            self.tag("SetUp", "1").tag("FEN", &fen);
        }
        self.text.push('\n');
        self
    }

    /// Adds a move in SAN with its comment, if any.
    pub fn mv(&mut self, before: &Position, mv: Move, comment: &str) -> &mut PgnText {
        self.move_text(before, &before.san(mv), comment)
    }

    /// Adds a move in the notation of the caller's choice.
    pub fn move_text(&mut self, before: &Position, mv: &str, comment: &str) -> &mut PgnText {
        match before.side_to_move() {
            Color::White => self.number(before.fullmove_number(), "."),
            Color::Black if self.number_due => self.number(before.fullmove_number(), "..."),
            Color::Black => {}
        }
        self.word(mv);
        self.number_due = !comment.is_empty();
        if !comment.is_empty() {
            self.comment(comment);
        }
        self
    }

    /// Adds a comment; braces within it would end it and become parentheses.
    pub fn comment(&mut self, comment: &str) -> &mut PgnText {
        if comment.contains(['{', '}']) {
            return self.comment(&comment.replace('{', "(").replace('}', ")"));
        }
        let mut words = comment.split_whitespace().peekable();
        let mut first = true;
        while let Some(word) = words.next() {
            let open = if std::mem::take(&mut first) { "{" } else { "" };
            let close = if words.peek().is_none() { "}" } else { "" };
            self.parts([open, word, close]);
        }
        self.number_due = true;
        self
    }

    fn number(&mut self, number: u32, dots: &str) {
        self.parts([Digits::of(number.into()).as_str(), dots, ""]);
    }

    /// Adds a line of moves with all that is said about them.
    fn line(&mut self, line: &PgnLine, start: Position) {
        for comment in &line.comments {
            self.comment(comment);
        }
        self.number_due = true;
        let mut position = start;
        for played in &line.moves {
            match played.mv {
                Some(mv) => self.mv(&position, mv, ""),
                None => self.move_text(&position, "--", ""),
            };
            for nag in &played.nags {
                self.word(&format!("${nag}"));
            }
            for comment in &played.comments {
                self.comment(comment);
            }
            for variation in &played.variations {
                self.word("(");
                self.line(variation, position);
                self.word(")");
                self.number_due = true;
            }
            match played.after(&position) {
                Some(next) => position = next,
                None => return,
            }
        }
    }

    /// Adds the result and the empty line that ends a game.
    #[must_use]
    pub fn finish(mut self, result: &str) -> String {
        self.word(result);
        self.text.push_str("\n\n");
        self.text
    }

    fn word(&mut self, word: &str) {
        self.parts([word, "", ""]);
    }

    /// Adds a word that comes in parts. Every move of every game passes here: nothing is allocated.
    fn parts(&mut self, parts: [&str; 3]) {
        let width = parts.iter().map(|part| width(part)).sum::<usize>();
        // A line that begins with a percent sign would be skipped by readers.
        let may_break = !parts.iter().find(|p| !p.is_empty()).is_some_and(|p| p.starts_with('%'));
        if self.column > 0 && self.column + 1 + width >= WIDTH && may_break {
            self.text.push('\n');
            self.column = 0;
        } else if self.column > 0 {
            self.text.push(' ');
            self.column += 1;
        }
        parts.iter().for_each(|part| self.text.push_str(part));
        self.column += width;
    }
}

/// Letters, which are fewer than bytes only beyond ASCII.
fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

impl fmt::Display for PgnGame {
    /// The seven tags first, then the others; moves, comments and variations; the result; an empty
    /// line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = PgnText::new();
        for name in SEVEN_TAGS {
            let value = match name {
                "Result" => self.result.as_str(),
                "Date" => self.tags.get(name).unwrap_or("????.??.??"),
                _ => self.tags.get(name).unwrap_or("?"),
            };
            text.tag(name, value);
        }
        for (name, value) in self.tags.iter() {
            if !SEVEN_TAGS.iter().any(|seven| seven.eq_ignore_ascii_case(name)) {
                text.tag(name, value);
            }
        }
        text.text.push('\n');
        text.line(&self.line, self.start);
        f.write_str(&text.finish(self.result.as_str()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use dyno_chess::Game;

    fn write(fen: Option<&str>, moves: &[&str], comment: &str) -> String {
        let start = fen.map_or_else(Position::startpos, |f| Position::from_fen(f).unwrap());
        let mut game = Game::new(start);
        let mut pgn = PgnText::new();
        pgn.start(&start);
        for text in moves {
            let before = *game.position();
            let mv = before.parse_uci(text).unwrap();
            pgn.mv(&before, mv, comment);
            game.play(mv);
        }
        pgn.finish("*")
    }

    #[test]
    fn numbers_and_comments() {
        let moves = ["e2e4", "e7e5", "g1f3"];
        assert_eq!(write(None, &moves, ""), "\n1. e4 e5 2. Nf3 *\n\n");
        assert_eq!(
            write(None, &moves, "x{y}"),
            "\n1. e4 {x(y)} 1... e5 {x(y)} 2. Nf3 {x(y)} *\n\n"
        );
        let black = "4k3/8/8/8/8/8/4P3/4K3 b - - 3 17";
        assert_eq!(
            write(Some(black), &["e8e7", "e2e4"], ""),
            "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 3 17\"]\n\n17... Ke7 18. e4 *\n\n"
        );
    }

    #[test]
    fn lines_stay_below_the_limit() {
        let shuffle: Vec<&str> = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(40);
        let text = write(None, &shuffle, "+0.35/12 0.1s and more");
        assert!(text.lines().all(|line| line.len() < WIDTH), "{text}");
        assert_eq!(text.matches("Nf3").count(), 40);
    }
}
