//! The models of a game between two rated sides: how likely a win, a draw and a loss are.

use std::f64::consts::LN_10;

use serde::{Deserialize, Serialize};

/// How strength and the first move turn into results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RatingModel {
    /// Davidson: win, draw and loss are as u : ν : 1/u. Draws are evidence of equality.
    #[default]
    Davidson,
    /// Rao and Kupper, the model of BayesElo: a zone of strength within which games are drawn.
    RaoKupper,
    /// A draw is half a win and half a loss, as in Ordo.
    Logistic,
}

/// Games of one white side against one black side; fractions come from priors.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Score {
    pub wins: f64,
    pub draws: f64,
    pub losses: f64,
}

impl Score {
    pub fn games(&self) -> f64 {
        self.wins + self.draws + self.losses
    }
}

/// The log-likelihood with its first and second derivatives: by the strength x of White over
/// Black, and by the draw parameter d.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Likelihood {
    pub value: f64,
    pub x: f64,
    pub d: f64,
    pub xx: f64,
    pub xd: f64,
    pub dd: f64,
}

impl RatingModel {
    /// Elo per unit of the strength x that the formulas use.
    pub(super) fn elo_per_unit(self) -> f64 {
        match self {
            Self::Davidson => 800.0 / LN_10,
            Self::RaoKupper | Self::Logistic => 400.0 / LN_10,
        }
    }

    /// Whether draws have a parameter of their own.
    pub(super) fn has_draw_parameter(self) -> bool {
        self != Self::Logistic
    }

    /// A draw parameter to start from: about 44 % draws between equals.
    pub(super) fn initial_draw(self) -> f64 {
        match self {
            Self::Davidson => 0.45,
            Self::RaoKupper => 0.95,
            Self::Logistic => 0.0,
        }
    }

    /// The share of draws between equals.
    pub(super) fn equal_draw_rate(self, d: f64) -> f64 {
        match self {
            Self::Davidson => 1.0 / (1.0 + 2.0 * (-d).exp()),
            Self::RaoKupper => (d / 2.0).tanh(),
            Self::Logistic => 0.0,
        }
    }

    /// What printed ratings are multiplied by, so that close to equality they predict scores as
    /// ordinary Elo does. The models with a draw parameter need more strength for the same score.
    pub(super) fn print_scale(self, d: f64) -> f64 {
        match self {
            Self::Davidson => 1.0 - self.equal_draw_rate(d),
            // BayesElo's 4x / (1 + x)² with x = e^−d.
            Self::RaoKupper => 1.0 / (d / 2.0).cosh().powi(2),
            Self::Logistic => 1.0,
        }
    }

    pub(super) fn likelihood(self, score: Score, x: f64, d: f64) -> Likelihood {
        match self {
            Self::Davidson => davidson(score, x, d),
            Self::RaoKupper => rao_kupper(score, x, d),
            Self::Logistic => logistic(score, x),
        }
    }
}

fn davidson(score: Score, x: f64, d: f64) -> Likelihood {
    let top = x.abs().max(d);
    let [win, draw, loss] = [(x - top).exp(), (d - top).exp(), (-x - top).exp()];
    let sum = win + draw + loss;
    let ln_sum = top + sum.ln();
    let [win, draw, loss] = [win / sum, draw / sum, loss / sum];
    let n = score.games();
    let net = win - loss;
    Likelihood {
        value: (score.wins - score.losses) * x + score.draws * d - n * ln_sum,
        x: score.wins - score.losses - n * net,
        d: score.draws - n * draw,
        xx: -n * (win + loss - net * net),
        xd: n * net * draw,
        dd: -n * draw * (1.0 - draw),
    }
}

/// A draw is a game that neither side won by more than d: its probability is the product of the
/// other two (as odds) with e^(2d) − 1.
fn rao_kupper(score: Score, x: f64, d: f64) -> Likelihood {
    let (not_lost, not_won) = (score.wins + score.draws, score.losses + score.draws);
    let [win, loss] = [x - d, -x - d].map(sigmoid);
    let growth = (2.0 * d).exp();
    let odds = growth - 1.0;
    let [curve_win, curve_loss] = [not_lost * win * (1.0 - win), not_won * loss * (1.0 - loss)];
    Likelihood {
        value: not_lost * ln_sigmoid(x - d)
            + not_won * ln_sigmoid(-x - d)
            + score.draws * odds.ln(),
        x: not_lost * (1.0 - win) - not_won * (1.0 - loss),
        d: -not_lost * (1.0 - win) - not_won * (1.0 - loss) + score.draws * 2.0 * growth / odds,
        xx: -curve_win - curve_loss,
        xd: curve_win - curve_loss,
        dd: -curve_win - curve_loss - score.draws * 4.0 * growth / (odds * odds),
    }
}

fn logistic(score: Score, x: f64) -> Likelihood {
    let points = score.wins + score.draws / 2.0;
    let n = score.games();
    let expected = sigmoid(x);
    Likelihood {
        value: points * ln_sigmoid(x) + (n - points) * ln_sigmoid(-x),
        x: points - n * expected,
        xx: -n * expected * (1.0 - expected),
        ..Likelihood::default()
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn ln_sigmoid(x: f64) -> f64 {
    if x > 0.0 { -(-x).exp().ln_1p() } else { x - x.exp().ln_1p() }
}
