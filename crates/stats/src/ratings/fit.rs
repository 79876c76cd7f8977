//! The search for the likeliest ratings.
//!
//! The log-likelihood is concave in the strengths, the advantage of White and the draw
//! parameter, so Newton's method with shortened steps finds its one maximum, and the inverse of
//! its curvature there is the covariance.

use super::graph::{classes, connected_groups};
use super::linalg::{Factor, Matrix};
use super::model::{Likelihood, RatingModel, Score};
use super::{Encounter, Fit, FitError, Rated, RatingOptions};
use crate::normal::Z95;

/// Games that are all drawn between some players and never between others would drive the draw
/// parameter to infinity. So it is expected, weakly, within this many units of the usual: a
/// dozen games say more.
const DRAW_PRIOR: f64 = 3.0;

/// Fits ratings to the games of these many players.
///
/// ```
/// use dyno_stats::{Encounter, RatingOptions, fit_ratings};
/// let games = [
///     Encounter { white: 0, black: 1, wins: 40, draws: 40, losses: 20 },
///     Encounter { white: 1, black: 0, wins: 30, draws: 40, losses: 30 },
/// ];
/// let fit = fit_ratings(2, &games, RatingOptions::default())?;
/// assert!(fit.players[0].rating > 0.0 && fit.white_advantage > 0.0);
/// assert!(fit.los(0, 1) > 0.8);
/// # Ok::<(), dyno_stats::FitError>(())
/// ```
pub fn fit_ratings(
    players: usize,
    encounters: &[Encounter],
    options: RatingOptions,
) -> Result<Fit, FitError> {
    let bad = |e: &Encounter| e.white == e.black || e.white.max(e.black) >= players;
    if let Some(index) = encounters.iter().position(bad) {
        return Err(FitError::BadEncounter(index));
    }
    if encounters.iter().all(|e| e.games() == 0) {
        return Err(FitError::NoGames);
    }
    let groups = connected_groups(players, encounters);
    if groups.len() > 1 {
        return Err(FitError::Disconnected(groups));
    }
    let mut problem = Problem::new(players, encounters, options);
    let solution = match problem.maximise() {
        // The games may not tell White's advantage from the players' strengths.
        None if problem.fit_advantage => {
            problem.fit_advantage = false;
            problem.maximise()
        }
        found => found,
    };
    Ok(problem.describe(solution.ok_or(FitError::Diverged)?))
}

/// The data as the search sees them. The parameters are the strengths, then White's advantage,
/// then the draw parameter, all in the model's unit.
struct Problem {
    model: RatingModel,
    players: usize,
    games: Vec<(usize, usize, Score)>,
    fit_advantage: bool,
    held_by_prior: Vec<usize>,
}

/// A point of the search: all parameters, used or not.
struct Point {
    parameters: Vec<f64>,
    value: f64,
    covariance: Matrix,
}

impl Problem {
    fn new(players: usize, encounters: &[Encounter], options: RatingOptions) -> Self {
        let mut games: Vec<(usize, usize, Score)> = encounters
            .iter()
            .filter(|e| e.games() > 0)
            .map(|e| {
                let [wins, draws, losses] = [e.wins, e.draws, e.losses].map(|n| n as f64);
                (e.white, e.black, Score { wins, draws, losses })
            })
            .collect();
        let held_by_prior = hold_back(players, encounters, &mut games);
        imagine_a_draw(&mut games);
        let won = |by: fn(&Score) -> f64| games.iter().any(|(.., score)| by(score) > 0.0);
        let both_colours_win = won(|score| score.wins) && won(|score| score.losses);
        let drawn = games.iter().any(|(.., score)| score.draws > 0.0);
        let fit_advantage = !options.no_white_advantage && (both_colours_win || drawn);
        Self { model: options.model, players, games, fit_advantage, held_by_prior }
    }

    /// How many parameters are fitted: the unused ones stay behind the others.
    fn size(&self) -> usize {
        self.players + 2
    }

    fn frozen(&self) -> impl Iterator<Item = usize> {
        let advantage = (!self.fit_advantage).then_some(self.players);
        let draw = (!self.model.has_draw_parameter()).then_some(self.players + 1);
        advantage.into_iter().chain(draw)
    }

    fn value(&self, parameters: &[f64]) -> f64 {
        let prior = -0.5 * (self.draw_deviation(parameters) / DRAW_PRIOR).powi(2);
        self.terms(parameters).map(|(.., likelihood)| likelihood.value).sum::<f64>() + prior
    }

    /// How far the draw parameter is from the usual.
    fn draw_deviation(&self, parameters: &[f64]) -> f64 {
        parameters[self.players + 1] - self.model.initial_draw()
    }

    fn terms<'a>(
        &'a self,
        parameters: &'a [f64],
    ) -> impl Iterator<Item = (usize, usize, Likelihood)> + 'a {
        let (advantage, draw) = (parameters[self.players], parameters[self.players + 1]);
        self.games.iter().map(move |&(white, black, score)| {
            let lead = parameters[white] - parameters[black] + advantage;
            (white, black, self.model.likelihood(score, lead, draw))
        })
    }

    /// The gradient, and the curvature with its sign turned, made definite: only differences of
    /// strengths matter, so their sum is held at zero by a penalty that does not touch anything
    /// else, and parameters not fitted are given a curvature of their own.
    fn derivatives(&self, parameters: &[f64]) -> (Vec<f64>, Matrix) {
        let (n, size) = (self.players, self.size());
        let mut gradient = vec![0.0; size];
        let mut curvature = Matrix::zero(size);
        for (white, black, l) in self.terms(parameters) {
            // The lead depends on these three parameters, with these signs.
            let parts = [(white, 1.0), (black, -1.0), (n, 1.0)];
            for (i, sign) in parts {
                gradient[i] += sign * l.x;
                for (j, other) in parts {
                    curvature.add(i, j, -sign * other * l.xx);
                }
                curvature.add(i, n + 1, -sign * l.xd);
                curvature.add(n + 1, i, -sign * l.xd);
            }
            gradient[n + 1] += l.d;
            curvature.add(n + 1, n + 1, -l.dd);
        }
        gradient[n + 1] -= self.draw_deviation(parameters) / (DRAW_PRIOR * DRAW_PRIOR);
        curvature.add(n + 1, n + 1, 1.0 / (DRAW_PRIOR * DRAW_PRIOR));
        let penalty = self.penalty(&curvature);
        for i in 0..n {
            for j in 0..n {
                curvature.add(i, j, penalty);
            }
        }
        for frozen in self.frozen() {
            gradient[frozen] = 0.0;
            for i in 0..size {
                for (row, column) in [(frozen, i), (i, frozen)] {
                    curvature.cells[row * size + column] = 0.0;
                }
            }
            curvature.add(frozen, frozen, 1.0);
        }
        (gradient, curvature)
    }

    /// A penalty of the size of the curvature itself, so that neither drowns the other.
    fn penalty(&self, curvature: &Matrix) -> f64 {
        let n = self.players;
        let trace: f64 = (0..n).map(|i| curvature.at(i, i)).sum();
        (trace / (n * n) as f64).max(1e-12)
    }

    fn maximise(&self) -> Option<Point> {
        let mut parameters = vec![0.0; self.size()];
        parameters[self.players + 1] = self.model.initial_draw();
        let mut value = self.value(&parameters);
        for _ in 0..200 {
            let (gradient, curvature) = self.derivatives(&parameters);
            let factor = curvature.cholesky()?;
            let step = factor.solve(&gradient);
            let gain: f64 = step.iter().zip(&gradient).map(|(s, g)| s * g).sum();
            if gain.abs() < 1e-16 * (1.0 + value.abs()) {
                let covariance = self.covariance(&curvature, &factor);
                return Some(Point { parameters, value, covariance });
            }
            (parameters, value) = self.climb(&parameters, value, &step)?;
        }
        None
    }

    /// Goes along the step, shortened until it really climbs.
    fn climb(&self, from: &[f64], value: f64, step: &[f64]) -> Option<(Vec<f64>, f64)> {
        let mut length = 1.0;
        for _ in 0..60 {
            let to: Vec<f64> = from.iter().zip(step).map(|(p, s)| p + length * s).collect();
            let reached = self.value(&to);
            // At the very top rounding makes the value waver.
            if reached >= value - 1e-12 * (1.0 + value.abs()) {
                return Some((to, reached));
            }
            length /= 2.0;
        }
        None
    }

    /// The inverse of the curvature, less the uncertainty of the common level, which the penalty
    /// brought in: the strengths sum to zero for certain.
    fn covariance(&self, curvature: &Matrix, factor: &Factor) -> Matrix {
        let n = self.players;
        let mut covariance = factor.inverse();
        let row: f64 = (0..n).map(|j| curvature.at(0, j)).sum();
        let level = 1.0 / (row * n as f64);
        for i in 0..n {
            for j in 0..n {
                covariance.add(i, j, -level);
            }
        }
        covariance
    }

    fn describe(&self, point: Point) -> Fit {
        let n = self.players;
        let unit = self.model.elo_per_unit();
        let draw = point.parameters[n + 1];
        let error = |i: usize| Z95 * point.covariance.at(i, i).max(0.0).sqrt();
        let scale = self.model.print_scale(draw);
        let players = (0..n)
            .map(|i| {
                let (strength, strength_error) = (unit * point.parameters[i], unit * error(i));
                let (rating, error) = (scale * strength, scale * strength_error);
                Rated { strength, strength_error, rating, error }
            })
            .collect();
        let draw_unit = if self.model == RatingModel::RaoKupper { unit } else { 1.0 };
        let has_draw = self.model.has_draw_parameter();
        let mut covariance = Matrix::zero(n);
        for i in 0..n {
            for j in 0..n {
                covariance.add(i, j, unit * unit * point.covariance.at(i, j));
            }
        }
        Fit {
            model: self.model,
            players,
            white_advantage: unit * point.parameters[n],
            white_advantage_error: self.fit_advantage.then(|| unit * error(n)),
            scale,
            equal_draw_rate: has_draw.then(|| self.model.equal_draw_rate(draw)),
            draw_parameter: has_draw.then(|| (draw_unit * draw, draw_unit * error(n + 1))),
            log_likelihood: point.value,
            held_by_prior: self.held_by_prior.clone(),
            covariance,
        }
    }
}

/// Where all points between two classes of players went one way, imagines one draw for each
/// class, spread over its games with the others. Returns the players of the smaller classes.
fn hold_back(
    players: usize,
    encounters: &[Encounter],
    games: &mut [(usize, usize, Score)],
) -> Vec<usize> {
    let class = classes(players, encounters);
    let mut crossing = vec![0.0; players];
    let mut size = vec![0usize; players];
    for &c in &class {
        size[c] += 1;
    }
    let crosses = |white: usize, black: usize| class[white] != class[black];
    for e in encounters.iter().filter(|e| crosses(e.white, e.black)) {
        crossing[class[e.white]] += e.games() as f64;
        crossing[class[e.black]] += e.games() as f64;
    }
    for (white, black, score) in games.iter_mut().filter(|(w, b, _)| crosses(*w, *b)) {
        score.draws +=
            score.games() * 0.5 * (1.0 / crossing[class[*white]] + 1.0 / crossing[class[*black]]);
    }
    let largest = size.iter().copied().max().unwrap_or(0);
    let main = size.iter().position(|&n| n == largest && n > 1);
    (0..players).filter(|&p| crossing[class[p]] > 0.0 && Some(class[p]) != main).collect()
}

/// With no draws at all the draw parameter has no maximum: half an imagined one provides it.
fn imagine_a_draw(games: &mut [(usize, usize, Score)]) {
    if games.iter().any(|(.., score)| score.draws > 0.0) {
        return;
    }
    let all: f64 = games.iter().map(|(.., score)| score.games()).sum();
    for (.., score) in games.iter_mut() {
        score.draws = 0.5 * score.games() / all;
    }
}
