//! The reports of a suite; those that every position test has are in [`crate::positions`].

pub mod html;
mod misses;
mod row;
pub mod terminal;

use crate::number;
use dyno_trials::suite::{AnswerStatus, EngineResult, PositionResult, SuiteResult};

/// What the engine played, as people read it.
fn played(result: &PositionResult) -> String {
    match (result.status, result.engine_san.as_str(), result.engine_move.as_str()) {
        (AnswerStatus::Crash, ..) => "crashed".to_owned(),
        (AnswerStatus::Timeout, ..) => "no move in time".to_owned(),
        (AnswerStatus::NoMove, _, "") => "no move".to_owned(),
        (AnswerStatus::NoMove, _, text) => format!("no move ({text})"),
        (AnswerStatus::Illegal, _, text) => format!("{text} (illegal)"),
        (_, san, _) if !san.is_empty() => san.to_owned(),
        (_, _, text) => text.to_owned(),
    }
}

/// What would have been right, as people read it.
fn expected(result: &PositionResult) -> String {
    if result.solutions_san.is_empty() && !result.avoid.is_empty() {
        return format!("not {}", result.avoid.join(" "));
    }
    result.solutions_san.join(" ")
}

/// `nodes 100000`, `movetime 2000`.
fn limit(result: &SuiteResult) -> String {
    result.limit.to_string().trim_start_matches("go").trim().to_owned()
}

/// The engine with the options that were set.
fn engine_line(engine: &EngineResult) -> String {
    let options = engine.engine.options.iter().map(|(name, value)| format!("{name}={value}"));
    std::iter::once(engine.engine.name.clone()).chain(options).collect::<Vec<_>>().join(", ")
}

/// Whether the positions fall into themes worth a table: not when nearly every one has an id of
/// its own making.
fn has_themes(engine: &EngineResult) -> bool {
    let themes = engine.themes.len() as u64;
    themes > 1 && 2 * themes <= engine.totals.run
}

/// `254 / 300 (84.7%)`.
fn correct(engine: &EngineResult) -> String {
    let totals = &engine.totals;
    match totals.percent() {
        Some(percent) => format!("{} / {} ({percent:.1}%)", totals.correct, totals.scored),
        None => "0 / 0 (no scored positions)".to_owned(),
    }
}

/// `11,234 / 15,000 (74.9%)`, where the suite has points.
fn points(engine: &EngineResult) -> Option<String> {
    let totals = &engine.totals;
    let percent = totals.points_percent()?;
    let (got, most) = (number::grouped(totals.points), number::grouped(totals.max_points));
    Some(format!("{got} / {most} ({percent:.1}%)"))
}
