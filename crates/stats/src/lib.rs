//! The statistics of engine matches: Elo, error bars, SPRT, rating lists.
//!
//! Pure mathematics that knows no chess: a game is a loss, a draw or a win, and two games of one
//! opening with the colours reversed are a pair worth 0, ½, 1, 1½ or 2 points.
//!
//! ```
//! use dyno_stats::{Bounds, Estimate, Model, Results, Sprt, SprtVerdict};
//!
//! // Losses, draws and wins in that order, worst first; pairs likewise.
//! let results = Results::Pentanomial([16, 244, 519, 316, 46]);
//! let estimate = Estimate::of(&results);
//! assert_eq!(format!("{:.1} ± {:.1}", estimate.elo, estimate.elo_error), "20.1 ± 8.4");
//!
//! // Is it at least as strong as claimed? A sequential test after each pair.
//! let sprt = Sprt::new(Bounds::new(0.0, 5.0, 0.05, 0.05)?, Model::Normalized);
//! let mut run = sprt.start();
//! assert_eq!(run.update(&results), SprtVerdict::AcceptH1);
//! assert_eq!(format!("{:.2}", run.llr()), "2.98");
//! # Ok::<(), dyno_stats::BoundsError>(())
//! ```
#![deny(missing_docs)]

mod adjusted;
mod bayeselo;
mod change_point;
mod elo;
mod homogeneity;
mod mle;
mod normal;
mod plan;
mod ratings;

mod results;
mod rng;
mod simulate;
mod spread;
mod sprt;
mod spsa;
mod texel;
mod track;

pub use adjusted::AdjustedElo;
pub use bayeselo::BayesElo;
pub use change_point::{ChangePoint, change_points};
pub use elo::{Estimate, elo_of_score, score_of_elo};
pub use homogeneity::{Homogeneity, Occurrences, Source};
pub use normal::{Z95, normal_cdf, normal_quantile};
pub use plan::{Expectation, ForecastError, Opening, SprtForecast};
pub use ratings::{
    EXACT_PLAYERS, Encounter, Fit, FitError, FitProgress, Rated, RatingModel, RatingOptions,
    connected_groups, fit_ratings,
};
pub use results::{Results, Tally};
pub use simulate::{Simulation, simulate};
pub use spread::{Interval, Spread, student_quantile};
pub use sprt::{Bounds, BoundsError, Model, Sprt, SprtVerdict};
pub use spsa::{Spsa, SpsaStep};
pub use texel::{FittedStep, Labelled, Slope, expected_score};
pub use track::SprtRun;
