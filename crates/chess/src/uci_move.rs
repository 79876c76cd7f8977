//! Moves as UCI text, in both castling conventions.

use crate::make::castling_targets;
use crate::{Move, Position, Role, Square};
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

/// The squares and the promotion of a text such as `e7e8q`; the promotion's case does not matter.
fn split(text: &str) -> Option<(Square, Square, Option<Role>)> {
    let bytes = text.as_bytes();
    if !text.is_ascii() || !(4..=5).contains(&bytes.len()) {
        return None;
    }
    let lower = text[..4].to_ascii_lowercase();
    let from = lower[..2].parse().ok()?;
    let to = lower[2..].parse().ok()?;
    let promotion = match bytes.get(4) {
        Some(&letter) => {
            Some(Role::from_letter(letter as char).filter(|r| Role::PROMOTIONS.contains(r))?)
        }
        None => None,
    };
    Some((from, to, promotion))
}

impl Position {
    /// Reads a move in UCI notation. Castling may be written either way: `e1g1` or `e1h1`; where
    /// one text could be a king's step as well as castling, the step is meant.
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveTextError> {
        let (from, to, promotion) = split(text).ok_or_else(|| MoveTextError::syntax(text))?;
        let mut castling = None;
        for mv in &self.legal_moves() {
            if mv.from() != from {
                continue;
            }
            if mv.is_castling() {
                let (king_to, _) = castling_targets(from, mv.to());
                if promotion.is_none() && (mv.to() == to || (king_to == to && from != to)) {
                    castling = castling.or(Some(mv));
                }
            } else if mv.to() == to && mv.promotion() == promotion {
                return Ok(mv);
            }
        }
        castling.ok_or_else(|| MoveTextError::illegal(text, self))
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
        let mut text = format!("{}{to}", mv.from());
        if let Some(role) = mv.promotion() {
            text.push(role.letter());
        }
        text
    }
}
