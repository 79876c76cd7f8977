//! Following a running test, with the correction for overshoot.

use serde::{Deserialize, Serialize};

use crate::results::Results;
use crate::sprt::{Sprt, SprtVerdict};

/// Wald's bounds assume that the ratio stops exactly on them, but it moves in jumps and stops
/// a little beyond. The mean excess over a bound is estimated from the jumps that set new
/// records so far, and the bound is moved in by that much.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Records {
    /// The sum of the jumps beyond the record, which is the record itself.
    sum: f64,
    /// The sum of their squares.
    squares: f64,
}

impl Records {
    /// Takes note of the ratio if it goes beyond the record on the side of this sign.
    fn note(&mut self, llr: f64, sign: f64) {
        let jump = llr - self.sum;
        if jump * sign > 0.0 {
            self.sum = llr;
            self.squares += jump * jump;
        }
    }

    /// The expected excess over the bound on this side.
    fn overshoot(&self) -> f64 {
        if self.sum == 0.0 { 0.0 } else { self.squares / (2.0 * self.sum.abs()) }
    }
}

/// A running test: give it the results after each pair, in the order in which the pairs were
/// scheduled, and it says when to stop. Its verdict is final: later results do not change it.
///
/// ```
/// use dyno_stats::{Bounds, Model, Results, Sprt, SprtVerdict};
/// let sprt = Sprt::new(Bounds::new(0.0, 10.0, 0.05, 0.05)?, Model::Logistic);
/// let mut run = sprt.start();
/// let mut pairs = [0; 5];
/// while run.verdict() == SprtVerdict::Continue {
///     pairs[3] += 1; // a win and a draw, again and again
///     pairs[2] += 2;
///     run.update(&Results::Pentanomial(pairs));
/// }
/// assert_eq!(run.verdict(), SprtVerdict::AcceptH1);
/// # Ok::<(), dyno_stats::BoundsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SprtRun {
    sprt: Sprt,
    llr: f64,
    minima: Records,
    maxima: Records,
    verdict: SprtVerdict,
}

impl SprtRun {
    pub(crate) fn new(sprt: Sprt) -> Self {
        let records = Records::default();
        Self { sprt, llr: 0.0, minima: records, maxima: records, verdict: SprtVerdict::Continue }
    }

    /// Takes in the results so far and says how the test stands.
    pub fn update(&mut self, results: &Results) -> SprtVerdict {
        if self.verdict != SprtVerdict::Continue {
            return self.verdict;
        }
        self.llr = self.sprt.llr(results);
        self.minima.note(self.llr, -1.0);
        self.maxima.note(self.llr, 1.0);
        let (lower, upper) = self.stopping_bounds();
        if self.llr > upper {
            self.verdict = SprtVerdict::AcceptH1;
        } else if self.llr < lower {
            self.verdict = SprtVerdict::AcceptH0;
        }
        self.verdict
    }

    /// How the test stands.
    pub fn verdict(&self) -> SprtVerdict {
        self.verdict
    }

    /// The log-likelihood ratio at the last update that counted.
    pub fn llr(&self) -> f64 {
        self.llr
    }

    /// The test itself.
    pub fn sprt(&self) -> &Sprt {
        &self.sprt
    }

    /// The expected overshoot of the lower and of the upper bound.
    pub fn overshoot(&self) -> (f64, f64) {
        (self.minima.overshoot(), self.maxima.overshoot())
    }

    /// The bounds moved in by the expected overshoot, at which the test really stops.
    pub fn stopping_bounds(&self) -> (f64, f64) {
        let (below, above) = self.overshoot();
        (self.sprt.bounds().lower() + below, self.sprt.bounds().upper() - above)
    }
}
