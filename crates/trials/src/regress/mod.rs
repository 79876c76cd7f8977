//! A project's own battery: perft, suites, checks, bench and a match, held against bars and
//! against what an earlier battery found.

mod bench;
mod check;
mod config;
mod game_match;
mod perft;
mod result;
mod suite;

pub use crate::check::Verdict;
pub use config::{
    BenchConfig, CheckConfig, Config, ConfigError, EngineConfig, MatchConfig, PerftConfig,
    PerftPosition, SuiteConfig, Wanted,
};
pub use result::{Case, RegressResult, Section, Step};

use crate::bench::yardstick;
use dyno_driver::{Engine, EngineError, EngineIdentity, EngineSpec, RunHeader, Settings};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Instant;

/// What to run.
#[derive(Clone, Debug)]
pub struct RegressPlan {
    pub config: Config,
    /// The folder of the file: relative paths are relative to it.
    pub folder: PathBuf,
    pub engine: EngineSpec,
    /// The older version for the match and the bench, in place of the file's.
    pub opponent: Option<EngineSpec>,
    pub settings: Settings,
    /// Counts the user's wishes to stop.
    pub interrupts: Arc<AtomicUsize>,
    pub baseline: Option<RegressResult>,
    /// The sections to run.
    pub sections: Vec<Section>,
}

impl RegressPlan {
    /// The older version: as asked for, or as the file says.
    fn older(&self, in_file: Option<&String>) -> Result<Option<EngineSpec>, RegressError> {
        match (&self.opponent, in_file) {
            (Some(spec), _) => Ok(Some(spec.clone())),
            (None, Some(command)) => config::spec_of(command, &self.folder)
                .map(Some)
                .map_err(|e| RegressError::Config(e.to_string())),
            (None, None) => Ok(None),
        }
    }

    fn recorded(&self) -> Value {
        json!({
            "folder": self.folder,
            "sections": self.sections,
            "opponent": self.opponent.as_ref().map(ToString::to_string),
            "work": self.config.work(),
        })
    }

    /// A figure of the baseline.
    fn baseline_figure(&self, section: Section, name: &str, figure: &str) -> Option<f64> {
        self.baseline.as_ref()?.step(section, name)?.figures.get(figure).copied()
    }

    /// The baseline's speed in units of the machine's, if the same Dyno measured it.
    fn baseline_pace(&self, name: &str) -> Option<f64> {
        let baseline = self.baseline.as_ref()?;
        let same_work = baseline.yardstick.is_some() && baseline.yardstick == yardstick::identity();
        self.baseline_figure(Section::Bench, name, "pace").filter(|_| same_work)
    }
}

/// What happens.
#[derive(Debug)]
pub enum RegressEvent<'a> {
    /// The engine runs; this many steps are to come.
    Started { engine: &'a EngineIdentity, steps: usize },
    /// A step begins.
    Begun { section: Section, name: &'a str },
    /// Something inside a step is done.
    Progress(&'a str),
    /// A step is done.
    Done(&'a Step),
}

/// Why a battery could not be run, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum RegressError {
    /// The file asks for something impossible.
    #[error("{0}")]
    Config(String),
    #[error(transparent)]
    Engine(#[from] EngineError),
}

type Listener<'a> = &'a mut dyn FnMut(RegressEvent<'_>);
type Outcome = Result<Step, RegressError>;

/// Runs the battery. An error means that the file is wrong or the engine cannot be run at all;
/// whatever happens later is a verdict.
pub fn run(plan: &RegressPlan, listen: Listener<'_>) -> Result<RegressResult, RegressError> {
    let began = Instant::now();
    let engine = Engine::start(&plan.engine, &plan.settings)?;
    let record = engine.record();
    engine.quit();
    let jobs = jobs(plan);
    listen(RegressEvent::Started { engine: &record, steps: jobs.len() });
    let mut result = RegressResult {
        header: RunHeader::begin("regress", plan.recorded()).engines(vec![record.clone()]),
        engine: record,
        baseline: plan.baseline.as_ref().map(|b| b.engine.name.clone()),
        yardstick: yardstick::identity(),
        steps: Vec::new(),
        interrupted: false,
    };
    for job in jobs {
        let started = Instant::now();
        listen(RegressEvent::Begun { section: job.section(), name: &job.name() });
        match job.run(plan, listen) {
            Ok(mut step) => {
                step.seconds = started.elapsed().as_secs_f64();
                listen(RegressEvent::Done(&step));
                result.steps.push(step);
            }
            Err(RegressError::Engine(EngineError::Interrupted)) => {
                result.interrupted = true;
                break;
            }
            Err(error) => return Err(error),
        }
    }
    if let Some(baseline) = &plan.baseline {
        result.mark_new_failures(baseline);
    }
    result.header.seconds = began.elapsed().as_secs_f64();
    Ok(result)
}

/// One step to do.
enum Job<'a> {
    Perft(&'a PerftConfig),
    Suite(&'a SuiteConfig),
    Check(&'a CheckConfig),
    Bench(&'a BenchConfig),
    Match(&'a MatchConfig),
}

fn jobs(plan: &RegressPlan) -> Vec<Job<'_>> {
    let config = &plan.config;
    let perft = config.perft.iter().map(Job::Perft);
    let suites = config.suites.iter().map(Job::Suite);
    let check = config.check.iter().map(Job::Check);
    let bench = config.bench.iter().map(Job::Bench);
    let game_match = config.game_match.iter().map(Job::Match);
    let all = perft.chain(suites).chain(check).chain(bench).chain(game_match);
    all.filter(|job| plan.sections.contains(&job.section())).collect()
}

impl Job<'_> {
    fn section(&self) -> Section {
        match self {
            Job::Perft(_) => Section::Perft,
            Job::Suite(_) => Section::Suite,
            Job::Check(_) => Section::Check,
            Job::Bench(_) => Section::Bench,
            Job::Match(_) => Section::Match,
        }
    }

    fn name(&self) -> String {
        match self {
            Job::Suite(suite) => suite::name(suite),
            job => job.section().name().to_owned(),
        }
    }

    fn run(&self, plan: &RegressPlan, listen: Listener<'_>) -> Outcome {
        match self {
            Job::Perft(config) => perft::run(config, plan, listen),
            Job::Suite(config) => suite::run(config, plan, listen),
            Job::Check(config) => check::run(config, plan, listen),
            Job::Bench(config) => bench::run(config, plan, listen),
            Job::Match(config) => game_match::run(config, plan, listen),
        }
    }
}

/// An engine that fails in the middle is a failed case; the user's wish to stop ends the battery.
fn failed(error: EngineError) -> Result<Case, RegressError> {
    match error {
        EngineError::Interrupted => Err(EngineError::Interrupted.into()),
        error => Ok(Case::new("engine", Verdict::Fail, error.to_string())),
    }
}
