//! The king: the pawns before it and the fire it is under.

use super::terms::*;
use super::{Board, Packed, Sink, Sum, pawns::fill};
use dyno_chess::{Bitboard, Color, File, Position, Role, Square, attacks};

/// What the pawns do for a king: kept with the pawns, as kings move less often than other pieces.
#[derive(Clone, Copy, Default)]
pub struct Shelter {
    /// Where the king is.
    king: Option<Square>,
    /// How many files before it are open.
    open: u8,
    /// The sum of the terms.
    score: Packed,
}

impl Shelter {
    /// Works out the shelter of a side's king, unless that was done before; returns its score and
    /// the number of open files.
    #[inline(always)]
    pub fn update(&mut self, pos: &Position, us: Color) -> (Packed, i32) {
        let king = pos.king(us);
        if self.king != Some(king) {
            let mut sum = Sum::default();
            let open = tell_shelter(pos, us, &mut sum);
            *self = Shelter { king: Some(king), open: open as u8, score: sum.terms[us.index()] };
        }
        (self.score, i32::from(self.open))
    }
}

/// Tells the pawns of both sides on the king's file and the two beside it; returns how many of the
/// files have no own pawn before the king.
#[inline(always)]
pub(super) fn tell_shelter<S: Sink>(pos: &Position, us: Color, sink: &mut S) -> i32 {
    let them = !us;
    let king = pos.king(us);
    // Pawns already behind the king neither shelter nor storm it.
    let ahead = fill(Bitboard::rank(king.rank()), us);
    let own = pos.pieces(us, Role::Pawn) & ahead;
    let enemy = pos.pieces(them, Role::Pawn) & ahead;
    let center = king.file().index().clamp(1, 6);
    let mut open = 0;
    for index in center - 1..=center + 1 {
        let file = Bitboard::file(File::new(index));
        let shield = foremost(own & file, them);
        open += i32::from(shield == 0);
        let storm = foremost(enemy & file, them);
        let term = if index == king.file().index() { SHELTER_CENTER } else { SHELTER_SIDE };
        sink.add(us, term + shield, 1);
        let blocked = shield != 0 && storm == shield + 1;
        sink.add(us, if blocked { STORM_BLOCKED } else { STORM } + storm, 1);
    }
    let wing = if king.file() < File::E { 0x0f0f_0f0f_0f0f_0f0f } else { 0xf0f0_f0f0_f0f0_f0f0 };
    if (pos.by_role(Role::Pawn) & Bitboard(wing)).is_empty() {
        sink.add(us, KING_PAWNLESS_WING, 1);
    }
    open
}

impl Board<'_> {
    #[inline(always)]
    pub(super) fn king_safety<S: Sink>(&mut self, us: Color, sink: &mut S) {
        self.pins(us, sink);
        let castling = self.pos.castling_rooks() & self.pos.by_color(us);
        if castling.any() {
            sink.add(us, CASTLING, castling.count() as i32);
        }
        if self.under_fire[us.index()] {
            sink.fire(us, FIRE_OPEN, self.open[us.index()]);
            self.fire(us, sink);
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
                sink.fire(us, FIRE_PINNED, pins as i32);
            }
        }
    }

    /// The fire on the king besides the pieces that see its ring: squares left to the king alone,
    /// checks, and who rules the wing.
    #[inline(always)]
    fn fire<S: Sink>(&self, us: Color, sink: &mut S) {
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
        sink.fire(us, FIRE_HOLES, holes);
        sink.fire(us, FIRE_BASE, 1);

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
                sink.fire(us, FIRE_CHECK + 4 * turn + index, 1);
            }
            unsafe_checks |= checks - safe;
        }
        sink.fire(us, FIRE_UNSAFE_CHECK, unsafe_checks.count() as i32);

        let wing = wing_of(king) & camp(us);
        let theirs = self.seen_by_any[other] & wing;
        sink.fire(us, FIRE_WING, theirs.count() as i32);
        sink.fire(us, FIRE_WING + 1, (theirs & self.seen_by_two[other]).count() as i32);
        sink.fire(us, FIRE_WING + 2, (guarded & wing).count() as i32);
        sink.fire(us, FIRE_TURN, turn as i32);
        if pos.pieces(them, Role::Queen).is_empty() {
            sink.fire(us, FIRE_NO_QUEEN, 1);
        }
        if (self.seen[own][Role::Knight.index()] & self.ring[own]).any() {
            sink.fire(us, FIRE_KNIGHT_GUARD, 1);
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
