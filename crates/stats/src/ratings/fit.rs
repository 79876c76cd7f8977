//! The search for the likeliest ratings.
//!
//! The log-likelihood is concave in the strengths, the advantage of White and the draw
//! parameter, so Newton's method with shortened steps finds its one maximum, and the inverse of
//! its curvature there is the covariance. The curvature in the strengths is the Laplacian of the
//! network of games; the two common parameters border it and are eliminated from each step.

use super::covariance::{Covariance, Inverse, Pair, Sampled, TOP};
use super::graph::{classes, connected_groups};
use super::linalg::Factor;
use super::model::{Likelihood, RatingModel, Score};
use super::network::{Link, Network};
use super::sparse::SparseSolver;
use super::{EXACT_PLAYERS, Encounter, Fit, FitError, FitProgress, Rated, RatingOptions};
use crate::normal::Z95;

/// Games that are all drawn between some players and never between others would drive the draw
/// parameter to infinity. So it is expected, weakly, within this many units of the usual: a
/// dozen games say more.
const DRAW_PRIOR: f64 = 3.0;

/// The places of the common parameters.
const ADVANTAGE: usize = 0;
const DRAW: usize = 1;

/// Fits ratings to the games of these many players.
///
/// ```
/// use dyno_stats::{Encounter, RatingOptions, fit_ratings};
/// let games = [
///     Encounter { white: 0, black: 1, wins: 40, draws: 40, losses: 20 },
///     Encounter { white: 1, black: 0, wins: 30, draws: 40, losses: 30 },
/// ];
/// let fit = fit_ratings(2, &games, RatingOptions::default(), |_| {})?;
/// assert!(fit.players[0].rating > 0.0 && fit.white_advantage > 0.0);
/// assert!(fit.los(0, 1) > 0.8);
/// # Ok::<(), dyno_stats::FitError>(())
/// ```
pub fn fit_ratings(
    players: usize,
    encounters: &[Encounter],
    options: RatingOptions,
    progress: impl FnMut(FitProgress),
) -> Result<Fit, FitError> {
    fit(players, encounters, options, players <= EXACT_PLAYERS, progress)
}

/// The same, with full matrices or without: both find the same ratings.
fn fit(
    players: usize,
    encounters: &[Encounter],
    options: RatingOptions,
    dense: bool,
    mut progress: impl FnMut(FitProgress),
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
    let mut problem = Problem::new(players, encounters, options, dense);
    let mut maximum = problem.maximise(&mut progress);
    if maximum.is_none() && problem.is_fitted[ADVANTAGE] {
        // The games may not tell White's advantage from the players' strengths.
        problem.is_fitted[ADVANTAGE] = false;
        maximum = problem.maximise(&mut progress);
    }
    let fit = maximum.and_then(|maximum| problem.describe(maximum, &mut progress));
    fit.ok_or(FitError::Diverged)
}

/// The games as the search sees them.
struct Problem {
    model: RatingModel,
    /// Whether full matrices are used.
    dense: bool,
    players: usize,
    games: Vec<(usize, usize, Score)>,
    /// The network of the games, and where each game has its link in it.
    network: Network,
    links: Vec<Link>,
    /// Which of the common parameters are fitted; the others keep their values.
    is_fitted: [bool; 2],
    held_by_prior: Vec<usize>,
}

/// A point of the search, in the model's unit.
#[derive(Clone)]
struct Point {
    strengths: Vec<f64>,
    common: [f64; 2],
}

/// The slope of the log-likelihood at a point, and its curvature there with the sign turned.
struct Slope {
    strengths: Vec<f64>,
    common: [f64; 2],
    network: Network,
    border: Vec<[f64; 2]>,
    corner: Pair,
}

/// The way to the maximum as the curvature sees it, and what it tells of the common parameters.
struct Step {
    strengths: Vec<f64>,
    common: [f64; 2],
    response: Vec<[f64; 2]>,
    common_covariance: Pair,
}

/// Where the search ended.
struct Maximum {
    point: Point,
    value: f64,
    slope: Slope,
    step: Step,
}

impl Problem {
    fn new(players: usize, encounters: &[Encounter], options: RatingOptions, dense: bool) -> Self {
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
        let pairs: Vec<_> = games.iter().map(|&(white, black, _)| (white, black)).collect();
        let (network, links) = Network::new(players, &pairs);
        Self {
            model: options.model,
            dense,
            players,
            games,
            network,
            links,
            is_fitted: [fit_advantage, options.model.has_draw_parameter()],
            held_by_prior,
        }
    }

    fn value(&self, point: &Point) -> f64 {
        let prior = -0.5 * (self.draw_deviation(point) / DRAW_PRIOR).powi(2);
        self.terms(point).map(|(.., likelihood)| likelihood.value).sum::<f64>() + prior
    }

    /// How far the draw parameter is from the usual.
    fn draw_deviation(&self, point: &Point) -> f64 {
        point.common[DRAW] - self.model.initial_draw()
    }

    fn terms<'a>(
        &'a self,
        point: &'a Point,
    ) -> impl Iterator<Item = (usize, usize, Likelihood)> + 'a {
        let [advantage, draw] = point.common;
        self.games.iter().map(move |&(white, black, score)| {
            let lead = point.strengths[white] - point.strengths[black] + advantage;
            (white, black, self.model.likelihood(score, lead, draw))
        })
    }

    fn slope(&self, point: &Point) -> Slope {
        let mut slope = Slope {
            strengths: vec![0.0; self.players],
            common: [0.0; 2],
            network: self.network.clone(),
            border: vec![[0.0; 2]; self.players],
            corner: [[0.0; 2]; 2],
        };
        for ((white, black, l), &link) in self.terms(point).zip(&self.links) {
            slope.network.add((white, black), link, -l.xx);
            for (player, sign) in [(white, 1.0), (black, -1.0)] {
                slope.strengths[player] += sign * l.x;
                slope.border[player][ADVANTAGE] -= sign * l.xx;
                slope.border[player][DRAW] -= sign * l.xd;
            }
            slope.common[ADVANTAGE] += l.x;
            slope.common[DRAW] += l.d;
            slope.corner[ADVANTAGE][ADVANTAGE] -= l.xx;
            slope.corner[ADVANTAGE][DRAW] -= l.xd;
            slope.corner[DRAW][DRAW] -= l.dd;
        }
        slope.common[DRAW] -= self.draw_deviation(point) / (DRAW_PRIOR * DRAW_PRIOR);
        slope.corner[DRAW][DRAW] += 1.0 / (DRAW_PRIOR * DRAW_PRIOR);
        slope.corner[DRAW][ADVANTAGE] = slope.corner[ADVANTAGE][DRAW];
        for frozen in [ADVANTAGE, DRAW].into_iter().filter(|&i| !self.is_fitted[i]) {
            slope.freeze(frozen);
        }
        slope
    }

    fn maximise(&self, progress: &mut impl FnMut(FitProgress)) -> Option<Maximum> {
        let mut point =
            Point { strengths: vec![0.0; self.players], common: [0.0, self.model.initial_draw()] };
        let mut value = self.value(&point);
        for steps in 1..=200 {
            let slope = self.slope(&point);
            let step = slope.step(self.dense)?;
            let gain = slope.gain(&step);
            if gain.abs() < 1e-16 * (1.0 + value.abs()) {
                return Some(Maximum { point, value, slope, step });
            }
            (point, value) = self.climb(&point, value, &step)?;
            progress(FitProgress::Steps(steps));
        }
        None
    }

    /// Goes along the step, shortened until it really climbs.
    fn climb(&self, from: &Point, value: f64, step: &Step) -> Option<(Point, f64)> {
        let mut length = 1.0;
        for _ in 0..60 {
            let along = |(p, s): (&f64, &f64)| p + length * s;
            let to = Point {
                strengths: from.strengths.iter().zip(&step.strengths).map(along).collect(),
                common: [ADVANTAGE, DRAW].map(|i| from.common[i] + length * step.common[i]),
            };
            let reached = self.value(&to);
            // At the very top rounding makes the value waver.
            if reached >= value - 1e-12 * (1.0 + value.abs()) {
                return Some((to, reached));
            }
            length /= 2.0;
        }
        None
    }

    fn describe(&self, maximum: Maximum, progress: &mut impl FnMut(FitProgress)) -> Option<Fit> {
        let Maximum { point, value, slope, step } = maximum;
        let inverse = if self.dense {
            Inverse::Whole(slope.network.pseudo_inverse()?)
        } else {
            let mut order: Vec<usize> = (0..self.players).collect();
            order.sort_by(|&a, &b| point.strengths[b].total_cmp(&point.strengths[a]));
            order.truncate(TOP);
            let mut progress = |share| progress(FitProgress::Errors(share));
            Inverse::Sampled(Sampled::new(&slope.network, &order, &mut progress)?)
        };
        let common = step.common_covariance;
        let covariance = Covariance { network: inverse, response: step.response, common };
        let unit = self.model.elo_per_unit();
        let dispersion = self.dispersion(&slope);
        let draw = point.common[DRAW];
        let scale = self.model.print_scale(draw);
        let half_width = |variance: f64| Z95 * (dispersion * variance).max(0.0).sqrt();
        let rated = |(player, strength): (usize, &f64)| {
            let strength = unit * strength;
            let strength_error = unit * half_width(covariance.variance(player));
            let is_sampled = covariance.network.is_sampled(player);
            let (rating, error) = (scale * strength, scale * strength_error);
            Rated { strength, strength_error, rating, error, is_sampled }
        };
        let players = point.strengths.iter().enumerate().map(rated).collect();
        let draw_unit = if self.model == RatingModel::RaoKupper { unit } else { 1.0 };
        let draw_parameter = (draw_unit * draw, draw_unit * half_width(common[DRAW][DRAW]));
        let has_draw = self.model.has_draw_parameter();
        let advantage_error = unit * half_width(common[ADVANTAGE][ADVANTAGE]);
        Some(Fit {
            model: self.model,
            players,
            white_advantage: unit * point.common[ADVANTAGE],
            white_advantage_error: self.is_fitted[ADVANTAGE].then_some(advantage_error),
            scale,
            equal_draw_rate: has_draw.then(|| self.model.equal_draw_rate(draw)),
            draw_parameter: has_draw.then_some(draw_parameter),
            log_likelihood: value,
            held_by_prior: self.held_by_prior.clone(),
            covariance,
            variance_unit: unit * unit * dispersion,
        })
    }

    /// The share of the model's own variance that the results have. A model that takes a draw for
    /// half a win and half a loss expects every game to be decided; but a draw deviates less from
    /// what was expected than a win or a loss do, by a quarter of a point squared.
    fn dispersion(&self, slope: &Slope) -> f64 {
        if self.model.has_draw_parameter() {
            return 1.0;
        }
        let draws: f64 = self.games.iter().map(|(.., score)| score.draws).sum();
        let expected: f64 = (0..self.players).map(|i| slope.network.total(i)).sum::<f64>() / 2.0;
        (1.0 - draws / 4.0 / expected).max(0.0)
    }
}

impl Slope {
    /// Leaves a common parameter out of the step: it has neither slope nor company.
    fn freeze(&mut self, parameter: usize) {
        self.common[parameter] = 0.0;
        for own in &mut self.border {
            own[parameter] = 0.0;
        }
        for other in [ADVANTAGE, DRAW] {
            self.corner[parameter][other] = 0.0;
            self.corner[other][parameter] = 0.0;
        }
        self.corner[parameter][parameter] = 1.0;
    }

    /// Newton's step: the strengths are eliminated, the common parameters solved for, and the
    /// strengths follow. None where the games do not determine a parameter.
    fn step(&self, dense: bool) -> Option<Step> {
        let right = self.strengths.iter().zip(&self.border).map(|(&s, &[a, d])| [s, a, d]);
        let solved = solve(&self.network, right.collect(), dense)?;
        let response: Vec<[f64; 2]> = solved.iter().map(|&[_, a, d]| [a, d]).collect();
        let mut corner = self.corner;
        let mut common = self.common;
        for (border, &[own, a, d]) in self.border.iter().zip(&solved) {
            for i in [ADVANTAGE, DRAW] {
                common[i] -= border[i] * own;
                corner[i][ADVANTAGE] -= border[i] * a;
                corner[i][DRAW] -= border[i] * d;
            }
        }
        let common_covariance = inverse_pair(corner, self.corner)?;
        let common = common_covariance.map(|row| row[0] * common[0] + row[1] * common[1]);
        let strengths = solved.iter().map(|&[own, a, d]| own - a * common[0] - d * common[1]);
        Some(Step { strengths: strengths.collect(), common, response, common_covariance })
    }

    /// How much the step promises to climb, twice.
    fn gain(&self, step: &Step) -> f64 {
        let own = self.strengths.iter().zip(&step.strengths);
        let common = self.common.iter().zip(&step.common);
        own.chain(common).map(|(slope, step)| slope * step).sum()
    }
}

/// The solutions that sum to zero.
fn solve(network: &Network, right: Vec<[f64; 3]>, dense: bool) -> Option<Vec<[f64; 3]>> {
    const TOLERANCE: f64 = 1e-8;
    if !dense {
        return SparseSolver::new(network).solve(right, TOLERANCE);
    }
    let factor: Factor = network.penalised().0.cholesky()?;
    let columns = [0, 1, 2].map(|i| right.iter().map(|row| row[i]).collect::<Vec<f64>>());
    let [a, b, c] = columns.map(|column| factor.solve(&column));
    Some(a.into_iter().zip(b).zip(c).map(|((a, b), c)| [a, b, c]).collect())
}

/// The inverse of what is left of the corner after the strengths were eliminated. None if almost
/// nothing of it is left: then the data do not determine the parameter.
fn inverse_pair(left: Pair, before: Pair) -> Option<Pair> {
    let enough = |left: f64, before: f64| left > 1e-9 * before;
    let [[a, b], [_, d]] = left;
    let determinant = a * d - b * b;
    let determined =
        enough(a, before[0][0]) && enough(d, before[1][1]) && enough(determinant, a * d);
    determined.then(|| [[d, -b], [-b, a]].map(|row| row.map(|x| x / determinant)))
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::rng::Rng;

    /// A list of players in a chain, a star or anyhow, with weak links and strong ones.
    fn list(players: usize, shape: usize, rng: &mut Rng) -> Vec<Encounter> {
        let mut games = Vec::new();
        for i in 1..2 * players {
            let any = |rng: &mut Rng, n: usize| (rng.next_u64() % n as u64) as usize;
            let (a, b) = match shape {
                0 if i < players => (i, i - 1),
                1 if i < players => (i, 0),
                0 | 1 => continue,
                _ if i < players => (i, any(rng, i)),
                _ => (any(rng, players), any(rng, players)),
            };
            if a != b {
                let [wins, draws, losses] = [9, 5, 7].map(|most| rng.next_u64() % most);
                let wins = if wins + draws + losses == 0 { 1 } else { wins };
                let (white, black) = if rng.unit() < 0.5 { (a, b) } else { (b, a) };
                games.push(Encounter { white, black, wins, draws, losses });
            }
        }
        games
    }

    #[test]
    fn a_long_list_gets_the_ratings_of_a_short_one() {
        let mut rng = Rng::new(7);
        for (shape, players) in [(0, 150), (1, 150), (2, 150), (2, 300), (2, 3), (0, 2)] {
            let games = list(players, shape, &mut rng);
            for model in [RatingModel::Davidson, RatingModel::RaoKupper, RatingModel::Logistic] {
                let options = RatingOptions { model, no_white_advantage: false };
                let short = fit(players, &games, options, true, |_| {}).unwrap();
                let mut seen = Vec::new();
                let long = fit(players, &games, options, false, |done| seen.push(done)).unwrap();
                assert!(seen.contains(&FitProgress::Errors(1.0)), "{seen:?}");
                assert!((long.white_advantage - short.white_advantage).abs() < 1e-4);
                let (mut ratio, mut sampled) = (0.0, 0.0);
                for (player, (a, b)) in long.players.iter().zip(&short.players).enumerate() {
                    assert!((a.rating - b.rating).abs() < 1e-4, "{shape} {a:?} {b:?}");
                    let off = (a.error / b.error - 1.0).abs();
                    assert!(off < if a.is_sampled { 0.3 } else { 1e-4 }, "{shape} {a:?} {b:?}");
                    let next = (player + 1) % players;
                    assert!((long.los(player, next) - short.los(player, next)).abs() < 0.05);
                    sampled += f64::from(u8::from(a.is_sampled));
                    ratio += off;
                }
                assert!(sampled == players.saturating_sub(TOP) as f64);
                assert!(ratio / players as f64 <= 0.03, "{shape}: {}", ratio / players as f64);
            }
        }
    }
}
