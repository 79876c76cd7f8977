//! The suites: each must reach its least score, and must not fall far below the baseline's.

use super::{
    Case, Listener, Outcome, RegressError, RegressEvent, RegressPlan, Section, Step, SuiteConfig,
    Verdict, config, failed,
};
use crate::builtin_suite;
use crate::position_test::{Selection, Source, TestError, TestEvent, TestPlan};
use crate::suite::{self, Go, PositionResult, Rules, SuitePlan, SuiteTotals};

/// Percentage points below the baseline that a search by time may lose by chance.
const DROP_BY_TIME: f64 = 2.0;
/// Misses that are listed.
const MOST_MISSES: usize = 30;

pub(super) fn name(config: &SuiteConfig) -> String {
    config.name.clone().unwrap_or_else(|| config.epd.clone())
}

pub(super) fn run(config: &SuiteConfig, plan: &RegressPlan, listen: Listener<'_>) -> Outcome {
    let limit = config::limit(config.depth, config.nodes, config.movetime)
        .map_err(RegressError::Config)?
        .unwrap_or_else(|| Go::movetime(1000));
    let (sources, engines) = (vec![source(config, plan)?], vec![plan.engine.clone()]);
    let test = TestPlan {
        selection: Selection { most: config.limit, ..Selection::default() },
        concurrency: config.concurrency,
        ..TestPlan::new(sources, engines, plan.settings.clone())
    };
    let suite_plan =
        SuitePlan { test, limit: limit.clone(), rules: Rules::default(), repair: false };
    let mut misses: Vec<String> = Vec::new();
    let (mut right, mut scored) = (0u64, 0u64);
    let outcome = suite::run(&suite_plan, &mut |event| {
        if let TestEvent::Position { result, .. } = event {
            scored += u64::from(result.correct.is_some());
            right += u64::from(result.correct == Some(true));
            if result.correct == Some(false) && misses.len() < MOST_MISSES {
                misses.push(miss(result));
            }
            listen(RegressEvent::Progress(&format!("{right}/{scored} right")));
        }
    });
    let name = name(config);
    let step = |cases| Step::new(Section::Suite, name.as_str(), cases);
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(TestError::Engine(error)) => return Ok(step(vec![failed(error)?])),
        Err(error) => return Err(RegressError::Config(error.to_string())),
    };
    if outcome.result.interrupted {
        return Err(dyno_driver::EngineError::Interrupted.into());
    }
    let Some(engine) = outcome.result.engines.first() else { return Ok(step(Vec::new())) };
    let score = engine.totals.score_percent();
    let mut cases = vec![score_case(config, score, right, scored, misses)];
    cases.extend(drop_case(config, plan, &name, score, &limit));
    cases.extend(trouble_case(&engine.totals));
    match outcome.failure {
        Some(TestError::Engine(error)) => cases.push(failed(error)?),
        Some(error) => return Err(RegressError::Config(error.to_string())),
        None => {}
    }
    let text = match score {
        Some(score) => format!("{score:.1} % ({right} of {scored} right)"),
        None => "nothing scored".to_owned(),
    };
    Ok(step(cases).summary(text).figure("score", score))
}

fn source(config: &SuiteConfig, plan: &RegressPlan) -> Result<Source, RegressError> {
    let path = plan.folder.join(&config.epd);
    if path.is_file() {
        return Ok(Source::File(path));
    }
    match builtin_suite(&config.epd) {
        Some(suite) => Ok(Source::Builtin { name: suite.name, text: suite.text }),
        None => Err(RegressError::Config(format!(
            "[[suite]] epd = {:?}: no such file ({}), and no built-in suite of that name",
            config.epd,
            path.display()
        ))),
    }
}

fn score_case(
    config: &SuiteConfig,
    score: Option<f64>,
    right: u64,
    scored: u64,
    misses: Vec<String>,
) -> Case {
    let found =
        score.map_or("nothing scored".to_owned(), |s| format!("{s:.2} %, {right} of {scored}"));
    let (verdict, summary) = match (config.min_score, score) {
        (Some(least), Some(score)) if score >= least => {
            (Verdict::Pass, format!("{found}; at least {least} % wanted"))
        }
        (Some(least), _) => (Verdict::Fail, format!("{found}; at least {least} % wanted")),
        (None, Some(_)) => (Verdict::Pass, found),
        (None, None) => (Verdict::Fail, found),
    };
    let misses = if verdict == Verdict::Fail { misses } else { Vec::new() };
    Case::new("score", verdict, summary).details(misses)
}

fn drop_case(
    config: &SuiteConfig,
    plan: &RegressPlan,
    name: &str,
    score: Option<f64>,
    limit: &Go,
) -> Option<Case> {
    let then = plan.baseline_figure(Section::Suite, name, "score")?;
    let now = score.unwrap_or(0.0);
    // A search by nodes or depth gives the same answers every time.
    let usual = if limit.movetime.is_some() { DROP_BY_TIME } else { 0.0 };
    let allowed = config.max_drop.unwrap_or(usual);
    let text =
        format!("{now:.2} %, {then:.2} % in the baseline; {allowed} points less are allowed");
    let verdict = if then - now > allowed + 1e-9 { Verdict::Fail } else { Verdict::Pass };
    Some(Case::new("against the baseline", verdict, text))
}

fn trouble_case(totals: &SuiteTotals) -> Option<Case> {
    let kinds: Vec<String> = [
        (totals.crashes, "crashes"),
        (totals.timeouts, "timeouts"),
        (totals.illegal, "illegal moves"),
        (totals.no_move, "positions without a move"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("{count} {what}"))
    .collect();
    (!kinds.is_empty()).then(|| Case::new("behaviour", Verdict::Fail, kinds.join(", ")))
}

fn miss(result: &PositionResult) -> String {
    let played =
        if result.engine_san.is_empty() { &result.engine_move } else { &result.engine_san };
    format!("{}: {played}, expected {}: {}", result.id, result.solutions_san.join(" "), result.fen)
}
