//! What a bench yields: plain values, the same for every report and for later comparison.

use super::compare::{SpeedRatio, speed_ratio};
use super::positions::{BenchPosition, Skipped};
use dyno_driver::{EngineIdentity, Go, RunHeader};
use dyno_stats::Spread;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How a measure went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The engine ended the search by itself.
    #[default]
    Done,
    /// It searched on beyond the depth and was stopped; what it had at the depth counts.
    RanOn,
    /// It was not done in time, and was stopped.
    Overran,
    /// It did not even react to `stop`.
    Hung,
    /// The process ended.
    Crashed,
    /// It has no bench of its own.
    NoBench,
}

impl Status {
    /// Whether the figures can be used.
    #[must_use]
    pub fn counts(self) -> bool {
        matches!(self, Status::Done | Status::RanOn)
    }
}

/// One search, or one run of an engine's own bench.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// From 0.
    pub run: u32,
    /// The place in the list, from 0.
    pub position: usize,
    pub status: Status,
    /// The engine's last count; absent when it tells none.
    pub nodes: Option<u64>,
    /// From `go` to `bestmove`, by Dyno's clock; the engine's own clock for its own bench.
    pub time_ms: f64,
    /// The processor time the engine spent on it, where the system tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<f64>,
    /// The processor time that Dyno's own fixed work took right after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yardstick_ms: Option<f64>,
    /// What the engine says its speed is.
    pub own_nps: Option<u64>,
    pub depth: Option<u32>,
    pub best: String,
    /// What went wrong, in words.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub trouble: String,
}

impl Measure {
    pub(super) fn failed(status: Status, trouble: String) -> Self {
        Self { status, trouble, ..Self::default() }
    }

    /// Nodes per second, by Dyno's clock.
    #[must_use]
    pub fn nps(&self) -> Option<f64> {
        let nodes = self.nodes.filter(|_| self.status.counts() && self.time_ms > 0.0)?;
        Some(nodes as f64 * 1e3 / self.time_ms)
    }
}

/// One pass over all positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunTotals {
    pub nodes: u64,
    pub time_ms: f64,
    pub nps: Option<f64>,
    /// The engine's processor time and that of Dyno's own fixed work beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yardstick_ms: Option<f64>,
    /// Every position was searched to its end.
    pub complete: bool,
}

impl RunTotals {
    /// Nodes per second of the engine's processor time: what other programs take from the machine
    /// does not show in it.
    #[must_use]
    pub fn cpu_nps(&self) -> Option<f64> {
        let cpu = self.cpu_ms.filter(|cpu| *cpu >= SHORTEST_MS)?;
        (self.complete && self.nodes > 0).then(|| self.nodes as f64 * 1e3 / cpu)
    }
}

/// Systems tell processor time in steps of ten milliseconds, and any program that runs beside takes
/// as much of the wall clock's: runs shorter than this say nothing of speed.
const SHORTEST_MS: f64 = 500.0;

/// One engine's figures.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EngineBench {
    pub engine: EngineIdentity,
    /// The sum of nodes over all positions of a run at fixed depth; absent when a run is
    /// incomplete, or when runs differ.
    pub signature: Option<u64>,
    /// Whether all runs counted the same nodes; absent after a single run.
    pub reproducible: Option<bool>,
    /// Positions whose nodes differ from run to run.
    pub unsteady: Vec<usize>,
    pub runs: Vec<RunTotals>,
    /// Nodes per second over the complete runs.
    pub speed: Option<Spread>,
    pub measures: Vec<Measure>,
    /// Why the engine was given up, if it was.
    pub trouble: String,
}

impl EngineBench {
    pub(super) fn new(engine: EngineIdentity) -> Self {
        Self {
            engine,
            signature: None,
            reproducible: None,
            unsteady: Vec::new(),
            runs: Vec::new(),
            speed: None,
            measures: Vec::new(),
            trouble: String::new(),
        }
    }

    /// The speed of each complete run in units of the machine's: nodes in the processor time that
    /// Dyno's own work took beside them, as logarithms.
    pub(super) fn paces(&self) -> Vec<f64> {
        let pace = |run: &RunTotals| Some(run.yardstick_ms?.ln() + run.cpu_nps()?.ln());
        self.runs.iter().filter_map(pace).collect()
    }

    /// The mean of the runs' speeds in units of the machine's own.
    #[must_use]
    pub fn pace(&self) -> Option<f64> {
        let paces = self.paces();
        (!paces.is_empty()).then(|| (paces.iter().sum::<f64>() / paces.len() as f64).exp())
    }

    /// Whether a run took long enough for its speed to be compared with another day's.
    #[must_use]
    pub fn ran_long_enough(&self) -> bool {
        self.runs.iter().any(|run| run.cpu_ms.unwrap_or(run.time_ms) >= SHORTEST_MS)
    }

    /// How far the runs' speeds lie from each other, to either side, as a share of the speed.
    #[must_use]
    pub fn pace_noise(&self) -> f64 {
        Spread::of(&self.paces()).map_or(0.0, |spread| (spread.most - spread.least) / 2.0)
    }

    /// Whether it was told to search with several threads.
    #[must_use]
    pub fn has_several_threads(&self) -> bool {
        let is_threads = |name: &str| name.eq_ignore_ascii_case("threads");
        let option = self.engine.options.iter().find(|(name, _)| is_threads(name));
        option.is_some_and(|(_, value)| value.trim() != "1")
    }

    /// The measures of one position, run by run.
    pub fn of_position(&self, position: usize) -> impl Iterator<Item = &Measure> {
        self.measures.iter().filter(move |m| m.position == position)
    }

    /// The median speed on one position.
    #[must_use]
    pub fn median_nps(&self, position: usize) -> Option<f64> {
        let speeds: Vec<f64> = self.of_position(position).filter_map(Measure::nps).collect();
        Spread::of(&speeds).map(|s| s.median)
    }

    /// The median time on one position.
    #[must_use]
    pub fn median_ms(&self, position: usize) -> Option<f64> {
        let times: Vec<f64> =
            self.of_position(position).filter(|m| m.status.counts()).map(|m| m.time_ms).collect();
        Spread::of(&times).map(|s| s.median)
    }

    /// Searches that failed.
    #[must_use]
    pub fn failures(&self) -> usize {
        self.measures.iter().filter(|m| !m.status.counts()).count()
    }

    fn sum_up(&mut self, positions: usize, has_signature: bool) {
        let last = self.measures.iter().map(|m| m.run + 1).max().unwrap_or(0);
        self.runs = (0..last).map(|run| self.totals(run, positions)).collect();
        let complete: Vec<&RunTotals> = self.runs.iter().filter(|r| r.complete).collect();
        let speeds: Vec<f64> = complete.iter().filter_map(|r| r.nps).collect();
        self.speed = Spread::of(&speeds);
        if !has_signature {
            return;
        }
        let nodes = |p: usize| self.of_position(p).filter(|m| m.status.counts()).map(|m| m.nodes);
        let differs = |p: &usize| {
            let mut counts = nodes(*p);
            let first = counts.next();
            counts.any(|count| Some(count) != first)
        };
        self.unsteady = (0..positions).filter(differs).collect();
        let counted = self.measures.iter().all(|m| m.nodes.is_some() || !m.status.counts());
        if complete.len() > 1 && counted {
            self.reproducible = Some(self.unsteady.is_empty());
        }
        let first = complete.first().filter(|_| counted && self.unsteady.is_empty());
        self.signature = first.map(|run| run.nodes);
    }

    fn totals(&self, run: u32, positions: usize) -> RunTotals {
        let of_run = || self.measures.iter().filter(|m| m.run == run && m.status.counts());
        let nodes = of_run().filter_map(|m| m.nodes).sum();
        let time_ms = of_run().map(|m| m.time_ms).sum();
        let tells = of_run().any(|m| m.nodes.is_some());
        let nps = (tells && time_ms > 0.0).then(|| nodes as f64 * 1e3 / time_ms);
        let sum = |get: fn(&Measure) -> Option<f64>| of_run().map(get).sum::<Option<f64>>();
        RunTotals {
            nodes,
            time_ms,
            nps,
            cpu_ms: sum(|m| m.cpu_ms),
            yardstick_ms: sum(|m| m.yardstick_ms),
            complete: of_run().count() == positions,
        }
    }
}

/// The whole bench.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BenchResult {
    #[serde(flatten)]
    pub header: RunHeader<Value>,
    /// The list of positions, or the command of the engines' own bench.
    pub source: String,
    /// The limit of each search; absent for an engine's own bench.
    pub limit: Option<Go>,
    /// The command of the engines' own bench.
    pub own: Option<String>,
    pub runs: u32,
    /// What Dyno's own fixed work is, by which two benches' machines are compared.
    #[serde(default)]
    pub yardstick: Option<String>,
    pub positions: Vec<BenchPosition>,
    pub skipped: Vec<Skipped>,
    pub engines: Vec<EngineBench>,
    /// Each further engine's speed against the first one's.
    pub ratios: Vec<SpeedRatio>,
    pub warnings: Vec<String>,
    pub interrupted: bool,
}

impl BenchResult {
    /// Whether the sum of nodes says what the engine thinks: a fixed depth, or its own bench.
    #[must_use]
    pub fn has_signature(&self) -> bool {
        self.limit.as_ref().is_none_or(|limit| limit.depth.is_some())
    }

    /// `depth 12`, or the command of the engine's own bench.
    #[must_use]
    pub fn limit_text(&self) -> String {
        match (&self.limit, &self.own) {
            (Some(limit), _) => limit.to_string().trim_start_matches("go").trim().to_owned(),
            (None, own) => own.clone().unwrap_or_default(),
        }
    }

    /// Each further engine's speed against the first one's, from the measures so far.
    pub(super) fn compared(&self) -> Vec<SpeedRatio> {
        let all = 1..self.engines.len();
        all.filter_map(|other| speed_ratio(&self.engines, 0, other, self.positions.len())).collect()
    }

    /// Works out everything that follows from the measures.
    pub(super) fn sum_up(&mut self) {
        let (positions, has_signature) = (self.positions.len(), self.has_signature());
        for engine in &mut self.engines {
            engine.sum_up(positions, has_signature);
        }
        self.ratios = self.compared();
        let wanted = self.limit.as_ref().and_then(|limit| limit.depth);
        let remarks: Vec<String> =
            self.engines.iter().flat_map(|engine| remarks(engine, wanted)).collect();
        self.warnings.extend(remarks);
    }
}

/// What a user should know to read the figures rightly.
fn remarks(engine: &EngineBench, depth: Option<u32>) -> Vec<String> {
    let name = &engine.engine.name;
    let done = || engine.measures.iter().filter(|m| m.status.counts());
    let count = |wanted: &dyn Fn(&&Measure) -> bool| done().filter(wanted).count();
    let all = done().count();
    let mut remarks = Vec::new();
    let silent = count(&|m| m.nodes.is_none());
    if silent > 0 {
        remarks.push(format!(
            "{name} tells no nodes in {silent} of {all} searches: no signature, and its speed only \
             by time"
        ));
    }
    let ran_on = count(&|m| m.status == Status::RanOn);
    if ran_on > 0 {
        remarks.push(format!(
            "{name} searches on after the depth is reached ({ran_on} of {all} searches): it was \
             stopped, and its last count at the depth is used"
        ));
    }
    if let Some(depth) = depth {
        let short = count(&|m| m.depth.is_some_and(|d| d < depth));
        if short * 2 > all {
            let deepest = done().filter_map(|m| m.depth).max().unwrap_or(0);
            remarks.push(format!(
                "{name} stops before depth {depth} in {short} of {all} searches (deepest: \
                 {deepest}): it may not keep `go depth`"
            ));
        }
    }
    if depth.is_some() && engine.has_several_threads() {
        remarks.push(format!(
            "{name} runs with several threads: its node counts differ from run to run"
        ));
    } else if engine.reproducible == Some(false) {
        remarks.push(format!(
            "{name} is not reproducible: {} of its positions have other node counts in another run",
            engine.unsteady.len()
        ));
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(run: u32, position: usize, nodes: Option<u64>, time_ms: f64) -> Measure {
        Measure { run, position, nodes, time_ms, ..Measure::default() }
    }

    fn engine(measures: Vec<Measure>) -> EngineBench {
        let mut engine = EngineBench::new(EngineIdentity::default());
        engine.measures = measures;
        engine.sum_up(2, true);
        engine
    }

    #[test]
    fn a_signature_needs_every_position_and_agreement() {
        let once = |nodes| vec![measure(0, 0, Some(10), 1.0), measure(0, 1, nodes, 1.0)];
        let single = engine(once(Some(20)));
        assert_eq!((single.signature, single.reproducible), (Some(30), None));
        assert_eq!(engine(once(None)).signature, None);
        let mut crashed = once(Some(20));
        crashed[1].status = Status::Crashed;
        let crashed = engine(crashed);
        assert_eq!((crashed.signature, crashed.runs[0].complete), (None, false));
        let mut twice = once(Some(20));
        twice.extend([measure(1, 0, Some(10), 2.0), measure(1, 1, Some(20), 2.0)]);
        let steady = engine(twice.clone());
        assert_eq!((steady.signature, steady.reproducible), (Some(30), Some(true)));
        assert_eq!(steady.speed.map(|s| (s.least, s.most)), Some((7500.0, 15000.0)));
        twice[3].nodes = Some(21);
        let unsteady = engine(twice);
        assert_eq!((unsteady.signature, unsteady.reproducible), (None, Some(false)));
        assert_eq!(unsteady.unsteady, [1]);
    }
}
