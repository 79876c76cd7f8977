//! Rating lists by maximum likelihood.

mod covariance;
mod elimination;
mod fit;
mod graph;
pub(crate) mod linalg;
mod model;
mod network;
mod sparse;

use serde::Serialize;
use thiserror::Error;

use crate::normal::normal_cdf;
use covariance::Covariance;

pub use fit::fit_ratings;
pub use graph::connected_groups;
pub use model::RatingModel;

/// All games of one player with White against one with Black; results from White's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Encounter {
    /// The index of the player with White.
    pub white: usize,
    /// The index of the player with Black.
    pub black: usize,
    /// Games that White won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games that White lost.
    pub losses: u64,
}

impl Encounter {
    /// The number of games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }
}

/// How to fit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RatingOptions {
    /// The model of a game.
    pub model: RatingModel,
    /// Whether the advantage of White is taken for zero instead of being fitted.
    pub no_white_advantage: bool,
}

/// Why no ratings could be fitted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FitError {
    /// Nothing to fit.
    #[error("a rating list needs at least two players and one game between them")]
    NoGames,
    /// An encounter with a player that does not exist, or with itself.
    #[error("encounter {0} names a player twice or one that does not exist")]
    BadEncounter(usize),
    /// The players fall into groups that never met.
    #[error("the games do not connect all players: there are {} separate groups", .0.len())]
    Disconnected(Vec<Vec<usize>>),
    /// The search for the maximum went astray; not known to happen.
    #[error("the fit did not converge")]
    Diverged,
}

/// Up to this many players all errors and certainties are exact. Of a longer list those of its top
/// are, and the others are estimated by sampling: see [`Rated::is_sampled`].
pub const EXACT_PLAYERS: usize = 1000;

/// How far a fit is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FitProgress {
    /// The steps taken towards the likeliest ratings; a dozen or two will do.
    Steps(u32),
    /// The share of the work on the error bars that is done.
    Errors(f64),
}

/// One player's rating.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rated {
    /// The rating on the model's own scale; the mean of all is 0.
    pub strength: f64,
    /// Half the width of its 95 % interval.
    pub strength_error: f64,
    /// The rating as printed: scaled so that near equality it predicts scores as Elo does.
    pub rating: f64,
    /// Half the width of its 95 % interval.
    pub error: f64,
    /// Whether the errors are estimates, within a few per cent; in a list longer than
    /// [`EXACT_PLAYERS`] all but those of the top are.
    pub is_sampled: bool,
}

/// Fitted ratings.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The model fitted.
    pub model: RatingModel,
    /// The players' ratings, in the order of their indices.
    pub players: Vec<Rated>,
    /// The advantage of White on the model's own scale.
    pub white_advantage: f64,
    /// Half the width of its 95 % interval; none where the games could not determine it and it
    /// was taken for zero.
    pub white_advantage_error: Option<f64>,
    /// Printed ratings are the strengths times this.
    pub scale: f64,
    /// The share of draws between equals; none for a model without one.
    pub equal_draw_rate: Option<f64>,
    /// The draw parameter (ln ν, or the drawing zone in Elo) with half of its 95 % interval.
    pub draw_parameter: Option<(f64, f64)>,
    /// The log-likelihood at the maximum.
    pub log_likelihood: f64,
    /// Players whose games alone would put them infinitely far from the others (all won, all
    /// lost, or a whole group so), and whom a small number of imagined draws holds back.
    pub held_by_prior: Vec<usize>,
    /// The covariance of the strengths, in the unit of the fit.
    covariance: Covariance,
    /// Elo squared per unit of its variances.
    variance_unit: f64,
}

impl Fit {
    /// How sure it is that one player is stronger than another.
    pub fn los(&self, player: usize, other: usize) -> f64 {
        if player == other {
            return 0.5;
        }
        let variance = self.variance_unit * self.covariance.variance_of_lead(player, other);
        let lead = self.players[player].strength - self.players[other].strength;
        if lead == 0.0 || variance <= 0.0 {
            return 0.5;
        }
        normal_cdf(lead / variance.sqrt())
    }
}
