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

/// Something that happens now and then, in one source among others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrences {
    /// How often it happened in this source.
    pub here: u64,
    /// How often it could have.
    pub trials: u64,
    /// How often it happened in all sources, this one included.
    pub everywhere: u64,
    /// How often it could have there.
    pub all_trials: u64,
}

impl Occurrences {
    /// The probability that a source like the others has this many or more: Fisher's exact test, which
    /// holds for rare things too, where χ² does not.
    ///
    /// ```
    /// use dyno_stats::Occurrences;
    /// let odd = Occurrences { here: 4, trials: 40, everywhere: 4, all_trials: 2000 };
    /// assert!(odd.excess() < 1e-6);
    /// let usual = Occurrences { here: 1, trials: 40, everywhere: 50, all_trials: 2000 };
    /// assert!(usual.excess() > 0.5);
    /// ```
    #[must_use]
    pub fn excess(&self) -> f64 {
        let Self { here, trials, everywhere, all_trials } = *self;
        let others = all_trials.saturating_sub(everywhere);
        let ln_all = ln_choose(all_trials, trials);
        let term = |k: u64| {
            if trials < k || others < trials - k {
                return 0.0;
            }
            (ln_choose(everywhere, k) + ln_choose(others, trials - k) - ln_all).exp()
        };
        let sum: f64 = (here..=everywhere.min(trials)).map(term).sum();
        sum.min(1.0)
    }
}

/// The logarithm of the number of ways to choose `k` of `n`.
fn ln_choose(n: u64, k: u64) -> f64 {
    if k > n {
        return f64::NEG_INFINITY;
    }
    ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k)
}

/// Stirling's series, exact to the last digit from 32 on.
fn ln_factorial(n: u64) -> f64 {
    if n < 32 {
        return (1..=n).map(|k| (k as f64).ln()).sum();
    }
    let x = n as f64;
    let series = 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3)) + 1.0 / (1260.0 * x.powi(5));
    x * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI * x).ln() + series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exact_test_counts_all_ways() {
        // Two of four marked ones in a sample of three out of ten: by hand 1/3.
        let occurrences = |here| Occurrences { here, trials: 3, everywhere: 4, all_trials: 10 };
        assert!((occurrences(0).excess() - 1.0).abs() < 1e-12);
        assert!((occurrences(2).excess() - 40.0 / 120.0).abs() < 1e-12);
        assert!((occurrences(3).excess() - 4.0 / 120.0).abs() < 1e-12);
        assert_eq!(occurrences(5).excess(), 0.0);
    }
}
