//! The sums over one engine's answers, taken as they come.

use super::result::{DepthTotals, MateResult, MateTotals, ScoreCounts};
use std::collections::BTreeMap;

/// The sums of one engine.
#[derive(Default)]
pub(super) struct EngineTally {
    all: MateTally,
    by_score: ScoreCounts,
    /// Mates to give first, the shortest first; then mates to suffer.
    depths: BTreeMap<(bool, u32), (i32, MateTally)>,
}

impl EngineTally {
    pub(super) fn add(&mut self, result: &MateResult) {
        self.all.add(result);
        self.by_score.add(result);
        let key = (result.stated <= 0, result.stated.unsigned_abs());
        self.depths.entry(key).or_insert((result.stated, MateTally::default())).1.add(result);
    }

    pub(super) fn finish(self) -> (MateTotals, ScoreCounts, Vec<DepthTotals>) {
        let depth = |(mate, tally): (i32, MateTally)| DepthTotals { mate, totals: tally.finish() };
        let depths = self.depths.into_values().map(depth).collect();
        (self.all.finish(), self.by_score, depths)
    }
}

/// Sums, and what the medians are taken of.
#[derive(Default)]
struct MateTally {
    totals: MateTotals,
    times: Vec<f64>,
    nodes: Vec<u64>,
}

impl MateTally {
    fn add(&mut self, result: &MateResult) {
        self.totals.add(result);
        if let (Some(found), Some(true)) = (result.found, result.verdict.correct()) {
            self.times.push(found.time_ms);
            self.nodes.extend(found.nodes);
        }
    }

    fn finish(mut self) -> MateTotals {
        self.times.sort_by(f64::total_cmp);
        self.nodes.sort_unstable();
        self.totals.median_ms = self.times.get(self.times.len() / 2).copied();
        self.totals.median_nodes = self.nodes.get(self.nodes.len() / 2).copied();
        self.totals
    }
}
