//! Option declarations, and what happens when the options are set.

use super::CheckOutcome;
use super::engine::TestedEngine;
use super::session::Session;
use super::transcript;
use dyno_driver::EngineError;
use dyno_uci::{EngineOption, OptionKind};
use std::time::Duration;

type Checked = Result<CheckOutcome, EngineError>;

pub(super) fn declarations(session: &mut Session<'_>) -> Checked {
    let engine = session.engine()?;
    let faults: Vec<String> = engine
        .findings()
        .examples()
        .iter()
        .filter(|finding| finding.line.trim_start().starts_with("option"))
        .map(|finding| format!("{}: {}", finding.deviation, finding.line))
        .collect();
    let count = counted(engine.options().len());
    let has_hash = engine.option("Hash").is_some();
    Ok(if !faults.is_empty() {
        CheckOutcome::fail(format!("{} malformed option lines", faults.len())).evidence(faults)
    } else if !has_hash {
        CheckOutcome::warn(format!(
            "{count}, all well-formed, but no Hash: matches cannot be made fair"
        ))
    } else {
        CheckOutcome::pass(format!("{count}, all well-formed"))
    }
    .figure("options", engine.options().len() as f64, "")
    .reproduce(["uci"]))
}

pub(super) fn values(session: &mut Session<'_>) -> Checked {
    let mut engine = session.fresh()?;
    let options = engine.options().to_vec();
    let mut set = 0;
    for option in &options {
        for (value, legal) in trials(option) {
            let line = match &value {
                Some(value) => format!("setoption name {} value {value}", option.name),
                None => format!("setoption name {}", option.name),
            };
            if let Err(error) = try_line(&mut engine, &line) {
                if matches!(error, EngineError::Interrupted) {
                    return Err(error);
                }
                let summary = format!("after `{line}`: {error}");
                let outcome =
                    if legal { CheckOutcome::fail(summary) } else { CheckOutcome::warn(summary) };
                return Ok(outcome.reproduce([line, "isready".into()]));
            }
            set += 1;
        }
        // A choice may change how the engine speaks, and then it does not hear what follows.
        if matches!(option.kind, OptionKind::Combo { .. }) {
            engine = session.fresh()?;
            continue;
        }
        // Back to what it was, so that one option's extreme does not spoil the next one's test.
        if let Some(value) = option.default_text().filter(|_| !makes_files(option)) {
            try_line(&mut engine, &format!("setoption name {} value {value}", option.name))?;
        }
    }
    let search = transcript::search(
        &mut engine,
        "position startpos",
        "go depth 1",
        Duration::from_secs(20),
    )?;
    Ok(if search.best.len() >= 4 {
        CheckOutcome::pass(format!(
            "{} set {set} times to their extremes and to rubbish",
            counted(options.len())
        ))
    } else {
        CheckOutcome::fail(format!(
            "no move after all options were set and reset: bestmove {}",
            search.best
        ))
    })
}

fn counted(options: usize) -> String {
    if options == 1 { "1 option".to_owned() } else { format!("{options} options") }
}

fn try_line(engine: &mut TestedEngine, line: &str) -> Result<(), EngineError> {
    engine.send_line(line)?;
    engine.is_ready(Duration::from_secs(15))
}

/// Options that make the engine write files. Whoever has an engine examined does not want its
/// logs, nor a file called `<empty>`, in their folder.
fn makes_files(option: &EngineOption) -> bool {
    let name = option.name.to_ascii_lowercase();
    let is_of_files = matches!(option.kind, OptionKind::String { .. } | OptionKind::Check { .. });
    is_of_files && ["log", "dump", "trace", "record", "learn"].iter().any(|w| name.contains(w))
}

/// The values to try, each with whether the engine has declared it legal.
fn trials(option: &EngineOption) -> Vec<(Option<String>, bool)> {
    let name = option.name.to_ascii_lowercase();
    let legal = |text: String| (Some(text), true);
    let rubbish = |text: &str| (Some(text.to_owned()), false);
    match &option.kind {
        OptionKind::Check { .. } if makes_files(option) => {
            vec![rubbish("maybe"), legal("false".into())]
        }
        OptionKind::String { .. } if makes_files(option) => Vec::new(),
        // What takes memory or processors in proportion is not driven to its end here.
        OptionKind::Spin { min, max, .. } => {
            let most = match name.as_str() {
                n if n.contains("hash") || n.contains("cache") || n.contains("memory") => {
                    (*max).min(64)
                }
                n if n.contains("thread") || n.contains("cores") || n.contains("cpu") => {
                    (*max).min(4)
                }
                _ => *max,
            };
            vec![
                legal(min.to_string()),
                legal(most.max(*min).to_string()),
                rubbish("abc"),
                rubbish("99999999999999999999"),
                rubbish("-1"),
            ]
        }
        OptionKind::Check { .. } => {
            vec![legal("true".into()), legal("false".into()), rubbish("maybe")]
        }
        OptionKind::Combo { choices, .. } => choices
            .iter()
            .take(8)
            .map(|choice| legal(choice.clone()))
            .chain([rubbish("no-such-choice")])
            .collect(),
        OptionKind::Button => vec![(None, true)],
        // A file that is not there is the user's fault, not the engine's: only the empty text.
        OptionKind::String { .. } => vec![legal("<empty>".into())],
    }
}
