//! Who met whom, as a network: its links weigh what the games of two players tell about the
//! difference between them.
//!
//! The curvature of the log-likelihood is the Laplacian of this network, and a list of many
//! thousands of players has few links for its size: all that is done with it goes from player to
//! opponent, never over all pairs.

use super::linalg::Matrix;

/// A connected network of players with weighted links, each listed from both of its ends.
#[derive(Clone, Debug)]
pub(super) struct Network {
    /// The links of player i are those from `first[i]` to `first[i + 1]`.
    first: Vec<usize>,
    opponents: Vec<u32>,
    weights: Vec<f64>,
    /// The sum of each player's weights.
    totals: Vec<f64>,
}

/// Where a pair of players has its link, seen from either end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link(usize, usize);

impl Network {
    /// The network of these pairs, without weights yet, and where each pair has its link. Pairs
    /// of the same players share one.
    pub fn new(players: usize, pairs: &[(usize, usize)]) -> (Self, Vec<Link>) {
        let mut ends: Vec<(u32, u32)> =
            pairs.iter().flat_map(|&(a, b)| [(a as u32, b as u32), (b as u32, a as u32)]).collect();
        ends.sort_unstable();
        ends.dedup();
        let mut first = vec![0; players + 1];
        for &(player, _) in &ends {
            first[player as usize + 1] += 1;
        }
        for player in 0..players {
            first[player + 1] += first[player];
        }
        let opponents: Vec<u32> = ends.iter().map(|&(_, opponent)| opponent).collect();
        let network = Self {
            weights: vec![0.0; opponents.len()],
            totals: vec![0.0; players],
            first,
            opponents,
        };
        let links = pairs.iter().map(|&(a, b)| Link(network.find(a, b), network.find(b, a)));
        let links = links.collect();
        (network, links)
    }

    /// Where the link from one player to another is listed, or would be.
    fn find(&self, player: usize, opponent: usize) -> usize {
        let start = self.first[player];
        let own = &self.opponents[start..self.first[player + 1]];
        start + own.partition_point(|&other| (other as usize) < opponent)
    }

    pub fn players(&self) -> usize {
        self.totals.len()
    }

    /// How many links there are.
    pub fn links(&self) -> usize {
        self.opponents.len() / 2
    }

    /// Makes the link of a pair heavier.
    pub fn add(&mut self, (a, b): (usize, usize), link: Link, weight: f64) {
        self.weights[link.0] += weight;
        self.weights[link.1] += weight;
        self.totals[a] += weight;
        self.totals[b] += weight;
    }

    pub fn total(&self, player: usize) -> f64 {
        self.totals[player]
    }

    /// The opponents of a player, with the weights of the links to them.
    pub fn opponents(&self, player: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let own = self.first[player]..self.first[player + 1];
        let opponents = self.opponents[own.clone()].iter().map(|&other| other as usize);
        opponents.zip(self.weights[own].iter().copied())
    }

    /// The weight of the link between two players; 0 for those who never met.
    pub fn weight(&self, player: usize, opponent: usize) -> f64 {
        let at = self.find(player, opponent);
        let met = at < self.first[player + 1] && self.opponents[at] as usize == opponent;
        if met { self.weights[at] } else { 0.0 }
    }

    /// The Laplacian as a full matrix, with its one free direction, all strengths together, held
    /// by a penalty of the size of the Laplacian itself, so that neither drowns the other; and
    /// the penalty.
    pub fn penalised(&self) -> (Matrix, f64) {
        let n = self.players();
        let penalty = (self.totals.iter().sum::<f64>() / (n * n) as f64).max(1e-12);
        let mut matrix = Matrix { n, cells: vec![penalty; n * n] };
        for player in 0..n {
            matrix.add(player, player, self.totals[player]);
            for (opponent, weight) in self.opponents(player) {
                matrix.add(player, opponent, -weight);
            }
        }
        (matrix, penalty)
    }

    /// The pseudo-inverse of the Laplacian: the covariance of strengths that sum to zero.
    pub fn pseudo_inverse(&self) -> Option<Matrix> {
        let n = self.players();
        let (matrix, penalty) = self.penalised();
        let mut inverse = matrix.cholesky()?.inverse();
        // The uncertainty of the common level came in with the penalty.
        let level = 1.0 / (penalty * (n * n) as f64);
        for cell in &mut inverse.cells {
            *cell -= level;
        }
        Some(inverse)
    }
}
