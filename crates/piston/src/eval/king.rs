//! The king: pins, castling and the danger it is in.

use super::board::Board;
use super::sink::Sink;
use super::terms::*;
use dyno_chess::{Bitboard, Color, Role, Square, attacks};

impl Board<'_> {
    #[inline(always)]
    pub(super) fn king_safety<S: Sink>(&mut self, us: Color, sink: &mut S) {
        self.pins(us, sink);
        let castling = self.pos.castling_rooks() & self.pos.by_color(us);
        if castling.any() {
            sink.add(us, CASTLING, castling.count() as i32);
        }
        if self.in_danger[us.index()] {
            sink.danger(us, DANGER_OPEN, self.open[us.index()]);
            self.danger(us, sink);
        }
    }

    /// Enemy sliders that would see the king if a piece of its own side were not in between.
    #[inline(always)]
    fn pins<S: Sink>(&self, us: Color, sink: &mut S) {
        let pos = self.pos;
        let (king, own) = (pos.king(us), pos.by_color(us));
        let queens = pos.by_role(Role::Queen);
        for (role, attacks) in [
            (Role::Bishop, attacks::bishop as fn(Square, Bitboard) -> Bitboard),
            (Role::Rook, attacks::rook),
        ] {
            let sliders = (pos.by_role(role) | queens) - own;
            let near = attacks(king, self.occupied);
            let beyond = attacks(king, self.occupied - (near & own)) - near;
            let pins = (beyond & sliders).count();
            if pins > 0 {
                let turn = usize::from(pos.side_to_move() != us);
                sink.add(us, PINNED + turn, pins as i32);
                sink.danger(us, DANGER_PINNED, pins as i32);
            }
        }
    }

    /// What endangers the king besides the pieces that see its ring: squares left to the king alone,
    /// checks, and who rules the wing.
    #[inline(always)]
    fn danger<S: Sink>(&self, us: Color, sink: &mut S) {
        let (own, other) = (us.index(), 1 - us.index());
        let them = !us;
        let pos = self.pos;
        let seen = &self.seen[other];
        let guarded = self.seen_by_any[own];
        let by_king_or_queen =
            self.seen[own][Role::King.index()] | self.seen[own][Role::Queen.index()];
        let weak =
            (self.seen_by_any[other] - self.seen_by_two[own]) & (!guarded | by_king_or_queen);
        let holes = (weak & self.ring[own]).count() as i32;
        sink.add(them, KING_HOLES, holes);
        sink.danger(us, DANGER_HOLES, holes);
        sink.danger(us, DANGER_BASE, 1);

        let free = !pos.by_color(them);
        let safe = free & (!guarded | (weak & self.seen_by_two[other]));
        let king = pos.king(us);
        let through = self.occupied - pos.pieces(us, Role::Queen);
        let straight = attacks::rook(king, through);
        let diagonal = attacks::bishop(king, through);
        let lines = [attacks::knight(king), diagonal, straight, straight | diagonal];
        let turn = usize::from(pos.side_to_move() == them);
        let mut unsafe_checks = Bitboard::EMPTY;
        for (index, line) in lines.into_iter().enumerate() {
            let checks = seen[1 + index] & line & free;
            let good = checks & safe;
            if good.any() {
                sink.add(them, SAFE_CHECK + 4 * turn + index, good.count() as i32);
                sink.danger(us, DANGER_CHECK + 4 * turn + index, 1);
            }
            unsafe_checks |= checks - safe;
        }
        sink.danger(us, DANGER_UNSAFE_CHECK, unsafe_checks.count() as i32);

        let wing = wing_of(king) & camp(us);
        let theirs = self.seen_by_any[other] & wing;
        sink.danger(us, DANGER_WING, theirs.count() as i32);
        sink.danger(us, DANGER_WING + 1, (theirs & self.seen_by_two[other]).count() as i32);
        sink.danger(us, DANGER_WING + 2, (guarded & wing).count() as i32);
        sink.danger(us, DANGER_TURN, turn as i32);
        if pos.pieces(them, Role::Queen).is_empty() {
            sink.danger(us, DANGER_NO_QUEEN, 1);
        }
        if (self.seen[own][Role::Knight.index()] & self.ring[own]).any() {
            sink.danger(us, DANGER_KNIGHT_GUARD, 1);
        }
    }
}

/// The files around the king: three at the edge, four elsewhere.
#[inline]
fn wing_of(king: Square) -> Bitboard {
    const A_FILE: u64 = 0x0101_0101_0101_0101;
    const WINGS: [u64; 8] = [
        A_FILE * 0x07,
        A_FILE * 0x0f,
        A_FILE * 0x0f,
        A_FILE * 0x3c,
        A_FILE * 0x3c,
        A_FILE * 0xf0,
        A_FILE * 0xf0,
        A_FILE * 0xe0,
    ];
    Bitboard(WINGS[king.file().index()])
}

/// The five ranks nearest to the side.
#[inline]
fn camp(us: Color) -> Bitboard {
    match us {
        Color::White => Bitboard(0x0000_00ff_ffff_ffff),
        Color::Black => Bitboard(0xffff_ffff_ff00_0000),
    }
}
