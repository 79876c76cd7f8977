//! Static exchange evaluation: what a sequence of captures on one square is worth.

use crate::parameters as p;
use crate::score::Value;
use dyno_chess::{Bitboard, Move, Position, Role, Square, attacks};

/// What a role is worth in an exchange.
#[inline]
pub fn worth(role: Role) -> Value {
    [p::see_pawn(), p::see_knight(), p::see_bishop(), p::see_rook(), p::see_queen(), KING]
        [role.index()]
}

/// More than everything else together.
const KING: Value = 20_000;

/// Whether the exchange that the move begins wins at least `threshold`, each side always taking
/// with its least valuable piece and stopping when it pays to stop. Pins are not considered.
pub fn wins_at_least(pos: &Position, mv: Move, threshold: Value) -> bool {
    if mv.is_castling() {
        return threshold <= 0;
    }
    let (from, to) = (mv.from(), mv.to());
    let mut gain = pos.captured(mv).map_or(0, worth);
    let mut standing = pos.role_at(from).unwrap_or(Role::Pawn);
    if let Some(promoted) = mv.promotion() {
        gain += worth(promoted) - worth(Role::Pawn);
        standing = promoted;
    }
    let mut balance = gain - threshold;
    if balance < 0 {
        return false;
    }
    // Even if the piece that moved is lost for nothing.
    balance -= worth(standing);
    if balance >= 0 {
        return true;
    }

    let mut occupied = (pos.occupied() ^ Bitboard::of(from)) | Bitboard::of(to);
    if mv.is_en_passant() {
        occupied -= Bitboard::of(Square::new(to.file(), from.rank()));
    }
    let queens = pos.by_role(Role::Queen);
    let diagonal = pos.by_role(Role::Bishop) | queens;
    let orthogonal = pos.by_role(Role::Rook) | queens;
    let mut attackers = pos.attackers_to(to, occupied) & occupied;
    let mut side = !pos.side_to_move();
    loop {
        let own = attackers & pos.by_color(side);
        let Some((role, square)) = least_valuable(pos, own) else { break };
        // The king may not take what is still defended.
        if role == Role::King && (attackers & pos.by_color(!side)).any() {
            break;
        }
        occupied -= Bitboard::of(square);
        if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
            attackers |= attacks::bishop(to, occupied) & diagonal;
        }
        if matches!(role, Role::Rook | Role::Queen) {
            attackers |= attacks::rook(to, occupied) & orthogonal;
        }
        attackers &= occupied;
        side = !side;
        balance = -balance - 1 - worth(role);
        if balance >= 0 {
            break;
        }
    }
    // The side that has to capture and cannot, or need not, has lost the exchange.
    side != pos.side_to_move()
}

fn least_valuable(pos: &Position, attackers: Bitboard) -> Option<(Role, Square)> {
    Role::ALL
        .into_iter()
        .find_map(|role| (attackers & pos.by_role(role)).first().map(|square| (role, square)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    /// The exact worth, found by asking the question many times.
    fn see(fen: &str, mv: &str) -> Value {
        let pos = Position::from_fen(fen).unwrap();
        let mv = pos.parse_uci(mv).unwrap();
        (-2000..=2000).rev().find(|&t| wins_at_least(&pos, mv, t)).unwrap()
    }

    #[test]
    fn exchanges_are_counted_to_the_end() {
        assert_eq!(see("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5"), 100);
        let x_rays = "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1";
        assert_eq!(see(x_rays, "d3e5"), 100 - 320);
        assert_eq!(see("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5"), 100);
        assert_eq!(see("4k3/8/4p3/3p4/8/8/3R4/4K3 w - - 0 1", "d2d5"), 100 - 500);
        assert_eq!(see("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1"), 0);
    }

    #[test]
    fn special_moves() {
        assert_eq!(see("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"), 100);
        assert_eq!(see("4k3/8/2p5/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"), 100);
        assert_eq!(see("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q"), 850);
        assert_eq!(see("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q"), -100);
        // The king may not step into the second attacker's fire, so the queen is safe to take.
        assert_eq!(see("4k3/8/8/8/8/8/3q4/R2K4 w - - 0 1", "d1d2"), 950);
    }
}
