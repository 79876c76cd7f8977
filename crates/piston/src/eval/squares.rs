//! Who rules which squares, and what closed positions do to the pieces.

use super::board::Board;
use super::geometry::{CENTER_FILES, home};
use super::sink::Sink;
use super::terms::*;
use dyno_chess::{Bitboard, Color, Rank, Role};

impl Board<'_> {
    #[inline(always)]
    pub(super) fn squares<S: Sink>(&self, us: Color, sink: &mut S) {
        let (own, other) = (us.index(), 1 - us.index());
        let guarded_by_pawn = self.pawn_attacks[other];
        let guarded = self.seen_by_any[other];

        let free = self.seen_by_any[own] - guarded_by_pawn;
        for rank in 0..8 {
            let there = free & Bitboard::rank(Rank::new(rank).relative_to(us));
            sink.add(us, CONTROL + rank, there.count() as i32);
        }
        let dominated = self.seen_by_two[own] - guarded;
        sink.add(us, DOMINATED, dominated.count() as i32);
        let restricted = self.seen_by_any[own] & (guarded - guarded_by_pawn);
        sink.add(us, RESTRICTED, restricted.count() as i32);
        self.space(us, sink);
        self.closed(us, sink);

        let rooks = self.pos.pieces(us, Role::Rook);
        if (self.seen[own][Role::Rook.index()] & rooks).any() {
            sink.add(us, ROOKS_CONNECTED, 1);
        }
    }

    /// Room behind the own pawns, worth the more the more pieces share it.
    #[inline(always)]
    fn space<S: Sink>(&self, us: Color, sink: &mut S) {
        let pawns = self.pos.pieces(us, Role::Pawn);
        let space = home(us) & (CENTER_FILES - pawns - self.pawn_attacks[1 - us.index()]);
        let count = space.count() as i32;
        sink.add(us, SPACE, count);
        let pieces = (self.pos.by_color(us) - pawns).count() as i32;
        sink.add(us, SPACE_SHARED, count * pieces / 4);
    }

    /// Each piece suffers in its own way from pawns that block each other.
    #[inline(always)]
    fn closed<S: Sink>(&self, us: Color, sink: &mut S) {
        let pos = self.pos;
        let head_to_head = pos.pieces(Color::White, Role::Pawn).forward(Color::White)
            & pos.pieces(Color::Black, Role::Pawn);
        let closed = head_to_head.count() as i32;
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            let count = pos.pieces(us, role).count() as i32;
            sink.add(us, CLOSED + role.index() - 1, closed * count);
        }
    }
}
