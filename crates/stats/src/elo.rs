//! Elo with its error bars, from a fixed number of games.

use serde::{Deserialize, Serialize};

use crate::normal::{Z95, normal_cdf};
use crate::results::Results;

/// Normalized Elo per unit of (score − ½) / deviation: 800 / ln 10.
pub(crate) const NELO_PER_T: f64 = 800.0 / std::f64::consts::LN_10;

/// The Elo difference that a score stands for. Scores within a thousandth of 0 or 1 are taken
/// for that: the games cannot tell such differences apart.
///
/// ```
/// use dyno_stats::elo_of_score;
/// assert_eq!(elo_of_score(0.5), 0.0);
/// assert!((elo_of_score(0.75) - 190.85).abs() < 0.01);
/// ```
pub fn elo_of_score(score: f64) -> f64 {
    let score = score.clamp(1e-3, 1.0 - 1e-3);
    -400.0 * (1.0 / score - 1.0).log10()
}

/// The expected score of a side that is this much stronger.
///
/// ```
/// use dyno_stats::score_of_elo;
/// assert!((score_of_elo(100.0) - 0.6401).abs() < 1e-4);
/// ```
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// What a number of games, fixed beforehand, says about a difference in strength.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean score, from 0 to 1.
    pub score: f64,
    /// The difference in Elo.
    pub elo: f64,
    /// Half the width of its 95 % interval.
    pub elo_error: f64,
    /// The lower end of the 95 % interval, which is not symmetric.
    pub elo_low: f64,
    /// The upper end of the 95 % interval.
    pub elo_high: f64,
    /// The difference in normalized Elo, which does not depend on the book or the draw rate.
    pub nelo: f64,
    /// Half the width of its 95 % interval.
    pub nelo_error: f64,
    /// The likelihood of superiority: how sure it is that the difference is positive.
    pub los: f64,
    /// The variance of the score per game; for pairs, that of a game which would give such pairs.
    pub variance_per_game: f64,
    /// Games, where an outcome never seen counts as a thousandth of an observation.
    pub games: f64,
}

impl Estimate {
    /// The estimate from these results. Finite whatever the counts.
    ///
    /// ```
    /// use dyno_stats::{Estimate, Results};
    /// let e = Estimate::of(&Results::Trinomial([96, 111, 136])); // losses, draws, wins
    /// assert_eq!(format!("{:.2} ± {:.2}", e.elo, e.elo_error), "40.70 ± 30.43");
    /// ```
    pub fn of(results: &Results) -> Self {
        let sample = results.sample();
        let deviation = (sample.variance / sample.total).sqrt();
        let elo_low = elo_of_score(sample.mean - Z95 * deviation);
        let elo_high = elo_of_score(sample.mean + Z95 * deviation);
        Self {
            score: sample.mean,
            elo: elo_of_score(sample.mean),
            elo_error: (elo_high - elo_low) / 2.0,
            elo_low,
            elo_high,
            nelo: NELO_PER_T * (sample.mean - 0.5) / sample.deviation_per_game(),
            nelo_error: Z95 * NELO_PER_T / sample.games().sqrt(),
            los: normal_cdf((sample.mean - 0.5) / deviation),
            variance_per_game: sample.games_per_observation * sample.variance,
            games: sample.games(),
        }
    }

    /// How many games, at the spread seen so far, would just separate a difference of `elo` from
    /// zero with 95 % confidence. None for a difference of zero.
    ///
    /// ```
    /// use dyno_stats::{Estimate, Results};
    /// let e = Estimate::of(&Results::Trinomial([240, 500, 260]));
    /// assert_eq!(e.games_to_separate(e.elo).map(f64::round), Some(4798.0));
    /// ```
    pub fn games_to_separate(&self, elo: f64) -> Option<f64> {
        let margin = score_of_elo(elo) - 0.5;
        let games = self.variance_per_game * (Z95 / margin).powi(2);
        games.is_finite().then_some(games)
    }

    /// The 95 % error bar that this many games of the same spread would have around equality.
    pub fn error_after(&self, games: f64) -> f64 {
        elo_of_score(0.5 + Z95 * (self.variance_per_game / games).sqrt())
    }
}
