//! The static evaluation: tapered sums of small, tuned terms, the same for both sides.
//!
//! Every term is told to a [`Sink`]. Playing, the sink adds up the weights; tuning, it counts how
//! often each weight is used. So what is tuned is what is played.

mod cache;
mod distance;
mod endgame;
mod king;
mod material;
mod packed;
mod passed;
mod pawns;
mod pieces;
mod squares;
pub mod terms;
mod threats;
mod weights;

pub use cache::{Cache, Values};
pub use packed::Packed;
pub(crate) use pawns::attacked as attacked_by_pawns;
pub use weights::WEIGHTS;

use crate::score::{EVAL_LIMIT, Value};
use dyno_chess::{Bitboard, Color, File, Position, Role, Square, attacks};
use material::Material;
use pawns::Pawns;
use terms::{COUNT, FACING, FIRE, FIRE_COUNT, PLACE, TEMPO};

/// Where the evaluation tells its terms.
pub trait Sink {
    /// The side has the term so many times.
    fn add(&mut self, side: Color, term: usize, count: i32);

    /// The side's king is under fire of the kind so many times.
    fn fire(&mut self, side: Color, term: usize, count: i32);
}

/// Adds up the weights of each side.
#[derive(Default)]
pub(crate) struct Sum {
    terms: [Packed; 2],
    fire: [Packed; 2],
}

impl Sink for Sum {
    #[inline]
    fn add(&mut self, side: Color, term: usize, count: i32) {
        self.terms[side.index()] += WEIGHTS[term] * count;
    }

    #[inline]
    fn fire(&mut self, side: Color, term: usize, count: i32) {
        self.fire[side.index()] += WEIGHTS[term] * count;
    }
}

impl Sum {
    /// White's sum minus Black's.
    #[inline]
    fn total(&self) -> Packed {
        let [white, black] = self.fire.map(cost);
        self.terms[0] - self.terms[1] - white + black
    }
}

/// What the fire on its king costs a side: two fires at once are more than twice as bad, as long
/// as there are pieces to follow them up.
#[inline]
fn cost(fire: Packed) -> Packed {
    let middlegame = fire.middlegame().clamp(0, FIRE_LIMIT);
    Packed::new(middlegame * middlegame / FIRE_SCALE, fire.endgame())
}

/// The fire is squared and divided by this.
pub const FIRE_SCALE: Value = 2048;
/// More fire than this is no worse.
pub const FIRE_LIMIT: Value = 2000;

/// Counts how often each weight is used.
pub struct Counts {
    /// White's minus Black's; the fire is left out.
    pub terms: [i16; COUNT],
    /// The fire on each side's king.
    pub fire: [[i16; FIRE_COUNT]; 2],
}

impl Sink for Counts {
    fn add(&mut self, side: Color, term: usize, count: i32) {
        let sign = if side == Color::White { 1 } else { -1 };
        self.terms[term] += (sign * count) as i16;
    }

    fn fire(&mut self, side: Color, term: usize, count: i32) {
        self.fire[side.index()][term - FIRE] += count as i16;
    }
}

impl Counts {
    const NONE: Counts = Counts { terms: [0; COUNT], fire: [[0; FIRE_COUNT]; 2] };

    /// What the counts are worth, White's view.
    pub fn worth(&self) -> Packed {
        weighed(&self.terms, &WEIGHTS) + self.fire_worth()
    }

    /// What the fire on both kings is worth, White's view.
    pub fn fire_worth(&self) -> Packed {
        let [white, black] = self.fire.map(|fire| cost(weighed(&fire, &WEIGHTS[FIRE..])));
        black - white
    }
}

/// The sum of the weights, each as often as it counts.
fn weighed(counts: &[i16], weights: &[Packed]) -> Packed {
    counts.iter().zip(weights).map(|(n, weight)| *weight * i32::from(*n)).sum()
}

/// How the board looks from a king: turned so that the king stands on its right half, and in which
/// zone it stands.
#[derive(Clone, Copy)]
struct View {
    turn: usize,
    zone: usize,
}

/// The zone of each square of a king, as its side sees the board.
static ZONES_OF: [u8; 64] = {
    let mut zones = [4; 64];
    let mut square = 0;
    while square < 16 {
        let central = 2 <= square % 8 && square % 8 < 6;
        zones[square] = 2 * (square / 8) as u8 + central as u8;
        square += 1;
    }
    zones
};

impl View {
    #[inline(always)]
    fn new(pos: &Position, side: Color) -> View {
        let king = pos.king(side).relative_to(side);
        let turn = if king.file() < File::E { 7 } else { 0 };
        View { turn, zone: usize::from(ZONES_OF[king.index()]) }
    }

    /// How the board looks from each side's king.
    #[inline(always)]
    fn both(pos: &Position) -> [View; 2] {
        [View::new(pos, Color::White), View::new(pos, Color::Black)]
    }

    /// A number below 16 for each view.
    fn index(self) -> usize {
        self.zone * 2 + (self.turn & 1)
    }

    /// Where a role on a square is among the places.
    #[inline]
    fn place(self, role: Role, square: usize) -> usize {
        64 * (6 * self.zone + role.index()) + (square ^ self.turn)
    }
}

/// Tells where a piece stands, as seen from its own king and from the enemy's.
#[inline(always)]
fn tell_place<S: Sink>(us: Color, role: Role, square: Square, views: [View; 2], sink: &mut S) {
    let seen = square.relative_to(us).index();
    sink.add(us, PLACE + views[us.index()].place(role, seen), 1);
    sink.add(us, FACING + views[1 - us.index()].place(role, seen), 1);
}

/// What the parts of the evaluation share.
struct Board<'a> {
    pos: &'a Position,
    occupied: Bitboard,
    pawns: &'a Pawns,
    /// The squares each side's pawns attack.
    pawn_attacks: [Bitboard; 2],
    /// How many files before each side's king are open.
    open: [i32; 2],
    /// How the board looks from each side's king.
    views: [View; 2],
    /// The squares each side's pieces of each role see.
    seen: [[Bitboard; 6]; 2],
    seen_by_any: [Bitboard; 2],
    seen_by_two: [Bitboard; 2],
    /// The squares that count for mobility.
    area: [Bitboard; 2],
    /// The squares around each king.
    ring: [Bitboard; 2],
    /// Whether anything sees the ring around each side's king.
    under_fire: [bool; 2],
}

impl<'a> Board<'a> {
    #[inline(always)]
    fn new(pos: &'a Position, pawns: &'a Pawns, views: [View; 2], open: [i32; 2]) -> Board<'a> {
        let mut board = Board {
            pos,
            occupied: pos.occupied(),
            pawns,
            pawn_attacks: [pawns::attacked(pos, Color::White), pawns::attacked(pos, Color::Black)],
            open,
            views,
            seen: [[Bitboard::EMPTY; 6]; 2],
            seen_by_any: [Bitboard::EMPTY; 2],
            seen_by_two: [Bitboard::EMPTY; 2],
            area: [Bitboard::EMPTY; 2],
            ring: [Bitboard::EMPTY; 2],
            under_fire: [false; 2],
        };
        for us in Color::ALL {
            let own = us.index();
            let king = pos.king(us);
            let around = attacks::king(king);
            let pawn_set = pos.pieces(us, Role::Pawn);
            let from_pawns = board.pawn_attacks[own];
            let ahead = pawn_set.forward(us);
            board.seen[own][Role::Pawn.index()] = from_pawns;
            board.seen[own][Role::King.index()] = around;
            board.seen_by_any[own] = from_pawns | around;
            board.seen_by_two[own] = (from_pawns & around) | (ahead.east() & ahead.west());
            board.ring[own] = around | Bitboard::of(king) | around.forward(us);
            let stuck = pawn_set & board.occupied.forward(!us);
            board.area[own] = !(board.pawn_attacks[1 - own] | stuck | Bitboard::of(king));
        }
        board
    }

    #[inline(always)]
    fn tell<S: Sink>(&mut self, sink: &mut S) {
        // No loops over the sides: each is compiled for itself, with its directions as constants.
        self.pieces(Color::White, sink);
        self.pieces(Color::Black, sink);
        self.rest(Color::White, sink);
        self.rest(Color::Black, sink);
        sink.add(self.pos.side_to_move(), TEMPO, 1);
    }

    /// What can be told only once it is known what both sides see.
    #[inline(always)]
    fn rest<S: Sink>(&mut self, us: Color, sink: &mut S) {
        self.king_safety(us, sink);
        self.threats(us, sink);
        self.squares(us, sink);
        self.passed_pawns(us, sink);
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
        if cache.can_count() {
            #[allow(unsafe_code, reason = "the processor was asked for these features")]
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
    let views = View::both(pos);
    let pawns = cache.pawns(pos, views);
    let (white, white_open) = pawns.shelters[0].update(pos, Color::White);
    let (black, black_open) = pawns.shelters[1].update(pos, Color::Black);
    let mut sum = Sum::default();
    Board::new(pos, pawns, views, [white_open, black_open]).tell(&mut sum);
    let total = sum.total() + pawns.score + score + white - black;
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
    let mut counts = Counts::NONE;
    material::tell(pos, &mut counts);
    let views = View::both(pos);
    let pawns = Pawns::new(pos, views, &mut counts);
    let open = Color::ALL.map(|side| king::tell_shelter(pos, side, &mut counts));
    Board::new(pos, &pawns, views, open).tell(&mut counts);
    let scale = endgame::scale(pos, counts.worth().endgame());
    Some((counts, material::phase(pos), scale))
}
