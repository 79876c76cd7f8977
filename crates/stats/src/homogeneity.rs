//! Whether several sources of results (machines, files, workers) tell the same story.

use serde::Serialize;

use crate::normal::{normal_quantile, normal_quantile_ln};

/// One source of pairs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Source {
    /// Its name.
    pub name: String,
    /// By how many normal deviations it differs from the others; above [`Homogeneity::z95`] it
    /// deserves a look, above [`Homogeneity::z99`] it is at fault.
    pub residual: f64,
}

/// The χ² test that all sources draw from one distribution of lost, even and won pairs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Homogeneity {
    /// The χ² statistic.
    pub chi2: f64,
    /// Its degrees of freedom.
    pub degrees: usize,
    /// The probability of so great a disagreement by chance.
    pub p: f64,
    /// Each source's own disagreement.
    pub sources: Vec<Source>,
    /// The residual that one of this many sources exceeds by chance once in twenty tests.
    pub z95: f64,
    /// The residual that one of this many sources exceeds by chance once in a hundred tests.
    pub z99: f64,
}

impl Homogeneity {
    /// Tests the pairs of each source. None where there is nothing to compare: fewer than two
    /// sources with pairs, or an outcome (lost, even or won pairs) that no source has.
    ///
    /// ```
    /// use dyno_stats::Homogeneity;
    /// let fair = ("fair", [10, 200, 450, 210, 12]);
    /// let odd = ("odd", [30, 320, 400, 140, 5]);
    /// let test = Homogeneity::test([fair, odd]).expect("two sources with pairs");
    /// assert!(test.p < 1e-9);
    /// ```
    pub fn test<'a>(sources: impl IntoIterator<Item = (&'a str, [u64; 5])>) -> Option<Self> {
        let rows: Vec<(&str, [f64; 3])> = sources
            .into_iter()
            .filter(|(_, pairs)| *pairs != [0; 5])
            .map(|(name, pairs)| {
                let [ll, ld, even, wd, ww] = pairs.map(|n| n as f64);
                (name, [ll + ld, even, wd + ww])
            })
            .collect();
        let columns = [0, 1, 2].map(|column| rows.iter().map(|(_, row)| row[column]).sum::<f64>());
        if rows.len() < 2 || columns.contains(&0.0) {
            return None;
        }
        let all: f64 = columns.iter().sum();
        let mut chi2 = 0.0;
        let sources = rows
            .iter()
            .map(|(name, row)| {
                let share = row.iter().sum::<f64>() / all;
                let own: f64 = row
                    .iter()
                    .zip(columns)
                    .map(|(n, c)| (n - c * share).powi(2) / (c * share))
                    .sum();
                chi2 += own;
                let ln_p = ln_chi2_tail(own / (1.0 - share), 1);
                Source { name: (*name).to_owned(), residual: upper_deviations(ln_p) }
            })
            .collect();
        // Two free columns a row, so the degrees are even and the tail has a closed form.
        let half_degrees = rows.len() - 1;
        let corrected = |p: f64| normal_quantile(1.0 - p / rows.len() as f64);
        Some(Self {
            chi2,
            degrees: 2 * half_degrees,
            p: ln_chi2_tail(chi2, half_degrees).exp(),
            sources,
            z95: corrected(0.05),
            z99: corrected(0.01),
        })
    }
}

/// The logarithm of the probability that χ² with twice `half_degrees` degrees exceeds `x`:
/// e^(−x/2) Σ (x/2)^k / k! over k < `half_degrees`.
fn ln_chi2_tail(x: f64, half_degrees: usize) -> f64 {
    let half = x / 2.0;
    // Summed as logarithms, for with many sources the terms leave the range of f64.
    let (mut ln_term, mut ln_sum) = (0.0f64, 0.0f64);
    for k in 1..half_degrees {
        ln_term += (half / k as f64).ln();
        let (small, large) = (ln_term.min(ln_sum), ln_term.max(ln_sum));
        ln_sum = large + (small - large).exp().ln_1p();
    }
    (ln_sum - half).min(0.0)
}

/// How many deviations above the mean the normal distribution has this much left.
fn upper_deviations(ln_tail: f64) -> f64 {
    if ln_tail < -std::f64::consts::LN_2 {
        -normal_quantile_ln(ln_tail)
    } else {
        normal_quantile(-ln_tail.exp_m1())
    }
}
