//! The likeliest frequencies under a hypothesis about the strength: the heart of the SPRT.
//!
//! The generalised likelihood ratio compares the best explanation of the results in which the
//! strength is elo1 with the best in which it is elo0. "Best" is the multinomial likelihood
//! maximised over all frequencies that have the given mean (logistic Elo) or the given ratio of
//! mean to deviation (normalized Elo). This exact form, unlike its quadratic approximation,
//! stays sane on few and on lopsided games.

use crate::results::Sample;

type Frequencies = [f64; 5];

/// The log-likelihood per observation, relative to the observed frequencies, of the likeliest
/// frequencies whose mean score is `mean`. Never positive.
pub(crate) fn with_mean(sample: &Sample, mean: f64) -> f64 {
    let constraint = sample.score.map(|a| a - mean);
    tilt(sample, &constraint, 0.0).map_or(IMPOSSIBLE, |tilt| tilt.log_likelihood)
}

/// The same for the likeliest frequencies whose (mean − ½) / deviation is `t`.
///
/// That constraint is not linear. Replacing it again and again by its tangent, from the observed
/// frequencies on, settles within a few steps for any hypothesis near the results. Where it does
/// not, the maximum is searched for.
pub(crate) fn with_t(sample: &Sample, t: f64) -> f64 {
    if t == 0.0 {
        return with_mean(sample, 0.5);
    }
    settle(sample, t).unwrap_or_else(|| search(sample, t))
}

/// The log-likelihood of a hypothesis that no frequencies fulfil: very low, yet finite.
const IMPOSSIBLE: f64 = -1e6;

/// Frequencies pulled towards a hypothesis.
struct Tilt {
    q: Frequencies,
    /// The root that gave them.
    x: f64,
    log_likelihood: f64,
}

/// Repeats the tangent step until the frequencies stand still.
fn settle(sample: &Sample, t: f64) -> Option<f64> {
    const STEPS: usize = 30;
    let (mut q, mut x) = (sample.p, 0.0);
    for _ in 0..STEPS {
        let (mean, variance) = sample.moments(&q);
        let deviation = variance.sqrt();
        let tangent = sample.score.map(|a| {
            let z = (mean - a) / deviation;
            a - 0.5 - 0.5 * t * deviation * (1.0 + z * z)
        });
        let next = tilt(sample, &tangent, x)?;
        let change = q.iter().zip(&next.q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        if change < 1e-10 {
            return Some(next.log_likelihood);
        }
        (q, x) = (next.q, next.x);
    }
    None
}

/// Finds the likeliest frequencies by one dimension. With y = ±(a − ½), signed so that the
/// hypothesis is positive, and w = t² / (1 + t²), the constraint reads w·E[y²] = E[y]², and its
/// left side less its right is the least over r of E[b(r)], where b(r) = √w·(y² + r²) − 2·r·y up
/// to a factor. So results short of `t` reach it at the best of the linear constraints
/// E[b(r)] = 0, and results beyond it at the worst.
fn search(sample: &Sample, t: f64) -> f64 {
    let root = (t * t / (1.0 + t * t)).sqrt();
    let beyond = (sample.mean - 0.5) / sample.variance.sqrt() * t.signum() > t.abs();
    let log_likelihood = |r: f64| {
        let b = sample.score.map(|a| {
            let y = (a - 0.5) * t.signum();
            root * (y * y + r * r) - 2.0 * r * y
        });
        let expected: f64 = sample.p.iter().zip(&b).take(sample.len).map(|(p, b)| p * b).sum();
        if beyond && expected >= 0.0 {
            return 0.0;
        }
        tilt(sample, &b, 0.0).map_or(IMPOSSIBLE, |tilt| tilt.log_likelihood)
    };
    let merit = |ln_r: f64| {
        let value = log_likelihood(ln_r.exp());
        if beyond { -value } else { value }
    };
    // r is the root mean square of y, between 0 and ½. Where the constraint leaves little room
    // it lies close to one of the possible scores, so the grid contains those.
    const GRID: u32 = 96;
    let (finest, half) = (1e-7f64.ln(), 0.5f64.ln());
    let step = (half - finest) / f64::from(GRID);
    let grid = (0..=GRID).map(|i| half - step * f64::from(i)).chain([0.25f64.ln()]);
    let best = grid
        .map(|x| (merit(x), x))
        .fold((f64::NEG_INFINITY, half), |best, at| if at.0 > best.0 { at } else { best });
    let (_, refined) = golden(best.1 - step, best.1 + step, merit);
    let value = refined.max(best.0);
    if beyond { -value } else { value }
}

/// The greatest value of a function with one peak between `low` and `high`, and where it is.
fn golden(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> (f64, f64) {
    const RATIO: f64 = 0.618_033_988_749_894_9;
    let (mut a, mut b) = (high - RATIO * (high - low), low + RATIO * (high - low));
    let (mut at_a, mut at_b) = (f(a), f(b));
    for _ in 0..60 {
        if at_a < at_b {
            low = a;
            (a, at_a) = (b, at_b);
            b = low + RATIO * (high - low);
            at_b = f(b);
        } else {
            high = b;
            (b, at_b) = (a, at_a);
            a = high - RATIO * (high - low);
            at_a = f(a);
        }
    }
    if at_a > at_b { (a, at_a) } else { (b, at_b) }
}

/// The likeliest frequencies q with Σ q·b = 0: q = p / (1 + x·b), where x is the root of
/// Σ p·b / (1 + x·b). None unless `b` has both signs, for else no frequencies fulfil it.
/// The search begins at `guess`.
fn tilt(sample: &Sample, b: &Frequencies, guess: f64) -> Option<Tilt> {
    let outcomes = || sample.p.iter().zip(b).take(sample.len);
    // No frequency exceeds 1, so 1 + x·b is at least p. That brackets the root well away from
    // the poles.
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    for (p, &b) in outcomes() {
        let limit = (p - 1.0) / b;
        if b > 0.0 {
            low = low.max(limit);
        } else if b < 0.0 {
            high = high.min(limit);
        }
    }
    if !(low.is_finite() && high.is_finite()) {
        return None;
    }
    // The sum falls with x. A step of Newton's that leaves the bracket halves it instead.
    let mut x = if guess > low && guess < high { guess } else { 0.0 };
    for _ in 0..100 {
        let (mut sum, mut slope) = (0.0, 0.0);
        for (p, b) in outcomes() {
            let r = b / (1.0 + x * b).max(*p);
            sum += p * r;
            slope -= p * r * r;
        }
        if sum > 0.0 {
            low = x;
        } else {
            high = x;
        }
        let newton = x - sum / slope;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        let moved = (next - x).abs();
        x = next;
        if moved <= 1e-12 * (x.abs() + 1e-3) {
            break;
        }
    }
    let mut q = [0.0; 5];
    let mut log_likelihood = 0.0;
    for (i, (&p, b)) in outcomes().enumerate() {
        let ratio = x * b;
        q[i] = p / (1.0 + ratio).max(p);
        log_likelihood -= p * ratio.max(p - 1.0).ln_1p();
    }
    log_likelihood.is_finite().then_some(Tilt { q, x, log_likelihood })
}
