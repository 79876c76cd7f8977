//! What stands at the prompt after a battery.

use super::{findings, headline, title};
use crate::row;
use crate::terminal::{Table, bold, clean, dim, left, right, verdict};
use dyno_trials::regress::{RegressResult, Step};
use std::fmt::Write;
use std::time::Duration;

/// Lines of evidence that are shown for a case.
const MOST_DETAILS: usize = 8;

/// One step on one line, as it is done.
#[must_use]
pub fn step_line(step: &Step) -> String {
    format!("{} {}: {}", verdict(step.verdict), title(step), clean(&step.summary))
}

/// The summary table, then everything that wants attention.
#[must_use]
pub fn report(result: &RegressResult) -> String {
    let mut out = format!("{}\n", bold(clean(&result.engine.name)));
    if let Some(baseline) = &result.baseline {
        let _ = writeln!(out, "Baseline: {}", clean(baseline));
    }
    let rows = result.steps.iter().map(|step| {
        row![
            title(step),
            step.verdict,
            step.summary.as_str(),
            Duration::from_secs_f64(step.seconds.max(0.0))
        ]
    });
    let heads = [left("Step"), left("Verdict"), left("Result"), right("Time")];
    let _ = writeln!(out, "\n{}", Table::new(heads).rows(rows));
    for step in &result.steps {
        for case in findings(step) {
            let line = format!("{} · {}: {}", title(step), case.id, case.summary);
            let _ = writeln!(out, "{} {}", verdict(case.verdict), clean(&line));
            for detail in case.shown(MOST_DETAILS) {
                let _ = writeln!(out, "    {}", dim(clean(&detail)));
            }
        }
    }
    let (judged, text) = headline(result);
    let _ = writeln!(out, "\n{} {}", verdict(judged), text);
    out
}
