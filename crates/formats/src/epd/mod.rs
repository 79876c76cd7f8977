//! EPD: a position and what is said about it, one record a line.
//!
//! The reader takes everything the format allows and what real suites contain beyond it: 4, 5 or 6
//! FEN fields, missing semicolons, commas between moves, unquoted or unterminated strings, repeated
//! opcodes, comments, any line end and encoding. Moves are read when asked for, in SAN, UCI or long
//! algebraic notation; one that does not fit the position is a [`Defect`] of the record.
//!
//! ```
//! use dyno_formats::epd::EpdReader;
//!
//! let file = "# two records\n\
//!     6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; dm 1; id \"back rank\";\n\
//!     6k1/5ppp/8/8/8/8/8/R5K1 x - - bm Ra8#;\n";
//! let mut records = EpdReader::new(file.as_bytes());
//!
//! let record = records.next().unwrap().unwrap();
//! assert_eq!(record.line, 2);
//! assert_eq!(record.id().as_deref(), Some("back rank"));
//! let best = record.best_moves();
//! assert!(best.defects.is_empty());
//! assert_eq!(record.position.san(best.moves[0]), "Ra8#");
//!
//! let error = records.next().unwrap().unwrap_err();
//! assert_eq!(error.to_string(), "line 3: the side to move is \"x\" instead of w or b (at \"x\")");
//! ```

mod answers;
mod parse;
mod write;

pub use answers::{AnswerFault, Defect, Moves, Points, Stated};
pub use write::{EpdLine, write_string};

use crate::lines::{LineError, Lines};
use dyno_chess::{FenError, Position};
use std::borrow::Cow;
use std::io::BufRead;

/// One line of an EPD file.
#[derive(Clone, Debug)]
pub struct EpdRecord {
    /// The number of the line in its file, counted from 1.
    pub line: u64,
    /// The line as it stands in the file.
    pub raw: String,
    /// The position, with the clocks of a six-field FEN or of `hmvc` and `fmvn`.
    pub position: Position,
    /// What was wrong with the line and could be left out of it: clocks that are no numbers, and
    /// what was repaired if that was asked for.
    pub warnings: Vec<Defect>,
    tokens: Vec<Token>,
}

/// A piece of the line: where it is and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Token {
    start: u32,
    end: u32,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Opcode,
    Word,
    Quoted,
}

/// Why a line is not a record.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {reason}{}", at(.token))]
pub struct EpdError {
    /// The number of the line in its file, counted from 1.
    pub line: u64,
    /// What is wrong.
    pub reason: EpdErrorReason,
    /// The part of the line that is wrong; empty where there is none to show.
    pub token: String,
    /// The line as it stands in the file.
    pub raw: String,
}

fn at(token: &str) -> String {
    if token.is_empty() { String::new() } else { format!(" (at \"{token}\")") }
}

/// What is wrong with a line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EpdErrorReason {
    /// The position cannot be read.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// The line could not be read at all.
    #[error(transparent)]
    Line(#[from] LineError),
}

impl EpdRecord {
    /// What was taken away because the position cannot have it; see [`EpdReader::repairing`].
    pub fn repairs(&self) -> impl Iterator<Item = &Defect> {
        self.warnings.iter().filter(|defect| matches!(defect.fault, AnswerFault::Impossible { .. }))
    }

    /// Reads one line; `None` for an empty line or a comment.
    pub fn parse(line: u64, text: &str) -> Option<Result<EpdRecord, EpdError>> {
        parse::record(line, text.to_owned(), false)
    }

    /// The operations, in the order of the line.
    pub fn operations(&self) -> impl Iterator<Item = Operation<'_>> {
        let mut rest = &self.tokens[..];
        std::iter::from_fn(move || {
            let (first, after) = rest.split_first()?;
            let count = after.iter().take_while(|token| token.kind != Kind::Opcode).count();
            let (operands, next) = after.split_at(count);
            rest = next;
            Some(Operation { raw: &self.raw, opcode: self.text_of(*first), operands })
        })
    }

    /// All operations with an opcode, whatever its case.
    pub fn all<'a>(&'a self, opcode: &'a str) -> impl Iterator<Item = Operation<'a>> {
        self.operations().filter(move |operation| operation.opcode.eq_ignore_ascii_case(opcode))
    }

    /// The first operation with an opcode, whatever its case.
    pub fn get(&self, opcode: &str) -> Option<Operation<'_>> {
        self.operations().find(|operation| operation.opcode.eq_ignore_ascii_case(opcode))
    }

    /// The text of the first operation with an opcode.
    pub fn text(&self, opcode: &str) -> Option<Cow<'_, str>> {
        self.get(opcode).map(|operation| operation.text())
    }

    /// The name of the record, quoted or not.
    pub fn id(&self) -> Option<Cow<'_, str>> {
        self.text("id").filter(|id| !id.is_empty())
    }

    /// The name of the record, or `line 17` where it has none.
    pub fn label(&self) -> String {
        self.id().map_or_else(|| format!("line {}", self.line), Cow::into_owned)
    }

    fn text_of(&self, token: Token) -> &str {
        &self.raw[token.start as usize..token.end as usize]
    }
}

/// An opcode and its operands.
#[derive(Clone, Copy, Debug)]
pub struct Operation<'a> {
    raw: &'a str,
    /// The opcode as written.
    pub opcode: &'a str,
    operands: &'a [Token],
}

impl<'a> Operation<'a> {
    /// The operands, in order.
    pub fn operands(&self) -> impl Iterator<Item = Operand<'a>> + use<'a> {
        let raw = self.raw;
        self.operands.iter().map(move |token| Operand {
            raw: &raw[token.start as usize..token.end as usize],
            quoted: token.kind == Kind::Quoted,
        })
    }

    /// The operands as one text, joined by spaces.
    pub fn text(&self) -> Cow<'a, str> {
        let mut operands = self.operands();
        let Some(first) = operands.next() else { return Cow::Borrowed("") };
        let mut text = first.text();
        for operand in operands {
            let joined = text.to_mut();
            joined.push(' ');
            joined.push_str(&operand.text());
        }
        text
    }
}

/// One operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand<'a> {
    /// As written, without the quotes.
    pub raw: &'a str,
    /// Whether it stood in quotes.
    pub quoted: bool,
}

impl<'a> Operand<'a> {
    /// The text, with `\"` and `\\` of a quoted string resolved.
    pub fn text(&self) -> Cow<'a, str> {
        if !self.quoted || !self.raw.contains('\\') {
            return Cow::Borrowed(self.raw);
        }
        let mut text = String::with_capacity(self.raw.len());
        let mut chars = self.raw.chars().peekable();
        while let Some(letter) = chars.next() {
            match chars.peek() {
                Some(next @ ('"' | '\\')) if letter == '\\' => {
                    text.push(*next);
                    chars.next();
                }
                _ => text.push(letter),
            }
        }
        Cow::Owned(text)
    }
}

/// The records of an EPD file. After an error, reading goes on with the next line; only a failure
/// of the stream itself ends it.
#[derive(Debug)]
pub struct EpdReader<R> {
    lines: Lines<R>,
    failed: bool,
    repair: bool,
}

impl<R: BufRead> EpdReader<R> {
    /// Reads records from a stream.
    pub fn new(input: R) -> EpdReader<R> {
        EpdReader { lines: Lines::new(input), failed: false, repair: false }
    }

    /// Whether castling rights without their king or rook and impossible en-passant squares are
    /// taken away, with a warning of the record, instead of costing the line.
    #[must_use]
    pub fn repairing(self, repair: bool) -> EpdReader<R> {
        EpdReader { repair, ..self }
    }
}

impl<R: BufRead> Iterator for EpdReader<R> {
    type Item = Result<EpdRecord, EpdError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.failed {
            let mut raw = String::new();
            match self.lines.read_into(&mut raw) {
                Ok(false) => return None,
                Ok(true) => {
                    if let Some(result) = parse::record(self.lines.number(), raw, self.repair) {
                        return Some(result);
                    }
                }
                Err(error) => {
                    self.failed = matches!(error, LineError::Io(_));
                    let line = self.lines.number() + u64::from(self.failed);
                    let reason = EpdErrorReason::Line(error);
                    return Some(Err(EpdError { line, reason, token: String::new(), raw }));
                }
            }
        }
        None
    }
}
