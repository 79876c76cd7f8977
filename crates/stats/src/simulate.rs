//! Playing out a planned test many times with dice instead of engines.

use serde::Serialize;

use crate::plan::SprtForecast;
use crate::results::Results;
use crate::rng::Rng;
use crate::sprt::SprtVerdict;

/// What many simulated runs of a test came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Simulation {
    /// The true strength simulated, in logistic Elo.
    pub elo: f64,
    /// Runs made.
    pub runs: u64,
    /// Runs in which H1 was accepted.
    pub passed: u64,
    /// Runs in which H0 was accepted.
    pub failed: u64,
    /// The mean number of games.
    pub games: f64,
    /// The standard error of that mean.
    pub games_error: f64,
    /// The number of games within which half of the runs ended.
    pub median: u64,
    /// The number of games within which 95 % of the runs ended.
    pub most: u64,
}

impl Simulation {
    /// The share of runs in which H1 was accepted.
    pub fn pass(&self) -> f64 {
        self.passed as f64 / self.runs.max(1) as f64
    }

    /// Half the width of the 95 % interval of that share; never zero, for no finite number of
    /// runs shows that something cannot happen.
    pub fn pass_error(&self) -> f64 {
        let runs = self.runs as f64 + 4.0;
        let share = (self.passed as f64 + 2.0) / runs;
        crate::Z95 * (share * (1.0 - share) / runs).sqrt()
    }
}

/// The variance that the ratio may gather between two looks at it. Its deviation is then a thirtieth
/// of the way to a usual bound, and the correction for overshoot sees to the rest.
const VARIANCE_PER_LOOK: f64 = 0.01;

/// Plays the test `runs` times at a true strength, with the same code that a match uses. Where
/// a pair moves the ratio but little, several are played between two looks at it. Stops early, with the runs made so far, once `stop` says so.
///
/// ```
/// use dyno_stats::{Bounds, Model, Opening, SprtForecast, Sprt, simulate};
/// let sprt = Sprt::new(Bounds::new(0.0, 50.0, 0.05, 0.05)?, Model::Logistic);
/// let plan = SprtForecast::new(sprt, Opening { draw_ratio: 0.4, bias: 0.0 })?;
/// let simulation = simulate(&plan, 50.0, 200, 1, || false);
/// assert!(simulation.pass() > 0.9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn simulate(
    plan: &SprtForecast,
    elo: f64,
    runs: u64,
    seed: u64,
    mut stop: impl FnMut() -> bool,
) -> Simulation {
    let thresholds = cumulative(&plan.pair_probabilities(elo));
    let (score0, score1) = plan.scores();
    let variance_per_pair = 2.0 * (score1 - score0).powi(2) / plan.variance();
    let pairs_per_look = (VARIANCE_PER_LOOK / variance_per_pair).max(1.0) as u64;
    let mut rng = Rng::new(seed);
    let (mut passed, mut failed) = (0, 0);
    let mut lengths = Vec::new();
    while passed + failed < runs && !stop() {
        let mut run = plan.sprt().start();
        let mut pairs = [0u64; 5];
        while run.verdict() == SprtVerdict::Continue {
            for _ in 0..pairs_per_look {
                let dice = rng.unit();
                pairs[thresholds.iter().filter(|&&t| dice >= t).count()] += 1;
            }
            run.update(&Results::Pentanomial(pairs));
        }
        lengths.push(2 * pairs.iter().sum::<u64>());
        match run.verdict() {
            SprtVerdict::AcceptH1 => passed += 1,
            _ => failed += 1,
        }
    }
    lengths.sort_unstable();
    let count = lengths.len().max(1) as f64;
    let games = lengths.iter().sum::<u64>() as f64 / count;
    let spread = lengths.iter().map(|&n| (n as f64 - games).powi(2)).sum::<f64>() / count;
    let within = |share: f64| {
        let index = (share * count).ceil() as usize;
        lengths.get(index.saturating_sub(1)).copied().unwrap_or(0)
    };
    Simulation {
        elo,
        runs: passed + failed,
        passed,
        failed,
        games,
        games_error: (spread / count).sqrt(),
        median: within(0.5),
        most: within(0.95),
    }
}

/// The upper ends of the first four of five adjoining intervals of [0, 1).
fn cumulative(probabilities: &[f64; 5]) -> [f64; 4] {
    let mut sum = 0.0;
    [0, 1, 2, 3].map(|i| {
        sum += probabilities[i];
        sum
    })
}
