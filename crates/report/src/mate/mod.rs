//! The reports of a run over mates; those that every position test has are in
//! [`crate::positions`].

pub mod html;
mod row;
pub mod terminal;

use dyno_trials::mate::{EngineMates, MateLimit, MateResult, SuiteFault, Truth};

/// `#3`, `#-2`.
fn mate(moves: i32) -> String {
    format!("#{moves}")
}

/// What our own solver says about the position.
fn truth(result: &MateResult) -> String {
    match result.truth {
        Truth::Shortest { mate } if mate == result.stated => "proved".to_owned(),
        Truth::Shortest { mate } => format!("proved #{mate}"),
        Truth::NoMate { within } => format!("no mate in {within}"),
        Truth::Unsettled { .. } => "not settled".to_owned(),
        Truth::Unchecked => "not checked".to_owned(),
    }
}

/// What the engine did, in one phrase: `Qd1 #5`, `Qd1 +3.20`.
fn answer(result: &MateResult) -> String {
    let played =
        if result.engine_san.is_empty() { &result.engine_move } else { &result.engine_san };
    let played = if played.is_empty() { "no move" } else { played };
    match result.score {
        Some(score) => format!("{played} {score}"),
        None => played.to_owned(),
    }
}

/// The limit of the searches in words.
#[must_use]
pub fn limit(limit: &MateLimit) -> String {
    match limit {
        MateLimit::FromMate => "depth 2N + 4 for a mate in N, at most 10 s".to_owned(),
        MateLimit::GoMate => "go mate N, at most 10 s".to_owned(),
        MateLimit::Fixed(go) => go.to_string().trim_start_matches("go").trim().to_owned(),
    }
}

/// The engine with the options that were set.
fn engine_line(engine: &EngineMates) -> String {
    let options = engine.engine.options.iter().map(|(name, value)| format!("{name}={value}"));
    std::iter::once(engine.engine.name.clone()).chain(options).collect::<Vec<_>>().join(", ")
}

/// `292 / 300 (97.3%)`.
fn correct(engine: &EngineMates) -> String {
    let totals = &engine.totals;
    match totals.percent() {
        Some(percent) => format!("{} / {} ({percent:.1}%)", totals.correct, totals.scored),
        None => "0 / 0 (no scored positions)".to_owned(),
    }
}

/// `suite.epd:7 (back rank)`.
fn place(suite: &str, line_no: u64, id: &str) -> String {
    let id = if id.starts_with("line ") { String::new() } else { format!(" ({id})") };
    format!("{suite}:{line_no}{id}")
}

/// What is wrong with the suite, and the proof.
fn fault(fault: &SuiteFault) -> String {
    let proof = if fault.proof.is_empty() { String::new() } else { format!(": {}", fault.proof) };
    let skipped = if fault.skipped { "skipped: " } else { "" };
    format!("{skipped}{}{proof}", fault.reason)
}

/// How the counts by score are made.
const BY_SCORE: &str = "last exact score against the stated mate, no solver; a line is bad unless \
    legal, of the mate's length, never drawn and ending in mate";
