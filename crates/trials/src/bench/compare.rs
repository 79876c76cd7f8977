//! Which of two is faster, and how sure that is.
//!
//! What is compared is the logarithm of the ratio of two speeds in the same run, measured one right
//! after the other, position by position, by processor time where the system tells it: what other
//! programs take from the machine is then not counted. From five runs on, each run is one value;
//! with fewer, each position. Either way the values are independent enough for Student's interval.

use super::result::{BenchResult, EngineBench, Measure};
use dyno_driver::SCHEMA;
use dyno_stats::{Interval, Spread};
use serde::{Deserialize, Serialize};

/// Shorter searches measure the pipe more than the engine.
const SHORTEST_MS: f64 = 2.0;
/// From this many runs on, runs are what is averaged over.
const ENOUGH_RUNS: usize = 5;

/// What the values behind an interval are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    Runs,
    Positions,
}

/// By which clock two engines were compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// From `go` to `bestmove`.
    #[default]
    Wall,
    /// The processor time of the engine.
    Processor,
}

/// How much faster one engine is than another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpeedRatio {
    /// The engine that is the measure.
    pub base: usize,
    /// The engine that is measured by it.
    pub engine: usize,
    /// Its speed by the base's: 1.05 is five per cent faster. 95 % interval.
    pub ratio: Interval,
    pub basis: Basis,
    #[serde(default)]
    pub clock: Clock,
    /// How many values the interval rests on.
    pub values: usize,
    /// Pairs too short to measure.
    pub left_out: usize,
    /// Whether both searched exactly the same nodes.
    pub same_signature: Option<bool>,
}

impl SpeedRatio {
    /// Whether the interval leaves no doubt that there is a difference.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        !self.ratio.contains(1.0)
    }
}

/// What a fresh process may gain or lose by its place in memory: few runs do not average it out.
const LUCK: f64 = 0.005;

/// The ratio of two engines measured in turn; `None` when there is too little to compare.
pub(super) fn speed_ratio(
    engines: &[EngineBench],
    base: usize,
    engine: usize,
    positions: usize,
) -> Option<SpeedRatio> {
    let (a, b) = (&engines[base], &engines[engine]);
    let clock = clock_of([a, b]);
    let mut left_out = 0;
    let mut pairs = Pairs { table: vec![Vec::new(); positions], clock };
    for first in a.measures.iter().filter(|m| m.status.counts()) {
        let partner = |m: &&Measure| (m.run, m.position) == (first.run, first.position);
        let Some(second) = b.measures.iter().filter(|m| m.status.counts()).find(partner) else {
            continue;
        };
        if first.time_ms.min(second.time_ms) < SHORTEST_MS {
            left_out += 1;
        } else {
            pairs.table[first.position].push((first, second));
        }
    }
    let (basis, values) = pairs.values();
    let mut log = Interval::of_mean(&values)?;
    if basis == Basis::Positions {
        log = Interval { low: log.low - LUCK, high: log.high + LUCK, ..log };
    }
    let same_signature = a.signature.zip(b.signature).map(|(a, b)| a == b);
    let (ratio, values) = (log.exp(), values.len());
    Some(SpeedRatio { base, engine, ratio, basis, clock, values, left_out, same_signature })
}

/// Several threads share a search out by time, so their processor time says little about it.
fn clock_of(engines: [&EngineBench; 2]) -> Clock {
    let tells = |engine: &EngineBench| {
        let mut done = engine.measures.iter().filter(|m| m.status.counts());
        !engine.has_several_threads() && done.all(|m| m.cpu_ms.is_some_and(|ms| ms > 0.0))
    };
    if engines.into_iter().all(tells) { Clock::Processor } else { Clock::Wall }
}

/// The searches of two engines, by position.
struct Pairs<'a> {
    table: Vec<Vec<(&'a Measure, &'a Measure)>>,
    clock: Clock,
}

impl Pairs<'_> {
    /// The independent values: a run each, or a position each where there are few runs.
    fn values(&self) -> (Basis, Vec<f64>) {
        let runs = self.table.iter().map(Vec::len).max().unwrap_or(0);
        // Only positions measured in every run: otherwise runs would differ by what they contain.
        let whole: Vec<_> = self.table.iter().filter(|row| row.len() == runs).collect();
        if runs >= ENOUGH_RUNS {
            let of_run = |run: usize| self.log_ratio(whole.iter().map(|row| row[run]));
            return (Basis::Runs, (0..runs).filter_map(of_run).collect());
        }
        let of_position = |row: &Vec<_>| self.log_ratio(row.iter().copied());
        (Basis::Positions, self.table.iter().filter_map(of_position).collect())
    }

    /// The speed of the second by that of the first over some searches: by nodes a second where
    /// both tell their nodes, by time where one does not.
    fn log_ratio<'m>(
        &self,
        pairs: impl Iterator<Item = (&'m Measure, &'m Measure)>,
    ) -> Option<f64> {
        let time = |m: &Measure| match self.clock {
            Clock::Processor => m.cpu_ms.unwrap_or(m.time_ms),
            Clock::Wall => m.time_ms,
        };
        let (mut times, mut nodes) = ((0.0, 0.0), Some((0.0, 0.0)));
        for (a, b) in pairs {
            times = (times.0 + time(a), times.1 + time(b));
            let both = a.nodes.zip(b.nodes).zip(nodes);
            nodes = both.map(|((a, b), (x, y))| (x + a as f64, y + b as f64));
        }
        let (a, b) = nodes.unwrap_or((1.0, 1.0));
        let log = ((b / times.1) / (a / times.0)).ln();
        // A search without a single node has no speed.
        log.is_finite().then_some(log)
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0usize), |(sum, count), v| (sum + v, count + 1));
    (count > 0).then(|| sum / count as f64)
}

/// Why an earlier bench cannot be compared with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MismatchError {
    #[error("it was made with {then}, this one with {now}: give the same limit")]
    Limit { then: String, now: String },
    #[error("it was made on other positions ({then}): give the same --epd")]
    Positions { then: String },
    #[error("it has no engine called {name:?}, but {others}")]
    Engine { name: String, others: String },
    #[error("it has schema {0}, which this version of Dyno does not know")]
    Schema(u32),
}

/// An engine now against an engine then. The two were not measured in turn, so a plain ratio of
/// their speeds would be one of the machine's moods, too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    pub engine: String,
    pub earlier: String,
    /// Whether the program's file is the very same.
    pub same_file: Option<bool>,
    pub signature: Option<u64>,
    pub earlier_signature: Option<u64>,
    pub speed: Option<Spread>,
    pub earlier_speed: Option<Spread>,
    /// The machine's speed now by its speed then, by the same fixed work of Dyno's.
    pub machine: Option<f64>,
    /// Speed now by speed then, by processor time and corrected by the machine's speed; absent
    /// where that was not measured.
    pub corrected: Option<f64>,
    /// Its 95 % interval over the runs, widened by [`DRIFT`]; absent with fewer than three runs
    /// on either side.
    pub ratio: Option<Interval>,
}

/// What the correction cannot see: caches and memory shared with others, the layout of a process.
pub const DRIFT: f64 = 0.02;

impl Comparison {
    /// Whether the node counts are the same: no functional change.
    #[must_use]
    pub fn same_signature(&self) -> Option<bool> {
        self.signature.zip(self.earlier_signature).map(|(a, b)| a == b)
    }

    /// How much is surely lost, in per cent: the better end of the interval, or else the best
    /// estimate there is.
    #[must_use]
    pub fn slowdown(&self) -> Option<f64> {
        let plain = self.speed.zip(self.earlier_speed).map(|(now, then)| now.median / then.median);
        let ratio = self.ratio.map(|r| r.high).or(self.corrected).or(plain)?;
        Some((1.0 - ratio) * 100.0)
    }
}

/// Compares with an earlier bench: engine by engine by name, or the only one with the only one.
pub fn compare(now: &BenchResult, then: &BenchResult) -> Result<Vec<Comparison>, MismatchError> {
    if then.header.schema > SCHEMA {
        return Err(MismatchError::Schema(then.header.schema));
    }
    if now.limit_text() != then.limit_text() {
        return Err(MismatchError::Limit { then: then.limit_text(), now: now.limit_text() });
    }
    let fens = |result: &BenchResult| -> Vec<String> {
        result.positions.iter().map(|p| p.fen.clone()).collect()
    };
    if fens(now) != fens(then) {
        return Err(MismatchError::Positions { then: then.source.clone() });
    }
    now.engines
        .iter()
        .map(|engine| {
            let same_work = now.yardstick.is_some() && now.yardstick == then.yardstick;
            Ok(against(engine, partner(now, then, engine)?, same_work))
        })
        .collect()
}

fn partner<'a>(
    now: &BenchResult,
    then: &'a BenchResult,
    engine: &EngineBench,
) -> Result<&'a EngineBench, MismatchError> {
    let named = then.engines.iter().find(|e| e.engine.name == engine.engine.name);
    let only = match (&now.engines[..], &then.engines[..]) {
        // Versions are often part of a name, and comparing versions is what this is for.
        ([_], [one]) => Some(one),
        _ => None,
    };
    named.or(only).ok_or_else(|| {
        let names: Vec<String> =
            then.engines.iter().map(|e| format!("{:?}", e.engine.name)).collect();
        MismatchError::Engine { name: engine.engine.name.clone(), others: names.join(", ") }
    })
}

fn against(now: &EngineBench, then: &EngineBench, same_work: bool) -> Comparison {
    let hashes = now.engine.file_hash.as_ref().zip(then.engine.file_hash.as_ref());
    let paces = |engine: &EngineBench| if same_work { engine.paces() } else { Vec::new() };
    let (paces_now, paces_then) = (paces(now), paces(then));
    let average = |values: &[f64]| mean(values.iter().copied());
    let corrected = average(&paces_now).zip(average(&paces_then)).map(|(a, b)| (a - b).exp());
    let work = |engine: &EngineBench| {
        mean(engine.runs.iter().filter(|r| r.complete && same_work).filter_map(|r| r.yardstick_ms))
    };
    // Runs of two days have no partners: any pairing gives an interval of the right width.
    let pairs: Vec<f64> = paces_now.iter().zip(&paces_then).map(|(a, b)| a - b).collect();
    let interval = (pairs.len() >= 3).then(|| Interval::of_mean(&pairs)).flatten();
    let ratio = interval.zip(corrected).map(|(interval, ratio)| {
        let room = (interval.high - interval.low) / 2.0 + DRIFT;
        Interval { mean: ratio, low: ratio * (-room).exp(), high: ratio * room.exp() }
    });
    Comparison {
        engine: now.engine.name.clone(),
        earlier: then.engine.name.clone(),
        same_file: hashes.map(|(a, b)| a == b),
        signature: now.signature,
        earlier_signature: then.signature,
        speed: now.speed,
        earlier_speed: then.speed,
        machine: work(now).zip(work(then)).map(|(now, then)| then / now),
        corrected,
        ratio,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use dyno_driver::{EngineIdentity, Go, RunHeader};

    /// An engine whose time on each position and run is given.
    fn engine(name: &str, runs: u32, time: impl Fn(u32, usize) -> f64) -> EngineBench {
        let record = EngineIdentity { name: name.to_owned(), ..EngineIdentity::default() };
        let mut engine = EngineBench::new(record);
        for run in 0..runs {
            for position in 0..4 {
                let (nodes, time_ms) = (Some(1000 * (position as u64 + 1)), time(run, position));
                engine.measures.push(Measure {
                    run,
                    position,
                    nodes,
                    time_ms,
                    cpu_ms: Some(time_ms),
                    yardstick_ms: Some(2.0),
                    ..Measure::default()
                });
            }
        }
        engine
    }

    fn bench(engines: Vec<EngineBench>) -> BenchResult {
        let position =
            |i: usize| super::super::BenchPosition { id: i.to_string(), fen: i.to_string() };
        let mut result = BenchResult {
            header: RunHeader::default(),
            source: "list".to_owned(),
            limit: Some(Go::depth(5)),
            own: None,
            runs: 1,
            yardstick: Some("work".to_owned()),
            positions: (0..4).map(position).collect(),
            skipped: Vec::new(),
            engines,
            ratios: Vec::new(),
            warnings: Vec::new(),
            interrupted: false,
        };
        result.sum_up();
        result
    }

    /// Noise that a slow phase of the machine brings to both engines alike.
    fn phase(run: u32, position: usize) -> f64 {
        1.0 + f64::from((run * 7 + position as u32 * 3) % 5) / 2.0
    }

    #[test]
    fn common_noise_cancels_in_turns() {
        let slow = engine("slow", 3, |r, p| 100.0 * phase(r, p));
        let fast = engine("fast", 3, |r, p| 80.0 * phase(r, p) * (1.0 + p as f64 / 1000.0));
        let result = bench(vec![slow, fast]);
        let ratio = &result.ratios[0];
        assert_eq!((ratio.basis, ratio.values), (Basis::Positions, 4));
        assert!((ratio.ratio.mean - 1.248).abs() < 0.002, "{ratio:?}");
        assert!(ratio.is_certain() && ratio.ratio.low > 1.24 * (-LUCK).exp());
        assert_eq!(ratio.same_signature, Some(true));
    }

    #[test]
    fn many_runs_are_values_of_their_own() {
        let a = engine("a", 5, |r, _| 100.0 + f64::from(r % 2));
        let b = engine("b", 5, |r, _| 100.0 + f64::from((r + 1) % 2));
        let result = bench(vec![a, b]);
        assert_eq!((result.ratios[0].basis, result.ratios[0].values), (Basis::Runs, 5));
        assert!(!result.ratios[0].is_certain());
    }

    #[test]
    fn too_short_searches_are_left_out() {
        let a = engine("a", 1, |_, p| if p == 0 { 0.1 } else { 50.0 });
        let b = engine("b", 1, |_, p| if p == 0 { 0.9 } else { 50.0 });
        let result = bench(vec![a, b]);
        assert_eq!((result.ratios[0].left_out, result.ratios[0].values), (1, 3));
        assert!((result.ratios[0].ratio.mean - 1.0).abs() < 1e-12);
    }

    #[test]
    fn an_earlier_bench_must_fit() {
        let then = bench(vec![engine("v1", 3, |_, _| 200.0)]);
        let now = bench(vec![engine("v2", 3, |_, p| 180.0 + p as f64)]);
        let found = &compare(&now, &then).unwrap()[0];
        assert_eq!((found.earlier.as_str(), found.same_signature()), ("v1", Some(true)));
        assert!(found.ratio.unwrap().low > 1.05, "{found:?}");
        let mut deeper = then.clone();
        deeper.limit = Some(Go::depth(6));
        let error = compare(&now, &deeper).unwrap_err().to_string();
        assert!(error.contains("depth 6") && error.contains("depth 5"), "{error}");
        let mut elsewhere = then.clone();
        elsewhere.positions[0].fen = "x".to_owned();
        assert!(matches!(compare(&now, &elsewhere), Err(MismatchError::Positions { .. })));
        let two = bench(vec![engine("x", 1, |_, _| 9.0), engine("y", 1, |_, _| 9.0)]);
        assert!(matches!(compare(&now, &two), Err(MismatchError::Engine { .. })));
    }

    #[test]
    fn a_slow_day_of_the_machine_is_no_slowdown_of_the_engine() {
        let then = bench(vec![engine("v", 3, |r, _| 200.0 + f64::from(r))]);
        // Half as fast, and so was Dyno's own work; on top of that, others took processor time.
        let mut now = bench(vec![engine("v", 3, |r, _| 400.0 + 2.0 * f64::from(r))]);
        for measure in &mut now.engines[0].measures {
            measure.yardstick_ms = Some(4.0);
            measure.time_ms *= 3.0;
        }
        now.sum_up();
        let found = &compare(&now, &then).unwrap()[0];
        assert!((found.machine.unwrap() - 0.5).abs() < 1e-9, "{found:?}");
        assert!((found.corrected.unwrap() - 1.0).abs() < 1e-3, "{found:?}");
        assert!(found.ratio.unwrap().contains(1.0) && found.slowdown().unwrap() < 0.0);
        // Another build of Dyno does other work: nothing can be corrected.
        now.yardstick = Some("other work".to_owned());
        let found = &compare(&now, &then).unwrap()[0];
        assert_eq!((found.machine, found.corrected, found.ratio), (None, None, None));
        assert!(found.slowdown().unwrap() > 80.0);
    }

    #[test]
    fn few_runs_give_no_interval() {
        let then = bench(vec![engine("v", 2, |_, _| 200.0)]);
        let now = bench(vec![engine("v", 2, |_, _| 190.0)]);
        let found = &compare(&now, &then).unwrap()[0];
        assert!(found.ratio.is_none() && found.corrected.is_some(), "{found:?}");
    }
}
