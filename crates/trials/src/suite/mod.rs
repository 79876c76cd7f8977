//! EPD suites: positions with known answers, put to one engine or several.
//!
//! A [`Plan`] says what to run; [`run`] streams every result, in the order of the suite, to a
//! listener, and returns the sums. Memory does not grow with the length of the suite, except to
//! shuffle it.

mod examiner;
mod question;
mod result;
mod source;
mod theme;

pub use dyno_uci::{Go, Score};
pub use question::Rules;
pub use result::{
    EngineResult, PositionResult, RatingEstimate, Status, SuiteDefect, SuiteResult, ThemeTotals,
    Totals,
};
pub use source::{Filter, Source, shuffle};
pub use theme::theme_of;

use crate::in_order;
use dyno_driver::{
    Engine, EngineError, EngineIdentity, EngineSpec, Findings, RunHeader, Settings,
    default_deadline,
};
use dyno_formats::OpenError;
use examiner::{Exam, Examiner};
use question::Question;
use serde_json::{Value, json};
use source::{Item, items};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What to run.
#[derive(Clone, Debug)]
pub struct Plan {
    pub sources: Vec<Source>,
    pub engines: Vec<EngineSpec>,
    /// Patience and transcript; its interrupt ends the run with what is done.
    pub settings: Settings,
    pub limit: Go,
    /// How long to wait for a search; by default as the limit suggests.
    pub patience: Option<Duration>,
    pub rules: Rules,
    pub filter: Filter,
    /// At most so many positions.
    pub most: Option<u64>,
    /// Shuffle by this seed.
    pub seed: Option<u64>,
    /// Processes of each engine at a time.
    pub concurrency: usize,
    /// Stop a search when the solution has stood for so many iterations.
    pub early_stop: Option<u32>,
    /// Reads the results of an earlier, interrupted run of the same plan, given the engines'
    /// names.
    pub resume: Option<Resume>,
    /// Count the positions first, for a progress bar.
    pub count_first: bool,
}

impl Plan {
    fn recorded(&self) -> Value {
        json!({
            "suites": self.sources.iter().map(Source::name).collect::<Vec<_>>(),
            "limit": self.limit,
            "timeout": self.patience.map(|patience| patience.as_secs_f64()),
            "strict": self.rules.strict,
            "score_am": self.rules.score_avoid,
            "ids": self.filter.ids,
            "themes": self.filter.themes,
            "repair": self.filter.repair,
            "most": self.most,
            "concurrency": self.concurrency,
            "early_stop": self.early_stop,
        })
    }
}

/// Where earlier results come from.
#[derive(Clone)]
pub struct Resume(pub Arc<ReadEarlier>);

type ReadEarlier = dyn Fn(&[String]) -> Result<Vec<PositionResult>, String> + Send + Sync;

impl std::fmt::Debug for Resume {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Resume")
    }
}

/// What happens during a run, in the order of the suite.
#[derive(Debug)]
pub enum Event<'a> {
    /// The engines run; so many answers are to come, if known.
    Started { engines: &'a [EngineIdentity], total: Option<u64> },
    /// Something the user should know.
    Warning(&'a str),
    /// A line of the suite is at fault.
    Defect(&'a SuiteDefect),
    /// A position is done; `earlier` when it was done by an earlier run.
    Position { result: &'a PositionResult, earlier: bool },
}

/// Why a suite could not be run.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// A suite cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The engine cannot be run at all.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The results to go on from cannot be read.
    #[error("cannot resume: {0}")]
    Resume(String),
    /// The results to go on from belong to something else.
    #[error(
        "the results to resume from do not belong to this run: line {line_no} ({id}) of {suite} \
         is not among its positions"
    )]
    NotResumable { suite: String, line_no: u64, id: String },
}

/// A run that could not be finished, with what was done.
#[derive(Debug)]
pub struct Outcome {
    pub result: SuiteResult,
    /// The engine could not be started again after a failure.
    pub failure: Option<EngineError>,
}

const KEPT_DEFECTS: usize = 1000;
const MOST_THEMES: usize = 100;
const OTHER_THEMES: &str = "(others)";

/// Runs the plan. An error means that nothing was run.
pub fn run(plan: &Plan, listen: &mut dyn FnMut(Event<'_>)) -> Result<Outcome, SuiteError> {
    let began = Instant::now();
    plan.sources.iter().try_for_each(Source::check)?;
    let started = start_engines(plan)?;
    let mut tally = Tally::new(plan, &started);
    for warning in tally.result.warnings.clone() {
        listen(Event::Warning(&warning));
    }
    let records: Vec<EngineIdentity> = started.iter().map(|(_, record)| record.clone()).collect();
    let earlier = earlier_results(plan, &records)?;
    let done = check_done(plan, &earlier)?;
    let total = plan.count_first.then(|| count(plan)).transpose()?.flatten();
    listen(Event::Started { engines: &records, total });
    for result in &earlier {
        tally.add(result);
        listen(Event::Position { result, earlier: true });
    }
    drop(earlier);
    let exam = Exam {
        limit: plan.limit.clone(),
        patience: plan.patience.or_else(|| default_deadline(&plan.limit)),
        early_stop: plan.early_stop,
        rules: plan.rules,
    };
    let first = Mutex::new(started.into_iter().map(|(engine, _)| Some(engine)).collect::<Vec<_>>());
    let findings = Mutex::new(vec![Findings::default(); plan.engines.len()]);
    let mut failure = None;
    in_order(
        plan.concurrency,
        jobs(plan, done)?,
        |number| Desk::new(plan, number, &first, &findings),
        |desk, job| desk.work(job, &exam),
        |done| {
            match done {
                Done::Defect(defect) => {
                    listen(Event::Defect(&defect));
                    tally.add_defect(defect);
                }
                Done::Position(result) => {
                    listen(Event::Position { result: &result, earlier: false });
                    tally.add(&result);
                }
                Done::Failed(EngineError::Interrupted) => tally.result.interrupted = true,
                Done::Failed(error) => {
                    failure.get_or_insert(error);
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        },
    );
    let findings = findings.into_inner().unwrap_or_else(PoisonError::into_inner);
    tally.result.interrupted |= interrupted(plan);
    let result = tally.finish(findings, began.elapsed());
    Ok(Outcome { result, failure })
}

fn interrupted(plan: &Plan) -> bool {
    plan.settings.interrupt.as_ref().is_some_and(|i| i.requested())
}

/// One process of each engine, at once: whoever cannot be run is known before the work begins.
fn start_engines(plan: &Plan) -> Result<Vec<(Engine, EngineIdentity)>, SuiteError> {
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

/// The settings of one process, told apart in the transcript where there are several.
fn labelled(plan: &Plan, engine: usize, worker: usize) -> Settings {
    let mut settings = plan.settings.clone();
    let spec = &plan.engines[engine];
    let mut label = spec.label().replace(' ', "_");
    if plan.engines.iter().filter(|s| s.label() == spec.label()).count() > 1 {
        label = format!("{label}.{}", engine + 1);
    }
    if plan.concurrency > 1 {
        label = format!("{label}#{}", worker + 1);
    }
    settings.label = Some(label);
    settings
}

/// Who did what already.
type Key = (String, u64, usize);

fn key(suite: &str, line_no: u64, engine: usize) -> Key {
    (suite.to_owned(), line_no, engine)
}

fn earlier_results(
    plan: &Plan,
    records: &[EngineIdentity],
) -> Result<Vec<PositionResult>, SuiteError> {
    let Some(Resume(read)) = &plan.resume else { return Ok(Vec::new()) };
    let names: Vec<String> = records.iter().map(|r| r.name.clone()).collect();
    read(&names).map_err(SuiteError::Resume)
}

/// The answers that need not be asked for again, after checking that they belong here.
fn check_done(plan: &Plan, earlier: &[PositionResult]) -> Result<HashSet<Key>, SuiteError> {
    if earlier.is_empty() {
        return Ok(HashSet::new());
    }
    let mut fens = std::collections::HashMap::new();
    for item in open(plan)? {
        if let Item::Question(question) = item {
            fens.insert((question.suite.to_string(), question.line_no), question.fen);
        }
    }
    let mut done = HashSet::new();
    for result in earlier {
        let fen = fens.get(&(result.suite.clone(), result.line_no));
        if fen != Some(&result.fen) || result.engine >= plan.engines.len() {
            return Err(SuiteError::NotResumable {
                suite: result.suite.clone(),
                line_no: result.line_no,
                id: result.id.clone(),
            });
        }
        done.insert(key(&result.suite, result.line_no, result.engine));
    }
    Ok(done)
}

fn open(plan: &Plan) -> Result<impl Iterator<Item = Item> + Send + use<>, SuiteError> {
    Ok(items(&plan.sources, plan.filter.clone())?)
}

/// How many answers there will be; unknown where a suite can be read only once.
fn count(plan: &Plan) -> Result<Option<u64>, SuiteError> {
    if !plan.sources.iter().all(Source::can_reread) {
        return Ok(None);
    }
    let most = plan.most.unwrap_or(u64::MAX);
    let questions = open(plan)?.filter(|item| matches!(item, Item::Question(_)));
    let count =
        questions.map(|_| 1u64).take(usize::try_from(most).unwrap_or(usize::MAX)).sum::<u64>();
    Ok(Some(count * plan.engines.len() as u64))
}

/// One thing to do.
enum Job {
    Ask { question: Arc<Question>, engine: usize },
    Report(SuiteDefect),
}

/// One thing done.
enum Done {
    Position(Box<PositionResult>),
    Defect(SuiteDefect),
    Failed(EngineError),
}

/// Every question to every engine, in order, until the user wants to stop.
fn jobs(plan: &Plan, done: HashSet<Key>) -> Result<impl Iterator<Item = Job> + Send, SuiteError> {
    let mut lines: Box<dyn Iterator<Item = Item> + Send> = Box::new(open(plan)?);
    if let Some(seed) = plan.seed {
        let (mut questions, mut all) = (Vec::new(), Vec::new());
        for line in lines {
            match line {
                Item::Question(_) => questions.push(line),
                Item::Defect(_) => all.push(line),
            }
        }
        shuffle(&mut questions, seed);
        all.append(&mut questions);
        lines = Box::new(all.into_iter());
    }
    let mut left = plan.most.unwrap_or(u64::MAX);
    let lines = lines.take_while(move |line| {
        let enough = left == 0;
        left -= u64::from(!enough && matches!(line, Item::Question(_)));
        !enough
    });
    let engines = plan.engines.len();
    let jobs = lines.flat_map(move |line| match line {
        Item::Defect(defect) => vec![Job::Report(defect)],
        Item::Question(question) => {
            let question = Arc::<Question>::from(question);
            (0..engines).map(|engine| Job::Ask { question: question.clone(), engine }).collect()
        }
    });
    let is_new = move |job: &Job| match job {
        Job::Ask { question, engine } if !done.is_empty() => {
            !done.contains(&key(&question.suite, question.line_no, *engine))
        }
        _ => true,
    };
    let stop = plan.settings.interrupt.clone();
    Ok(jobs.filter(is_new).take_while(move |_| !stop.as_ref().is_some_and(|s| s.requested())))
}

/// A worker's place: a process of each engine, started when first needed.
struct Desk<'a> {
    examiners: Vec<Examiner>,
    findings: &'a Mutex<Vec<Findings>>,
}

impl<'a> Desk<'a> {
    fn new(
        plan: &Plan,
        number: usize,
        first: &Mutex<Vec<Option<Engine>>>,
        findings: &'a Mutex<Vec<Findings>>,
    ) -> Self {
        let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
        let examiners = (0..plan.engines.len())
            .map(|index| {
                let spec = plan.engines[index].clone();
                Examiner::new(spec, labelled(plan, index, number), first[index].take())
            })
            .collect();
        Self { examiners, findings }
    }

    fn work(&mut self, job: Job, exam: &Exam) -> Done {
        match job {
            Job::Report(defect) => Done::Defect(defect),
            Job::Ask { question, engine } => {
                match self.examiners[engine].ask(&question, engine, exam) {
                    Ok(result) => Done::Position(Box::new(result)),
                    Err(error) => Done::Failed(error),
                }
            }
        }
    }
}

impl Drop for Desk<'_> {
    fn drop(&mut self) {
        for (index, examiner) in self.examiners.drain(..).enumerate() {
            let past = examiner.dismiss();
            let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
            findings[index].absorb(&past);
        }
    }
}

/// The sums so far.
struct Tally {
    result: SuiteResult,
    /// Positions of the Strategic Test Suite among those run, by engine.
    sts: Vec<u64>,
}

impl Tally {
    fn new(plan: &Plan, started: &[(Engine, EngineIdentity)]) -> Self {
        let warnings = started.iter().flat_map(|(engine, _)| engine.warnings());
        let warnings = warnings.map(ToString::to_string).chain(overload(plan)).collect();
        let engines = started.iter().map(|(_, record)| EngineResult {
            engine: record.clone(),
            totals: Totals::default(),
            themes: Vec::new(),
            sts_rating: None,
            no_sts_rating: None,
            findings: Findings::default(),
        });
        let result = SuiteResult {
            header: RunHeader::begin("suite", plan.recorded())
                .seed(plan.seed)
                .engines(started.iter().map(|(_, record)| record.clone()).collect()),
            suites: plan.sources.iter().map(Source::name).collect(),
            limit: plan.limit.clone(),
            strict: plan.rules.strict,
            engines: engines.collect(),
            defects: Vec::new(),
            defect_count: 0,
            ignored_count: 0,
            warnings,
            interrupted: false,
        };
        Self { result, sts: vec![0; started.len()] }
    }

    fn add(&mut self, result: &PositionResult) {
        let engine = &mut self.result.engines[result.engine];
        engine.totals.add(result);
        self.sts[result.engine] += u64::from(theme::sts_number(&result.id).is_some());
        let themes = &mut engine.themes;
        // A suite whose every id is a theme of its own must not fill our memory.
        let known = |name: &str| themes.iter().position(|t| t.theme == name);
        let name = match known(&result.theme) {
            None if themes.len() >= MOST_THEMES => OTHER_THEMES,
            _ => &result.theme,
        };
        let index = known(name).unwrap_or_else(|| {
            themes.push(ThemeTotals { theme: name.to_owned(), totals: Totals::default() });
            themes.len() - 1
        });
        themes[index].totals.add(result);
    }

    fn add_defect(&mut self, defect: SuiteDefect) {
        match defect.kept {
            true => self.result.ignored_count += 1,
            false => self.result.defect_count += 1,
        }
        if self.result.defects.len() < KEPT_DEFECTS {
            self.result.defects.push(defect);
        }
    }

    fn finish(mut self, findings: Vec<Findings>, elapsed: Duration) -> SuiteResult {
        self.result.header.seconds = elapsed.as_secs_f64();
        let limit = self.result.limit.clone();
        for ((engine, findings), sts) in self.result.engines.iter_mut().zip(findings).zip(self.sts)
        {
            engine.findings = findings;
            match sts_rating(&engine.totals, sts, &limit) {
                Ok(rating) => engine.sts_rating = rating,
                Err(reason) => engine.no_sts_rating = Some(reason),
            }
        }
        self.result
    }
}

/// Searches limited by time suffer when there are more of them than processors.
fn overload(plan: &Plan) -> Option<String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let too_many = plan.limit.movetime.is_some() && plan.concurrency > cores;
    too_many.then(|| {
        format!(
            "{} searches at once on {cores} processors take time from each other; limit them by \
             nodes or depth, or use --concurrency {cores}",
            plan.concurrency
        )
    })
}

/// The line fitted by the authors of the STS rating tool: points in per cent to CCRL 40/4 Elo.
/// None where nothing of the suite was run; why not, where something was.
fn sts_rating(totals: &Totals, sts: u64, limit: &Go) -> Result<Option<RatingEstimate>, String> {
    // Of fewer the chance in the points alone is worth more than a hundred Elo.
    const FEWEST: u64 = 1000;
    let percent = match totals.points_percent() {
        _ if sts == 0 => return Ok(None),
        Some(percent) if totals.with_points == totals.run && sts == totals.run => percent,
        _ if sts < totals.run => {
            return Err(format!("only {sts} of the {} positions are of STS", totals.run));
        }
        _ => {
            let without = totals.run - totals.with_points;
            return Err(format!(
                "{without} of the {sts} positions give no points (c0 \"f5=10, Be5+=2\"), and the \
                 estimate is made from points"
            ));
        }
    };
    if sts < FEWEST {
        return Err(format!(
            "{sts} of the 1,500 positions are too few; it takes at least {FEWEST}"
        ));
    }
    let elo = (44.523 * percent - 242.85).round() as i32;
    let mut conditions =
        "fitted to CCRL 40/4 ratings for all 1,500 positions at 200 ms each on one thread of an \
         Intel i7-2600K"
            .to_owned();
    if sts != 1500 || limit.movetime != Some(200) {
        let here = limit.to_string();
        let here = here.trim_start_matches("go ");
        conditions += &format!("; this run: {sts} positions at {here}");
    }
    if totals.max_points != 10 * i64::try_from(sts).unwrap_or(0) {
        conditions += "; with 10 points for the best move, which this file does not give";
    }
    Ok(Some(RatingEstimate { elo, conditions }))
}
