//! An approximate factorisation of the Laplacian of a network, as the preconditioner of
//! conjugate gradients.
//!
//! Players are eliminated one by one, those with few opponents first. Eliminating a player
//! exactly links all its opponents with each other, which soon fills the whole matrix. Instead
//! each opponent but the last gets one new link, drawn at random so that on average the links
//! are the exact ones (Gao, Kyng, Spielman: Robust and practical solution of Laplacian
//! equations by approximate elimination, 2023). The links never become more, chains and trees
//! are eliminated exactly, and conjugate gradients need a few dozen steps whatever the network.

use super::network::Network;
use crate::rng::Rng;

/// Any seed will do; a fixed one makes every fit reproducible.
const SEED: u64 = 0x5eed;

/// The factors: one column for each eliminated player.
pub(super) struct Elimination {
    columns: Vec<Column>,
    /// The opponents of all columns at their elimination, with their shares of its weight.
    shares: Vec<(u32, f64)>,
}

struct Column {
    player: u32,
    /// The end of its shares; they start where those of the column before end.
    end: usize,
    weight: f64,
}

impl Elimination {
    pub fn of(network: &Network) -> Self {
        let n = network.players();
        let mut rng = Rng::new(SEED);
        let mut links: Vec<Vec<(u32, f64)>> = (0..n)
            .map(|player| network.opponents(player).map(|(o, w)| (o as u32, w)).collect())
            .collect();
        let mut queue = Queue::new(links.iter().map(Vec::len).collect());
        let mut columns = Vec::with_capacity(n);
        let mut shares = Vec::with_capacity(network.links());
        while let Some(player) = queue.pop() {
            let mut star = std::mem::take(&mut links[player as usize]);
            star.retain(|&(other, weight)| queue.holds(other) && weight > 0.0);
            for &(other, _) in &star {
                queue.change(other, -1);
            }
            merge(&mut star);
            let weight: f64 = star.iter().map(|&(_, w)| w).sum();
            shares.extend(star.iter().map(|&(other, w)| (other, w / weight)));
            columns.push(Column { player, end: shares.len(), weight });
            for (a, b, w) in sampled_clique(&star, weight, &mut rng) {
                links[a as usize].push((b, w));
                links[b as usize].push((a, w));
                queue.change(a, 1);
                queue.change(b, 1);
            }
        }
        Self { columns, shares }
    }

    /// Applies the inverse of the factors, to several vectors at once.
    pub fn apply<const N: usize>(&self, vectors: &mut [[f64; N]]) {
        let mut start = 0;
        for column in &self.columns {
            let own = vectors[column.player as usize];
            for &(other, share) in &self.shares[start..column.end] {
                let target = &mut vectors[other as usize];
                for lane in 0..N {
                    target[lane] += share * own[lane];
                }
            }
            start = column.end;
        }
        let mut end = self.shares.len();
        for (index, column) in self.columns.iter().enumerate().rev() {
            let start = index.checked_sub(1).map_or(0, |before| self.columns[before].end);
            // The last player is left with no links: it is the free direction.
            let scale = if column.weight > 0.0 { 1.0 / column.weight } else { 0.0 };
            let mut value = vectors[column.player as usize].map(|x| scale * x);
            for &(other, share) in &self.shares[start..end] {
                let source = &vectors[other as usize];
                for lane in 0..N {
                    value[lane] += share * source[lane];
                }
            }
            vectors[column.player as usize] = value;
            end = start;
        }
    }
}

/// The players not yet eliminated, by the number of their links.
struct Queue {
    degrees: Vec<usize>,
    /// The players of each degree, and some who had it once.
    buckets: Vec<Vec<u32>>,
    lowest: usize,
}

/// The degree of a player who is gone.
const GONE: usize = usize::MAX;

impl Queue {
    fn new(degrees: Vec<usize>) -> Self {
        let mut buckets = vec![Vec::new(); degrees.iter().max().map_or(0, |most| most + 1)];
        for (player, &degree) in (0u32..).zip(&degrees) {
            buckets[degree].push(player);
        }
        Self { degrees, buckets, lowest: 0 }
    }

    fn holds(&self, player: u32) -> bool {
        self.degrees[player as usize] != GONE
    }

    fn change(&mut self, player: u32, by: isize) {
        let degree = self.degrees[player as usize].saturating_add_signed(by);
        self.degrees[player as usize] = degree;
        if degree >= self.buckets.len() {
            self.buckets.resize_with(degree + 1, Vec::new);
        }
        self.buckets[degree].push(player);
        self.lowest = self.lowest.min(degree);
    }

    /// Takes out a player with the fewest links.
    fn pop(&mut self) -> Option<u32> {
        while let Some(bucket) = self.buckets.get_mut(self.lowest) {
            match bucket.pop() {
                Some(player) if self.degrees[player as usize] == self.lowest => {
                    self.degrees[player as usize] = GONE;
                    return Some(player);
                }
                Some(_) => {}
                None => self.lowest += 1,
            }
        }
        None
    }
}

/// Makes one link of those to the same player; the lightest first.
fn merge(links: &mut Vec<(u32, f64)>) {
    links.sort_unstable_by_key(|&(other, _)| other);
    links.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    links.sort_unstable_by(|a, b| a.1.total_cmp(&b.1));
}

/// Links among the opponents of an eliminated player. Each but the heaviest gets one, to a
/// heavier one drawn in proportion to its weight; it stands for its exact links to all of those.
fn sampled_clique(
    star: &[(u32, f64)],
    total: f64,
    rng: &mut Rng,
) -> impl Iterator<Item = (u32, u32, f64)> {
    let mut sums = Vec::with_capacity(star.len());
    let mut sum = 0.0;
    for &(_, weight) in star {
        sum += weight;
        sums.push(sum);
    }
    let last = star.len().saturating_sub(1);
    (0..last).map(move |i| {
        let heavier = sums[last] - sums[i];
        let drawn = sums[i] + rng.unit() * heavier;
        let j = sums.partition_point(|&sum| sum <= drawn).clamp(i + 1, last);
        (star[i].0, star[j].0, star[i].1 * heavier / total)
    })
}
