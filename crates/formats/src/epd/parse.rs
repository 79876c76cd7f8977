//! One line of EPD, cut into the position and its operations.

use super::answers::defect;
use super::{AnswerFault, Defect, EpdError, EpdErrorReason, EpdRecord, Kind, Token};
use crate::lines::{LONGEST, LineError};
use crate::repair::{Repair, repaired};
use dyno_chess::{CastlingStyle, EnPassantStyle, FenError, Position};

/// Whether a word is an opcode of the standard or of well-known suites: where a semicolon is
/// missing, one of these begins the next operation.
fn is_known(word: &str) -> bool {
    matches!(
        word.as_bytes(),
        b"acd"
            | b"acn"
            | b"acs"
            | b"am"
            | b"bm"
            | b"ce"
            | b"dm"
            | b"eco"
            | b"fmvn"
            | b"hmvc"
            | b"id"
            | b"nic"
            | b"noop"
            | b"pm"
            | b"pv"
            | b"rc"
            | b"sm"
            | b"tcgs"
            | b"tcri"
            | b"tcsi"
            | [b'c' | b'v', b'0'..=b'9']
    )
}

/// Whether the operands of an opcode are moves.
fn has_moves(opcode: &str) -> bool {
    match *opcode.as_bytes() {
        [a, b] => {
            matches!(&[a | 0x20, b | 0x20], b"bm" | b"am" | b"pv" | b"pm" | b"sm")
        }
        _ => false,
    }
}

/// Whether a line says nothing.
fn is_comment(text: &str) -> bool {
    text.is_empty() || text.starts_with(['#', ';', '%', '\x1a']) || text.starts_with("//")
}

/// Reads a line; `None` for an empty line or a comment.
pub(super) fn record(line: u64, raw: String, repair: bool) -> Option<Result<EpdRecord, EpdError>> {
    if raw.len() > LONGEST {
        let reason = EpdErrorReason::Line(LineError::TooLong);
        return Some(Err(EpdError { line, reason, token: String::new(), raw: String::new() }));
    }
    if is_comment(raw.trim()) {
        return None;
    }
    let mut cutter = Cutter { text: &raw, at: 0, tokens: Vec::with_capacity(24), clocks: false };
    let (mut fields, count) = cutter.fields();
    let fields = &mut fields[..count];
    let mut warnings = Vec::new();
    Some(match position(fields, repair, &mut warnings) {
        Ok(position) => {
            cutter.operations();
            let (tokens, clocks) = (cutter.tokens, cutter.clocks);
            let record = EpdRecord { line, raw, position, warnings, tokens };
            Ok(if clocks { record.with_clocks() } else { record })
        }
        Err(error) => {
            let token = wrong_field(&error, fields).to_owned();
            Err(EpdError { line, reason: error.into(), token, raw })
        }
    })
}

/// The position of the line's first fields. Clocks that make no sense count as missing.
fn position(
    fields: &mut [&str],
    repair: bool,
    warnings: &mut Vec<Defect>,
) -> Result<Position, FenError> {
    let new_game = ["0", "1"];
    for (at, start) in new_game.into_iter().enumerate() {
        if let Some(clock) = fields.get_mut(4 + at).filter(|clock| clock.parse::<u32>().is_err()) {
            if !matches!(*clock, "-" | "-1") {
                warnings.push(defect(["hmvc", "fmvn"][at], clock, AnswerFault::NotANumber));
            }
            *clock = start;
        }
    }
    if !repair {
        return Position::from_fen_fields(fields);
    }
    let (position, repairs) = repaired(fields)?;
    warnings.extend(repairs.into_iter().map(|Repair { field, text, error }| {
        defect(field, &text, AnswerFault::Impossible { error })
    }));
    Ok(position)
}

/// The field of the FEN that an error is about.
fn wrong_field<'a>(error: &FenError, fields: &[&'a str]) -> &'a str {
    use FenError::*;
    let index = match error {
        BadSide { .. } => 1,
        BadCastling { .. } | CastlingWithoutKing { .. } | CastlingWithoutRook { .. } => 2,
        CastlingTwice { .. } => 2,
        BadEnPassant { .. } | EnPassantRank { .. } => 3,
        EnPassantOccupied { .. } | EnPassantWithoutPawn { .. } => 3,
        BadNumber { text, .. } => {
            return fields.iter().skip(4).find(|field| *field == text).copied().unwrap_or("");
        }
        TooFewFields { .. } => return fields.last().copied().unwrap_or(""),
        _ => 0,
    };
    fields.get(index).copied().unwrap_or("")
}

/// Walks over the line.
struct Cutter<'a> {
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
    /// Whether `hmvc` or `fmvn` has been met.
    clocks: bool,
}

impl<'a> Cutter<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip(&mut self, wanted: impl Fn(u8) -> bool) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|byte| !wanted(*byte)).unwrap_or(rest.len());
    }

    /// The text from here to the first byte that ends it.
    fn until(&mut self, ends: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at;
        self.skip(|byte| !ends(byte));
        &self.text[start..self.at]
    }

    /// The text ahead, without moving.
    fn ahead(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The four fields of the position, and the clocks if they follow; and how many there are.
    fn fields(&mut self) -> ([&'a str; 6], usize) {
        let mut fields = [""; 6];
        let mut count = 0;
        loop {
            let before = self.at;
            self.skip(is_space);
            let field = self.until(|byte| is_space(byte) || byte == b';');
            let wanted = match count {
                // `c3` is an en-passant square as well as a comment.
                0..4 => !field.is_empty() && (!is_known(field) || is_note(field)),
                4 | 5 => is_clock(field),
                _ => false,
            };
            if !wanted {
                self.at = before;
                return (fields, count);
            }
            fields[count] = field;
            count += 1;
        }
    }

    /// The operations. A string without an opcode before it is a comment.
    fn operations(&mut self) {
        loop {
            self.skip(|byte| is_space(byte) || matches!(byte, b';' | b','));
            match self.peek() {
                None | Some(b'#' | 0x1a) => return,
                Some(b'"') => {
                    self.string();
                    self.tokens.pop();
                    continue;
                }
                Some(_) if self.ahead().starts_with("//") => return,
                Some(_) => {}
            }
            let start = self.at;
            let opcode = self.until(|byte| is_space(byte) || matches!(byte, b';' | b'"'));
            let name = opcode.trim_end_matches([':', ',']);
            if name.is_empty() {
                continue;
            }
            self.clocks |= ["hmvc", "fmvn"].iter().any(|clock| name.eq_ignore_ascii_case(clock));
            self.push(start, start + name.len(), Kind::Opcode);
            self.operands(name);
        }
    }

    fn operands(&mut self, opcode: &str) {
        let moves = has_moves(opcode);
        let mut count = 0;
        loop {
            self.skip(|byte| is_space(byte) || (moves && byte == b','));
            match self.peek() {
                None | Some(b';') => return,
                Some(b'"') => self.string(),
                Some(_) => {
                    let start = self.at;
                    let word = self.until(|byte| {
                        is_space(byte) || matches!(byte, b';' | b'"') || (moves && byte == b',')
                    });
                    if (count > 0 || moves) && self.begins_operation(word, opcode, moves) {
                        self.at = start;
                        return;
                    }
                    match self.comment(word, moves) {
                        Some(Comment::Rest) => {
                            self.at = self.text.len();
                            return;
                        }
                        Some(Comment::Sign) => {}
                        None => self.push(start, self.at, Kind::Word),
                    }
                }
            }
            count += 1;
        }
    }

    /// Whether a semicolon is missing before this word, which has just been read.
    fn begins_operation(&self, word: &str, opcode: &str, moves: bool) -> bool {
        if !is_known(word) {
            return false;
        }
        let operand = self.ahead().trim_start_matches([' ', '\t']);
        if operand.is_empty() || operand.starts_with(';') {
            return false;
        }
        // In a free text such a word may be just a word, and `c5` is a pawn's move as well as a
        // comment.
        let free = opcode.eq_ignore_ascii_case("id") || !is_known(opcode) || is_note(opcode);
        (moves && !is_note(word))
            || (!moves && !free)
            || operand.starts_with('"')
            || matches!(word, "bm" | "am" | "dm")
    }

    /// Whether the word just read is not an operand: the start of a comment, or a stray mate sign.
    fn comment(&self, word: &str, moves: bool) -> Option<Comment> {
        if word.starts_with("//") {
            return Some(Comment::Rest);
        }
        let sign = word.strip_prefix('#')?;
        let number = sign.trim_start_matches(['-', '+']);
        let is_mate = number.starts_with(|c: char| c.is_ascii_digit());
        let rest = self.ahead().trim_start();
        match (sign.is_empty(), rest.is_empty() || rest.starts_with(';')) {
            (true, true) => Some(Comment::Sign),
            (true, false) => Some(Comment::Rest),
            _ if moves && !is_mate => Some(Comment::Rest),
            _ => None,
        }
    }

    /// A quoted string. Without its closing quote it ends at the next semicolon.
    fn string(&mut self) {
        let start = self.at + 1;
        let body = &self.text[start..];
        let closing = closing_quote(body, true).or_else(|| closing_quote(body, false));
        let (length, skip) = match closing {
            Some(length) => (length, 1),
            None => (body.find(';').unwrap_or(body.len()), 0),
        };
        let trimmed = if skip == 0 { body[..length].trim_end().len() } else { length };
        self.push(start, start + trimmed, Kind::Quoted);
        self.at = start + length + skip;
    }

    fn push(&mut self, start: usize, end: usize, kind: Kind) {
        // No line is longer than a mebibyte.
        self.tokens.push(Token { start: start as u32, end: end as u32, kind });
    }
}

enum Comment {
    /// To the end of the line.
    Rest,
    /// Only this word.
    Sign,
}

/// Where a string ends: at the first quote, or the first that no backslash precedes.
fn closing_quote(body: &str, escapes: bool) -> Option<usize> {
    let bytes = body.as_bytes();
    if !escapes {
        return memchr::memchr(b'"', bytes);
    }
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\x0b' | b'\x0c' | b'\r' | b'\n')
}

/// Whether an opcode is one of the comments `c0` to `c9`.
fn is_note(opcode: &str) -> bool {
    matches!(opcode.as_bytes(), [b'c' | b'C', b'0'..=b'9'])
}

/// Some programs write `-1` for a clock they do not know.
fn is_clock(field: &str) -> bool {
    let digits = field.strip_prefix('-').unwrap_or(field);
    !field.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

impl EpdRecord {
    /// Takes over the clocks of `hmvc` and `fmvn`.
    fn with_clocks(mut self) -> EpdRecord {
        let (halfmoves, fullmoves) = (self.clock("hmvc"), self.clock("fmvn"));
        let halfmoves = halfmoves.unwrap_or(self.position.halfmove_clock());
        let fullmoves = fullmoves.unwrap_or(self.position.fullmove_number());
        let chess960 = self.position.is_chess960();
        let fen = self.position.fen_with(CastlingStyle::Shredder, EnPassantStyle::Always);
        let mut fields: Vec<&str> = fen.split(' ').take(4).collect();
        let clocks = [halfmoves.to_string(), fullmoves.to_string()];
        fields.extend(clocks.iter().map(String::as_str));
        if let Ok(position) = Position::from_fen(&fields.join(" ")) {
            self.position = position;
            self.position.set_chess960(chess960);
        }
        self
    }

    /// The number of a clock; one that is none is worth a warning.
    fn clock(&mut self, opcode: &'static str) -> Option<u32> {
        let text = self.text(opcode)?;
        let number = text.trim().parse().ok();
        if number.is_none() {
            let warning = defect(opcode, &text, AnswerFault::NotANumber);
            self.warnings.push(warning);
        }
        number
    }
}
