//! The key of the Polyglot opening-book format.

use crate::polyglot_numbers::NUMBERS;
use crate::position::Wing;
use crate::{Color, Position, Role, attacks};

const CASTLING: usize = 768;
const EN_PASSANT: usize = 772;
const WHITE_TO_MOVE: usize = 780;

impl Position {
    /// The key that Polyglot books use for this position.
    ///
    /// Unlike [`Position::key`], the format counts en passant whenever an enemy pawn stands beside
    /// the one that has just made its double step, even if taking it would be illegal.
    pub fn polyglot_key(&self) -> u64 {
        let mut key = 0;
        for square in self.occupied() {
            if let Some(piece) = self.piece_at(square) {
                let kind = 2 * piece.role.index() + usize::from(piece.color == Color::White);
                key ^= NUMBERS[64 * kind + square.index()];
            }
        }
        let mut right = CASTLING;
        for color in Color::ALL {
            for wing in Wing::ALL {
                if self.castling_rook(color, wing).is_some() {
                    key ^= NUMBERS[right];
                }
                right += 1;
            }
        }
        if let Some(square) = self.ep_square
            && (attacks::pawn(!self.side, square) & self.pieces(self.side, Role::Pawn)).any()
        {
            key ^= NUMBERS[EN_PASSANT + square.file().index()];
        }
        if self.side == Color::White {
            key ^= NUMBERS[WHITE_TO_MOVE];
        }
        key
    }
}
