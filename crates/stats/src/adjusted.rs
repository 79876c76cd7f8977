//! Elo after a sequential test.
//!
//! A test that stops when it looks good overstates the strength if its games are then read as
//! though their number had been fixed. Seen as a Brownian motion between the two bounds, the
//! test has a distribution of outcomes for each true strength; the adjusted Elo is the strength
//! under which the outcome at hand, or a worse one, has probability one half.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

use crate::elo::score_of_elo;
use crate::normal::{ln_normal_cdf, normal_cdf};
use crate::results::{Results, Sample};
use crate::sprt::Sprt;

/// The strength estimated from a sequential test, free of the bias of its stopping rule.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdjustedElo {
    /// The median-unbiased estimate, in logistic Elo whatever the model of the test.
    pub elo: f64,
    /// The lower end of the 95 % interval.
    pub elo_low: f64,
    /// The upper end of the 95 % interval.
    pub elo_high: f64,
    /// How sure it is that the difference is positive.
    pub los: f64,
}

impl AdjustedElo {
    /// The estimate from a test that has stopped, or stands, at these results.
    ///
    /// ```
    /// use dyno_stats::{AdjustedElo, Bounds, Model, Results, Sprt};
    /// let sprt = Sprt::new(Bounds::new(0.0, 2.0, 0.05, 0.05)?, Model::Normalized);
    /// let adjusted = AdjustedElo::of(&sprt, &Results::Pentanomial([379, 10170, 21828, 10640, 343]));
    /// assert_eq!(format!("{:.2}", adjusted.elo), "1.42"); // read naively: 1.59
    /// # Ok::<(), dyno_stats::BoundsError>(())
    /// ```
    pub fn of(sprt: &Sprt, results: &Results) -> Self {
        let walk = Walk::new(sprt, results);
        Self {
            elo: walk.elo_with_outcome(0.5),
            elo_low: walk.elo_with_outcome(0.975),
            elo_high: walk.elo_with_outcome(0.025),
            los: walk.outcome_probability(0.0),
        }
    }
}

/// The log-likelihood ratio as a Brownian motion from 0 that is absorbed at `lower` and `upper`.
struct Walk {
    sample: Sample,
    lower: f64,
    upper: f64,
    score0: f64,
    score1: f64,
    /// Where it stands, and when, in observations.
    llr: f64,
    time: f64,
}

impl Walk {
    fn new(sprt: &Sprt, results: &Results) -> Self {
        let sample = results.sample();
        let [score0, score1] = sprt.scores(&sample);
        let (lower, upper) = (sprt.bounds().lower(), sprt.bounds().upper());
        let mut walk = Self { sample, lower, upper, score0, score1, llr: 0.0, time: sample.total };
        let (drift, _) = walk.drift_and_variance(sample.mean);
        walk.llr = drift * walk.time;
        // The real test stopped where it crossed a bound; so does its image.
        let stopped = walk.llr.clamp(lower, upper);
        if stopped != walk.llr {
            walk.time = stopped / drift;
            walk.llr = stopped;
        }
        walk
    }

    /// The drift and variance of the ratio per observation if the true mean score is `score`.
    fn drift_and_variance(&self, score: f64) -> (f64, f64) {
        let spread = self.sample.variance;
        let width = self.score1 - self.score0;
        let middle = (self.score0 + self.score1) / 2.0;
        ((score - middle) * width / spread, width * width / spread)
    }

    /// The probability, at this true strength, of an outcome worse than the one at hand: a
    /// quicker failure, a slower success, or a failure instead of a success.
    fn outcome_probability(&self, elo: f64) -> f64 {
        if self.score1 - self.score0 < 1e-12 {
            // The hypotheses are one and the same to these results: no bound is ever near, and
            // the games are read as though their number had been fixed.
            let deviation = (self.sample.variance / self.sample.total).sqrt();
            return normal_cdf((self.sample.mean - score_of_elo(elo)) / deviation);
        }
        let (drift, variance) = self.drift_and_variance(score_of_elo(elo));
        let height = self.upper - self.lower;
        let pull = drift / variance;
        let probability =
            if variance * self.time < 1e-2 * height * height || (pull * height).abs() > 15.0 {
                self.by_reflections(drift, variance)
            } else {
                self.by_waves(drift, variance)
            };
        probability.clamp(0.0, 1.0)
    }

    /// For early times or a strong drift: the free motion and its reflection in each bound; paths
    /// that touch both bounds do not matter then.
    fn by_reflections(&self, drift: f64, variance: f64) -> f64 {
        let deviation = (variance * self.time).sqrt();
        let free = (self.llr - drift * self.time) / deviation;
        let pull = 2.0 * drift / variance;
        let mirrored = |bound: f64, z: f64| {
            let ln_tail = if pull * bound < 10.0 { ln_normal_cdf(z) } else { ln_far_tail(z) };
            // A probability in truth; rounding of great exponents must not make it more.
            (pull * bound + ln_tail).min(0.0).exp()
        };
        let through_lower = mirrored(self.lower, 2.0 * self.lower / deviation - free);
        let through_upper = mirrored(self.upper, free - 2.0 * self.upper / deviation);
        ln_normal_cdf(free).exp() + through_lower - through_upper
    }

    /// For late times: the standing waves between the two bounds, the slowest of which survive.
    fn by_waves(&self, drift: f64, variance: f64) -> f64 {
        let height = self.upper - self.lower;
        let (start, now) = (-self.lower, self.llr - self.lower);
        let pull = drift / variance;
        let envelope = (pull * (now - start) - 0.5 * drift * pull * self.time).exp();
        let mut sum = 0.0;
        for n in 1..=1000 {
            let k = f64::from(n) * PI / height;
            let decay = (-0.5 * k * k * variance * self.time).exp();
            let shape = (pull * (k * now).sin() - k * (k * now).cos()) / (pull * pull + k * k);
            sum += decay * (k * start).sin() * shape;
            if envelope * decay < 1e-12 {
                break;
            }
        }
        self.eventual_failure(pull) + 2.0 / height * envelope * sum
    }

    /// The probability that the lower bound is reached before the upper one.
    fn eventual_failure(&self, pull: f64) -> f64 {
        let (below, height) = (-self.lower, self.upper - self.lower);
        if (pull * height).abs() < 1e-8 {
            return 1.0 - below / height;
        }
        let above = height - below;
        (2.0 * pull * above).exp_m1() / (2.0 * pull * height).exp_m1()
    }

    /// The strength under which an outcome worse than the one at hand has this probability. The
    /// probability falls as the strength grows.
    fn elo_with_outcome(&self, probability: f64) -> f64 {
        const LIMIT: f64 = 1200.0;
        let (mut low, mut high) = (-LIMIT, LIMIT);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if self.outcome_probability(middle) > probability {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }
}

/// The logarithm of the normal distribution far below its mean, by the first two terms of its
/// expansion. The third would matter in the fourth digit of an Elo, but fishtest, against whose
/// figures people compare ours, leaves it out.
fn ln_far_tail(z: f64) -> f64 {
    let ratio = (-1.0 / z + 1.0 / (z * z * z)) / (2.0 * PI).sqrt();
    if ratio > 0.0 { ratio.ln() - 0.5 * z * z } else { ln_normal_cdf(z) }
}
