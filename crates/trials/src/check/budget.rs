//! The time of an examination, shared out among its checks.

use super::CheckPlan;
use std::time::{Duration, Instant};

/// What is kept back for showing findings again, as a share of the whole.
const RESERVE: f64 = 0.15;
/// What showing a finding again may take beyond the end.
const GRACE: Duration = Duration::from_secs(5);
/// A share is not worth a start below this.
const LEAST: Duration = Duration::from_millis(300);

/// The time of an examination. What a check leaves over goes to those after it.
#[derive(Debug)]
pub(super) struct Budget {
    /// When everything has to be done, showing findings again included.
    end: Option<Instant>,
    reserve: Duration,
    /// The shares of the checks to come, in seconds of the quick profile.
    to_come: f64,
    /// How many times longer than in the quick profile a check may take.
    factor: f64,
}

impl Budget {
    /// The time of a plan, which runs since `began`.
    pub fn new(plan: &CheckPlan, shares: &[f64], began: Instant) -> Budget {
        let total: Option<f64> = plan.profile.choose(Some(112.0), Some(900.0), None);
        let (total, factor) = match plan.slowness {
            slow if slow > 1.0 => (None, slow.min(4.0)),
            _ => (total, 1.0),
        };
        let whole = total.map_or(Duration::ZERO, Duration::from_secs_f64);
        Budget {
            end: total.map(|_| began + whole),
            reserve: whole.mul_f64(RESERVE),
            to_come: shares.iter().sum(),
            factor: factor * plan.profile.choose(1.0, 12.0, 120.0),
        }
    }

    /// Whether there is nothing left to begin another check with.
    pub fn is_spent(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() + self.reserve + LEAST >= end)
    }

    /// A check of this share begins: how long it is to look at samples, and when it has to end.
    pub fn begin(&mut self, share: f64) -> (Duration, Option<Instant>) {
        let now = Instant::now();
        let wanted = Duration::from_secs_f64(share * self.factor);
        let Some(end) = self.end else { return (wanted, None) };
        let left = (end - self.reserve).saturating_duration_since(now);
        let fair = left.mul_f64((share / self.to_come.max(share)).min(1.0));
        self.to_come -= share;
        // Twice its share at most, so that one check does not eat what the others left over.
        let span = fair.min(2 * wanted).max(LEAST);
        // Half as much again is for the search that runs when the time is up.
        (span, Some((now + span + span / 2 + Duration::from_secs(1)).min(end)))
    }

    /// When every check has to be done.
    pub fn end(&self) -> Option<Instant> {
        self.end
    }

    /// Until when the findings of the check that has just ended may be shown again, and when that
    /// has to end for good.
    pub fn confirm_until(&self) -> (Instant, Option<Instant>) {
        let wanted = Instant::now() + Duration::from_secs_f64(12.0 * self.factor.min(10.0));
        let last = self.end.map(|end| end + GRACE);
        (last.map_or(wanted, |last| wanted.min(last)), last)
    }
}
