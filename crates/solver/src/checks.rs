//! Which moves give check, told from the board without making them.

use dyno_chess::{Bitboard, Move, Position, Role, Square, attacks};

/// The squares from which the side to move would give check, and the pieces whose leaving would.
pub(crate) struct Checks {
    king: Square,
    occupied: Bitboard,
    by_role: [Bitboard; 6],
    /// Own pieces that alone stand between an own slider and the enemy king.
    screens: Bitboard,
    /// Where the enemy king could go if it were on the move.
    flights: Bitboard,
}

impl Checks {
    pub(crate) fn new(position: &Position) -> Checks {
        let us = position.side_to_move();
        let king = position.king(!us);
        let occupied = position.occupied();
        let own = position.by_color(us);
        let mut by_role = [Bitboard::EMPTY; 6];
        for role in [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            // A piece sees the king from where a piece of its kind on the king's square sees it.
            by_role[role as usize] = attacks::of(role, !us, king, occupied);
        }
        let queens = position.by_role(Role::Queen);
        let nothing = Bitboard::EMPTY;
        let sliders = own
            & ((attacks::rook(king, nothing) & (position.by_role(Role::Rook) | queens))
                | (attacks::bishop(king, nothing) & (position.by_role(Role::Bishop) | queens)));
        let mut screens = Bitboard::EMPTY;
        for slider in sliders {
            let between = attacks::between(king, slider) & occupied;
            if !between.many() {
                screens |= between & own;
            }
        }
        let seen = position.attacked_by(us, occupied - Bitboard::of(king));
        let flights = attacks::king(king) - position.by_color(!us) - seen;
        Checks { king, occupied, by_role, screens, flights }
    }

    /// Whether the enemy king keeps a square to go to after a move that gives check: then it is
    /// not mate, and the move need not be made to know it.
    pub(crate) fn leaves_a_flight(&self, position: &Position, mv: Move) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let Some(role) = mv.promotion().or_else(|| position.role_at(from)) else { return false };
        if mv.is_castling() || mv.is_en_passant() {
            return false;
        }
        let us = position.side_to_move();
        let left = Bitboard::of(from) | Bitboard::of(self.king);
        let occupied = (self.occupied - left) | Bitboard::of(to);
        let others = position.by_color(us) - Bitboard::of(from);
        // Another piece may see a flight through the square that the move leaves.
        (self.flights - Bitboard::of(to) - attacks::of(role, us, to, occupied))
            .into_iter()
            .any(|flight| (position.attackers_to(flight, occupied) & others).is_empty())
    }

    /// Whether the move, which must be legal in the position, gives check.
    pub(crate) fn given_by(&self, position: &Position, mv: Move) -> bool {
        if mv.is_castling() || mv.is_en_passant() {
            return position.play(mv).is_check();
        }
        let (from, to) = (mv.from(), mv.to());
        if self.screens.contains(from) && !attacks::line(self.king, from).contains(to) {
            return true;
        }
        match mv.promotion() {
            Some(role) => {
                let occupied = self.occupied - Bitboard::of(from);
                attacks::of(role, position.side_to_move(), to, occupied).contains(self.king)
            }
            None => position.role_at(from).is_some_and(|r| self.by_role[r as usize].contains(to)),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_making_the_move() {
        let fens = [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "5k2/8/8/8/8/8/8/4K2R w K - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "8/8/1k6/8/2pP4/8/4B1K1/8 b - d3 0 1",
        ];
        for fen in fens {
            compare(&Position::from_fen(fen).unwrap(), 3);
        }
    }

    fn compare(position: &Position, depth: u32) {
        let checks = Checks::new(position);
        for mv in position.legal_moves() {
            let next = position.play(mv);
            assert_eq!(checks.given_by(position, mv), next.is_check(), "{mv:?} in {position}");
            if next.is_check() && checks.leaves_a_flight(position, mv) {
                let king = position.king(!position.side_to_move());
                let flees = next.legal_moves().iter().any(|reply| reply.from() == king);
                assert!(flees, "{mv:?} in {position}");
            }
            if depth > 1 {
                compare(&next, depth - 1);
            }
        }
    }
}
