//! The little linear algebra that a fit needs: symmetric positive definite matrices.

/// A square symmetric matrix, row by row.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    pub n: usize,
    pub cells: Vec<f64>,
}

impl Matrix {
    pub fn zero(n: usize) -> Self {
        Self { n, cells: vec![0.0; n * n] }
    }

    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.cells[row * self.n + column]
    }

    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        self.cells[row * self.n + column] += value;
    }

    /// If this is a covariance: the variance of the difference of two.
    pub fn variance_of_lead(&self, a: usize, b: usize) -> f64 {
        self.at(a, a) + self.at(b, b) - 2.0 * self.at(a, b)
    }

    /// The Cholesky factor L with L·Lᵀ equal to this matrix. None unless it is safely positive
    /// definite: a pivot that almost vanishes means a parameter that the data do not determine.
    pub fn cholesky(&self) -> Option<Factor> {
        let n = self.n;
        let mut lower = self.cells.clone();
        for i in 0..n {
            for j in 0..=i {
                let (above, row) = lower.split_at(i * n);
                let other = if j < i { &above[j * n..j * n + j] } else { &row[..j] };
                let dot: f64 = row[..j].iter().zip(other).map(|(a, b)| a * b).sum();
                let rest = lower[i * n + j] - dot;
                if i == j {
                    if rest.is_nan() || rest <= 1e-11 * self.at(i, i) {
                        return None;
                    }
                    lower[i * n + i] = rest.sqrt();
                } else {
                    lower[i * n + j] = rest / lower[j * n + j];
                }
            }
        }
        Some(Factor { n, lower })
    }
}

/// A Cholesky factor; only its lower triangle counts.
pub(crate) struct Factor {
    n: usize,
    lower: Vec<f64>,
}

impl Factor {
    /// Solves L·Lᵀ·x = b.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let n = self.n;
        let mut x = b.to_vec();
        for i in 0..n {
            let dot: f64 = (0..i).map(|k| self.lower[i * n + k] * x[k]).sum();
            x[i] = (x[i] - dot) / self.lower[i * n + i];
        }
        for i in (0..n).rev() {
            x[i] /= self.lower[i * n + i];
            let xi = x[i];
            for (k, value) in x[..i].iter_mut().enumerate() {
                *value -= self.lower[i * n + k] * xi;
            }
        }
        x
    }

    /// The inverse of the factored matrix.
    pub fn inverse(&self) -> Matrix {
        let n = self.n;
        let mut inverse = Matrix::zero(n);
        let mut unit = vec![0.0; n];
        for i in 0..n {
            unit[i] = 1.0;
            inverse.cells[i * n..(i + 1) * n].copy_from_slice(&self.solve(&unit));
            unit[i] = 0.0;
        }
        inverse
    }
}
