//! How fast an engine searches, and how much: the same positions, the same limit, every time.
//!
//! The sum of nodes at a fixed depth is the engine's signature: a change that keeps it did not
//! change what the engine thinks. Several engines are measured in turn on each position, so that
//! whatever slows the machine down for a while slows all of them.

mod compare;
mod measure;
mod own;
mod positions;
mod result;
pub(crate) mod yardstick;

pub use compare::{Basis, Clock, Comparison, DRIFT, MismatchError, SpeedRatio, compare};
pub use own::nodes_of_line;
pub use positions::{BenchPosition, LoadError, PositionList, Skipped, builtin_positions};
pub use result::{BenchResult, EngineBench, Measure, RunTotals, Status};

use dyno_driver::{EngineError, EngineIdentity, EngineSpec, Go, RunHeader, Settings};
use measure::Stand;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// What the engines have to do.
#[derive(Clone, Debug)]
pub enum Task {
    /// Search every position of a list.
    Search { list: PositionList, limit: Box<Go> },
    /// Run a bench of the engine's own, by this command.
    Own { command: Vec<String> },
}

/// What to measure.
#[derive(Clone, Debug)]
pub struct BenchPlan {
    pub engines: Vec<EngineSpec>,
    /// Patience and transcript; its interrupt ends the run with what is done.
    pub settings: Settings,
    pub task: Task,
    /// How often everything is measured, at least.
    pub runs: u32,
    /// Measure on until it is clear which engine is faster.
    pub until: Option<Narrow>,
    /// How long to wait for one search, or for the engine's own bench.
    pub patience: Duration,
}

/// When two engines have been compared for long enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Narrow {
    /// The 95 % interval is this far to either side, as a share of the speed.
    pub width: f64,
    /// No run is begun that would probably end after this.
    pub limit: Duration,
}

/// From this many runs on, one more does not turn the interval over.
const LEAST_RUNS: u32 = 5;

impl Narrow {
    /// Whether another run is worth its time. The interval's width decides, not on which side of
    /// nothing it lies: looking again and again for a difference finds one that is not there.
    fn wants_more(&self, runs: u32, spent: Duration, ratios: &[SpeedRatio]) -> bool {
        if spent + spent / runs.max(1) > self.limit {
            return false;
        }
        let settled = |ratio: &SpeedRatio| {
            let log = |value: f64| value.ln();
            let half = (log(ratio.ratio.high) - log(ratio.ratio.low)) / 2.0;
            half <= self.width || log(ratio.ratio.mean).abs() > 3.0 * half
        };
        runs < LEAST_RUNS || !ratios.iter().all(settled)
    }
}

impl BenchPlan {
    fn recorded(&self) -> Value {
        let task = match &self.task {
            Task::Search { list, limit } => json!({
                "positions": list.source,
                "count": list.positions.len(),
                "limit": limit,
            }),
            Task::Own { command } => json!({ "own": command }),
        };
        let mut plan =
            json!({ "task": task, "runs": self.runs, "timeout": self.patience.as_secs_f64() });
        if let Some(narrow) = &self.until {
            plan["until"] = json!({ "width": narrow.width, "seconds": narrow.limit.as_secs_f64() });
        }
        plan
    }
}

/// What happens.
#[derive(Debug)]
pub enum BenchEvent<'a> {
    /// The engines run; this many measures are to come, where that is known.
    Started { engines: &'a [EngineIdentity], total: Option<u64> },
    /// Something the user should know.
    Warning(&'a str),
    /// One measure.
    Measured { engine: usize, measure: &'a Measure },
}

/// An engine that fails this often in a row is not asked again.
const MOST_FAILURES: u32 = 3;

/// Measures. An error means that an engine cannot be run at all, or not with this limit.
pub fn run(
    plan: &BenchPlan,
    listen: &mut dyn FnMut(BenchEvent<'_>),
) -> Result<BenchResult, EngineError> {
    let began = Instant::now();
    let mut stands = Vec::new();
    for (index, spec) in plan.engines.iter().enumerate() {
        let settings = Settings { label: Some(label(plan, index)), ..plan.settings.clone() };
        stands.push(Stand::open(spec, settings)?);
    }
    let mut result = empty_result(plan, &stands);
    for warning in &result.warnings {
        listen(BenchEvent::Warning(warning));
    }
    let records: Vec<EngineIdentity> = result.engines.iter().map(|e| e.engine.clone()).collect();
    let jobs = result.positions.len();
    let total = u64::from(plan.runs) * (jobs * stands.len()) as u64;
    let total = plan.until.is_none().then_some(total);
    listen(BenchEvent::Started { engines: &records, total });
    let mut runs = 0;
    let finished = loop {
        let done = measure_run(plan, runs, &mut stands, jobs, &mut |engine, measure| {
            listen(BenchEvent::Measured { engine, measure: &measure });
            result.engines[engine].measures.push(measure);
        });
        runs += 1;
        let more = runs < plan.runs
            || plan
                .until
                .is_some_and(|narrow| narrow.wants_more(runs, began.elapsed(), &result.compared()));
        if done.is_err() || !more {
            break done;
        }
    };
    result.runs = runs;
    match finished {
        Ok(()) => {}
        Err(EngineError::Interrupted) => result.interrupted = true,
        Err(error) => return Err(error),
    }
    for (stand, engine) in stands.into_iter().zip(&mut result.engines) {
        engine.trouble = stand.close();
    }
    let before = result.warnings.len();
    result.sum_up();
    for warning in &result.warnings[before..] {
        listen(BenchEvent::Warning(warning));
    }
    result.header.seconds = began.elapsed().as_secs_f64();
    Ok(result)
}

/// Every engine on a position before the next position, each time another one first.
fn measure_run(
    plan: &BenchPlan,
    run: u32,
    stands: &mut [Stand],
    jobs: usize,
    found: &mut dyn FnMut(usize, Measure),
) -> Result<(), EngineError> {
    for stand in stands.iter_mut() {
        stand.begin_run(run)?;
    }
    for job in 0..jobs {
        for turn in 0..stands.len() {
            let engine = (turn + job + run as usize) % stands.len();
            let stand = &mut stands[engine];
            if stand.failures_in_a_row >= MOST_FAILURES {
                continue;
            }
            let mut measure = match &plan.task {
                Task::Search { list, limit } => {
                    stand.search(&list.positions[job], limit, plan.patience)?
                }
                Task::Own { command } => stand.own(command, plan.patience)?,
            };
            (measure.run, measure.position) = (run, job);
            measure.yardstick_ms = yardstick::measure();
            found(engine, measure);
        }
    }
    Ok(())
}

/// What the engine is called in a transcript.
fn label(plan: &BenchPlan, index: usize) -> String {
    let label = plan.engines[index].label().replace(' ', "_");
    let namesakes = plan.engines.iter().filter(|s| s.label().replace(' ', "_") == label).count();
    if namesakes > 1 { format!("{label}.{}", index + 1) } else { label }
}

fn empty_result(plan: &BenchPlan, stands: &[Stand]) -> BenchResult {
    let mut names: Vec<String> = Vec::new();
    let engines = stands.iter().map(|stand| {
        let mut record = stand.record();
        let namesakes = names.iter().filter(|name| **name == record.name).count();
        names.push(record.name.clone());
        if namesakes > 0 {
            record.name = format!("{} ({})", record.name, namesakes + 1);
        }
        EngineBench::new(record)
    });
    let engines: Vec<EngineBench> = engines.collect();
    let (source, positions, skipped, limit, own) = match &plan.task {
        Task::Search { list, limit } => {
            let ids = list.positions.iter().map(|p| (p.id.clone(), p.fen.clone())).collect();
            (list.source.clone(), ids, list.skipped.clone(), Some(limit.as_ref().clone()), None)
        }
        Task::Own { command } => {
            let command = command.join(" ");
            (command.clone(), vec![(command.clone(), String::new())], vec![], None, Some(command))
        }
    };
    let header = RunHeader::begin("bench", plan.recorded())
        .engines(engines.iter().map(|engine| engine.engine.clone()).collect());
    BenchResult {
        header,
        source,
        limit,
        own,
        runs: plan.runs,
        yardstick: yardstick::identity(),
        positions: positions.into_iter().map(|(id, fen)| BenchPosition { id, fen }).collect(),
        skipped,
        engines,
        ratios: Vec::new(),
        warnings: stands.iter().flat_map(Stand::warnings).collect(),
        interrupted: false,
    }
}
