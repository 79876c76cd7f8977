//! The BayesElo model of one game: a difference in strength and a width of the drawing zone.

use crate::elo::elo_of_score;
use crate::results::Sample;

/// A point of the BayesElo model, which cutechess-cli uses for its SPRT.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BayesElo {
    /// The difference in strength, on BayesElo's scale.
    pub elo: f64,
    /// The width of the drawing zone.
    pub draw_elo: f64,
}

impl BayesElo {
    /// The probabilities of a loss, a draw and a win.
    ///
    /// ```
    /// use dyno_stats::BayesElo;
    /// let [loss, draw, win] = BayesElo { elo: 10.0, draw_elo: 200.0 }.probabilities();
    /// assert!((draw - 0.5192).abs() < 1e-4 && win > loss);
    /// ```
    pub fn probabilities(&self) -> [f64; 3] {
        let logistic = |x: f64| 1.0 / (1.0 + 10f64.powf(x / 400.0));
        let win = logistic(self.draw_elo - self.elo);
        let loss = logistic(self.draw_elo + self.elo);
        [loss, 1.0 - win - loss, win]
    }

    /// The difference in ordinary, logistic Elo.
    pub fn logistic_elo(&self) -> f64 {
        let [_, draw, win] = self.probabilities();
        elo_of_score(win + draw / 2.0)
    }
}

/// The width of the drawing zone that these frequencies of losses and wins point to.
pub(crate) fn draw_elo(loss: f64, win: f64) -> f64 {
    200.0 * ((1.0 - loss) / loss * (1.0 - win) / win).log10()
}

/// The log-likelihood ratio of single games between two strengths, the drawing zone being the
/// one observed.
pub(crate) fn llr(sample: &Sample, elo0: f64, elo1: f64) -> f64 {
    let draw_elo = draw_elo(sample.p[0], sample.p[2]);
    let at = |elo| BayesElo { elo, draw_elo }.probabilities();
    let ratios = at(elo1).into_iter().zip(at(elo0)).map(|(p1, p0)| ln_ratio(p1, p0));
    sample.total * sample.p.iter().zip(ratios).map(|(p, ln_ratio)| p * ln_ratio).sum::<f64>()
}

/// Where the observed drawing zone is negative (hardly any draws), the model's probability of a
/// draw can vanish; the floor keeps its logarithm finite.
fn ln_ratio(p1: f64, p0: f64) -> f64 {
    p1.max(f64::MIN_POSITIVE).ln() - p0.max(f64::MIN_POSITIVE).ln()
}
