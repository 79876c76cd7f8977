//! The sequential probability ratio test: hypotheses, bounds, log-likelihood ratio, verdict.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::bayeselo::{self, BayesElo};
use crate::elo::{NELO_PER_T, score_of_elo};
use crate::mle;
use crate::results::{Results, Sample};
use crate::track::SprtRun;

/// No test asks about a greater difference, and the arithmetic is safe up to here.
const ELO_LIMIT: f64 = 3000.0;

/// What the hypotheses' Elo means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Ordinary Elo: the mean score.
    Logistic,
    /// Normalized Elo: the mean score in units of its deviation, so that equal bounds need equal
    /// effort whatever the book and the draw rate.
    #[default]
    Normalized,
    /// BayesElo, as in cutechess-cli: single games with a drawing zone. It has no notion of
    /// pairs: given those, its bounds are first turned into logistic ones, with an even pair
    /// taken for two draws.
    BayesElo,
}

/// Why bounds were refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum BoundsError {
    /// The first hypothesis must be the weaker one.
    #[error("elo0 must be less than elo1, but {0} is not less than {1}")]
    Order(f64, f64),
    /// Not a number or beyond any real difference.
    #[error("{0} must lie between -3000 and 3000, but is {1}")]
    Elo(&'static str, f64),
    /// Not the probability of an error: a coin errs half of the time.
    #[error("{0} must lie between 0 and 0.5 (0.05 is usual), but is {1}")]
    Probability(&'static str, f64),
}

/// Two hypotheses about the strength and the errors allowed in choosing between them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    lower: f64,
    upper: f64,
}

impl Bounds {
    /// A test of elo0 against elo1 that wrongly accepts elo1 with probability `alpha` and wrongly
    /// accepts elo0 with probability `beta`.
    ///
    /// ```
    /// use dyno_stats::Bounds;
    /// let bounds = Bounds::new(0.0, 5.0, 0.05, 0.10)?;
    /// assert_eq!(format!("{:.2} {:.2}", bounds.lower(), bounds.upper()), "-2.25 2.89");
    /// assert!(Bounds::new(5.0, 0.0, 0.05, 0.05).is_err());
    /// # Ok::<(), dyno_stats::BoundsError>(())
    /// ```
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, BoundsError> {
        for (name, elo) in [("elo0", elo0), ("elo1", elo1)] {
            if elo.is_nan() || elo.abs() > ELO_LIMIT {
                return Err(BoundsError::Elo(name, elo));
            }
        }
        for (name, p) in [("alpha", alpha), ("beta", beta)] {
            if !(p > 0.0 && p < 0.5) {
                return Err(BoundsError::Probability(name, p));
            }
        }
        if elo0 >= elo1 {
            return Err(BoundsError::Order(elo0, elo1));
        }
        let lower = (beta / (1.0 - alpha)).ln();
        let upper = ((1.0 - beta) / alpha).ln();
        Ok(Self { elo0, elo1, alpha, beta, lower, upper })
    }

    /// The strength under H0.
    pub fn elo0(&self) -> f64 {
        self.elo0
    }

    /// The strength under H1.
    pub fn elo1(&self) -> f64 {
        self.elo1
    }

    /// The probability of accepting H1 though H0 is true.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// The probability of accepting H0 though H1 is true.
    pub fn beta(&self) -> f64 {
        self.beta
    }

    /// The log-likelihood ratio at which H0 is accepted.
    pub fn lower(&self) -> f64 {
        self.lower
    }

    /// The log-likelihood ratio at which H1 is accepted.
    pub fn upper(&self) -> f64 {
        self.upper
    }
}

/// How a test stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SprtVerdict {
    /// Neither bound is reached: play on.
    Continue,
    /// The lower bound is reached.
    AcceptH0,
    /// The upper bound is reached.
    AcceptH1,
}

/// A sequential probability ratio test.
///
/// ```
/// use dyno_stats::{Bounds, Model, Results, Sprt, SprtVerdict};
/// let sprt = Sprt::new(Bounds::new(-1500.0, -500.0, 0.05, 0.05)?, Model::Normalized);
/// let llr = sprt.llr(&Results::Pentanomial([144, 3, 1, 0, 0]));
/// assert_eq!(format!("{llr:.2}"), "-6.72");
/// assert_eq!(sprt.verdict(llr), SprtVerdict::AcceptH0);
/// # Ok::<(), dyno_stats::BoundsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    #[serde(flatten)]
    bounds: Bounds,
    model: Model,
}

impl Sprt {
    /// A test between these hypotheses.
    pub fn new(bounds: Bounds, model: Model) -> Self {
        Self { bounds, model }
    }

    /// The hypotheses and errors.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// What the hypotheses' Elo means.
    pub fn model(&self) -> Model {
        self.model
    }

    /// The log-likelihood ratio of H1 to H0: finite whatever the counts, under a microsecond.
    pub fn llr(&self, results: &Results) -> f64 {
        let sample = results.sample();
        let (elo0, elo1) = (self.bounds.elo0, self.bounds.elo1);
        let (under0, under1) = match (self.model, results) {
            (Model::BayesElo, Results::Trinomial(_)) => {
                return bayeselo::llr(&sample, elo0, elo1);
            }
            (Model::Logistic | Model::BayesElo, _) => {
                let [s0, s1] = self.scores(&sample);
                (mle::with_mean(&sample, s0), mle::with_mean(&sample, s1))
            }
            (Model::Normalized, _) => {
                let t = |nelo: f64| nelo / NELO_PER_T * sample.games_per_observation.sqrt();
                (mle::with_t(&sample, t(elo0)), mle::with_t(&sample, t(elo1)))
            }
        };
        sample.total * (under1 - under0)
    }

    /// How the test stands at this ratio, by the plain bounds. A running test had better use
    /// [`Sprt::start`], which corrects for overshoot.
    pub fn verdict(&self, llr: f64) -> SprtVerdict {
        if llr >= self.bounds.upper {
            SprtVerdict::AcceptH1
        } else if llr <= self.bounds.lower {
            SprtVerdict::AcceptH0
        } else {
            SprtVerdict::Continue
        }
    }

    /// Begins to follow a running test.
    pub fn start(self) -> SprtRun {
        SprtRun::new(self)
    }

    /// The mean scores that the hypotheses stand for, given the spread of the results.
    pub(crate) fn scores(&self, sample: &Sample) -> [f64; 2] {
        [self.bounds.elo0, self.bounds.elo1].map(|elo| match self.model {
            Model::Logistic => score_of_elo(elo),
            Model::Normalized => 0.5 + elo / NELO_PER_T * sample.deviation_per_game(),
            Model::BayesElo => {
                let [.., loss, win] = match sample.len {
                    3 => [sample.p[0], sample.p[2]],
                    _ => [sample.p[0] + sample.p[1] / 2.0, sample.p[4] + sample.p[3] / 2.0],
                };
                let draw_elo = bayeselo::draw_elo(loss, win);
                let [_, draw, win] = BayesElo { elo, draw_elo }.probabilities();
                win + draw / 2.0
            }
        })
    }
}
