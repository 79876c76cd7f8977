//! Where the evaluation adds its terms: playing, to a sum of weights; tuning, to counts.

use super::in_use::weight;
use super::packed::Packed;
use super::terms::{COUNT, DANGER, DANGER_COUNT};
use crate::score::Value;
use dyno_chess::Color;

/// Where the evaluation tells its terms.
pub trait Sink {
    /// Adds a term of a side, `count` times.
    fn add(&mut self, side: Color, term: usize, count: i32);

    /// Adds to the danger of the side's king, `count` times.
    fn danger(&mut self, side: Color, term: usize, count: i32);
}

/// Adds up the weights of each side.
#[derive(Default)]
pub(super) struct Sum {
    pub(super) terms: [Packed; 2],
    danger: [Packed; 2],
}

impl Sink for Sum {
    #[inline]
    fn add(&mut self, side: Color, term: usize, count: i32) {
        self.terms[side.index()] += weight(term) * count;
    }

    #[inline]
    fn danger(&mut self, side: Color, term: usize, count: i32) {
        self.danger[side.index()] += weight(term) * count;
    }
}

impl Sum {
    /// White's sum minus Black's.
    #[inline]
    pub(super) fn total(&self) -> Packed {
        let [white, black] = self.danger.map(cost);
        self.terms[0] - self.terms[1] - white + black
    }
}

/// What the danger to its king costs a side: two threats at once are more than twice as bad, as long
/// as there are pieces to follow them up.
#[inline]
fn cost(danger: Packed) -> Packed {
    let middlegame = danger.middlegame().clamp(0, DANGER_LIMIT);
    Packed::new(middlegame * middlegame / DANGER_SCALE, danger.endgame())
}

/// The danger is squared and divided by this.
pub const DANGER_SCALE: Value = 2048;
/// Danger beyond this costs no more.
pub const DANGER_LIMIT: Value = 2000;

/// Counts how often each weight is used.
pub struct Counts {
    /// White's minus Black's; the danger is left out.
    pub terms: [i16; COUNT],
    /// The danger to each side's king.
    pub danger: [[i16; DANGER_COUNT]; 2],
}

impl Sink for Counts {
    fn add(&mut self, side: Color, term: usize, count: i32) {
        let sign = if side == Color::White { 1 } else { -1 };
        self.terms[term] += (sign * count) as i16;
    }

    fn danger(&mut self, side: Color, term: usize, count: i32) {
        self.danger[side.index()][term - DANGER] += count as i16;
    }
}

impl Counts {
    pub(super) const NONE: Counts = Counts { terms: [0; COUNT], danger: [[0; DANGER_COUNT]; 2] };

    /// What the counts are worth, White's view.
    pub fn worth(&self) -> Packed {
        weighed(&self.terms, 0) + self.danger_worth()
    }

    /// What the danger to both kings is worth, White's view.
    pub fn danger_worth(&self) -> Packed {
        let [white, black] = self.danger.map(|danger| cost(weighed(&danger, DANGER)));
        black - white
    }
}

/// The sum of the weights from a place on, each as often as it counts.
fn weighed(counts: &[i16], first: usize) -> Packed {
    (first..).zip(counts).map(|(term, n)| weight(term) * i32::from(*n)).sum()
}
