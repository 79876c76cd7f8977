//! Linear equations over a large network: preconditioned conjugate gradients, several right
//! sides at a time.

use super::elimination::Elimination;
use super::network::Network;

/// A network ready to be solved.
pub(super) struct SparseSolver<'a> {
    network: &'a Network,
    preconditioner: Elimination,
}

impl<'a> SparseSolver<'a> {
    pub fn new(network: &'a Network) -> Self {
        Self { network, preconditioner: Elimination::of(network) }
    }

    /// The solutions that sum to zero, for right sides that sum to zero, to this relative error
    /// (in the norm of the network itself). None if they do not come, which only a network of
    /// weights too far apart for the arithmetic can cause.
    pub fn solve<const N: usize>(
        &self,
        right: Vec<[f64; N]>,
        tolerance: f64,
    ) -> Option<Vec<[f64; N]>> {
        const MOST_STEPS: usize = 2000;
        let n = right.len();
        let mut solution = vec![[0.0; N]; n];
        let mut residual = right;
        let mut improved = self.precondition(&residual);
        let mut direction = improved.clone();
        let mut norm = dot(&residual, &improved);
        let wanted = norm.map(|first| first * tolerance * tolerance);
        for _ in 0..MOST_STEPS {
            if norm.iter().any(|x| x.is_nan()) {
                return None;
            }
            if norm.iter().zip(wanted).all(|(&norm, wanted)| norm <= wanted) {
                centre(&mut solution);
                return Some(solution);
            }
            let image = self.multiply(&direction);
            let step = quotients(norm, dot(&direction, &image));
            for i in 0..n {
                for lane in 0..N {
                    solution[i][lane] += step[lane] * direction[i][lane];
                    residual[i][lane] -= step[lane] * image[i][lane];
                }
            }
            improved = self.precondition(&residual);
            let next = dot(&residual, &improved);
            let keep = quotients(next, norm);
            for i in 0..n {
                for lane in 0..N {
                    direction[i][lane] = improved[i][lane] + keep[lane] * direction[i][lane];
                }
            }
            norm = next;
        }
        None
    }

    fn precondition<const N: usize>(&self, residual: &[[f64; N]]) -> Vec<[f64; N]> {
        let mut vectors = residual.to_vec();
        self.preconditioner.apply(&mut vectors);
        centre(&mut vectors);
        vectors
    }

    /// The Laplacian times the vectors.
    fn multiply<const N: usize>(&self, vectors: &[[f64; N]]) -> Vec<[f64; N]> {
        let row = |player: usize| {
            let total = self.network.total(player);
            let mut sum = vectors[player].map(|x| total * x);
            for (opponent, weight) in self.network.opponents(player) {
                let other = &vectors[opponent];
                for lane in 0..N {
                    sum[lane] -= weight * other[lane];
                }
            }
            sum
        };
        (0..vectors.len()).map(row).collect()
    }
}

fn dot<const N: usize>(a: &[[f64; N]], b: &[[f64; N]]) -> [f64; N] {
    let mut sums = [0.0; N];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..N {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums
}

/// A right side already solved has nothing left to divide.
fn quotients<const N: usize>(above: [f64; N], below: [f64; N]) -> [f64; N] {
    std::array::from_fn(|lane| if below[lane] > 0.0 { above[lane] / below[lane] } else { 0.0 })
}

/// Takes the mean away.
fn centre<const N: usize>(vectors: &mut [[f64; N]]) {
    let mut means = [0.0; N];
    for vector in vectors.iter() {
        for lane in 0..N {
            means[lane] += vector[lane] / vectors.len() as f64;
        }
    }
    for vector in vectors.iter_mut() {
        for lane in 0..N {
            vector[lane] -= means[lane];
        }
    }
}
