//! Writing EPD.

use super::EpdRecord;
use dyno_chess::{Move, Position};
use std::fmt::{self, Write as _};

/// A line of EPD in the making.
///
/// ```
/// use dyno_chess::Position;
/// use dyno_formats::epd::EpdLine;
///
/// let position = Position::from_fen("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1").unwrap();
/// let mate = position.parse_san("Ra8#").unwrap();
/// let line = EpdLine::new(&position).moves("bm", &[mate]).number("dm", 1).string("id", "a \"b\"");
/// assert_eq!(line.to_string(), r#"6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; dm 1; id "a \"b\"";"#);
/// ```
#[derive(Clone, Debug)]
pub struct EpdLine {
    position: Position,
    text: String,
}

impl EpdLine {
    /// A line with a position and no operations yet.
    pub fn new(position: &Position) -> EpdLine {
        EpdLine { position: *position, text: position.epd() }
    }

    /// Adds moves of the position, in SAN. Without moves it adds nothing.
    #[must_use]
    pub fn moves(mut self, opcode: &str, moves: &[Move]) -> EpdLine {
        if !moves.is_empty() {
            self.begin(opcode);
            for mv in moves {
                self.text.push(' ');
                self.text.push_str(&self.position.san(*mv));
            }
            self.text.push(';');
        }
        self
    }

    /// Adds a line of legal moves played one after the other, in SAN. Without moves it adds
    /// nothing.
    #[must_use]
    pub fn line(mut self, opcode: &str, moves: &[Move]) -> EpdLine {
        if !moves.is_empty() {
            self.begin(opcode);
            let mut position = self.position;
            for mv in moves {
                self.text.push(' ');
                self.text.push_str(&position.san(*mv));
                position = position.play(*mv);
            }
            self.text.push(';');
        }
        self
    }

    /// Adds a number.
    #[must_use]
    pub fn number(mut self, opcode: &str, number: i64) -> EpdLine {
        self.begin(opcode);
        let _ = write!(self.text, " {number};");
        self
    }

    /// Adds a quoted string.
    #[must_use]
    pub fn string(mut self, opcode: &str, string: &str) -> EpdLine {
        self.begin(opcode);
        self.text.push(' ');
        write_string(&mut self.text, string);
        self.text.push(';');
        self
    }

    /// Adds the half-move clock and the move number where they are not those of a new game.
    #[must_use]
    pub fn clocks(mut self) -> EpdLine {
        let halfmoves = self.position.halfmove_clock();
        let fullmoves = self.position.fullmove_number();
        if halfmoves != 0 {
            self = self.number("hmvc", i64::from(halfmoves));
        }
        if fullmoves != 1 {
            self = self.number("fmvn", i64::from(fullmoves));
        }
        self
    }

    fn begin(&mut self, opcode: &str) {
        self.text.push(' ');
        self.text.push_str(opcode);
    }
}

impl fmt::Display for EpdLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Appends a quoted string: quotes and backslashes escaped, line ends and other control characters
/// turned into spaces.
pub fn write_string(text: &mut String, string: &str) {
    text.push('"');
    for letter in string.chars() {
        match letter {
            '"' | '\\' => text.extend(['\\', letter]),
            _ if letter.is_control() => text.push(' '),
            _ => text.push(letter),
        }
    }
    text.push('"');
}

impl fmt::Display for EpdRecord {
    /// The record in the standard's own layout: four fields, every operation closed by a
    /// semicolon, operands as they were written, clocks as `hmvc` and `fmvn`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = EpdLine::new(&self.position);
        for operation in self.operations() {
            if operation.opcode.eq_ignore_ascii_case("hmvc")
                || operation.opcode.eq_ignore_ascii_case("fmvn")
            {
                continue;
            }
            line.begin(operation.opcode);
            for operand in operation.operands() {
                line.text.push(' ');
                if operand.quoted {
                    write_string(&mut line.text, &operand.text());
                } else {
                    line.text.push_str(operand.raw);
                }
            }
            line.text.push(';');
        }
        write!(f, "{}", line.clocks())
    }
}
