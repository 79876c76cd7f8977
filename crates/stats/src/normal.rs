//! The normal distribution, to full double precision, also far out in its tails.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// The 97.5 % quantile of the normal distribution: a 95 % interval is this many deviations wide
/// on each side.
pub const Z95: f64 = 1.959_963_984_540_054;

/// The probability that a standard normal variable is at most `x`.
///
/// ```
/// use dyno_stats::{Z95, normal_cdf};
/// assert!((normal_cdf(Z95) - 0.975).abs() < 1e-15);
/// ```
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * erfc(-x * FRAC_1_SQRT_2)
}

/// The natural logarithm of [`normal_cdf`], which stays finite where the probability underflows.
pub(crate) fn ln_normal_cdf(x: f64) -> f64 {
    if x > -5.0 {
        return normal_cdf(x).ln();
    }
    let t = -x * FRAC_1_SQRT_2;
    (0.5 * erfc_scaled(t)).ln() - t * t
}

/// The `x` for which [`normal_cdf`] is `p`; infinite at 0 and 1.
///
/// ```
/// use dyno_stats::normal_quantile;
/// assert!((normal_quantile(0.975) - 1.959963984540054).abs() < 1e-12);
/// ```
pub fn normal_quantile(p: f64) -> f64 {
    if p > 0.5 { -normal_quantile_ln((1.0 - p).ln()) } else { normal_quantile_ln(p.ln()) }
}

/// The quantile of a probability of at most one half, given by its logarithm, so that tails
/// beyond the range of `f64` still have one.
pub(crate) fn normal_quantile_ln(ln_p: f64) -> f64 {
    if ln_p == f64::NEG_INFINITY || ln_p.is_nan() {
        return ln_p;
    }
    // ln Φ is concave and increasing, so Newton's method from the left never overshoots.
    let mut x = -(-2.0 * ln_p).max(0.0).sqrt();
    for _ in 0..60 {
        let ln_cdf = ln_normal_cdf(x);
        let slope = (-0.5 * x * x - 0.5 * (2.0 * PI).ln() - ln_cdf).exp();
        let step = (ln_p - ln_cdf) / slope;
        x += step;
        if step.abs() <= 1e-15 * (1.0 + x.abs()) {
            break;
        }
    }
    x
}

/// The complementary error function.
fn erfc(x: f64) -> f64 {
    if x < 0.0 {
        return 2.0 - erfc(-x);
    }
    if x < 1.5 { 1.0 - erf_series(x) } else { erfc_scaled(x) * (-x * x).exp() }
}

/// The error function by its everywhere convergent series of positive terms.
fn erf_series(x: f64) -> f64 {
    let (mut term, mut sum, mut n) = (x, x, 0.0);
    while term > sum * 1e-17 {
        n += 1.0;
        term *= 2.0 * x * x / (2.0 * n + 1.0);
        sum += term;
    }
    2.0 / PI.sqrt() * (-x * x).exp() * sum
}

/// `exp(x²)·erfc(x)` for `x` of at least 1.5, by its continued fraction.
fn erfc_scaled(x: f64) -> f64 {
    let mut tail = x;
    for k in (1..=100).rev() {
        tail = x + 0.5 * f64::from(k) / tail;
    }
    1.0 / (tail * PI.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        for (x, p) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_542_9),
            (-1.0, 0.158_655_253_931_457_05),
            (-3.5, 2.326_290_790_355_250_4e-4),
            (-10.0, 7.619_853_024_160_527e-24),
            (6.0, 0.999_999_999_013_412_3),
        ] {
            assert!((normal_cdf(x) / p - 1.0).abs() < 1e-13, "Φ({x}) = {}", normal_cdf(x));
        }
    }

    #[test]
    fn the_series_and_the_fraction_meet() {
        assert!((ln_normal_cdf(-5.0 + 1e-12) - ln_normal_cdf(-5.0)).abs() < 1e-9);
        assert!((erfc(1.5 - 1e-12) / erfc(1.5) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_quantile_undoes_the_distribution() {
        for p in [1e-300, 1e-20, 0.001, 0.025, 0.3, 0.5, 0.7, 0.999] {
            assert!((normal_cdf(normal_quantile(p)) / p - 1.0).abs() < 1e-10, "{p}");
        }
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(normal_quantile(1.0), f64::INFINITY);
    }

    #[test]
    fn logarithms_reach_past_the_range_of_the_probability() {
        assert!((ln_normal_cdf(-40.0) + 804.608_442).abs() < 1e-5);
        assert!((normal_quantile_ln(-804.608_442_013_754) + 40.0).abs() < 1e-9);
    }
}
