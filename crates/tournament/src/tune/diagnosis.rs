//! What a tuning can show, and what it has shown: so that noise is not taken for progress.

use super::trajectory::{Trajectory, Tuning};
use serde::{Deserialize, Serialize};

/// Standard deviations that chance hardly ever reaches.
const CLEAR: f64 = 2.0;
/// Those that it hardly ever reaches at any moment of a whole tuning.
const EVER_CLEAR: f64 = 2.9;

/// What the results say about a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// The results do not depend on it more than chance explains: it does not matter, or it was
    /// right from the start, or the steps were too small to tell.
    None,
    /// It went to the end of its range: the best value may lie beyond.
    AtBound,
    /// It was still on its way at the end: more games would help.
    StillMoving,
    /// It moved and has arrived.
    Settled,
}

impl Signal {
    /// In words.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Signal::None => "no signal",
            Signal::AtBound => "at its bound",
            Signal::StillMoving => "still moving: more games would help",
            Signal::Settled => "settled",
        }
    }
}

/// A parameter's part in a tuning so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// Its name.
    pub name: String,
    /// Where it began.
    pub start: f64,
    /// Where it is.
    pub last: f64,
    /// Its mean over the last half.
    pub late_mean: f64,
    /// How far chance alone would have taken it: one standard deviation.
    pub walk: f64,
    /// How clearly the results preferred one direction at the clearest moment, in standard
    /// deviations of chance.
    pub z: f64,
    /// The verdict.
    pub signal: Signal,
}

impl Trajectory {
    /// What can be said about each parameter by now.
    #[must_use]
    pub fn diagnose(&self) -> Vec<Diagnosis> {
        let late_mean = self.late_mean();
        let parts = self.tuning().parameters.iter().zip(self.evidence()).enumerate();
        parts
            .map(|(index, (parameter, evidence))| {
                let last = self.values()[index];
                let z = evidence.clearest;
                let late_z = evidence.late_favour / self.late_squares().sqrt().max(1.0);
                let near = self.tuning().step(parameter, self.applied().max(1)).c / 2.0;
                let at_bound = last - parameter.min < near || parameter.max - last < near;
                let signal = if z.abs() < EVER_CLEAR {
                    Signal::None
                } else if at_bound {
                    Signal::AtBound
                } else if late_z.abs() >= CLEAR {
                    Signal::StillMoving
                } else {
                    Signal::Settled
                };
                Diagnosis {
                    name: parameter.name.clone(),
                    start: parameter.start,
                    last,
                    late_mean: late_mean[index],
                    walk: evidence.walk_variance.sqrt(),
                    z,
                    signal,
                }
            })
            .collect()
    }
}

/// What these games can show at all, before the first of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Forecast {
    /// The Elo between the two sides of one parameter that all pairs together can tell from
    /// nothing.
    pub visible_elo: f64,
    /// Pairs needed to see a typical difference.
    pub pairs_for_typical: u64,
    /// How many parameters these pairs can carry before their noise costs more than they gain.
    pub parameters: usize,
}

/// The variance of wins less losses in a pair of engine games, about half of them drawn.
const PAIR_VARIANCE: f64 = 0.8;
/// Elo to wins less losses of a pair, for small differences.
const PAIR_POINTS_PER_ELO: f64 = 4.0 / 695.0;
/// The Elo between the sides of a parameter that is worth tuning, at the default distance.
const TYPICAL_ELO: f64 = 3.0;
/// The summed variance of all paths, in units of their distances, that still leaves a gain.
const BEARABLE_NOISE: f64 = 3.0;

impl Tuning {
    /// What these games can show.
    #[must_use]
    pub fn forecast(&self) -> Forecast {
        let pairs_for = |elo: f64| PAIR_VARIANCE * (CLEAR / (PAIR_POINTS_PER_ELO * elo)).powi(2);
        let visible_elo =
            CLEAR / PAIR_POINTS_PER_ELO * (PAIR_VARIANCE / self.pairs.max(1) as f64).sqrt();
        let noise = self.parameters.first().map_or(0.0, |parameter| {
            let per_result = PAIR_VARIANCE * self.pairs_per_iteration as f64;
            let c_end = parameter.c_end();
            let of = |number| {
                let step = self.step(parameter, number);
                (step.rate * step.c / c_end).powi(2) * per_result
            };
            (1..=self.iterations()).map(of).sum()
        });
        Forecast {
            visible_elo,
            pairs_for_typical: pairs_for(TYPICAL_ELO).ceil() as u64,
            parameters: if noise > 0.0 { (BEARABLE_NOISE / noise) as usize } else { usize::MAX },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parameter::Parameter;
    use super::*;
    use dyno_chess::SplitMix64;

    /// An engine whose strength falls with the square of the distance from its optimum.
    struct Landscape {
        /// For each parameter its best value, and the Elo lost at a distance of one.
        best: Vec<(f64, f64)>,
    }

    impl Landscape {
        fn elo(&self, values: &[f64]) -> f64 {
            let loss = |((best, cost), value): (&(f64, f64), &f64)| cost * (value - best).powi(2);
            -self.best.iter().zip(values).map(loss).sum::<f64>()
        }

        /// Wins less losses of a pair: half the games are drawn, and openings matter.
        fn pair(&self, plus: &[i64], minus: &[i64], rng: &mut SplitMix64) -> i64 {
            let side =
                |values: &[i64]| self.elo(&values.iter().map(|v| *v as f64).collect::<Vec<_>>());
            let score = 1.0 / (1.0 + 10f64.powf((side(minus) - side(plus)) / 400.0));
            (0..2)
                .map(|_| {
                    let (draw, chance) = (0.5 * 4.0 * score * (1.0 - score), rng.unit());
                    let win = score - draw / 2.0;
                    if chance < win { 1 } else { -i64::from(chance >= win + draw) }
                })
                .sum()
        }

        fn tune(&self, given: &[&str], pairs: u64, seed: u64) -> Trajectory {
            let parameters = given.iter().flat_map(|text| Parameter::parse(text)).collect();
            let tuning = Tuning { parameters, pairs, pairs_per_iteration: 1, in_flight: 4, seed };
            let mut rng = SplitMix64::new(seed ^ 0xabcd);
            let mut trajectory = Trajectory::new(tuning);
            for number in 1..=pairs {
                let Some(iteration) = trajectory.iteration(number) else { panic!("{number}") };
                let result = self.pair(&iteration.plus, &iteration.minus, &mut rng);
                trajectory.apply(&iteration, result);
            }
            trajectory
        }
    }

    /// Two parameters that are wrong by eight Elo together, and one that does nothing.
    #[test]
    fn the_gap_is_closed_and_noise_is_called_noise() {
        let landscape =
            Landscape { best: vec![(350.0, 4.0 / 100f64.powi(2)), (12.0, 4.0 / 16.0), (0.0, 0.0)] };
        let given = ["Margin=250@100..600", "Depth=8@2..22", "Nothing=50@0..100"];
        let (mut closed, mut silent, mut heard) = (0, 0, 0);
        for seed in 0..100 {
            let trajectory = landscape.tune(&given, 20_000, seed);
            let start = landscape.elo(&[250.0, 8.0, 50.0]);
            let end = landscape.elo(&trajectory.late_mean());
            closed += usize::from(end >= 0.2 * start);
            let diagnosis = trajectory.diagnose();
            silent += usize::from(diagnosis[2].signal == Signal::None);
            heard += usize::from(diagnosis[0].signal != Signal::None);
        }
        assert!(closed >= 95, "80 % of the gap closed in {closed} of 100");
        assert!(silent >= 90, "no signal said {silent} times of 100");
        assert!(heard >= 90, "a signal found {heard} times of 100");
    }

    #[test]
    fn a_best_value_beyond_the_range_is_said() {
        let landscape = Landscape { best: vec![(900.0, 1.0 / 100f64.powi(2))] };
        let trajectory = landscape.tune(&["Margin=250@100..600"], 20_000, 3);
        assert_eq!(trajectory.diagnose()[0].signal, Signal::AtBound);
    }

    #[test]
    fn too_few_games_are_known_beforehand() {
        let forecast = |pairs| {
            let parameters = Parameter::parse("Margin=250@100..600").into_iter().collect();
            let tuning =
                Tuning { parameters, pairs, pairs_per_iteration: 1, in_flight: 1, seed: 0 };
            tuning.forecast()
        };
        assert!(forecast(200).visible_elo > 20.0);
        assert!((1.5..3.0).contains(&forecast(20_000).visible_elo));
        assert!(forecast(200_000).parameters > forecast(20_000).parameters);
        assert!(forecast(20_000).parameters >= 5, "{:?}", forecast(20_000));
    }
}
