//! What came from which machine, and whose results stand out.

use super::record::{FaultKind, GameRecord};
use dyno_stats::{Homogeneity, Occurrences, normal_quantile};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// What one worker has brought.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkerTally {
    pub name: String,
    pub games: u64,
    /// Pairs by points of the engine that comes first in the plan, worst first.
    pub pairs: [u64; 5],
    /// Games lost on time, and by a crash or a hang, by either engine.
    pub time_losses: u64,
    pub crashes: u64,
    /// The factor on the time limits, and nodes a second, as last told.
    pub time_factor: Option<f64>,
    pub nps: Option<u64>,
}

/// A worker that stands out among the others by more than chance explains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suspicion {
    pub worker: String,
    /// `time losses`, `crashes` or `scores`.
    pub what: String,
    /// In words, with figures.
    pub detail: String,
}

/// The tallies of all workers.
#[derive(Clone, Debug, Default)]
pub struct WorkerTallies {
    tallies: BTreeMap<String, WorkerTally>,
    /// Half points in games whose partner is not finished.
    halves: HashMap<u64, u8>,
}

/// The chance that any honest worker of a match is suspected.
const FALSE_ALARM: f64 = 0.01;
/// χ² wants at least this many pairs of every kind where it is used.
const FEWEST_EXPECTED: f64 = 5.0;

impl WorkerTallies {
    /// Counts a game, if a worker played it.
    pub fn add(&mut self, record: &GameRecord) {
        let Some(worker) = &record.worker else { return };
        let (points, slot) = (record.result.points, &record.slot);
        // What the engine scored that comes first in the plan.
        let half = if slot.white < slot.black { points.white() } else { points.black() };
        let tally = self.tallies.entry(worker.name.clone()).or_default();
        tally.name.clone_from(&worker.name);
        tally.games += 1;
        (tally.time_factor, tally.nps) = (worker.time_factor, worker.nps);
        let had = |kinds: &[FaultKind]| record.faults.iter().any(|f| kinds.contains(&f.kind));
        tally.time_losses += u64::from(had(&[FaultKind::TimeLoss]));
        tally.crashes += u64::from(had(&[FaultKind::Crash, FaultKind::Hang]));
        let Some(partner) = record.slot.partner else { return };
        match self.halves.remove(&partner) {
            Some(other) => tally.pairs[usize::from(half + other).min(4)] += 1,
            None => drop(self.halves.insert(record.slot.number, half)),
        }
    }

    pub fn list(&self) -> Vec<WorkerTally> {
        self.tallies.values().cloned().collect()
    }
}

/// Whose results stand out. All tests together suspect an honest worker once in a hundred matches.
pub fn suspicions(tallies: &[WorkerTally]) -> Vec<Suspicion> {
    if tallies.len() < 2 {
        return Vec::new();
    }
    let level = FALSE_ALARM / 3.0 / tallies.len() as f64;
    let mut found = by_rate(tallies, "time losses", level, |tally| tally.time_losses);
    found.extend(by_rate(tallies, "crashes", level, |tally| tally.crashes));
    found.extend(by_score(tallies));
    found
}

fn by_rate(
    tallies: &[WorkerTally],
    what: &str,
    level: f64,
    count: fn(&WorkerTally) -> u64,
) -> Vec<Suspicion> {
    let everywhere: u64 = tallies.iter().map(count).sum();
    let all_trials: u64 = tallies.iter().map(|tally| tally.games).sum();
    let suspicion = |tally: &WorkerTally| {
        let (here, trials) = (count(tally), tally.games);
        let p = Occurrences { here, trials, everywhere, all_trials }.excess();
        let (others, other_games) = (everywhere - here, all_trials - trials);
        (here > 0 && p < level).then(|| Suspicion {
            worker: tally.name.clone(),
            what: what.to_owned(),
            detail: format!(
                "{here} {what} in {trials} games, where the others have {others} in {other_games}: by chance once in {}",
                once_in(p)
            ),
        })
    };
    tallies.iter().filter_map(suspicion).collect()
}

/// χ² of lost, even and won pairs. Workers with too few of them are taken together.
fn by_score(tallies: &[WorkerTally]) -> Vec<Suspicion> {
    let three = |pairs: [u64; 5]| [pairs[0] + pairs[1], pairs[2], pairs[3] + pairs[4]];
    let mut columns = [0u64; 3];
    for tally in tallies {
        columns.iter_mut().zip(three(tally.pairs)).for_each(|(sum, n)| *sum += n);
    }
    let all: u64 = columns.iter().sum();
    let rarest = columns.into_iter().min().unwrap_or(0) as f64 / all.max(1) as f64;
    let is_judged =
        |tally: &&WorkerTally| tally.pairs.iter().sum::<u64>() as f64 * rarest >= FEWEST_EXPECTED;
    let mut rows: Vec<(&str, [u64; 5])> =
        tallies.iter().filter(is_judged).map(|tally| (tally.name.as_str(), tally.pairs)).collect();
    let judged = rows.len();
    let mut rest = [0u64; 5];
    for tally in tallies.iter().filter(|tally| !is_judged(tally)) {
        rest.iter_mut().zip(tally.pairs).for_each(|(sum, n)| *sum += n);
    }
    rows.push(("", rest));
    let Some(test) = Homogeneity::test(rows) else { return Vec::new() };
    let limit = normal_quantile(1.0 - FALSE_ALARM / 3.0 / judged.max(1) as f64);
    let suspicion = |source: &dyno_stats::Source| {
        let tally = tallies.iter().find(|tally| tally.name == source.name)?;
        (source.residual > limit).then(|| Suspicion {
            worker: source.name.clone(),
            what: "scores".to_owned(),
            detail: format!(
                "pairs {:?} differ from those of the others by {:.1} deviations (limit {limit:.1})",
                tally.pairs, source.residual
            ),
        })
    };
    test.sources.iter().filter_map(suspicion).collect()
}

/// A probability as people say it.
fn once_in(p: f64) -> String {
    if p < 1e-12 { "more than a billion".to_owned() } else { format!("{:.0}", 1.0 / p) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use dyno_chess::SplitMix64;

    const PAIRS: [f64; 5] = [0.03, 0.22, 0.48, 0.24, 0.03];

    fn worker(rng: &mut SplitMix64, name: usize, pairs: u64, time_losses: f64) -> WorkerTally {
        let mut tally = WorkerTally { name: format!("w{name}"), ..WorkerTally::default() };
        for _ in 0..pairs {
            let mut at = rng.unit();
            let kind = PAIRS.iter().position(|p| {
                at -= p;
                at < 0.0
            });
            tally.pairs[kind.unwrap_or(4)] += 1;
            tally.games += 2;
            for _ in 0..2 {
                tally.time_losses += u64::from(rng.unit() < time_losses);
                tally.crashes += u64::from(rng.unit() < 0.001);
            }
        }
        tally
    }

    #[test]
    fn honest_workers_are_left_alone() {
        let mut rng = SplitMix64::new(20);
        let mut alarms = 0;
        let runs = 400;
        for run in 0..runs {
            // Unequal speeds: from 10 to 400 pairs each.
            let pairs = |i: u64| 10 + (i * 37 + run) % 390;
            let tallies: Vec<WorkerTally> =
                (0..50).map(|i| worker(&mut rng, i as usize, pairs(i), 0.002)).collect();
            alarms += u32::from(!suspicions(&tallies).is_empty());
        }
        assert!(
            alarms * 100 <= runs as u32,
            "{alarms} false alarms in {runs} matches of 50 workers"
        );
    }

    #[test]
    fn a_worker_that_loses_on_time_is_found() {
        let mut rng = SplitMix64::new(7);
        for _ in 0..50 {
            let mut tallies: Vec<WorkerTally> =
                (0..49).map(|i| worker(&mut rng, i, 40, 0.002)).collect();
            tallies.push(worker(&mut rng, 99, 40, 0.10));
            let found = suspicions(&tallies);
            let names: Vec<&str> = found.iter().map(|s| s.worker.as_str()).collect();
            // Ten in a hundred of 80 games: now and then it has luck.
            let many = tallies.last().unwrap().time_losses >= 5;
            assert!(!many || names.contains(&"w99"), "{found:?}");
        }
    }

    #[test]
    fn odd_scores_are_found() {
        let mut rng = SplitMix64::new(3);
        let mut tallies: Vec<WorkerTally> = (0..9).map(|i| worker(&mut rng, i, 200, 0.0)).collect();
        tallies.push(WorkerTally {
            name: "odd".into(),
            games: 400,
            pairs: [30, 90, 60, 18, 2],
            ..WorkerTally::default()
        });
        let found = suspicions(&tallies);
        assert!(found.iter().any(|s| s.worker == "odd" && s.what == "scores"), "{found:?}");
        assert!(suspicions(&tallies[..1]).is_empty(), "no other worker to compare with");
    }
}
