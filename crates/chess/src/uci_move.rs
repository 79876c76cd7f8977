//! Moves as UCI text, in both castling conventions.

use crate::make::castling_targets;
use crate::{File, Move, Position, Rank, Role, Square};
use std::fmt;

/// Why a text is not a move of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MoveTextError {
    /// Not written like a move at all.
    Syntax {
        /// The text.
        text: String,
    },
    /// Written like a move, but no legal move fits.
    Illegal {
        /// The text.
        text: String,
        /// The position, as FEN.
        fen: String,
    },
    /// Two or more legal moves fit.
    Ambiguous {
        /// The text.
        text: String,
        /// The position, as FEN.
        fen: String,
        /// The moves that fit, in UCI notation.
        candidates: Vec<String>,
    },
}

impl fmt::Display for MoveTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveTextError::Syntax { text } => write!(f, "\"{text}\" is not a move"),
            MoveTextError::Illegal { text, fen } => write!(f, "\"{text}\" is not legal in {fen}"),
            MoveTextError::Ambiguous { text, fen, candidates } => {
                write!(f, "\"{text}\" is ambiguous in {fen}: {}", candidates.join(" or "))
            }
        }
    }
}

impl std::error::Error for MoveTextError {}

impl MoveTextError {
    pub(crate) fn syntax(text: &str) -> MoveTextError {
        MoveTextError::Syntax { text: text.into() }
    }

    pub(crate) fn illegal(text: &str, position: &Position) -> MoveTextError {
        MoveTextError::Illegal { text: text.into(), fen: position.fen() }
    }
}

/// The square of two letters, of either case.
fn square(file: u8, rank: u8) -> Option<Square> {
    let file = File::from_letter(file.to_ascii_lowercase() as char)?;
    Some(Square::new(file, Rank::from_letter(rank as char)?))
}

/// The squares and the promotion of a text such as `e7e8q`; the case does not matter.
fn split(text: &str) -> Option<(Square, Square, Option<Role>)> {
    let (from, to, promotion) = match *text.as_bytes() {
        [a, b, c, d] => (square(a, b)?, square(c, d)?, None),
        [a, b, c, d, letter] => {
            let role = Role::from_letter(letter as char);
            (square(a, b)?, square(c, d)?, Some(role.filter(|r| Role::PROMOTIONS.contains(r))?))
        }
        _ => return None,
    };
    Some((from, to, promotion))
}

impl Position {
    /// The legal move between two squares, castling left out.
    pub(crate) fn legal_step(
        &self,
        from: Square,
        to: Square,
        promotion: Option<Role>,
    ) -> Option<Move> {
        let mv = match promotion {
            Some(role) => Move::promoting(from, to, role),
            None if self.en_passant() == Some(to) && self.role_at(from) == Some(Role::Pawn) => {
                Move::en_passant(from, to)
            }
            None => Move::normal(from, to),
        };
        self.is_legal(mv).then_some(mv)
    }

    /// The legal castling moves.
    pub(crate) fn legal_castling(&self) -> impl Iterator<Item = Move> + '_ {
        let king = self.king(self.side);
        let rooks = self.castling_rooks() & self.by_color(self.side);
        rooks
            .into_iter()
            .map(move |rook| Move::castling(king, rook))
            .filter(|mv| self.is_legal(*mv))
    }

    /// Reads a move in UCI notation. Castling may be written either way: `e1g1` or `e1h1`; where
    /// one text could be a king's step as well as castling, the step is meant.
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveTextError> {
        let (from, to, promotion) = split(text).ok_or_else(|| MoveTextError::syntax(text))?;
        let castling = || {
            let king = from == self.king(self.side) && promotion.is_none() && from != to;
            let meant = |mv: &Move| mv.to() == to || castling_targets(from, mv.to()).0 == to;
            self.legal_castling().filter(|_| king).find(meant)
        };
        self.legal_step(from, to, promotion)
            .or_else(castling)
            .ok_or_else(|| MoveTextError::illegal(text, self))
    }

    /// Writes a legal move in UCI notation, castling as [`Position::is_chess960`] says.
    pub fn uci(&self, mv: Move) -> String {
        self.uci_as(mv, self.chess960)
    }

    /// Writes a legal move in UCI notation, castling as king takes rook when `chess960`.
    pub fn uci_as(&self, mv: Move, chess960: bool) -> String {
        let to = if mv.is_castling() && !chess960 {
            castling_targets(mv.from(), mv.to()).0
        } else {
            mv.to()
        };
        let mut text = String::with_capacity(5);
        for square in [mv.from(), to] {
            text.push(square.file().letter());
            text.push(square.rank().letter());
        }
        if let Some(role) = mv.promotion() {
            text.push(role.letter());
        }
        text
    }
}
