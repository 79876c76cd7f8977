//! Which match a worker serves next: by priority, and by shares among equals.

use std::collections::BTreeMap;

/// A match that could be served.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub run: String,
    pub priority: i32,
    pub share: f64,
}

/// Remembers what each match got.
#[derive(Debug, Default)]
pub struct Schedule {
    /// Pairs taken, divided by the share: the lowest is next.
    served: BTreeMap<String, f64>,
}

impl Schedule {
    /// The candidates in the order in which they are to be asked for work.
    pub fn order(&mut self, candidates: &[Candidate]) -> Vec<String> {
        self.served.retain(|run, _| candidates.iter().any(|candidate| candidate.run == *run));
        // A newcomer starts level with the others, not with all that it missed.
        let level = self.served.values().copied().fold(f64::INFINITY, f64::min);
        let level = if level.is_finite() { level } else { 0.0 };
        for candidate in candidates {
            self.served.entry(candidate.run.clone()).or_insert(level);
        }
        let mut order: Vec<&Candidate> = candidates.iter().collect();
        let served = |candidate: &Candidate| self.served.get(&candidate.run).copied();
        order.sort_by(|a, b| {
            let by_share = served(a).partial_cmp(&served(b)).unwrap_or(std::cmp::Ordering::Equal);
            b.priority.cmp(&a.priority).then(by_share).then_with(|| a.run.cmp(&b.run))
        });
        order.into_iter().map(|candidate| candidate.run.clone()).collect()
    }

    /// A match got a pair.
    pub fn serve(&mut self, candidate: &Candidate) {
        let share = candidate.share.max(1e-6);
        *self.served.entry(candidate.run.clone()).or_default() += 1.0 / share;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(run: &str, priority: i32, share: f64) -> Candidate {
        Candidate { run: run.to_owned(), priority, share }
    }

    #[test]
    fn shares_are_kept_and_priorities_come_first() {
        let mut schedule = Schedule::default();
        let all = [candidate("a", 0, 3.0), candidate("b", 0, 1.0)];
        let mut got = BTreeMap::new();
        for _ in 0..400 {
            let first = schedule.order(&all)[0].clone();
            *got.entry(first.clone()).or_insert(0) += 1;
            all.iter().filter(|c| c.run == first).for_each(|c| schedule.serve(c));
        }
        assert_eq!((got["a"], got["b"]), (300, 100));
        let urgent = [all[0].clone(), all[1].clone(), candidate("c", 5, 1.0)];
        assert_eq!(schedule.order(&urgent)[0], "c");
        let late = [all[0].clone(), candidate("d", 0, 1.0)];
        let mut firsts = Vec::new();
        for _ in 0..8 {
            let first = schedule.order(&late)[0].clone();
            late.iter().filter(|c| c.run == first).for_each(|c| schedule.serve(c));
            firsts.push(first);
        }
        assert!(
            firsts.contains(&"a".to_owned()),
            "a newcomer does not take everything: {firsts:?}"
        );
    }
}
