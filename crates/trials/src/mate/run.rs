//! The run: engines over problems, side by side, delivered in order.

use super::judge::{Answer, Listener, fail, judge, sheet};
use super::problem::Problem;
use super::proof::{ProofLimits, Prover, Stop, Truth};
use super::result::{EngineMates, MateResult, MateRun, SuiteFault};
use crate::in_order;
use dyno_driver::{
    Engine, EngineError, EngineIdentity, EngineSpec, Findings, Go, RunHeader, SearchControl,
    SearchResult, Settings, default_deadline,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a search may take when its limit follows from the mate depth.
const PATIENCE: Duration = Duration::from_secs(10);

/// How far an engine searches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// By the mate depth: so deep that a full-width search sees the mate with a margin, and no
    /// longer than ten seconds.
    #[default]
    FromMate,
    /// `go mate N` with the stated N, no longer than ten seconds; as [`Limit::FromMate`] where the
    /// side to move is mated, for which UCI has no command.
    GoMate,
    /// The same for all.
    Fixed(Go),
}

impl Limit {
    fn go(&self, stated: i32) -> Go {
        let moves = stated.unsigned_abs();
        match self {
            Limit::Fixed(go) => go.clone(),
            Limit::GoMate if stated > 0 => Go { mate: Some(moves), ..Go::default() },
            _ => Go::depth(2 * moves + 4),
        }
    }
}

/// What to do with each problem.
#[derive(Clone, Debug)]
pub struct Plan {
    pub engines: Vec<EngineSpec>,
    /// Patience and transcript; its interrupt ends the run with what is done.
    pub settings: Settings,
    pub limit: Limit,
    /// Stop a search after this long; by default as the limit suggests.
    pub patience: Option<Duration>,
    /// Stop when the right mate has stood for so many iterations.
    pub early_stop: Option<u32>,
    pub proof: ProofLimits,
    /// Processes of each engine at a time.
    pub concurrency: usize,
    /// Results of an earlier, interrupted run, each with its engine's name; they are not made
    /// again.
    pub earlier: Vec<(String, MateResult)>,
    /// What the problems were shuffled by.
    pub seed: Option<u64>,
}

impl Plan {
    fn recorded(&self) -> Value {
        json!({
            "limit": self.limit,
            "timeout": self.patience.map(|patience| patience.as_secs_f64()),
            "early_stop": self.early_stop,
            "proof": self.proof,
            "concurrency": self.concurrency,
        })
    }
}

/// What happens during a run, in the order of the suite.
#[derive(Debug)]
pub enum Event<'a> {
    /// The engines run; so many answers are to come.
    Started { engines: &'a [EngineIdentity], total: u64 },
    /// Something the user should know.
    Warning(&'a str),
    /// A line of the suite cannot be used.
    Skipped(&'a SuiteFault),
    /// A position is judged; `earlier` when it was by an earlier run.
    Judged { result: &'a MateResult, earlier: bool },
}

/// A run, with the reason if it could not be finished.
#[derive(Debug)]
pub struct Outcome {
    pub run: MateRun,
    /// The engine could not be started again after a failure.
    pub failure: Option<EngineError>,
}

/// Runs every engine over the problems. An error means that nothing was run.
pub fn run(
    plan: &Plan,
    problems: &[Result<Problem, Box<SuiteFault>>],
    listen: &mut dyn FnMut(Event<'_>),
) -> Result<Outcome, EngineError> {
    let began = Instant::now();
    let started = start_engines(plan)?;
    let mut run = MateRun {
        header: RunHeader::begin("mate", plan.recorded())
            .seed(plan.seed)
            .engines(started.iter().map(|(_, record)| record.clone()).collect()),
        suites: Vec::new(),
        limit: plan.limit.clone(),
        proof: plan.proof,
        engines: started.iter().map(|(_, record)| EngineMates::new(record.clone())).collect(),
        faults: problems
            .iter()
            .filter_map(|p| p.as_ref().err().map(|fault| (**fault).clone()))
            .collect(),
        warnings: Vec::new(),
        interrupted: false,
    };
    for problem in problems.iter().flatten() {
        if !run.suites.iter().any(|suite| **suite == *problem.suite) {
            run.suites.push(problem.suite.to_string());
        }
    }
    for warning in started.iter().flat_map(|(engine, _)| engine.warnings()) {
        let warning = warning.to_string();
        listen(Event::Warning(&warning));
        run.warnings.push(warning);
    }
    let records: Vec<EngineIdentity> = started.iter().map(|(_, record)| record.clone()).collect();
    let total = (problems.iter().flatten().count() * plan.engines.len()) as u64;
    listen(Event::Started { engines: &records, total });
    run.faults.iter().for_each(|fault| listen(Event::Skipped(fault)));
    let mut failure = None;
    for (index, (engine, _)) in started.into_iter().enumerate() {
        let mates = &mut run.engines[index];
        failure = run_engine(plan, index, engine, problems, mates, listen);
        if failure.is_some() {
            break;
        }
    }
    run.interrupted = matches!(failure, Some(EngineError::Interrupted));
    if let Some(first) = run.engines.first() {
        run.faults.extend(first.results.iter().flat_map(|result| result.faults.clone()));
    }
    run.header.seconds = began.elapsed().as_secs_f64();
    let failure = failure.filter(|error| !matches!(error, EngineError::Interrupted));
    Ok(Outcome { run, failure })
}

/// One process of each engine, at once: whoever cannot be run is known before the work begins.
fn start_engines(plan: &Plan) -> Result<Vec<(Engine, EngineIdentity)>, EngineError> {
    let mut started: Vec<(Engine, EngineIdentity)> = Vec::new();
    for (index, spec) in plan.engines.iter().enumerate() {
        let engine = Engine::start(spec, &labelled(plan, index, 0))?;
        let mut record = engine.record();
        let namesakes = started.iter().filter(|(other, _)| other.name() == record.name).count();
        if namesakes > 0 {
            record.name = format!("{} ({})", record.name, namesakes + 1);
        }
        started.push((engine, record));
    }
    Ok(started)
}

/// The settings of one process, told apart in the transcript.
fn labelled(plan: &Plan, engine: usize, worker: usize) -> Settings {
    let label = plan.engines[engine].label().replace(' ', "_");
    let label = Some(format!("{label}.{}#{}", engine + 1, worker + 1));
    Settings { label, ..plan.settings.clone() }
}

/// Runs one engine; the error that ended it early, if one did.
fn run_engine(
    plan: &Plan,
    index: usize,
    engine: Engine,
    problems: &[Result<Problem, Box<SuiteFault>>],
    mates: &mut EngineMates,
    listen: &mut dyn FnMut(Event<'_>),
) -> Option<EngineError> {
    let earlier: HashMap<(&str, u64, &str), &MateResult> = plan
        .earlier
        .iter()
        .filter(|(name, _)| *name == mates.engine.name)
        .map(|(_, result)| ((&*result.suite, result.line_no, &*result.fen), result))
        .collect();
    let jobs = problems.iter().flatten().map(|problem| {
        let fen = problem.fen();
        (problem, earlier.get(&(&*problem.suite, problem.line_no, &*fen)).copied())
    });
    let interrupt = plan.settings.interrupt.clone();
    let stop = move || interrupt.as_ref().is_some_and(|interrupt| interrupt.requested());
    let first = Mutex::new(Some(engine));
    let findings = Mutex::new(Findings::default());
    let mut failure = None;
    let results = &mut mates.results;
    in_order(
        plan.concurrency,
        jobs,
        |number| {
            let engine = first.lock().unwrap_or_else(PoisonError::into_inner).take();
            Worker::new(plan, index, number, engine, &findings, &stop)
        },
        |worker, (problem, earlier)| match earlier {
            Some(result) => Ok((MateResult { engine: index, ..result.clone() }, true)),
            None => worker.work(problem.clone()).map(|result| (result, false)),
        },
        |done| match done {
            Ok((result, earlier)) => {
                listen(Event::Judged { result: &result, earlier });
                results.push(result);
                ControlFlow::Continue(())
            }
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        },
    );
    mates.findings = findings.into_inner().unwrap_or_else(PoisonError::into_inner);
    mates.sum_up();
    failure
}

/// An engine with its solver.
struct Worker<'a> {
    plan: &'a Plan,
    index: usize,
    settings: Settings,
    engine: Option<Engine>,
    chess960: bool,
    prover: Prover<'a>,
    stop: Stop<'a>,
    findings: &'a Mutex<Findings>,
}

impl<'a> Worker<'a> {
    fn new(
        plan: &'a Plan,
        index: usize,
        number: usize,
        engine: Option<Engine>,
        findings: &'a Mutex<Findings>,
        stop: Stop<'a>,
    ) -> Worker<'a> {
        let settings = labelled(plan, index, number);
        let prover = Prover::new(plan.proof, stop);
        Worker { plan, index, settings, engine, chess960: false, prover, stop, findings }
    }

    /// Puts a problem to the engine. An error means that the engine cannot be run at all, or that
    /// the user wants to stop; any failure on the problem itself is a result.
    fn work(&mut self, mut problem: Problem) -> Result<MateResult, EngineError> {
        if (self.stop)() {
            return Err(EngineError::Interrupted);
        }
        let engine = match self.engine.take() {
            Some(engine) => engine,
            None => {
                self.chess960 = false;
                Engine::start(&self.plan.engines[self.index], &self.settings)?
            }
        };
        let engine = self.engine.insert(engine);
        let truth = self.prover.examine(&mut problem);
        let proved = truth.shortest().and_then(|mate| self.prover.line(&problem.position, mate));
        let line = proved.unwrap_or_else(|| problem.line.clone());
        let mut result = sheet(&problem, self.index, truth, &line);
        let mut listener = Listener::default();
        match ask(self.plan, engine, &mut self.chess960, &problem, truth, &mut listener) {
            Ok(found) => {
                let answer = Answer {
                    best: &found.best,
                    elapsed: found.elapsed,
                    depth: found.info.depth,
                    nodes: found.info.nodes,
                };
                judge(&mut result, &problem, &listener, &answer, &mut self.prover);
            }
            Err(error) if error.is_fatal() => {
                fail(&mut result, error.to_string());
                self.retire();
            }
            Err(error) => return Err(error),
        }
        // A proof that was cut short must not become a result.
        if (self.stop)() { Err(EngineError::Interrupted) } else { Ok(result) }
    }

    /// Lets the engine go and keeps what it did against the protocol.
    fn retire(&mut self) {
        if let Some(engine) = self.engine.take() {
            let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
            findings.absorb(engine.findings());
            drop(findings);
            engine.quit();
        }
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        self.retire();
    }
}

/// One search, listened to.
fn ask(
    plan: &Plan,
    engine: &mut Engine,
    chess960: &mut bool,
    problem: &Problem,
    truth: Truth,
    listener: &mut Listener,
) -> Result<SearchResult, EngineError> {
    let wanted = problem.position.is_chess960();
    if wanted != *chess960 && engine.option("UCI_Chess960").is_some() {
        engine.set_option("UCI_Chess960", &wanted.to_string())?;
        *chess960 = wanted;
    }
    engine.prepare()?;
    let go = plan.limit.go(problem.stated);
    let own_limit = matches!(plan.limit, Limit::Fixed(_));
    let patience = plan.patience.or(if own_limit { default_deadline(&go) } else { Some(PATIENCE) });
    // Stopped for time when it next speaks, and soon after that even if it never does.
    let silence = patience.map(|patience| patience + Duration::from_secs(2));
    let expected = truth.shortest().unwrap_or(problem.stated);
    engine.go_watched(&format!("fen {}", problem.fen()), &go, silence, |info, at| {
        listener.hear(info, at);
        let late = patience.is_some_and(|patience| at >= patience);
        let stood = listener.stands(expected, info.depth);
        let enough = plan.early_stop.is_some_and(|plies| stood.is_some_and(|s| s >= plies));
        if late || enough { SearchControl::Stop } else { SearchControl::Continue }
    })
}
