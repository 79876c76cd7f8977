//! Passed pawns on their way.

use super::board::Board;
use super::geometry::{distance, fill};
use super::sink::Sink;
use super::terms::*;
use dyno_chess::{Bitboard, Color, Role, Square};

impl Board<'_> {
    #[inline(always)]
    pub(super) fn passed_pawns<S: Sink>(&self, us: Color, sink: &mut S) {
        let (own, other) = (us.index(), 1 - us.index());
        let pawns_and_kings = self.pos.by_role(Role::Pawn) | self.pos.by_role(Role::King);
        let alone = (self.pos.by_color(!us) - pawns_and_kings).is_empty();
        for square in self.pawns.passed[own] {
            let rank = square.relative_to(us).rank().index();
            let bit = Bitboard::of(square);
            let stop = bit.forward(us);
            let Some(target) = stop.first() else { continue };
            if (stop & self.occupied).any() {
                sink.add(us, PASSED_BLOCKED + rank, 1);
            }
            let path = fill(stop, us);
            if (path & (self.seen_by_any[other] | self.pos.by_color(!us))).is_empty() {
                sink.add(us, PASSED_FREE + rank, 1);
            }
            if (stop & self.seen_by_any[own]).any() {
                sink.add(us, PASSED_HELPED + rank, 1);
            }
            if self.pos.side_to_move() == us {
                sink.add(us, PASSED_TURN + rank, 1);
            }
            if alone && self.outruns(us, square) {
                sink.add(us, PASSED_UNSTOPPABLE, 1);
            }
            let friends = bit.east() | bit.west();
            let near = friends | friends.forward(us) | friends.forward(!us);
            if (near & self.pawns.passed[own]).any() {
                sink.add(us, PASSED_CONNECTED + rank, 1);
            }
            if rank >= 3 {
                let far = 8 * (rank - 3);
                sink.add(us, PASSED_OWN_KING + far + distance(self.pos.king(us), target), 1);
                sink.add(us, PASSED_ENEMY_KING + far + distance(self.pos.king(!us), target), 1);
            }
        }
    }

    /// Whether the enemy's king, alone, comes too late to stop the pawn.
    fn outruns(&self, us: Color, pawn: Square) -> bool {
        let ahead = fill(Bitboard::of(pawn).forward(us), us);
        if (ahead & self.pos.by_color(us)).any() {
            return false;
        }
        let goal = Square::from_index(pawn.index() % 8 + if us == Color::White { 56 } else { 0 });
        let rank = pawn.relative_to(us).rank().index();
        // From its first square the pawn gains a move.
        let needed = (7 - rank).min(5);
        let late = usize::from(self.pos.side_to_move() == us);
        distance(self.pos.king(!us), goal) + late > needed + 1
    }
}
