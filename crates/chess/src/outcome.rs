//! How a game ends.

use crate::{Bitboard, Color, Position, Role};
use std::fmt;

/// The end of a game by the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The king is in check and no move saves it.
    Checkmate {
        /// The side that gave mate.
        winner: Color,
    },
    /// No legal move, and no check.
    Stalemate,
    /// No sequence of moves can lead to mate.
    InsufficientMaterial,
    /// The position has occurred three times (a draw when claimed).
    ThreefoldRepetition,
    /// The position has occurred five times (a draw at once).
    FivefoldRepetition,
    /// Fifty moves of each side without capture or pawn move (a draw when claimed).
    FiftyMoves,
    /// Seventy-five moves of each side without capture or pawn move (a draw at once).
    SeventyFiveMoves,
}

impl Outcome {
    /// The winner, if there is one.
    pub fn winner(self) -> Option<Color> {
        match self {
            Outcome::Checkmate { winner } => Some(winner),
            _ => None,
        }
    }

    /// The result as PGN writes it.
    pub fn result(self) -> &'static str {
        match self.winner() {
            Some(Color::White) => "1-0",
            Some(Color::Black) => "0-1",
            None => "1/2-1/2",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Checkmate { winner } => write!(f, "{winner} mates"),
            Outcome::Stalemate => f.write_str("stalemate"),
            Outcome::InsufficientMaterial => f.write_str("insufficient mating material"),
            Outcome::ThreefoldRepetition => f.write_str("threefold repetition"),
            Outcome::FivefoldRepetition => f.write_str("fivefold repetition"),
            Outcome::FiftyMoves => f.write_str("fifty-move rule"),
            Outcome::SeventyFiveMoves => f.write_str("seventy-five-move rule"),
        }
    }
}

const LIGHT: Bitboard = Bitboard(0x55aa_55aa_55aa_55aa);

impl Position {
    /// Whether the position alone ends the game: mate, stalemate, insufficient material.
    pub fn outcome(&self) -> Option<Outcome> {
        if !self.has_legal_move() {
            return Some(if self.is_check() {
                Outcome::Checkmate { winner: !self.side }
            } else {
                Outcome::Stalemate
            });
        }
        self.is_insufficient_material().then_some(Outcome::InsufficientMaterial)
    }

    /// Whether it is checkmate.
    pub fn is_checkmate(&self) -> bool {
        self.is_check() && !self.has_legal_move()
    }

    /// Whether it is stalemate.
    pub fn is_stalemate(&self) -> bool {
        !self.is_check() && !self.has_legal_move()
    }

    /// Whether neither side can ever give mate: bare kings, one minor piece, or bishops that all
    /// stand on squares of one colour.
    pub fn is_insufficient_material(&self) -> bool {
        let heavy = self.by_role(Role::Pawn) | self.by_role(Role::Rook) | self.by_role(Role::Queen);
        if heavy.any() {
            return false;
        }
        let knights = self.by_role(Role::Knight);
        let bishops = self.by_role(Role::Bishop);
        if knights.any() {
            return knights.count() == 1 && bishops.is_empty();
        }
        (bishops & LIGHT).is_empty() || (bishops - LIGHT).is_empty()
    }
}
