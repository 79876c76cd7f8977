//! The static evaluation: tapered sums of small, tuned terms, the same for both sides.
//!
//! Every term is told to a [`Sink`]. Playing, the sink adds up the weights; tuning, it counts how
//! often each weight is used. So what is tuned is what is played.

mod cache;
mod endgame;
mod king;
mod material;
mod packed;
mod pawns;
mod pieces;
pub mod terms;
mod threats;
mod weights;

pub use cache::Cache;
pub use packed::Packed;
pub use weights::WEIGHTS;

use crate::score::{EVAL_LIMIT, Value};
use dyno_chess::{Bitboard, Color, File, Position, Role, Square, attacks};
use material::Material;
use pawns::Pawns;
use terms::{COUNT, FACING, PLACE, TEMPO};

/// Where the evaluation tells its terms.
pub trait Sink {
    /// The side has the term so many times.
    fn add(&mut self, side: Color, term: usize, count: i32);

    /// The side has a piece on a square, counted from its own side, as seen from its own king and
    /// from the enemy's: see [`wing`].
    #[inline]
    fn place(&mut self, side: Color, role: Role, seen: usize, wings: [usize; 2]) {
        let [own, enemy] = wings;
        self.add(side, PLACE + 64 * role.index() + (seen ^ own), 1);
        self.add(side, FACING + 64 * role.index() + (seen ^ enemy), 1);
    }
}

/// The two places of a piece added up, by the wings of both kings, role and square.
static PLACES: [[[Packed; 64]; 6]; 4] = {
    let mut table = [[[Packed::new(0, 0); 64]; 6]; 4];
    let mut at = 0;
    while at < 4 * 6 * 64 {
        let (wings, role, square) = (at / 384, at / 64 % 6, at % 64);
        let own = WEIGHTS[PLACE + 64 * role + (square ^ (7 * (wings & 1)))];
        let enemy = WEIGHTS[FACING + 64 * role + (square ^ (7 * (wings >> 1)))];
        table[wings][role][square] = own.plus(enemy);
        at += 1;
    }
    table
};

/// Adds up the weights of each side.
#[derive(Default)]
pub(crate) struct Sum([Packed; 2]);

impl Sink for Sum {
    #[inline]
    fn add(&mut self, side: Color, term: usize, count: i32) {
        self.0[side.index()] += WEIGHTS[term] * count;
    }

    #[inline]
    fn place(&mut self, side: Color, role: Role, seen: usize, [own, enemy]: [usize; 2]) {
        let wings = (own & 1) + (enemy & 2);
        self.0[side.index()] += PLACES[wings][role.index()][seen];
    }
}

impl Sum {
    /// White's sum minus Black's.
    fn total(&self) -> Packed {
        self.0[0] - self.0[1]
    }
}

/// Counts how often each weight is used, White's minus Black's.
pub struct Counts(pub [i16; COUNT]);

impl Sink for Counts {
    fn add(&mut self, side: Color, term: usize, count: i32) {
        let sign = if side == Color::White { 1 } else { -1 };
        self.0[term] += (sign * count) as i16;
    }
}

/// What turns the board so that the king of the side stands on its right half.
#[inline]
fn wing(pos: &Position, side: Color) -> usize {
    if pos.king(side).file() < File::E { 7 } else { 0 }
}

/// Tells where a piece stands, as seen from its own king and from the enemy's.
#[inline]
fn tell_place<S: Sink>(us: Color, role: Role, square: Square, wings: [usize; 2], sink: &mut S) {
    let seen = square.relative_to(us).index();
    sink.place(us, role, seen, [wings[us.index()], wings[1 - us.index()]]);
}

/// What the parts of the evaluation share.
struct Board<'a> {
    pos: &'a Position,
    occupied: Bitboard,
    pawns: &'a Pawns,
    /// How the board is turned for each side, see [`wing`].
    wings: [usize; 2],
    /// The squares each side's pieces of each role see.
    seen: [[Bitboard; 6]; 2],
    seen_by_any: [Bitboard; 2],
    seen_by_two: [Bitboard; 2],
    /// The squares that count for mobility.
    area: [Bitboard; 2],
    /// The squares around each king.
    ring: [Bitboard; 2],
    /// The fire on each side's king, in units.
    danger: [i32; 2],
}

impl<'a> Board<'a> {
    #[inline(always)]
    fn new(pos: &'a Position, pawns: &'a Pawns) -> Board<'a> {
        let mut board = Board {
            pos,
            occupied: pos.occupied(),
            pawns,
            wings: Color::ALL.map(|side| wing(pos, side)),
            seen: [[Bitboard::EMPTY; 6]; 2],
            seen_by_any: [Bitboard::EMPTY; 2],
            seen_by_two: [Bitboard::EMPTY; 2],
            area: [Bitboard::EMPTY; 2],
            ring: [Bitboard::EMPTY; 2],
            danger: [0; 2],
        };
        for us in Color::ALL {
            let own = us.index();
            let king = pos.king(us);
            let around = attacks::king(king);
            let pawn_set = pos.pieces(us, Role::Pawn);
            let from_pawns = pawns.attacks[own];
            let ahead = pawn_set.forward(us);
            board.seen[own][Role::Pawn.index()] = from_pawns;
            board.seen[own][Role::King.index()] = around;
            board.seen_by_any[own] = from_pawns | around;
            board.seen_by_two[own] = (from_pawns & around) | (ahead.east() & ahead.west());
            board.ring[own] = around | Bitboard::of(king) | around.forward(us);
            let stuck = pawn_set & board.occupied.forward(!us);
            board.area[own] = !(pawns.attacks[1 - own] | stuck | Bitboard::of(king));
        }
        board
    }

    #[inline(always)]
    fn tell<S: Sink>(&mut self, sink: &mut S) {
        for us in Color::ALL {
            self.pieces(us, sink);
        }
        for us in Color::ALL {
            self.king_safety(us, sink);
            self.threats(us, sink);
            self.passed_pawns(us, sink);
        }
        sink.add(self.pos.side_to_move(), TEMPO, 1);
    }
}

/// The evaluation from the point of view of the side to move.
#[inline]
pub fn evaluate(pos: &Position, cache: &mut Cache) -> Value {
    // Counting squares is most of the work: where the processor can do it by itself, let it.
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt")]
        fn with_counting(pos: &Position, cache: &mut Cache) -> Value {
            evaluate_here(pos, cache)
        }
        let can_count = is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt");
        if can_count {
            #[allow(unsafe_code, reason = "the processor has just been asked for these features")]
            // SAFETY: as the reason says.
            return unsafe { with_counting(pos, cache) };
        }
    }
    evaluate_here(pos, cache)
}

#[inline(always)]
fn evaluate_here(pos: &Position, cache: &mut Cache) -> Value {
    // No closure here: it would not be compiled for the processor.
    let white = match endgame::known(pos) {
        Some(value) => value,
        None => sum_up(pos, cache),
    };
    let white = white.clamp(-EVAL_LIMIT, EVAL_LIMIT);
    if pos.side_to_move() == Color::White { white } else { -white }
}

/// White's score by the terms.
#[inline(always)]
fn sum_up(pos: &Position, cache: &mut Cache) -> Value {
    let Material { score, phase, .. } = cache.material(pos);
    let pawns = cache.pawns(pos);
    let mut sum = Sum::default();
    Board::new(pos, pawns).tell(&mut sum);
    let total = sum.total() + pawns.score + score;
    let scale = endgame::scale(pos, total.endgame());
    let tapered = total.middlegame() * phase * 64 + total.endgame() * (24 - phase) * scale;
    tapered / (24 * 64)
}

/// What a tuner needs of a position: how often each weight counts, the phase (0 to 24), and the
/// scale of the endgame (in 64ths). `None` where the evaluation does not go by the weights.
pub fn trace(pos: &Position) -> Option<(Counts, Value, Value)> {
    if endgame::known(pos).is_some() {
        return None;
    }
    let mut counts = Counts([0; COUNT]);
    material::tell(pos, &mut counts);
    let pawns = Pawns::new(pos, &mut counts);
    Board::new(pos, &pawns).tell(&mut counts);
    let endgame: Value =
        counts.0.iter().zip(&WEIGHTS).map(|(n, w)| Value::from(*n) * w.endgame()).sum();
    Some((counts, material::phase(pos), endgame::scale(pos, endgame)))
}
