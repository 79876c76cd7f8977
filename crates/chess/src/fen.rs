//! FEN, X-FEN and Shredder-FEN, read and written.

use crate::position::Wing;
use crate::{Bitboard, Color, File, Piece, Position, Rank, Role, Square};
use std::fmt::{self, Write as _};

/// What is wrong with a FEN: which part, which value, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum FenError {
    Empty,
    TooFewFields { found: usize },
    TooManyFields { extra: String },
    RankCount { found: usize },
    RankWidth { rank: Rank, squares: u32, text: String },
    BadPiece { rank: Rank, letter: char },
    AdjacentDigits { rank: Rank, text: String },
    NoKing { color: Color },
    ManyKings { color: Color, count: u32 },
    PawnOnLastRank { square: Square },
    TooManyPieces { color: Color, count: u32 },
    BadSide { text: String },
    BadCastling { letter: char },
    CastlingWithoutKing { letter: char, color: Color },
    CastlingWithoutRook { letter: char, color: Color },
    CastlingTwice { letter: char, color: Color },
    BadEnPassant { text: String },
    EnPassantRank { square: Square, side: Color },
    EnPassantOccupied { square: Square, blocked: Square },
    EnPassantWithoutPawn { square: Square, pawn: Square },
    BadNumber { field: &'static str, text: String },
    OpponentInCheck { color: Color, king: Square },
    // Found in strict mode only:
    TooManyPawns { color: Color, count: u32 },
    TooManyPromoted { color: Color, promoted: u32, missing: u32 },
    ImpossibleCheck { checkers: u32 },
    ClockAfterPawnMove { halfmoves: u32 },
    ClockBeyondGame { halfmoves: u32, plies: u32 },
    EnPassantCheck { square: Square },
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use FenError::*;
        match self {
            Empty => write!(f, "the FEN is empty"),
            TooFewFields { found } => write!(
                f,
                "{found} of the 4 needed fields (pieces, side to move, castling, en passant)"
            ),
            TooManyFields { extra } => {
                write!(f, "unexpected text after the sixth field: \"{extra}\"")
            }
            RankCount { found } => write!(f, "the board has {found} ranks instead of 8"),
            RankWidth { rank, squares, text } => {
                write!(f, "rank {rank} has {squares} squares instead of 8: \"{text}\"")
            }
            BadPiece { rank, letter } => write!(f, "rank {rank} has an unknown piece '{letter}'"),
            AdjacentDigits { rank, text } => {
                write!(f, "rank {rank} has two numbers side by side: \"{text}\"")
            }
            NoKing { color } => write!(f, "{color} has no king"),
            ManyKings { color, count } => write!(f, "{color} has {count} kings"),
            PawnOnLastRank { square } => write!(f, "a pawn stands on {square}, where none can be"),
            TooManyPieces { color, count } => {
                write!(f, "{color} has {count} pieces, more than the 16 of a game")
            }
            BadSide { text } => write!(f, "the side to move is \"{text}\" instead of w or b"),
            BadCastling { letter } => write!(f, "unknown castling right '{letter}'"),
            CastlingWithoutKing { letter, color } => {
                write!(f, "castling right '{letter}': {color}'s king is not on its first rank")
            }
            CastlingWithoutRook { letter, color } => {
                write!(f, "castling right '{letter}': {color} has no such rook on its first rank")
            }
            CastlingTwice { letter, color } => write!(
                f,
                "castling right '{letter}': {color} would have two rooks to castle with on one wing"
            ),
            BadEnPassant { text } => {
                write!(f, "the en-passant field is \"{text}\", neither a square nor -")
            }
            EnPassantRank { square, side } => {
                let rank = Rank::Sixth.relative_to(*side);
                write!(f, "en-passant square {square} is not on rank {rank} with {side} to move")
            }
            EnPassantOccupied { square, blocked } => {
                write!(f, "en-passant square {square} is impossible: {blocked} is occupied")
            }
            EnPassantWithoutPawn { square, pawn } => {
                write!(f, "en-passant square {square} is impossible: no enemy pawn on {pawn}")
            }
            BadNumber { field, text } => write!(f, "the {field} is \"{text}\", not a number"),
            OpponentInCheck { color, king } => {
                write!(f, "{color} is in check on {king} but it is not {color}'s turn")
            }
            TooManyPawns { color, count } => write!(f, "{color} has {count} pawns"),
            TooManyPromoted { color, promoted, missing } => write!(
                f,
                "{color} has {promoted} promoted pieces but only {missing} pawns are missing"
            ),
            ImpossibleCheck { checkers } => {
                write!(f, "{checkers} pieces give check in a way no move can bring about")
            }
            ClockAfterPawnMove { halfmoves } => {
                write!(f, "the half-move clock is {halfmoves} right after a pawn's double step")
            }
            ClockBeyondGame { halfmoves, plies } => write!(
                f,
                "the half-move clock is {halfmoves} but only {plies} half-moves have been played"
            ),
            EnPassantCheck { square } => {
                write!(f, "en-passant square {square}: the double step does not explain the check")
            }
        }
    }
}

impl std::error::Error for FenError {}

/// How castling rights are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CastlingStyle {
    /// `KQkq`, and a file letter only for a rook that is not the outermost: X-FEN, which for
    /// standard chess is plain FEN.
    #[default]
    XFen,
    /// Always the rook's file: Shredder-FEN.
    Shredder,
}

/// When the en-passant square is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EnPassantStyle {
    /// When a legal en-passant capture exists.
    #[default]
    Legal,
    /// After every double step, as the FEN standard says.
    Always,
}

/// What a byte of the board field means.
#[derive(Clone, Copy)]
struct Letter {
    /// The piece's number, or one of the numbers after the pieces'.
    kind: usize,
    role: Option<Role>,
    /// How many squares it fills.
    squares: usize,
}

const PIECES: usize = 12;
const DIGIT: usize = 12;
const SLASH: usize = 13;
const UNKNOWN: usize = 14;

/// Looked up, not worked out: the letters of a board come in no order a processor could foresee.
static LETTERS: [Letter; 256] = letters();

const fn letters() -> [Letter; 256] {
    let mut table = [Letter { kind: UNKNOWN, role: None, squares: 0 }; 256];
    let mut byte = 0;
    while byte < 128 {
        if let Some(piece) = Piece::from_letter(byte as u8 as char) {
            let kind = piece.color as usize * 6 + piece.role as usize;
            table[byte] = Letter { kind, role: Some(piece.role), squares: 1 };
        }
        if b'1' as usize <= byte && byte <= b'8' as usize {
            table[byte] = Letter { kind: DIGIT, role: None, squares: byte - b'0' as usize };
        }
        byte += 1;
    }
    table[b'/' as usize] = Letter { kind: SLASH, role: None, squares: 0 };
    table
}

impl Position {
    /// Reads a FEN, X-FEN or Shredder-FEN of four to six fields. Positions that are odd but
    /// playable load.
    ///
    /// ```
    /// use dyno_chess::Position;
    /// let error = Position::from_fen("8/8/8/8/8/8/9/8 w - - 0 1").unwrap_err();
    /// assert_eq!(error.to_string(), "rank 2 has an unknown piece '9'");
    /// ```
    pub fn from_fen(fen: &str) -> Result<Position, FenError> {
        let mut fields = [""; 6];
        let mut count = 0;
        let mut words = fen.split_ascii_whitespace();
        for (field, word) in fields.iter_mut().zip(words.by_ref()) {
            *field = word;
            count += 1;
        }
        if let Some(first) = words.next() {
            let extra: Vec<&str> = std::iter::once(first).chain(words).collect();
            return Err(FenError::TooManyFields { extra: extra.join(" ") });
        }
        Position::from_fen_fields(&fields[..count])
    }

    /// Reads the fields of a FEN that is already split. A clock that is missing
    /// may be left out.
    pub fn from_fen_fields(fields: &[&str]) -> Result<Position, FenError> {
        let &[board, side, castling, en_passant, ref clocks @ ..] = fields else {
            return Err(match fields.len() {
                0 => FenError::Empty,
                found => FenError::TooFewFields { found },
            });
        };
        if clocks.len() > 2 {
            return Err(FenError::TooManyFields { extra: clocks[2..].join(" ") });
        }
        let mut position = Position::empty();
        position.read_board(board)?;
        position.check_pieces()?;
        position.side = match side {
            "w" | "W" => Color::White,
            "b" | "B" => Color::Black,
            other => return Err(FenError::BadSide { text: other.into() }),
        };
        position.read_castling(castling)?;
        position.read_en_passant(en_passant)?;
        if let Some(text) = clocks.first() {
            let halfmoves = number("half-move clock", text)?;
            position.halfmoves = halfmoves.min(u32::from(u16::MAX)) as u16;
        }
        if let Some(text) = clocks.get(1) {
            // Some programs count from 0.
            position.fullmoves = number("move number", text)?.max(1);
        }
        position.refresh();
        position.chess960 |= position.needs_chess960();
        let waiting = !position.side;
        if position.is_attacked(position.king(waiting), position.side) {
            return Err(FenError::OpponentInCheck { color: waiting, king: position.king(waiting) });
        }
        Ok(position)
    }

    /// Reads a FEN and also refuses what no game can lead to: too many pawns or promoted pieces,
    /// impossible checks, clocks that contradict the position.
    pub fn from_fen_strict(fen: &str) -> Result<Position, FenError> {
        let position = Position::from_fen(fen)?;
        position.check_reachable()?;
        Ok(position)
    }

    /// Reads the board without a branch on what its letters are; what is wrong with one that
    /// cannot be read is found out afterwards.
    fn read_board(&mut self, text: &str) -> Result<(), FenError> {
        // A set of squares for each piece, and some for the letters that are none.
        let mut sets = [Bitboard::EMPTY; 16];
        // The squares read so far, from a8 on, and how many there are at the end of the rank.
        let (mut at, mut end) = (0, 8);
        let (mut after_digit, mut wrong) = (false, false);
        for byte in text.bytes() {
            let Letter { kind, role, squares } = LETTERS[usize::from(byte)];
            let square = Square::from_index((at ^ 56) & 63);
            sets[kind & 15] |= Bitboard::of(square);
            self.roles[square.index()] = role;
            let (digit, slash) = (kind == DIGIT, kind == SLASH);
            wrong |= (kind == UNKNOWN) | (digit & after_digit) | (slash & (at != end));
            after_digit = digit;
            at += squares;
            end += 8 * usize::from(slash);
            wrong |= at > end;
        }
        if wrong || at != 64 || end != 64 {
            return Err(wrong_board(text));
        }
        for (kind, set) in sets[..PIECES].iter().enumerate() {
            self.by_color[kind / 6] |= *set;
            self.by_role[kind % 6] |= *set;
        }
        for square in self.occupied() {
            if let Some(piece) = self.piece_at(square) {
                self.toggle_key(piece.color, piece.role, square);
            }
        }
        self.material_key = self.material_key_from_scratch();
        Ok(())
    }

    fn check_pieces(&self) -> Result<(), FenError> {
        for color in Color::ALL {
            match self.pieces(color, Role::King).count() {
                0 => return Err(FenError::NoKing { color }),
                1 => {}
                count => return Err(FenError::ManyKings { color, count }),
            }
            let count = self.by_color(color).count();
            if count > 16 {
                return Err(FenError::TooManyPieces { color, count });
            }
        }
        let last = Bitboard::rank(Rank::First) | Bitboard::rank(Rank::Eighth);
        match (self.by_role(Role::Pawn) & last).first() {
            Some(square) => Err(FenError::PawnOnLastRank { square }),
            None => Ok(()),
        }
    }

    fn read_castling(&mut self, text: &str) -> Result<(), FenError> {
        if text == "-" {
            return Ok(());
        }
        for letter in text.chars() {
            let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
            let lower = letter.to_ascii_lowercase();
            if !matches!(lower, 'k' | 'q' | 'a'..='h') {
                return Err(FenError::BadCastling { letter });
            }
            let home = Rank::First.relative_to(color);
            let king = self.king(color);
            if king.rank() != home {
                return Err(FenError::CastlingWithoutKing { letter, color });
            }
            let rooks = self.pieces(color, Role::Rook) & Bitboard::rank(home);
            let rook = match lower {
                'k' => rooks.into_iter().filter(|rook| *rook > king).last(),
                'q' => rooks.into_iter().find(|rook| *rook < king),
                _ => {
                    self.chess960 = true;
                    File::from_letter(lower)
                        .map(|file| Square::new(file, home))
                        .filter(|square| rooks.contains(*square))
                }
            };
            let rook = rook.ok_or(FenError::CastlingWithoutRook { letter, color })?;
            let wing = if rook > king { Wing::King } else { Wing::Queen };
            if self.castling_rook(color, wing).is_some_and(|other| other != rook) {
                return Err(FenError::CastlingTwice { letter, color });
            }
            self.castling |= Bitboard::of(rook);
        }
        Ok(())
    }

    fn read_en_passant(&mut self, text: &str) -> Result<(), FenError> {
        if text == "-" {
            return Ok(());
        }
        let square: Square =
            text.parse().map_err(|_| FenError::BadEnPassant { text: text.into() })?;
        let side = self.side;
        if square.rank() != Rank::Sixth.relative_to(side) {
            return Err(FenError::EnPassantRank { square, side });
        }
        let origin = Square::new(square.file(), Rank::Seventh.relative_to(side));
        let pawn = Square::new(square.file(), Rank::Fifth.relative_to(side));
        if let Some(&blocked) = [square, origin].iter().find(|s| self.occupied().contains(**s)) {
            return Err(FenError::EnPassantOccupied { square, blocked });
        }
        if !self.pieces(!side, Role::Pawn).contains(pawn) {
            return Err(FenError::EnPassantWithoutPawn { square, pawn });
        }
        self.ep_square = Some(square);
        Ok(())
    }

    fn check_reachable(&self) -> Result<(), FenError> {
        for color in Color::ALL {
            let count = |role| self.pieces(color, role).count();
            let pawns = count(Role::Pawn);
            if pawns > 8 {
                return Err(FenError::TooManyPawns { color, count: pawns });
            }
            let light = Bitboard(0x55aa_55aa_55aa_55aa);
            let bishops = self.pieces(color, Role::Bishop);
            let promoted = count(Role::Queen).saturating_sub(1)
                + count(Role::Rook).saturating_sub(2)
                + count(Role::Knight).saturating_sub(2)
                + (bishops & light).count().saturating_sub(1)
                + (bishops - light).count().saturating_sub(1);
            let missing = 8 - pawns;
            if promoted > missing {
                return Err(FenError::TooManyPromoted { color, promoted, missing });
            }
        }
        self.check_checkers()?;
        let halfmoves = self.halfmove_clock();
        if self.ep_square.is_some() && halfmoves > 0 {
            return Err(FenError::ClockAfterPawnMove { halfmoves });
        }
        if halfmoves > self.ply() {
            return Err(FenError::ClockBeyondGame { halfmoves, plies: self.ply() });
        }
        Ok(())
    }

    /// Whether one last move can have given all the checks there are.
    fn check_checkers(&self) -> Result<(), FenError> {
        let king = self.king(self.side);
        let checkers: Vec<Square> = self.checkers.into_iter().collect();
        let count = checkers.len() as u32;
        if let Some(ep_square) = self.ep_square {
            // The double step gave the check itself or opened the line it left.
            let pawn = Square::new(ep_square.file(), Rank::Fifth.relative_to(self.side));
            let origin = Square::new(ep_square.file(), Rank::Seventh.relative_to(self.side));
            let explained = checkers.iter().all(|&checker| {
                checker == pawn || crate::attacks::between(king, checker).contains(origin)
            });
            if !explained || count > 1 {
                return Err(FenError::EnPassantCheck { square: ep_square });
            }
        }
        let aligned = matches!(checkers[..], [a, b]
            if crate::attacks::line(a, b).contains(king)
                && crate::attacks::between(a, b).contains(king));
        let jumpers = checkers
            .iter()
            .filter(|s| matches!(self.role_at(**s), Some(Role::Pawn | Role::Knight)))
            .count();
        if count > 2 || jumpers > 1 || aligned {
            return Err(FenError::ImpossibleCheck { checkers: count });
        }
        Ok(())
    }

    /// The FEN, with castling as in X-FEN and the en-passant square when it matters.
    pub fn fen(&self) -> String {
        self.fen_with(CastlingStyle::XFen, EnPassantStyle::Legal)
    }

    /// The Shredder-FEN: castling rights by the rooks' files.
    pub fn shredder_fen(&self) -> String {
        self.fen_with(CastlingStyle::Shredder, EnPassantStyle::Legal)
    }

    /// The first four fields of the FEN, as EPD wants them.
    pub fn epd(&self) -> String {
        let mut text = String::with_capacity(90);
        self.push_epd(&mut text);
        text
    }

    /// Appends the first four fields of the FEN.
    pub fn push_epd(&self, text: &mut String) {
        self.four_fields(text, CastlingStyle::XFen, EnPassantStyle::Legal);
    }

    /// The FEN in the given styles.
    pub fn fen_with(&self, castling: CastlingStyle, en_passant: EnPassantStyle) -> String {
        let mut text = String::with_capacity(90);
        self.four_fields(&mut text, castling, en_passant);
        let _ = write!(text, " {} {}", self.halfmoves, self.fullmoves);
        text
    }

    fn four_fields(&self, text: &mut String, castling: CastlingStyle, en_passant: EnPassantStyle) {
        self.write_board(text);
        text.push(' ');
        text.push(self.side.letter());
        text.push(' ');
        self.write_castling(text, castling);
        let square = match en_passant {
            EnPassantStyle::Legal => self.en_passant(),
            EnPassantStyle::Always => self.ep_square,
        };
        match square {
            Some(square) => text.extend([' ', square.file().letter(), square.rank().letter()]),
            None => text.push_str(" -"),
        }
    }

    fn write_board(&self, text: &mut String) {
        // Eight ranks of eight and the slashes between them.
        let mut board = [0; 71];
        let mut len = 0;
        let mut push = |byte: u8| {
            board[len] = byte;
            len += 1;
        };
        for rank in Rank::ALL.into_iter().rev() {
            let mut empty = 0;
            for file in File::ALL {
                match self.piece_at(Square::new(file, rank)) {
                    Some(piece) => {
                        if empty > 0 {
                            push(b'0' + empty);
                        }
                        empty = 0;
                        push(piece.letter() as u8);
                    }
                    None => empty += 1,
                }
            }
            if empty > 0 {
                push(b'0' + empty);
            }
            if rank != Rank::First {
                push(b'/');
            }
        }
        text.push_str(str::from_utf8(&board[..len]).unwrap_or_default());
    }

    fn write_castling(&self, text: &mut String, style: CastlingStyle) {
        if self.castling.is_empty() {
            text.push('-');
            return;
        }
        for color in Color::ALL {
            for wing in Wing::ALL {
                let Some(rook) = self.castling_rook(color, wing) else { continue };
                let letter = match style {
                    CastlingStyle::XFen if self.is_outermost(color, wing, rook) => match wing {
                        Wing::King => 'k',
                        Wing::Queen => 'q',
                    },
                    _ => rook.file().letter(),
                };
                text.push(match color {
                    Color::White => letter.to_ascii_uppercase(),
                    Color::Black => letter,
                });
            }
        }
    }

    fn is_outermost(&self, color: Color, wing: Wing, rook: Square) -> bool {
        let rooks = self.pieces(color, Role::Rook) & Bitboard::rank(rook.rank());
        rooks.into_iter().all(|other| match wing {
            Wing::King => other <= rook,
            Wing::Queen => other >= rook,
        })
    }
}

/// What is wrong with a board field that cannot be read.
fn wrong_board(text: &str) -> FenError {
    let found = text.split('/').count();
    if found != 8 {
        return FenError::RankCount { found };
    }
    for (text, rank) in text.split('/').zip(Rank::ALL.into_iter().rev()) {
        let mut squares = 0;
        let mut after_digit = false;
        for letter in text.chars() {
            let digit = letter.to_digit(10).filter(|digit| (1..=8).contains(digit));
            if digit.is_some() && after_digit {
                return FenError::AdjacentDigits { rank, text: text.into() };
            }
            if digit.is_none() && Piece::from_letter(letter).is_none() {
                return FenError::BadPiece { rank, letter };
            }
            after_digit = digit.is_some();
            squares += digit.unwrap_or(1);
        }
        if squares != 8 {
            return FenError::RankWidth { rank, squares, text: text.into() };
        }
    }
    FenError::RankCount { found }
}

fn number(field: &'static str, text: &str) -> Result<u32, FenError> {
    text.parse().map_err(|_| FenError::BadNumber { field, text: text.into() })
}
