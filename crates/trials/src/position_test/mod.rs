//! Position tests: positions put to engines, and their answers judged.
//!
//! Suites and mates are asked in the same way and judged differently. A [`Judge`] reads the lines
//! of a file as questions, listens to each search and judges what came of it; `run` does the
//! rest: engines and their restarts, threads, order, selection, resuming. Memory does not grow
//! with the length of a file, except to shuffle it.

mod examiner;
mod judge;
mod source;
mod theme;

pub use judge::{Failure, Judge, Line, Lines, Stop, TestPosition, TestResult, milliseconds};
pub use source::{Selection, Source, shuffle};
pub use theme::{sts_number, theme_of};

use crate::in_order;
use dyno_driver::{Engine, EngineError, EngineIdentity, EngineSpec, Findings, Settings};
use dyno_formats::OpenError;
use examiner::Examiner;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What every test of positions is told, whatever it judges.
#[derive(Clone, Debug)]
pub struct TestPlan<R> {
    /// Where the positions come from.
    pub sources: Vec<Source>,
    /// Which of them.
    pub selection: Selection,
    /// Who is asked.
    pub engines: Vec<EngineSpec>,
    /// Patience and transcript; its interrupt ends the run with what is done.
    pub settings: Settings,
    /// Processes of each engine at a time.
    pub concurrency: usize,
    /// How long to wait for a search; by default as its limit suggests.
    pub timeout: Option<Duration>,
    /// Stop a search when the solution has stood for this many iterations.
    pub early_stop: Option<u32>,
    /// Results of an earlier, interrupted run of the same plan, each with its engine's name. They
    /// are not made again.
    pub earlier: Vec<(String, R)>,
    /// Count the positions first, for a progress bar.
    pub count_first: bool,
}

impl<R> TestPlan<R> {
    /// A plan with nothing but sources and engines.
    pub fn new(sources: Vec<Source>, engines: Vec<EngineSpec>, settings: Settings) -> Self {
        Self {
            sources,
            selection: Selection::default(),
            engines,
            settings,
            concurrency: 1,
            timeout: None,
            early_stop: None,
            earlier: Vec::new(),
            count_first: false,
        }
    }

    /// What the header of a result records of it.
    pub(crate) fn recorded(&self) -> Value {
        json!({
            "suites": self.sources.iter().map(Source::name).collect::<Vec<_>>(),
            "ids": self.selection.ids,
            "themes": self.selection.themes,
            "most": self.selection.most,
            "timeout": self.timeout.map(|timeout| timeout.as_secs_f64()),
            "early_stop": self.early_stop,
            "concurrency": self.concurrency,
        })
    }

    fn is_interrupted(&self) -> bool {
        self.settings.interrupt.as_ref().is_some_and(|interrupt| interrupt.requested())
    }
}

/// What happens during a run, in the order of the positions.
#[derive(Debug)]
pub enum TestEvent<'a, R, D> {
    /// The engines run.
    Started {
        /// Who they are.
        engines: &'a [EngineIdentity],
        /// How many answers are to come, if that is known.
        total: Option<u64>,
    },
    /// Something the user should know.
    Warning(&'a str),
    /// A line that cannot be asked.
    Defect(&'a D),
    /// An answer.
    Position {
        /// The judged answer.
        result: &'a R,
        /// Whether it comes from an earlier run.
        earlier: bool,
    },
}

/// Why a test could not be run, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum TestError {
    /// A file cannot be opened or read.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The engine cannot be run at all.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The results to go on from name an engine that does not take part.
    #[error("the results to resume from have an engine {engine:?}, which is not in this run")]
    UnknownEngine {
        /// Its name.
        engine: String,
    },
    /// The results to go on from belong to something else.
    #[error(
        "the results to resume from do not belong to this run: line {line_no} ({id}) of {suite} \
         is not among its positions"
    )]
    NotResumable {
        /// The suite.
        suite: String,
        /// The line.
        line_no: u64,
        /// The name of the position.
        id: String,
    },
    /// A pipe cannot be read a second time, to see what is still to be done.
    #[error("cannot resume a run over {suite}: it can be read only once")]
    NotRereadable {
        /// The suite.
        suite: String,
    },
}

/// A result, with the reason if the run could not be finished.
#[derive(Debug)]
pub struct TestOutcome<R> {
    /// What was done.
    pub result: R,
    /// A file turned out to be damaged, or the engine could not be started again.
    pub failure: Option<TestError>,
}

/// What a run tells beside its results.
pub(crate) struct TestRun {
    pub(crate) engines: Vec<EngineIdentity>,
    /// What each engine did against the protocol.
    pub(crate) findings: Vec<Findings>,
    pub(crate) warnings: Vec<String>,
    pub(crate) interrupted: bool,
    pub(crate) failure: Option<TestError>,
}

/// Listens to a run.
pub(crate) type Listener<'a, J> =
    &'a mut dyn FnMut(TestEvent<'_, <J as Judge>::Result, <J as Judge>::Defect>);

/// Puts every wanted position to every engine. An error means that nothing was run.
pub(crate) fn run<J: Judge>(
    plan: &TestPlan<J::Result>,
    judge: &J,
    listen: Listener<'_, J>,
) -> Result<TestRun, TestError> {
    plan.sources.iter().try_for_each(Source::check)?;
    let started = start_engines(plan)?;
    let engines: Vec<EngineIdentity> = started.iter().map(|(_, id)| id.clone()).collect();
    let mut warnings: Vec<String> =
        started.iter().flat_map(|(engine, _)| engine.warnings()).map(ToString::to_string).collect();
    warnings.iter().for_each(|warning| listen(TestEvent::Warning(warning)));

    let earlier = earlier_results(plan, &engines)?;
    let done = check_done(plan, judge, &earlier)?;
    let total = if plan.count_first { count(plan, judge)? } else { None };
    listen(TestEvent::Started { engines: &engines, total });
    for result in &earlier {
        listen(TestEvent::Position { result, earlier: true });
    }
    drop(earlier);

    let stop = || plan.is_interrupted();
    let shared = Shared {
        first: Mutex::new(started.into_iter().map(|(engine, _)| Some(engine)).collect()),
        findings: Mutex::new(vec![Findings::default(); plan.engines.len()]),
        warned: Mutex::new(vec![false; plan.engines.len()]),
    };
    let (mut interrupted, mut failure) = (false, None);
    in_order(
        plan.concurrency,
        jobs(plan, judge, done)?.take_while(|_| !stop()),
        |number| Worker::new(plan, judge, number, &shared, &stop),
        |worker, job| worker.work(job),
        |done| {
            match done {
                Done::Defect(defect) => listen(TestEvent::Defect(&defect)),
                Done::Position { result, warning } => {
                    if let Some(warning) = warning {
                        listen(TestEvent::Warning(&warning));
                        warnings.push(warning);
                    }
                    listen(TestEvent::Position { result: &result, earlier: false });
                }
                Done::Failed(TestError::Engine(EngineError::Interrupted)) => interrupted = true,
                Done::Failed(error) => {
                    failure.get_or_insert(error);
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        },
    );
    let findings = shared.findings.into_inner().unwrap_or_else(PoisonError::into_inner);
    interrupted |= plan.is_interrupted();
    Ok(TestRun { engines, findings, warnings, interrupted, failure })
}

/// One process of each engine, at once: one that cannot be run is known before the work begins.
fn start_engines<R>(plan: &TestPlan<R>) -> Result<Vec<(Engine, EngineIdentity)>, EngineError> {
    let mut started: Vec<(Engine, EngineIdentity)> = Vec::new();
    for (index, spec) in plan.engines.iter().enumerate() {
        let engine = Engine::start(spec, &labelled(plan, index, 0))?;
        let mut identity = engine.record();
        let namesakes = started.iter().filter(|(other, _)| other.name() == identity.name).count();
        if namesakes > 0 {
            identity.name = format!("{} ({})", identity.name, namesakes + 1);
        }
        started.push((engine, identity));
    }
    Ok(started)
}

/// The settings of one process, told apart in the transcript where there are several.
fn labelled<R>(plan: &TestPlan<R>, engine: usize, worker: usize) -> Settings {
    let mut settings = plan.settings.clone();
    let spec = &plan.engines[engine];
    let mut label = spec.label().replace(' ', "_");
    if plan.engines.iter().filter(|other| other.label() == spec.label()).count() > 1 {
        label = format!("{label}.{}", engine + 1);
    }
    if plan.concurrency > 1 {
        label = format!("{label}#{}", worker + 1);
    }
    settings.label = Some(label);
    settings
}

/// The results of the earlier run, with the engines numbered as in this one.
fn earlier_results<R: TestResult>(
    plan: &TestPlan<R>,
    engines: &[EngineIdentity],
) -> Result<Vec<R>, TestError> {
    let numbered = |(name, result): &(String, R)| {
        let engine = engines.iter().position(|engine| engine.name == *name);
        let engine = engine.ok_or_else(|| TestError::UnknownEngine { engine: name.clone() })?;
        let mut result = result.clone();
        result.set_engine(engine);
        Ok(result)
    };
    plan.earlier.iter().map(numbered).collect()
}

/// A question that an engine has answered: the suite, the line, the engine.
type Key = (String, u64, usize);

/// The answers that need not be asked for again, after checking that they belong here.
fn check_done<J: Judge>(
    plan: &TestPlan<J::Result>,
    judge: &J,
    earlier: &[J::Result],
) -> Result<HashSet<Key>, TestError> {
    if earlier.is_empty() {
        return Ok(HashSet::new());
    }
    if let Some(source) = plan.sources.iter().find(|source| !source.can_reread()) {
        return Err(TestError::NotRereadable { suite: source.name() });
    }
    let mut fens = HashMap::new();
    for line in wanted(&plan.sources, &plan.selection, judge)? {
        if plan.is_interrupted() {
            return Err(EngineError::Interrupted.into());
        }
        if let Line::Question(question) = line {
            let at = J::position(&question);
            fens.insert((at.suite.to_string(), at.line_no), at.fen());
        }
    }
    let mut done = HashSet::new();
    for result in earlier {
        let (suite, line_no, fen) = result.key();
        if fens.get(&(suite.to_owned(), line_no)).map(String::as_str) != Some(fen) {
            let (suite, id) = (suite.to_owned(), result.id().to_owned());
            return Err(TestError::NotResumable { suite, line_no, id });
        }
        done.insert((suite.to_owned(), line_no, result.engine()));
    }
    Ok(done)
}

/// The lines of all sources that the selection wants, as they stand in the files.
fn wanted<J: Judge>(
    sources: &[Source],
    selection: &Selection,
    judge: &J,
) -> Result<impl Iterator<Item = Line<J::Question, J::Defect>> + Send + use<J>, OpenError> {
    let lines: Result<Vec<Lines<J>>, OpenError> =
        sources.iter().map(|source| judge.read(source)).collect();
    let selection = selection.clone();
    Ok(lines?.into_iter().flatten().filter(move |line| match line {
        Line::Question(question) => selection.wants(&J::position(question).id),
        Line::Defect(defect) => selection.wants(J::defect_id(defect)),
        Line::Damaged(_) => true,
    }))
}

/// The lines of all sources in the order in which they are asked: selected, shuffled, cut.
pub(crate) fn questions<J: Judge>(
    sources: &[Source],
    selection: &Selection,
    judge: &J,
) -> Result<Lines<J>, OpenError> {
    let mut lines: Lines<J> = Box::new(wanted(sources, selection, judge)?);
    if let Some(seed) = selection.seed {
        let (mut questions, mut all) = (Vec::new(), Vec::new());
        for line in lines {
            match line {
                Line::Question(_) => questions.push(line),
                Line::Defect(_) | Line::Damaged(_) => all.push(line),
            }
        }
        shuffle(&mut questions, seed);
        all.append(&mut questions);
        lines = Box::new(all.into_iter());
    }
    let mut left = selection.most.unwrap_or(u64::MAX);
    Ok(Box::new(lines.take_while(move |line| {
        let enough = left == 0;
        left -= u64::from(!enough && matches!(line, Line::Question(_)));
        !enough
    })))
}

/// How many answers there will be; unknown where a source can be read only once.
fn count<J: Judge>(plan: &TestPlan<J::Result>, judge: &J) -> Result<Option<u64>, OpenError> {
    if !plan.sources.iter().all(Source::can_reread) {
        return Ok(None);
    }
    let most = plan.selection.most.unwrap_or(u64::MAX);
    let lines = wanted(&plan.sources, &plan.selection, judge)?;
    let questions = lines
        .take_while(|_| !plan.is_interrupted())
        .filter(|line| matches!(line, Line::Question(_)));
    let count = questions.take(usize::try_from(most).unwrap_or(usize::MAX)).count();
    Ok(Some((count * plan.engines.len()) as u64))
}

/// One thing to do.
enum Job<J: Judge> {
    Ask { question: Arc<J::Question>, engine: usize },
    Report(J::Defect),
    Fail(OpenError),
}

/// One thing done.
enum Done<J: Judge> {
    Position { result: Box<J::Result>, warning: Option<String> },
    Defect(J::Defect),
    Failed(TestError),
}

/// Every question to every engine, in order, but for those that were answered before.
fn jobs<J: Judge>(
    plan: &TestPlan<J::Result>,
    judge: &J,
    done: HashSet<Key>,
) -> Result<impl Iterator<Item = Job<J>> + Send + use<J>, TestError> {
    let engines = plan.engines.len();
    let lines = questions(&plan.sources, &plan.selection, judge)?;
    let jobs = lines.flat_map(move |line| match line {
        Line::Defect(defect) => vec![Job::Report(defect)],
        Line::Damaged(error) => vec![Job::Fail(error)],
        Line::Question(question) => {
            let question = Arc::new(question);
            let ask = |engine| Job::Ask { question: question.clone(), engine };
            (0..engines).map(ask).collect()
        }
    });
    let is_new = move |job: &Job<J>| match job {
        Job::Ask { question, engine } if !done.is_empty() => {
            let at = J::position(question);
            !done.contains(&(at.suite.to_string(), at.line_no, *engine))
        }
        _ => true,
    };
    Ok(jobs.filter(is_new))
}

/// What the workers share.
struct Shared {
    /// The processes that were started to see whether the engines run.
    first: Mutex<Vec<Option<Engine>>>,
    findings: Mutex<Vec<Findings>>,
    /// The engines that the user has been warned of.
    warned: Mutex<Vec<bool>>,
}

/// A worker: its tools, and a process of each engine, started when first needed.
struct Worker<'a, J: Judge> {
    judge: &'a J,
    tools: J::Tools<'a>,
    examiners: Vec<Examiner>,
    shared: &'a Shared,
    stop: Stop<'a>,
}

impl<'a, J: Judge> Worker<'a, J> {
    fn new(
        plan: &TestPlan<J::Result>,
        judge: &'a J,
        number: usize,
        shared: &'a Shared,
        stop: Stop<'a>,
    ) -> Self {
        let mut first = shared.first.lock().unwrap_or_else(PoisonError::into_inner);
        let examiner = |index: usize| {
            let settings = labelled(plan, index, number);
            Examiner::new(plan.engines[index].clone(), settings, first[index].take())
        };
        let examiners = (0..plan.engines.len()).map(examiner).collect();
        Self { judge, tools: judge.tools(stop), examiners, shared, stop }
    }

    fn work(&mut self, job: Job<J>) -> Done<J> {
        let (question, engine) = match job {
            Job::Report(defect) => return Done::Defect(defect),
            Job::Fail(error) => return Done::Failed(error.into()),
            Job::Ask { question, engine } => (question, engine),
        };
        let asked = self.examiners[engine].ask(self.judge, &mut self.tools, &question, engine);
        match asked {
            // What was cut short must not become a result.
            Ok(_) if (self.stop)() => Done::Failed(EngineError::Interrupted.into()),
            Ok(answer) => {
                let warning = answer.warning.filter(|_| self.is_first_warning(engine));
                Done::Position { result: Box::new(answer.result), warning }
            }
            Err(error) => Done::Failed(error.into()),
        }
    }

    fn is_first_warning(&self, engine: usize) -> bool {
        let mut warned = self.shared.warned.lock().unwrap_or_else(PoisonError::into_inner);
        !std::mem::replace(&mut warned[engine], true)
    }
}

impl<J: Judge> Drop for Worker<'_, J> {
    fn drop(&mut self) {
        for (index, examiner) in self.examiners.drain(..).enumerate() {
            let past = examiner.dismiss();
            let mut findings = self.shared.findings.lock().unwrap_or_else(PoisonError::into_inner);
            findings[index].absorb(&past);
        }
    }
}
