//! The static evaluation: tapered sums of small, tuned terms, the same for both sides.
//!
//! Every term is added to a [`Sink`]. Playing, the sink adds up the weights; tuning, it counts how
//! often each weight is used. So what is tuned is what is played.

mod board;
mod cache;
mod endgame;
mod geometry;
mod in_use;
mod king;
mod king_bucket;
mod material;
mod packed;
mod passed;
mod pawns;
mod pieces;
mod shelter;
mod sink;
mod squares;
pub mod terms;
mod threats;
mod weights;

pub use cache::{Cache, Values};
pub(crate) use geometry::attacked_by_pawns;
pub(crate) use in_use::{set_weight, weight};
pub use packed::Packed;
pub use sink::{Counts, DANGER_LIMIT, DANGER_SCALE, Sink};
pub use weights::WEIGHTS;

use crate::score::{EVAL_LIMIT, Value};
use board::Board;
use dyno_chess::{Color, Position};
use king_bucket::KingBucket;
use material::Material;
use pawns::Pawns;
use sink::Sum;
use terms::TEMPO;

impl Board<'_> {
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
    let buckets = KingBucket::both(pos);
    let pawns = cache.pawns(pos, buckets);
    let (white, white_open) = pawns.shelters[0].update(pos, Color::White);
    let (black, black_open) = pawns.shelters[1].update(pos, Color::Black);
    let mut sum = Sum::default();
    Board::new(pos, pawns, buckets, [white_open, black_open]).tell(&mut sum);
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
    let buckets = KingBucket::both(pos);
    let pawns = Pawns::new(pos, buckets, &mut counts);
    let open = Color::ALL.map(|side| shelter::add_shelter(pos, side, &mut counts));
    Board::new(pos, &pawns, buckets, open).tell(&mut counts);
    let scale = endgame::scale(pos, counts.worth().endgame());
    Some((counts, material::phase(pos), scale))
}
