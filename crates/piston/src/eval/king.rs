//! The king: the pawns before it and the fire it is under.

use super::terms::*;
use super::{Board, Sink, pawns::fill};
use dyno_chess::{Bitboard, Color, File, Role, Square, attacks};

/// What a safe check by knight, bishop, rook or queen adds to the fire.
const SAFE_CHECK_UNITS: [i32; 4] = [9, 6, 10, 11];

impl Board<'_> {
    #[inline(always)]
    pub(super) fn king_safety<S: Sink>(&mut self, us: Color, sink: &mut S) {
        self.shelter(us, sink);
        self.pins(us, sink);
        let castling = self.pos.castling_rooks() & self.pos.by_color(us);
        if castling.any() {
            sink.add(us, CASTLING, castling.count() as i32);
        }
        let units = self.danger_units(us, sink);
        if units > 0 {
            sink.add(us, KING_DANGER + units.min(63) as usize, 1);
        }
    }

    /// The pawns of both sides on the king's file and the two beside it.
    #[inline(always)]
    fn shelter<S: Sink>(&self, us: Color, sink: &mut S) {
        let them = !us;
        let king = self.pos.king(us);
        // Pawns already behind the king neither shelter nor storm it.
        let ahead = fill(Bitboard::rank(king.rank()), us);
        let own = self.pos.pieces(us, Role::Pawn) & ahead;
        let enemy = self.pos.pieces(them, Role::Pawn) & ahead;
        let center = king.file().index().clamp(1, 6);
        for index in center - 1..=center + 1 {
            let file = Bitboard::file(File::new(index));
            let shield = foremost(own & file, them);
            let storm = foremost(enemy & file, them);
            let term = if index == king.file().index() { SHELTER_CENTER } else { SHELTER_SIDE };
            sink.add(us, term + shield, 1);
            let blocked = shield != 0 && storm == shield + 1;
            sink.add(us, if blocked { STORM_BLOCKED } else { STORM } + storm, 1);
        }
        let wing =
            if king.file() < File::E { 0x0f0f_0f0f_0f0f_0f0f } else { 0xf0f0_f0f0_f0f0_f0f0 };
        if (self.pos.by_role(Role::Pawn) & Bitboard(wing)).is_empty() {
            sink.add(us, KING_PAWNLESS_WING, 1);
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
                sink.add(us, PINNED, pins as i32);
            }
        }
    }

    /// The fire on the king: pieces that see its ring, squares of it left to the king alone, safe
    /// checks.
    #[inline(always)]
    fn danger_units<S: Sink>(&self, us: Color, sink: &mut S) -> i32 {
        let (own, other) = (us.index(), 1 - us.index());
        let them = !us;
        let pos = self.pos;
        let queens = pos.pieces(them, Role::Queen);
        let mut units = self.danger[own];
        if units == 0 {
            return 0;
        }
        let seen = &self.seen[other];
        let guarded = self.seen_by_any[own];
        let by_king_or_queen =
            self.seen[own][Role::King.index()] | self.seen[own][Role::Queen.index()];
        let weak =
            (self.seen_by_any[other] - self.seen_by_two[own]) & (!guarded | by_king_or_queen);
        let holes = (weak & self.ring[own]).count() as i32;
        units += 3 * holes;
        sink.add(them, KING_HOLES, holes);

        let safe = !pos.by_color(them) & (!guarded | (weak & self.seen_by_two[other]));
        let king = pos.king(us);
        let through = self.occupied - pos.pieces(us, Role::Queen);
        let straight = attacks::rook(king, through);
        let diagonal = attacks::bishop(king, through);
        let lines = [attacks::knight(king), diagonal, straight, straight | diagonal];
        for (index, (line, weight)) in lines.into_iter().zip(SAFE_CHECK_UNITS).enumerate() {
            let checks = seen[1 + index] & line & safe;
            if checks.any() {
                units += weight;
                sink.add(them, SAFE_CHECK + index, checks.count() as i32);
            }
        }
        if queens.is_empty() { units / 2 } else { units }
    }
}

/// The rank, as the enemy of `them` counts, of the pawn nearest to that side; 0 for none.
fn foremost(pawns: Bitboard, them: Color) -> usize {
    match them {
        Color::Black => pawns.first().map_or(0, |square| square.rank().index()),
        Color::White => {
            if pawns.is_empty() {
                0
            } else {
                7 - (63 - pawns.0.leading_zeros() as usize) / 8
            }
        }
    }
}
