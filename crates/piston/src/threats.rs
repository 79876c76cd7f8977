//! Where pieces are attacked by something worth less than themselves.

use crate::eval::attacked_by_pawns;
use crate::parameters as p;
use dyno_chess::{Bitboard, Move, Position, Role, attacks};

/// The squares that the enemy attacks, by what attacks them.
pub struct Threats {
    by_pawns: Bitboard,
    /// By pawns, knights and bishops.
    by_minors: Bitboard,
    /// By all these and rooks.
    by_rooks: Bitboard,
}

impl Threats {
    /// Looks at what the side not to move attacks.
    pub fn new(pos: &Position) -> Threats {
        let them = !pos.side_to_move();
        let occupied = pos.occupied();
        let by_pawns = attacked_by_pawns(pos, them);
        let mut by_minors = by_pawns;
        for square in pos.pieces(them, Role::Knight) {
            by_minors |= attacks::knight(square);
        }
        for square in pos.pieces(them, Role::Bishop) {
            by_minors |= attacks::bishop(square, occupied);
        }
        let mut by_rooks = by_minors;
        for square in pos.pieces(them, Role::Rook) {
            by_rooks |= attacks::rook(square, occupied);
        }
        Threats { by_pawns, by_minors, by_rooks }
    }

    /// How much a quiet move gains by escaping a threat, or loses by walking into one, on the scale of
    /// what is learnt of moves.
    #[inline]
    pub fn escape(&self, pos: &Position, mv: Move) -> i32 {
        let (threatened, worth) = match pos.role_at(mv.from()) {
            Some(Role::Queen) => (self.by_rooks, p::escape_queen()),
            Some(Role::Rook) => (self.by_minors, p::escape_rook()),
            Some(Role::Bishop | Role::Knight) => (self.by_pawns, p::escape_minor()),
            _ => return 0,
        };
        let (from, to) = (threatened.contains(mv.from()), threatened.contains(mv.to()));
        worth * (i32::from(from) - i32::from(to))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn escaping_a_threat_gains_and_walking_into_one_loses() {
        // The queen is attacked by the rook, d5 by the pawn, b4 by nothing.
        let pos = Position::from_fen("3r2k1/8/4p3/8/3Q4/8/1N4B1/6K1 w - - 0 1").unwrap();
        let threats = Threats::new(&pos);
        let escape = |text: &str| threats.escape(&pos, pos.parse_uci(text).unwrap());
        assert!(escape("d4b4") > 0);
        assert_eq!(escape("d4d6"), 0);
        assert!(escape("g2d5") < 0);
        assert_eq!(escape("b2a4"), 0);
        assert_eq!(escape("g1f1"), 0);
    }
}
