//! Fitting an evaluation to results, as Texel's author did it: least squares between the results
//! and the scores that the evaluation expects.

use crate::ratings::linalg::Matrix;

/// Positions as a fit sees them: what each is worth now, and how it came out, both for White.
#[derive(Clone, Debug, Default)]
pub struct Labelled {
    /// Static evaluations, in centipawns.
    pub evals: Vec<f64>,
    /// Results, from 0 to 1.
    pub results: Vec<f64>,
    /// The game of each: positions of one game stand side by side with the same number.
    pub games: Vec<u64>,
}

/// How far one parameter may go, and how it is held.
#[derive(Clone, Debug)]
pub struct Slope {
    /// What one step of the parameter adds to the evaluation of each position, in centipawns.
    pub per_position: Vec<f32>,
    /// How far the parameter is from its start already.
    pub moved: f64,
    /// The least and the greatest change from where it is now.
    pub bounds: (f64, f64),
    /// The change that the fit holds as likely beforehand, in steps: one standard deviation.
    pub spread: f64,
}

/// What a fit says about a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FittedStep {
    /// How far to move it.
    pub change: f64,
    /// One standard error of that.
    pub error: f64,
}

/// This many positions are worked through before a fit looks whether it should stop.
const BETWEEN_LOOKS: usize = 1_000;

/// The score that an evaluation expects; at `k` 1, 400 centipawns are ten to one.
#[must_use]
pub fn expected_score(eval: f64, k: f64) -> f64 {
    1.0 / (1.0 + (-eval * slope_of(k)).exp())
}

fn slope_of(k: f64) -> f64 {
    k * std::f64::consts::LN_10 / 400.0
}

impl Labelled {
    /// The mean squared difference between result and expectation.
    #[must_use]
    pub fn loss(&self, k: f64) -> f64 {
        let error = |(eval, result): (&f64, &f64)| (result - expected_score(*eval, k)).powi(2);
        let sum: f64 = self.evals.iter().zip(&self.results).map(error).sum();
        sum / self.evals.len().max(1) as f64
    }

    /// The `k` with the least loss, by golden section.
    #[must_use]
    pub fn best_k(&self) -> f64 {
        let (mut low, mut high) = (0.02, 6.0);
        let ratio = (5f64.sqrt() - 1.0) / 2.0;
        for _ in 0..60 {
            let (left, right) = (high - ratio * (high - low), low + ratio * (high - low));
            if self.loss(left) < self.loss(right) { high = right } else { low = left }
        }
        f64::midpoint(low, high)
    }

    /// The changes of all parameters with the least loss together, where the evaluation is taken
    /// as linear in them. Each is held at its start as if a position had said so with its spread
    /// for an error: that decides nothing but what the positions leave open. `None` when `stop`
    /// asked for the end.
    #[must_use]
    pub fn fit(
        &self,
        slopes: &[Slope],
        k: f64,
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<FittedStep>> {
        let count = self.evals.len().max(1) as f64;
        let hold: Vec<f64> = slopes
            .iter()
            .map(|slope| self.loss(k).max(1e-6) / count / slope.spread.powi(2).max(1e-12))
            .collect();
        let mut change = vec![0.0; slopes.len()];
        let mut damping = 1e-3;
        let mut loss = self.held_loss(slopes, &hold, &change, k);
        let mut equations = self.normal_equations(slopes, &hold, &change, k, stop)?;
        for _ in 0..100 {
            let mut damped = equations.0.clone();
            (0..slopes.len()).for_each(|i| damped.add(i, i, damping * damped.at(i, i)));
            let Some(factor) = damped.cholesky() else { break };
            let step = factor.solve(&equations.1);
            let tried: Vec<f64> = (change.iter().zip(&step).zip(slopes))
                .map(|((now, step), slope)| (now + step).clamp(slope.bounds.0, slope.bounds.1))
                .collect();
            let next = self.held_loss(slopes, &hold, &tried, k);
            if next > loss {
                damping *= 10.0;
                if damping > 1e9 {
                    break;
                }
                continue;
            }
            let gained = loss - next;
            (change, loss, damping) = (tried, next, damping * 0.3);
            equations = self.normal_equations(slopes, &hold, &change, k, stop)?;
            if gained < 1e-9 * loss {
                break;
            }
        }
        let errors = match equations.0.cholesky() {
            Some(factor) => self.errors(slopes, &change, k, &factor.inverse(), stop)?,
            None => vec![f64::NAN; slopes.len()],
        };
        let steps = change.into_iter().zip(errors);
        Some(steps.map(|(change, error)| FittedStep { change, error }).collect())
    }

    /// Standard errors. Positions of one game have one result: where they err together, they tell
    /// less than as many games, so that what each game as a whole pulls at is counted. With few
    /// games that is itself uncertain, and the usual error, as if all were apart, is the least.
    fn errors(
        &self,
        slopes: &[Slope],
        change: &[f64],
        k: f64,
        inverse: &Matrix,
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<f64>> {
        let n = slopes.len();
        let count = self.evals.len().max(1) as f64;
        let (mut pulls, mut pull, mut row) = (Matrix::zero(n), vec![0.0; n], Vec::new());
        let mut first = 0;
        for game in self.games.chunk_by(|a, b| a == b) {
            if stop() {
                return None;
            }
            pull.fill(0.0);
            for position in first..first + game.len() {
                let error = self.row(slopes, change, k, position, &mut row);
                row.iter().for_each(|(i, slope)| pull[*i] += slope * error / count);
            }
            first += game.len();
            let used: Vec<usize> = (0..n).filter(|i| pull[*i] != 0.0).collect();
            for &i in &used {
                used.iter().for_each(|&j| pulls.add(i, j, pull[i] * pull[j]));
            }
        }
        let together = |i: usize| -> f64 {
            let at = |j: usize| -> f64 { (0..n).map(|l| pulls.at(j, l) * inverse.at(i, l)).sum() };
            (0..n).map(|j| inverse.at(i, j) * at(j)).sum()
        };
        let variance = self.loss_after(slopes, change, k) / count;
        let apart = |i: usize| variance * inverse.at(i, i);
        Some((0..n).map(|i| together(i).max(apart(i)).sqrt()).collect())
    }

    /// What each parameter's step adds to the expected score of a position, where that is not
    /// nothing, and the result less that score.
    fn row(
        &self,
        slopes: &[Slope],
        change: &[f64],
        k: f64,
        position: usize,
        row: &mut Vec<(usize, f64)>,
    ) -> f64 {
        let score = expected_score(self.eval_after(slopes, change, position), k);
        let steep = score * (1.0 - score) * slope_of(k);
        row.clear();
        // Most positions use few of the parameters.
        let slope_here = |(i, slope): (usize, &Slope)| (i, slope.per_position[position]);
        let used = slopes.iter().enumerate().map(slope_here).filter(|(_, slope)| *slope != 0.0);
        row.extend(used.map(|(i, slope)| (i, steep * f64::from(slope))));
        self.results[position] - score
    }

    /// The evaluation of a position after the changes.
    fn eval_after(&self, slopes: &[Slope], change: &[f64], position: usize) -> f64 {
        slopes.iter().zip(change).fold(self.evals[position], |eval, (slope, change)| {
            eval + change * f64::from(slope.per_position[position])
        })
    }

    fn held_loss(&self, slopes: &[Slope], hold: &[f64], change: &[f64], k: f64) -> f64 {
        let held = slopes.iter().zip(hold).zip(change);
        let held: f64 = held.map(|((s, hold), change)| hold * (s.moved + change).powi(2)).sum();
        self.loss_after(slopes, change, k) + held
    }

    fn loss_after(&self, slopes: &[Slope], change: &[f64], k: f64) -> f64 {
        let error = |position: usize| {
            let eval = self.eval_after(slopes, change, position);
            (self.results[position] - expected_score(eval, k)).powi(2)
        };
        let sum: f64 = (0..self.evals.len()).map(error).sum();
        sum / self.evals.len().max(1) as f64
    }

    /// Gauss and Newton's matrix, of which the lower triangle is enough, and the way down.
    fn normal_equations(
        &self,
        slopes: &[Slope],
        hold: &[f64],
        change: &[f64],
        k: f64,
        stop: &dyn Fn() -> bool,
    ) -> Option<(Matrix, Vec<f64>)> {
        let n = slopes.len();
        let count = self.evals.len().max(1) as f64;
        let (mut matrix, mut downhill) = (Matrix::zero(n), vec![0.0; n]);
        let mut row = Vec::with_capacity(n);
        for position in 0..self.evals.len() {
            if position % BETWEEN_LOOKS == 0 && stop() {
                return None;
            }
            let error = self.row(slopes, change, k, position, &mut row);
            for (at, &(i, slope)) in row.iter().enumerate() {
                downhill[i] += slope * error / count;
                for &(j, other) in &row[..=at] {
                    matrix.add(i, j, slope * other / count);
                }
            }
        }
        for (i, (slope, hold)) in slopes.iter().zip(hold).enumerate() {
            matrix.add(i, i, *hold);
            downhill[i] -= hold * (slope.moved + change[i]);
        }
        Some((matrix, downhill))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::rng::Rng;

    /// Two features with true weights 100 and 40, a fixed rest, and results drawn from them.
    #[test]
    fn known_weights_are_found_again() {
        let mut rng = Rng::new(7);
        let (mut data, mut first, mut second) = (Labelled::default(), Vec::new(), Vec::new());
        for game in 0..20_000 {
            data.games.push(game);
            let feature = |rng: &mut Rng| (rng.unit() * 7.0).floor() - 3.0;
            let (a, b, rest) = (feature(&mut rng), feature(&mut rng), 30.0 * feature(&mut rng));
            let truth = expected_score(rest + 100.0 * a + 40.0 * b, 1.2);
            data.evals.push(rest + 60.0 * a + 70.0 * b);
            data.results.push(f64::from(u8::from(rng.unit() < truth)));
            first.push(a as f32);
            second.push(b as f32);
        }
        let slope = |per_position: Vec<f32>| Slope {
            per_position,
            moved: 0.0,
            bounds: (-200.0, 200.0),
            spread: 100.0,
        };
        let slopes = [slope(first), slope(second), slope(vec![0.0; 20_000])];
        let before = data.loss(data.best_k());
        let (mut k, mut found) =
            (data.best_k(), data.fit(&slopes, data.best_k(), &|| false).unwrap());
        for _ in 0..6 {
            let mut moved = data.clone();
            for (position, eval) in moved.evals.iter_mut().enumerate() {
                for (slope, step) in slopes.iter().zip(&found) {
                    *eval += step.change * f64::from(slope.per_position[position]);
                }
            }
            k = moved.best_k();
            found = data.fit(&slopes, k, &|| false).unwrap();
        }
        let at = |i: usize, start: f64| start + found[i].change;
        assert!((at(0, 60.0) - 100.0).abs() < 4.0 && (at(1, 70.0) - 40.0).abs() < 4.0, "{found:?}");
        assert!((k - 1.2).abs() < 0.05, "{k}");
        assert!(found[2].change.abs() < 1e-6, "a feature that is never there stays: {found:?}");
        assert!(found[0].error > 0.1 && found[0].error < 3.0, "{found:?}");
        assert_eq!(data.fit(&slopes, k, &|| true), None);
        // The same positions as four a game are fewer witnesses: four alike, twice the error.
        let four = |v: &[f64]| v.iter().flat_map(|v| [*v; 4]).collect::<Vec<f64>>();
        let games = (0..80_000).map(|i| i / 4).collect();
        let repeated = Labelled { evals: four(&data.evals), results: four(&data.results), games };
        let spread = |slope: &Slope| Slope {
            per_position: slope.per_position.iter().flat_map(|s| [*s; 4]).collect(),
            ..slope.clone()
        };
        let again = repeated.fit(&slopes.each_ref().map(spread), k, &|| false).unwrap();
        assert!((again[0].error / found[0].error - 1.0).abs() < 0.1, "{again:?} {found:?}");
        assert!(data.loss(k) > 0.0 && before > data.loss(k) * 0.9);
    }
}
