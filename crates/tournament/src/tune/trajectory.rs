//! The path of the values: what an iteration compares, and what its result changes.

use super::parameter::{Parameter, ParameterError};
use dyno_chess::SplitMix64;
use dyno_stats::{Spsa, SpsaStep};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A tuning as a plan: with its seed and the results of its games, everything follows from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tuning {
    /// What is tuned.
    pub parameters: Vec<Parameter>,
    /// All pairs of games.
    pub pairs: u64,
    /// Pairs of one iteration.
    pub pairs_per_iteration: u64,
    /// Iterations that may run at once: each starts from the values that many results back.
    pub in_flight: u64,
    /// Decides every random choice.
    pub seed: u64,
}

/// fishtest's exponents, and its share of the iterations by which the fall of the rate is delayed.
const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;
const STABILITY: f64 = 0.1;

/// The usual rate, for the usual number of pairs, and how it follows that number: more games can
/// afford smaller steps.
const R_END: f64 = 0.002;
const USUAL_PAIRS: f64 = 20_000.0;
const R_EXPONENT: f64 = 0.6;
const R_RANGE: (f64, f64) = (0.0005, 0.006);

/// One comparison: the values with every parameter moved one way, against those moved the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Iteration {
    /// From 1.
    pub number: u64,
    /// The options' values of the first side, in the order of the parameters.
    pub plus: Vec<i64>,
    /// Those of the second side.
    pub minus: Vec<i64>,
    /// Whether the first side had the parameter raised.
    pub up: Vec<bool>,
}

impl Tuning {
    /// Whether it can be carried out.
    pub fn check(&self) -> Result<(), ParameterError> {
        Parameter::check_all(&self.parameters)?;
        let counts = [(self.pairs, "pairs"), (self.pairs_per_iteration, "pairs_per_iteration")];
        match counts.into_iter().find(|(count, _)| *count == 0) {
            Some((_, name)) => Err(ParameterError::NotPositive(name)),
            None => Ok(()),
        }
    }

    /// The number of iterations.
    #[must_use]
    pub fn iterations(&self) -> u64 {
        self.pairs.div_ceil(self.pairs_per_iteration.max(1)).max(1)
    }

    /// The learning rate at the end, unless a parameter has its own.
    #[must_use]
    pub fn r_end(&self) -> f64 {
        let pairs = self.pairs.max(1) as f64;
        (R_END * (USUAL_PAIRS / pairs).powf(R_EXPONENT)).clamp(R_RANGE.0, R_RANGE.1)
    }

    /// How far a parameter's sides are apart at an iteration, and how fast it learns.
    #[must_use]
    pub fn step(&self, parameter: &Parameter, number: u64) -> SpsaStep {
        let iterations = self.iterations() as f64;
        let spsa = Spsa {
            iterations,
            alpha: ALPHA,
            gamma: GAMMA,
            stability: STABILITY * iterations,
            c_end: parameter.c_end(),
            r_end: parameter.r_end.unwrap_or_else(|| self.r_end()),
        };
        spsa.step(number as f64)
    }

    /// What an iteration compares when it starts from these values.
    #[must_use]
    pub fn iteration(&self, number: u64, values: &[f64]) -> Iteration {
        // Each iteration has its own numbers, whichever was made before.
        let mut rng = SplitMix64::new(self.seed ^ number.wrapping_mul(0xd1b5_4a32_d192_ed03));
        let mut iteration = Iteration { number, plus: vec![], minus: vec![], up: vec![] };
        for (parameter, value) in self.parameters.iter().zip(values) {
            let up = rng.next_u64() & 1 == 1;
            let c = self.step(parameter, number).c;
            // One number rounds both sides, so that they differ by what was meant on average.
            let rounding = rng.unit();
            let (low, high) = parameter.steps();
            let side =
                |value: f64| ((value * parameter.scale + rounding).floor() as i64).clamp(low, high);
            let (mut lower, mut upper) = (side(value - c), side(value + c));
            if lower == upper {
                // Only at an end of the range, where one side has no room.
                if lower == low { upper += 1 } else { lower -= 1 }
            }
            let (plus, minus) = if up { (upper, lower) } else { (lower, upper) };
            iteration.plus.push(plus);
            iteration.minus.push(minus);
            iteration.up.push(up);
        }
        iteration
    }
}

/// The values after an iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathPoint {
    /// How many results have been applied.
    pub iteration: u64,
    /// The values, in the order of the parameters.
    pub values: Vec<f64>,
}

/// The values as results come in, in the order of the iterations.
#[derive(Clone, Debug)]
pub struct Trajectory {
    tuning: Tuning,
    applied: u64,
    values: Vec<f64>,
    /// Values that iterations not yet made will start from, the oldest first.
    starts: VecDeque<Vec<f64>>,
    path: Vec<PathPoint>,
    /// The sum of the values of the last half.
    late_sum: Vec<f64>,
    evidence: Vec<Evidence>,
    /// The sum of the squared results: what chance alone makes of a favour. And of the last third.
    squares: f64,
    late_squares: f64,
}

/// What the results say about one parameter.
#[derive(Clone, Debug, Default)]
pub(super) struct Evidence {
    /// Results as they favoured the raised value.
    pub favour: f64,
    /// The same of the last third.
    pub late_favour: f64,
    /// How clearly they favoured one direction at the clearest moment, in standard deviations of
    /// chance: a value that has arrived is favoured no more.
    pub clearest: f64,
    /// Where chance alone would have taken the value: the variance of its path.
    pub walk_variance: f64,
}

/// One part in this many of the iterations is too early to judge.
const EARLY: u64 = 50;

/// A path of at most this many points is kept; plenty for a chart.
const PATH_POINTS: u64 = 1_000;

impl Trajectory {
    /// At the start of a tuning.
    #[must_use]
    pub fn new(tuning: Tuning) -> Self {
        let values: Vec<f64> = tuning.parameters.iter().map(|p| p.start).collect();
        Self {
            applied: 0,
            starts: VecDeque::from([values.clone()]),
            path: vec![PathPoint { iteration: 0, values: values.clone() }],
            late_sum: vec![0.0; values.len()],
            evidence: vec![Evidence::default(); values.len()],
            values,
            tuning,
            squares: 0.0,
            late_squares: 0.0,
        }
    }

    /// The plan.
    #[must_use]
    pub fn tuning(&self) -> &Tuning {
        &self.tuning
    }

    /// Results applied so far.
    #[must_use]
    pub fn applied(&self) -> u64 {
        self.applied
    }

    /// The present values.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Some points of the path, the first and the last among them.
    #[must_use]
    pub fn path(&self) -> &[PathPoint] {
        &self.path
    }

    pub(super) fn evidence(&self) -> &[Evidence] {
        &self.evidence
    }

    pub(super) fn late_squares(&self) -> f64 {
        self.late_squares
    }

    /// The iteration of that number, if enough results are known to make it.
    #[must_use]
    pub fn iteration(&self, number: u64) -> Option<Iteration> {
        let start = number.saturating_sub(self.tuning.in_flight.max(1));
        let known = start <= self.applied && number >= 1 && number <= self.tuning.iterations();
        let kept = self.applied - (self.starts.len() as u64 - 1);
        let index = usize::try_from(start.checked_sub(kept)?).ok()?;
        known.then(|| self.tuning.iteration(number, &self.starts[index]))
    }

    /// Takes in the result of the next iteration: wins less losses of its first side, over all of
    /// its games.
    pub fn apply(&mut self, iteration: &Iteration, result: i64) {
        self.applied += 1;
        let (result, total) = (result as f64, self.tuning.iterations());
        let is_late = 3 * self.applied > 2 * total;
        self.squares += result * result;
        self.late_squares += if is_late { result * result } else { 0.0 };
        for (index, parameter) in self.tuning.parameters.iter().enumerate() {
            let step = self.tuning.step(parameter, self.applied);
            let up = iteration.up[index];
            let moved = step.moved(self.values[index], result, up);
            self.values[index] = moved.clamp(parameter.min, parameter.max);
            let favour = if up { result } else { -result };
            let evidence = &mut self.evidence[index];
            evidence.favour += favour;
            evidence.late_favour += if is_late { favour } else { 0.0 };
            evidence.walk_variance += (step.rate * step.c * result).powi(2);
            let deviations = evidence.favour / self.squares.sqrt().max(1.0);
            if EARLY * self.applied >= total && deviations.abs() > evidence.clearest.abs() {
                evidence.clearest = deviations;
            }
        }
        if 2 * self.applied > total {
            self.late_sum.iter_mut().zip(&self.values).for_each(|(sum, value)| *sum += value);
        }
        self.starts.push_back(self.values.clone());
        if self.starts.len() as u64 > self.tuning.in_flight.max(1) {
            self.starts.pop_front();
        }
        if self.applied.is_multiple_of(total.div_ceil(PATH_POINTS)) || self.applied == total {
            let values = self.values.clone();
            self.path.push(PathPoint { iteration: self.applied, values });
        }
    }

    /// The mean of the values over the last half of the iterations: less noise than the last
    /// value, once the values have arrived. The present values before that.
    #[must_use]
    pub fn late_mean(&self) -> Vec<f64> {
        let count = self.applied.saturating_sub(self.tuning.iterations() / 2);
        if count == 0 {
            return self.values.clone();
        }
        self.late_sum.iter().map(|sum| sum / count as f64).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tuning(in_flight: u64) -> Tuning {
        let given = ["A=40@0..100", "B=0@0..3", "C=3@0..3"];
        let parameters = given.iter().flat_map(|text| Parameter::parse(text)).collect();
        Tuning { parameters, pairs: 3_000, pairs_per_iteration: 2, in_flight, seed: 5 }
    }

    #[test]
    fn the_sides_always_differ_and_stay_in_range() {
        let tuning = tuning(1);
        let mut sums = [0.0; 2];
        for number in 1..=tuning.iterations() {
            let iteration = tuning.iteration(number, &[40.3, 0.0, 3.0]);
            for (index, parameter) in tuning.parameters.iter().enumerate() {
                let (plus, minus) = (iteration.plus[index], iteration.minus[index]);
                let (low, high) = parameter.steps();
                assert_ne!(plus, minus);
                assert!((low..=high).contains(&plus) && (low..=high).contains(&minus));
                assert_eq!(plus > minus, iteration.up[index], "{iteration:?}");
            }
            sums[0] += (iteration.plus[0] + iteration.minus[0]) as f64 / 2.0;
            sums[1] += 1.0;
        }
        assert!((sums[0] / sums[1] - 40.3).abs() < 0.1, "rounding is fair");
    }

    /// The path depends on the results and their order of application alone: made one by one or
    /// many at once, and made again from the results, it is the same.
    #[test]
    fn the_path_is_the_same_however_it_was_travelled() {
        let result = |i: &Iteration| (i.plus[0] - i.minus[0]) % 5;
        let mut first = Trajectory::new(tuning(8));
        let mut results = Vec::new();
        let mut waiting: VecDeque<Iteration> = VecDeque::new();
        let mut next = 1;
        while first.applied() < first.tuning().iterations() {
            while let Some(iteration) = first.iteration(next) {
                waiting.push_back(iteration);
                next += 1;
            }
            assert!(waiting.len() <= 8);
            let iteration = waiting.pop_front().unwrap_or_else(|| panic!("nothing to do"));
            results.push(result(&iteration));
            first.apply(&iteration, result(&iteration));
        }
        let mut again = Trajectory::new(tuning(8));
        for (number, result) in (1..).zip(results) {
            let iteration = again.iteration(number).unwrap_or_else(|| panic!("{number}"));
            again.apply(&iteration, result);
        }
        assert_eq!(first.values(), again.values());
        assert_eq!(first.path(), again.path());
        assert_eq!(first.late_mean(), again.late_mean());
        assert_ne!(first.values(), [40.0, 0.0, 3.0]);
    }
}
