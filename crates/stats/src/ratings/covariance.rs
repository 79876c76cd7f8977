//! How surely the strengths are known.
//!
//! The covariance of the strengths is the pseudo-inverse of the network's Laplacian, plus what
//! the uncertainty of the common parameters (White's advantage, the draw parameter) adds to it.
//! Of a short list the pseudo-inverse is computed whole. Of a long one the block of the top list
//! is, and the variances of the others are estimated from random strengths that have this
//! covariance (Sidén, Lindgren, Bolin, Villani: Efficient covariance approximations for large
//! sparse precision matrices, 2018): what a player's own games leave open is known exactly, and
//! only how uncertain the opponents are together is taken from the sample. So few samples do.

use super::linalg::Matrix;
use super::network::Network;
use super::sparse::SparseSolver;
use crate::rng::Rng;

/// The number of players at the top of a long list whose errors are exact.
pub(super) const TOP: usize = 100;

/// How many random strengths are drawn for the others.
const SAMPLES: usize = 256;

/// How many right sides are solved at a time.
const TOGETHER: usize = 8;

/// The relative error of what is called exact, and of the random strengths.
const EXACT: f64 = 1e-7;
const ROUGH: f64 = 1e-3;

/// Of two parameters common to all games, as a symmetric matrix.
pub(super) type Pair = [[f64; 2]; 2];

/// The covariance of the strengths, in the unit of the fit.
#[derive(Clone, Debug)]
pub(super) struct Covariance {
    pub network: Inverse,
    /// How the strength of each player moves with the common parameters.
    pub response: Vec<[f64; 2]>,
    /// The covariance of the common parameters.
    pub common: Pair,
}

impl Covariance {
    pub fn variance(&self, player: usize) -> f64 {
        self.network.variance(player) + self.common_part(self.response[player])
    }

    /// The variance of the difference between two players.
    pub fn variance_of_lead(&self, player: usize, other: usize) -> f64 {
        let [a, b] = [self.response[player], self.response[other]];
        self.network.variance_of_lead(player, other) + self.common_part([a[0] - b[0], a[1] - b[1]])
    }

    fn common_part(&self, [a, b]: [f64; 2]) -> f64 {
        let c = &self.common;
        a * a * c[0][0] + 2.0 * a * b * c[0][1] + b * b * c[1][1]
    }
}

/// The pseudo-inverse of the Laplacian of a network, or what is known of it.
#[derive(Clone, Debug)]
pub(super) enum Inverse {
    Whole(Matrix),
    Sampled(Sampled),
}

impl Inverse {
    fn variance(&self, player: usize) -> f64 {
        match self {
            Self::Whole(matrix) => matrix.at(player, player),
            Self::Sampled(sampled) => sampled.variance(player),
        }
    }

    fn variance_of_lead(&self, player: usize, other: usize) -> f64 {
        match self {
            Self::Whole(matrix) => matrix.variance_of_lead(player, other),
            Self::Sampled(sampled) => sampled.variance_of_lead(player, other),
        }
    }

    /// Whether the variance of this player is estimated.
    pub fn is_sampled(&self, player: usize) -> bool {
        match self {
            Self::Whole(_) => false,
            Self::Sampled(sampled) => sampled.place(player).is_none(),
        }
    }
}

/// A block of the pseudo-inverse, and random strengths for the rest.
#[derive(Clone, Debug)]
pub(super) struct Sampled {
    network: Network,
    /// The players of the block, in order of their indices, with their places in it.
    top: Vec<(usize, usize)>,
    block: Matrix,
    strengths: Vec<[f64; SAMPLES]>,
}

impl Sampled {
    /// Solves for the block of these players and draws strengths for all. `progress` is called
    /// with the share of the work that is done. None if the equations cannot be solved.
    pub fn new(network: &Network, top: &[usize], progress: &mut dyn FnMut(f64)) -> Option<Self> {
        let solver = SparseSolver::new(network);
        let steps = (top.len().div_ceil(TOGETHER) + SAMPLES / TOGETHER) as f64;
        let mut done = 0.0;
        let mut advance = || {
            done += 1.0;
            progress(done / steps);
        };
        let mut block = Matrix::zero(top.len());
        for (chunk, players) in top.chunks(TOGETHER).enumerate() {
            let columns = solver.solve(units(network.players(), players), EXACT)?;
            for (row, &player) in top.iter().enumerate() {
                for (lane, _) in players.iter().enumerate() {
                    block.add(row, chunk * TOGETHER + lane, columns[player][lane]);
                }
            }
            advance();
        }
        let mut rng = Rng::new(0);
        let mut strengths = vec![[0.0; SAMPLES]; network.players()];
        for first in (0..SAMPLES).step_by(TOGETHER) {
            let drawn = solver.solve(noise(network, &mut rng), ROUGH)?;
            for (own, drawn) in strengths.iter_mut().zip(&drawn) {
                own[first..first + TOGETHER].copy_from_slice(drawn);
            }
            advance();
        }
        let mut places: Vec<(usize, usize)> = top.iter().copied().zip(0..).collect();
        places.sort_unstable();
        Some(Self { network: network.clone(), top: places, block, strengths })
    }

    /// The place of a player in the block.
    fn place(&self, player: usize) -> Option<usize> {
        let found = self.top.binary_search_by_key(&player, |&(player, _)| player);
        found.ok().map(|at| self.top[at].1)
    }

    fn variance(&self, player: usize) -> f64 {
        if let Some(place) = self.place(player) {
            return self.block.at(place, place);
        }
        // Given the others, a strength varies by 1 / total around the mean of its opponents.
        // The 2 / n is for strengths that sum to zero.
        let total = self.network.total(player);
        let known = (1.0 - 2.0 / self.network.players() as f64) / total;
        known + mean_square(self.pull(player).map(|pull| pull / total))
    }

    fn variance_of_lead(&self, player: usize, other: usize) -> f64 {
        if let (Some(a), Some(b)) = (self.place(player), self.place(other)) {
            return self.block.variance_of_lead(a, b);
        }
        // The same for two at once: the inverse of their own part of the Laplacian, and their
        // means given all the others.
        let [a, b] = [self.network.total(player), self.network.total(other)];
        let w = self.network.weight(player, other);
        let determinant = a * b - w * w;
        let [player_pull, other_pull] = [self.pull(player), self.pull(other)];
        let leads = std::array::from_fn::<f64, SAMPLES, _>(|i| {
            let mine = player_pull[i] - w * self.strengths[other][i];
            let theirs = other_pull[i] - w * self.strengths[player][i];
            ((b - w) * mine - (a - w) * theirs) / determinant
        });
        (a + b - 2.0 * w) / determinant + mean_square(leads)
    }

    /// What the opponents add up to in each sample, by the weights of the links to them.
    fn pull(&self, player: usize) -> [f64; SAMPLES] {
        let mut sums = [0.0; SAMPLES];
        for (opponent, weight) in self.network.opponents(player) {
            for (sum, strength) in sums.iter_mut().zip(&self.strengths[opponent]) {
                *sum += weight * strength;
            }
        }
        sums
    }
}

fn mean_square(values: [f64; SAMPLES]) -> f64 {
    values.iter().map(|x| x * x).sum::<f64>() / SAMPLES as f64
}

/// Right sides whose solutions are the columns of these players in the pseudo-inverse.
fn units(n: usize, players: &[usize]) -> Vec<[f64; TOGETHER]> {
    let mut columns = vec![[0.0; TOGETHER]; n];
    for (lane, &player) in players.iter().enumerate() {
        for (i, column) in columns.iter_mut().enumerate() {
            column[lane] = f64::from(u8::from(i == player)) - 1.0 / n as f64;
        }
    }
    columns
}

/// Right sides whose solutions are random with the covariance sought: each link pulls its two
/// players apart or together by chance. Signs will do, no bell curve is needed.
fn noise(network: &Network, rng: &mut Rng) -> Vec<[f64; TOGETHER]> {
    let mut right = vec![[0.0; TOGETHER]; network.players()];
    for player in 0..network.players() {
        for (opponent, weight) in network.opponents(player).filter(|&(other, _)| player < other) {
            let (bits, force) = (rng.next_u64(), weight.sqrt());
            let forces: [f64; TOGETHER] =
                std::array::from_fn(|lane| if bits >> lane & 1 == 0 { force } else { -force });
            for (lane, force) in forces.into_iter().enumerate() {
                right[player][lane] += force;
                right[opponent][lane] -= force;
            }
        }
    }
    right
}
