//! EPD suites: positions with known answers, put to one engine or several.
//!
//! A [`SuitePlan`] says what to run; [`run`] hands every result, in the order of the suite, to a
//! listener, and returns the sums.

mod judge;
mod question;
mod result;

pub use crate::position_test::theme_of;
pub use dyno_uci::{Go, Score};
pub use question::Rules;
pub use result::{
    AnswerStatus, EngineResult, PositionResult, RatingEstimate, SuiteDefect, SuiteResult,
    SuiteTotals, ThemeTotals,
};

use crate::position_test::{
    self, Source, TestError, TestEvent, TestOutcome, TestPlan, TestRun, sts_number,
};
use dyno_driver::RunHeader;
use judge::SuiteJudge;
use serde_json::{Value, json};
use std::time::Instant;

/// What to run.
#[derive(Clone, Debug)]
pub struct SuitePlan {
    /// The positions, the engines, and how they are run.
    pub test: TestPlan<PositionResult>,
    /// How far every position is searched.
    pub limit: Go,
    /// How answers are judged.
    pub rules: Rules,
    /// Take away castling rights and en-passant squares that a position cannot have, with a
    /// warning, instead of leaving the position out.
    pub repair: bool,
}

impl SuitePlan {
    fn recorded(&self) -> Value {
        let mut plan = self.test.recorded();
        plan["limit"] = json!(self.limit);
        plan["strict"] = json!(self.rules.strict);
        plan["score_am"] = json!(self.rules.score_avoid);
        plan["repair"] = json!(self.repair);
        plan
    }
}

/// What happens during a run, in the order of the suite.
pub type SuiteEvent<'a> = TestEvent<'a, PositionResult, SuiteDefect>;

/// Defects that are kept; the others are only counted.
const KEPT_DEFECTS: usize = 1000;
const MOST_THEMES: usize = 100;
const OTHER_THEMES: &str = "(others)";

/// Runs the plan. An error means that nothing was run.
pub fn run(
    plan: &SuitePlan,
    listen: &mut dyn FnMut(SuiteEvent<'_>),
) -> Result<TestOutcome<SuiteResult>, TestError> {
    let began = Instant::now();
    let header = RunHeader::begin("suite", plan.recorded()).seed(plan.test.selection.seed);
    let mut tally = Tally::new(plan);
    if let Some(warning) = &tally.overload {
        listen(TestEvent::Warning(warning));
    }
    let run = position_test::run(&plan.test, &SuiteJudge::new(plan), &mut |event| {
        tally.take(&event);
        listen(event);
    })?;
    let mut outcome = tally.finish(plan, header, run);
    outcome.result.header.seconds = began.elapsed().as_secs_f64();
    Ok(outcome)
}

/// The sums of one engine.
#[derive(Default)]
struct EngineTally {
    totals: SuiteTotals,
    themes: Vec<ThemeTotals>,
    /// Positions of the Strategic Test Suite among those run.
    sts: u64,
}

impl EngineTally {
    fn add(&mut self, result: &PositionResult) {
        self.totals.add(result);
        self.sts += u64::from(sts_number(&result.id).is_some());
        // A suite whose every id is a theme of its own must not fill our memory.
        let known = |name: &str| self.themes.iter().position(|t| t.theme == name);
        let name = match known(&result.theme) {
            None if self.themes.len() >= MOST_THEMES => OTHER_THEMES,
            _ => &result.theme,
        };
        let index = known(name).unwrap_or_else(|| {
            let totals = SuiteTotals::default();
            self.themes.push(ThemeTotals { theme: name.to_owned(), totals });
            self.themes.len() - 1
        });
        self.themes[index].totals.add(result);
    }
}

/// The sums so far.
struct Tally {
    engines: Vec<EngineTally>,
    defects: Vec<SuiteDefect>,
    defect_count: u64,
    ignored_count: u64,
    overload: Option<String>,
}

impl Tally {
    fn new(plan: &SuitePlan) -> Self {
        let engines = plan.test.engines.iter().map(|_| EngineTally::default()).collect();
        let overload = overload(plan);
        Self { engines, defects: Vec::new(), defect_count: 0, ignored_count: 0, overload }
    }

    fn take(&mut self, event: &SuiteEvent<'_>) {
        match event {
            TestEvent::Position { result, .. } => self.engines[result.engine].add(result),
            TestEvent::Defect(defect) => {
                match defect.kept {
                    true => self.ignored_count += 1,
                    false => self.defect_count += 1,
                }
                if self.defects.len() < KEPT_DEFECTS {
                    self.defects.push((*defect).clone());
                }
            }
            TestEvent::Started { .. } | TestEvent::Warning(_) => {}
        }
    }

    fn finish(
        self,
        plan: &SuitePlan,
        header: RunHeader<Value>,
        run: TestRun,
    ) -> TestOutcome<SuiteResult> {
        let tallies = self.engines.into_iter().zip(run.findings).zip(&run.engines);
        let engines = tallies.map(|((tally, findings), identity)| {
            let (sts_rating, no_sts_rating) =
                match sts_rating(&tally.totals, tally.sts, &plan.limit) {
                    Ok(rating) => (rating, None),
                    Err(reason) => (None, Some(reason)),
                };
            EngineResult {
                engine: identity.clone(),
                totals: tally.totals,
                themes: tally.themes,
                sts_rating,
                no_sts_rating,
                findings,
            }
        });
        let result = SuiteResult {
            suites: plan.test.sources.iter().map(Source::name).collect(),
            limit: plan.limit.clone(),
            strict: plan.rules.strict,
            engines: engines.collect(),
            defects: self.defects,
            defect_count: self.defect_count,
            ignored_count: self.ignored_count,
            warnings: self.overload.into_iter().chain(run.warnings).collect(),
            interrupted: run.interrupted,
            header: header.engines(run.engines),
        };
        TestOutcome { result, failure: run.failure }
    }
}

/// Searches limited by time suffer when there are more of them than processors.
fn overload(plan: &SuitePlan) -> Option<String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let concurrency = plan.test.concurrency;
    let too_many = plan.limit.movetime.is_some() && concurrency > cores;
    too_many.then(|| {
        format!(
            "{concurrency} searches at once on {cores} processors take time from each other; limit \
             them by nodes or depth, or use --concurrency {cores}"
        )
    })
}

/// The line fitted by the authors of the STS rating tool: points in per cent to CCRL 40/4 Elo.
/// None where nothing of the suite was run; why not, where something was.
fn sts_rating(
    totals: &SuiteTotals,
    sts: u64,
    limit: &Go,
) -> Result<Option<RatingEstimate>, String> {
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
