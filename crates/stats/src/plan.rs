//! Planning a test: how often it passes and how long it takes, before a game is played.

use serde::Serialize;
use thiserror::Error;

use crate::elo::{NELO_PER_T, elo_of_score, score_of_elo};
use crate::sprt::{Model, Sprt};

/// What the openings make of two equal engines.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Opening {
    /// The share of games drawn between equals.
    pub draw_ratio: f64,
    /// How much the better side of an opening is ahead, in Elo (root mean square over the book).
    pub bias: f64,
}

/// Why a plan was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum ForecastError {
    /// Not a share.
    #[error("the draw ratio must be at least 0 and less than 1, but is {0}")]
    DrawRatio(f64),
    /// Not a difference in Elo.
    #[error("the bias must lie between 0 and 1000 Elo, but is {0}")]
    Bias(f64),
    /// More draws than the bias leaves room for.
    #[error(
        "a draw ratio of {draw_ratio} is impossible with openings biased by {bias} Elo: at most \
         {most:.3} of the games can be drawn"
    )]
    Impossible {
        /// The draw ratio asked for.
        draw_ratio: f64,
        /// The bias asked for.
        bias: f64,
        /// The greatest possible draw ratio.
        most: f64,
    },
}

/// A test and the openings it will use.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SprtForecast {
    sprt: Sprt,
    opening: Opening,
    variance: f64,
    score0: f64,
    score1: f64,
}

/// What to expect if the true strength is this.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Expectation {
    /// The true difference, in logistic Elo.
    pub elo: f64,
    /// The probability that H1 is accepted.
    pub pass: f64,
    /// The mean number of games until the test stops.
    pub games: f64,
}

impl SprtForecast {
    /// A plan of this test.
    pub fn new(sprt: Sprt, opening: Opening) -> Result<Self, ForecastError> {
        let Opening { draw_ratio, bias } = opening;
        if !(0.0..1.0).contains(&draw_ratio) {
            return Err(ForecastError::DrawRatio(draw_ratio));
        }
        if !(0.0..=1000.0).contains(&bias) {
            return Err(ForecastError::Bias(bias));
        }
        let most = 2.0 * (1.0 - score_of_elo(bias));
        if draw_ratio > most {
            return Err(ForecastError::Impossible { draw_ratio, bias, most });
        }
        let variance = (1.0 - draw_ratio) / 4.0 - (score_of_elo(bias) - 0.5).powi(2);
        let score = |elo: f64| match sprt.model() {
            Model::Logistic => score_of_elo(elo),
            Model::Normalized => 0.5 + elo / NELO_PER_T * variance.sqrt(),
            Model::BayesElo => {
                let lost = (1.0 - draw_ratio) / 2.0;
                let draw_elo = crate::bayeselo::draw_elo(lost, lost);
                let [_, draw, win] = crate::BayesElo { elo, draw_elo }.probabilities();
                win + draw / 2.0
            }
        };
        let (score0, score1) = (score(sprt.bounds().elo0()), score(sprt.bounds().elo1()));
        Ok(Self { sprt, opening, variance, score0, score1 })
    }

    /// The test.
    pub fn sprt(&self) -> &Sprt {
        &self.sprt
    }

    /// The openings.
    pub fn opening(&self) -> &Opening {
        &self.opening
    }

    /// The variance of one game's score, less what the pairing takes out.
    pub fn variance(&self) -> f64 {
        self.variance
    }

    /// The hypotheses as mean scores.
    pub fn scores(&self) -> (f64, f64) {
        (self.score0, self.score1)
    }

    /// The hypotheses as logistic Elo, whatever the model of the test.
    pub fn logistic_bounds(&self) -> (f64, f64) {
        (elo_of_score(self.score0), elo_of_score(self.score1))
    }

    /// What to expect at a true strength, given in logistic Elo (Wald's approximations).
    ///
    /// ```
    /// use dyno_stats::{Bounds, Model, Opening, SprtForecast, Sprt};
    /// let sprt = Sprt::new(Bounds::new(0.0, 5.0, 0.05, 0.05)?, Model::Logistic);
    /// let plan = SprtForecast::new(sprt, Opening { draw_ratio: 0.5, bias: 0.0 })?;
    /// let expected = plan.expect(2.5);
    /// assert_eq!(format!("{:.3} {:.0}", expected.pass, expected.games), "0.500 20934");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn expect(&self, elo: f64) -> Expectation {
        self.expect_from(elo, 0.0)
    }

    /// The same for a test that stands at this log-likelihood ratio: what is still to come.
    pub fn expect_from(&self, elo: f64, llr: f64) -> Expectation {
        let bounds = self.sprt.bounds();
        let (lower, upper) = ((bounds.lower() - llr).min(0.0), (bounds.upper() - llr).max(0.0));
        let width = self.score1 - self.score0;
        let h = (2.0 * score_of_elo(elo) - self.score0 - self.score1) / width;
        let unit = self.variance / (width * width);
        // As h goes to 0 the walk has no drift, and both formulas go to these limits.
        if h.abs() < 1e-6 {
            return Expectation {
                elo,
                pass: -lower / (upper - lower),
                games: -lower * upper * unit,
            };
        }
        let pass = pass_probability(h, lower, upper);
        let games = 2.0 / h * (upper * pass + lower * (1.0 - pass)) * unit;
        Expectation { elo, pass, games }
    }

    /// The probabilities of the five kinds of pairs at a true strength, worst first: one game
    /// from each side of an opening, independent once the opening is given. Where the difference
    /// leaves no room for the planned draws there are as many as possible.
    pub fn pair_probabilities(&self, elo: f64) -> [f64; 5] {
        let game = |score: f64| {
            let draw = self.opening.draw_ratio.min(2.0 * score.min(1.0 - score));
            [1.0 - score - draw / 2.0, draw, score - draw / 2.0]
        };
        // The two halves of a pair score L(elo) ± the advantage, so that the mean stays L(elo).
        let mean = score_of_elo(elo);
        let advantage = (score_of_elo(self.opening.bias) - 0.5).min(mean).min(1.0 - mean);
        let (ahead, behind) = (game(mean + advantage), game(mean - advantage));
        let mut pairs = [0.0; 5];
        for (i, a) in ahead.iter().enumerate() {
            for (j, b) in behind.iter().enumerate() {
                pairs[i + j] += a * b;
            }
        }
        pairs
    }
}

/// Wald's probability of ending at the upper bound: (1 − e^(−hA)) / (e^(−hB) − e^(−hA)), written
/// so that neither exponential overflows.
fn pass_probability(h: f64, lower: f64, upper: f64) -> f64 {
    if h > 0.0 {
        (h * lower).exp_m1() / (h * (lower - upper)).exp_m1()
    } else {
        (h * upper).exp() * (-h * lower).exp_m1() / (h * (upper - lower)).exp_m1()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sprt::Bounds;

    #[test]
    fn a_test_that_has_come_far_needs_less() {
        let bounds = Bounds::new(0.0, 5.0, 0.05, 0.05).unwrap_or_else(|e| panic!("{e}"));
        let opening = Opening { draw_ratio: 0.5, bias: 0.0 };
        let plan = SprtForecast::new(Sprt::new(bounds, Model::Logistic), opening);
        let plan = plan.unwrap_or_else(|e| panic!("{e}"));
        let left = |llr: f64| plan.expect_from(5.0, llr);
        assert_eq!(left(0.0), plan.expect(5.0));
        assert!(left(2.0).games < left(0.0).games && left(2.0).pass > left(0.0).pass);
        assert!(left(-2.5).pass < left(0.0).pass);
        for beyond in [3.0, -3.0] {
            assert_eq!(left(beyond).games, 0.0, "it is decided");
        }
    }
}
