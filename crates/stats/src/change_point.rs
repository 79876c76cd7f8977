//! Where a series of figures leaves one level for another.
//!
//! Binary segmentation: the split that separates two means best is a change when reorderings of
//! the same figures hardly ever separate as well; then both halves are searched in turn. No
//! distribution is assumed, so that a machine's long tail of slow runs raises no alarm.

use crate::rng::Rng;

/// A level that is left for another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangePoint {
    /// The first place of the new level.
    pub at: usize,
    /// The mean of the level before.
    pub before: f64,
    /// The mean of the level after.
    pub after: f64,
}

/// Reorderings tried, and how many of them may separate as well: a false alarm in a hundred
/// series.
const REORDERINGS: usize = 999;
const AS_GOOD: usize = 9;

/// Figures that repeat exactly this often have no noise.
const EXACT_LEVEL: usize = 3;

/// The changes of a series, in order.
///
/// ```
/// let speeds = [100.0, 101.0, 99.5, 100.4, 100.9, 97.1, 96.4, 97.0, 96.6, 97.2];
/// let changes = dyno_stats::change_points(&speeds);
/// assert_eq!(changes.len(), 1);
/// assert_eq!(changes[0].at, 5);
/// ```
#[must_use]
pub fn change_points(values: &[f64]) -> Vec<ChangePoint> {
    let cuts = exact_levels(values).unwrap_or_else(|| {
        let mut cuts = Vec::new();
        search(values, 0, &mut cuts);
        cuts.sort_unstable();
        cuts
    });
    let mut ends = cuts.clone();
    ends.push(values.len());
    let mut start = 0;
    let mut changes = Vec::new();
    for (cut, end) in cuts.into_iter().zip(ends.into_iter().skip(1)) {
        let (before, after) = (mean(&values[start..cut]), mean(&values[cut..end]));
        changes.push(ChangePoint { at: cut, before, after });
        start = cut;
    }
    changes
}

fn search(values: &[f64], offset: usize, cuts: &mut Vec<usize>) {
    let Some(split) = best_split(values) else { return };
    if beats_chance(values, split.separation) {
        cuts.push(offset + split.at);
        search(&values[..split.at], offset, cuts);
        search(&values[split.at..], offset + split.at, cuts);
    }
}

struct Split {
    at: usize,
    separation: f64,
}

/// The place whose two sides differ most. With the total sum of squares given, the largest share
/// explained by the split is also the largest t-statistic.
fn best_split(values: &[f64]) -> Option<Split> {
    let (count, grand) = (values.len() as f64, mean(values));
    let mut sum = 0.0;
    let mut best: Option<Split> = None;
    for (index, value) in values.iter().enumerate().take(values.len().saturating_sub(1)) {
        sum += value - grand;
        let left = index as f64 + 1.0;
        let separation = sum * sum * count / (left * (count - left));
        if best.as_ref().is_none_or(|b| separation > b.separation) {
            best = Some(Split { at: index + 1, separation });
        }
    }
    best.filter(|split| split.separation > 0.0)
}

/// Figures without noise, such as node counts and solved positions, stay the same until something
/// changes: each new level is a change then, even if it has been seen only once so far.
fn exact_levels(values: &[f64]) -> Option<Vec<usize>> {
    let lengths: Vec<usize> = values.chunk_by(|a, b| a == b).map(<[f64]>::len).collect();
    let (_, settled) = lengths.split_last()?;
    let is_exact = settled.iter().all(|length| *length >= 2)
        && lengths.iter().any(|length| *length >= EXACT_LEVEL);
    let place = |end: &mut usize, length: &usize| {
        *end += length;
        Some(*end)
    };
    is_exact.then(|| settled.iter().scan(0, place).collect())
}

fn beats_chance(values: &[f64], separation: f64) -> bool {
    let mut shuffled = values.to_vec();
    let mut rng = Rng::new(values.len() as u64);
    let mut as_good = 0;
    for _ in 0..REORDERINGS {
        for last in (1..shuffled.len()).rev() {
            shuffled.swap(last, (rng.unit() * (last + 1) as f64) as usize);
        }
        as_good += usize::from(best_split(&shuffled).is_some_and(|s| s.separation >= separation));
        if as_good > AS_GOOD {
            return false;
        }
    }
    true
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// About normal, with a standard deviation of one.
    fn noise(rng: &mut Rng) -> f64 {
        (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0
    }

    #[test]
    fn equal_builds_raise_no_alarm() {
        let mut rng = Rng::new(1);
        let alarms = (0..400)
            .filter(|_| {
                let speeds: Vec<f64> =
                    (0..30).map(|_| 1e6 * (1.0 + 0.01 * noise(&mut rng))).collect();
                !change_points(&speeds).is_empty()
            })
            .count();
        assert!(alarms <= 12, "{alarms} of 400");
    }

    #[test]
    fn a_loss_of_three_percent_is_found_at_its_commit() {
        let mut rng = Rng::new(2);
        let mut found = 0;
        for trial in 0..200 {
            let at = 3 + trial % 24;
            let speed = |i: usize| if i < at { 1e6 } else { 0.97e6 };
            let speeds: Vec<f64> =
                (0..30).map(|i| speed(i) * (1.0 + 0.004 * noise(&mut rng))).collect();
            let changes = change_points(&speeds);
            found += usize::from(changes.len() == 1 && changes[0].at == at);
        }
        assert!(found >= 190, "{found} of 200");
    }

    #[test]
    fn several_levels_and_exact_figures() {
        let level = |value: f64, count: usize| vec![value; count];
        let solved = [level(254.0, 5), level(257.0, 4), level(250.0, 1)].concat();
        let changes = change_points(&solved);
        assert_eq!(changes.iter().map(|c| c.at).collect::<Vec<_>>(), [5, 9]);
        assert_eq!((changes[1].before, changes[1].after), (257.0, 250.0));
        assert!(change_points(&[]).is_empty());
        assert!(change_points(&[1.0]).is_empty());
        assert!(change_points(&[1.0, 2.0]).is_empty());
        assert!(change_points(&level(7.0, 50)).is_empty());
    }
}
