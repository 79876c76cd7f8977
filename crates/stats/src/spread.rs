//! A few measurements of one thing: their middle, their spread, and what the mean may truly be.

use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// The middle and the ends of some measurements.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// How many there are.
    pub count: usize,
    /// Half of them lie below.
    pub median: f64,
    /// The smallest.
    pub least: f64,
    /// The largest.
    pub most: f64,
}

impl Spread {
    /// `None` of nothing, or of what is not a number.
    ///
    /// ```
    /// use dyno_stats::Spread;
    /// let spread = Spread::of(&[3.0, 1.0, 2.0, 10.0]).unwrap();
    /// assert_eq!((spread.median, spread.least, spread.most), (2.5, 1.0, 10.0));
    /// ```
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() || !values.iter().all(|v| v.is_finite()) {
            return None;
        }
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let median = match sorted.len() % 2 {
            1 => sorted[middle],
            _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
        };
        Some(Self { count: sorted.len(), median, least: sorted[0], most: sorted[sorted.len() - 1] })
    }

    /// The distance between the ends as a share of the median.
    pub fn relative(&self) -> f64 {
        (self.most - self.least) / self.median
    }
}

/// A mean with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Student's interval of independent measurements; `None` of fewer than two.
    ///
    /// ```
    /// use dyno_stats::Interval;
    /// let interval = Interval::of_mean(&[1.0, 2.0, 3.0]).unwrap();
    /// assert_eq!(interval.mean, 2.0);
    /// assert!((interval.high - 4.4841).abs() < 1e-4);
    /// ```
    pub fn of_mean(values: &[f64]) -> Option<Self> {
        if values.len() < 2 || !values.iter().all(|v| v.is_finite()) {
            return None;
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let half = student_quantile(0.975, values.len() as u64 - 1) * (variance / n).sqrt();
        Some(Self { mean, low: mean - half, high: mean + half })
    }

    /// The interval of a ratio whose logarithm this is.
    #[must_use]
    pub fn exp(self) -> Self {
        Self { mean: self.mean.exp(), low: self.low.exp(), high: self.high.exp() }
    }

    /// Whether a value lies inside.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// The `t` below which a Student variable of this many degrees of freedom stays with probability
/// `p`, for `p` of at least one half.
///
/// ```
/// use dyno_stats::student_quantile;
/// assert!((student_quantile(0.975, 4) - 2.776445).abs() < 1e-6);
/// ```
pub fn student_quantile(p: f64, degrees: u64) -> f64 {
    // Beyond this the normal distribution is the same to four digits.
    if degrees > 10_000 {
        return crate::normal_quantile(p);
    }
    let degrees = degrees.max(1);
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    while student_cdf(high, degrees) < p && high < 1e12 {
        high *= 2.0;
    }
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if student_cdf(middle, degrees) < p { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// The distribution function for `t` of at least 0: for whole degrees of freedom a finite sum of
/// powers of the cosine of `atan(t / √degrees)`.
fn student_cdf(t: f64, degrees: u64) -> f64 {
    let angle = (t / (degrees as f64).sqrt()).atan();
    let (sine, square) = (angle.sin(), angle.cos().powi(2));
    let is_odd = degrees % 2 == 1;
    let mut term = if is_odd { angle.cos() } else { 1.0 };
    let mut sum = if degrees == 1 { 0.0 } else { term };
    let mut k = if is_odd { 3 } else { 2 };
    while k < degrees {
        term *= square * (k - 1) as f64 / k as f64;
        sum += term;
        k += 2;
    }
    let within = if is_odd { 2.0 / PI * (angle + sine * sum) } else { sine * sum };
    0.5 + within / 2.0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn quantiles_of_the_tables() {
        for (p, degrees, t) in [
            (0.975, 1, 12.706_205),
            (0.975, 2, 4.302_653),
            (0.975, 3, 3.182_446),
            (0.975, 10, 2.228_139),
            (0.975, 23, 2.068_658),
            (0.975, 1000, 1.962_339),
            (0.95, 5, 2.015_048),
            (0.9995, 7, 5.407_883),
        ] {
            let found = student_quantile(p, degrees);
            assert!((found - t).abs() < 2e-6, "{p} with {degrees}: {found}, not {t}");
        }
        assert!((student_quantile(0.975, 20_000) - crate::Z95).abs() < 1e-3);
    }

    #[test]
    fn intervals_keep_their_promise() {
        // Of many samples of five, 95 % must have the truth inside.
        let mut rng = crate::rng::Rng::new(3);
        let mut normal = || crate::normal_quantile(rng.unit().clamp(1e-12, 1.0 - 1e-12));
        let inside = (0..4000)
            .filter(|_| {
                let sample: Vec<f64> = (0..5).map(|_| normal()).collect();
                Interval::of_mean(&sample).unwrap().contains(0.0)
            })
            .count();
        assert!((3740..=3860).contains(&inside), "{inside} of 4000");
    }

    #[test]
    fn nothing_has_no_spread() {
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[f64::NAN]), None);
        assert_eq!(Interval::of_mean(&[1.0]), None);
        let even = Interval::of_mean(&[0.0, 0.0, 0.0]).unwrap().exp();
        assert_eq!((even.mean, even.low, even.high), (1.0, 1.0, 1.0));
        assert_eq!(Spread::of(&[2.0]).unwrap().relative(), 0.0);
    }
}
