//! The card on the terminal.

use super::{counts, figure};
use crate::number;
use crate::terminal::{bold, clean, dim, verdict as painted, width};
use dyno_trials::check::{CATALOGUE, CheckResult, Group, ReportCard, Verdict};
use std::fmt::Write as _;

/// The line that is shown as soon as a check is done.
#[must_use]
pub fn line(result: &CheckResult) -> String {
    format!(
        "{}  {:<32} {}",
        painted(result.outcome.verdict),
        result.id,
        clean(&result.outcome.summary)
    )
}

/// The whole card: what is wrong first, with its evidence, then the tally.
#[must_use]
pub fn card(card: &ReportCard) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "\n{}  {}", bold("Report card"), bold(clean(&card.engine.name)));
    for group in Group::ALL {
        let of_group: Vec<&CheckResult> =
            card.checks.iter().filter(|c| c.group == group.name()).collect();
        if of_group.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n{}", bold(group.title()));
        for result in of_group {
            let _ = writeln!(text, "  {}", line(result));
            if matches!(result.outcome.verdict, Verdict::Fail | Verdict::Warn) {
                details(&mut text, result);
            }
        }
    }
    let elapsed = number::duration(card.header.elapsed());
    let _ = writeln!(text, "\n{} in {elapsed}", bold(counts(card)));
    if card.interrupted {
        let _ = writeln!(text, "interrupted: the remaining checks were not run");
    }
    let _ = write!(text, "{}", next_step(card));
    text
}

/// Evidence, reproduction and where to read on.
fn details(text: &mut String, result: &CheckResult) {
    let room = width().unwrap_or(120).saturating_sub(10).max(40);
    let short = |line: &str| -> String {
        let line = clean(line);
        if line.chars().count() > room {
            line.chars().take(room - 1).chain(['…']).collect()
        } else {
            line
        }
    };
    for line in result.outcome.evidence.iter().take(4) {
        let _ = writeln!(text, "        {}", dim(short(line)));
    }
    let more = result.outcome.evidence.len().saturating_sub(4);
    if more > 0 {
        let _ = writeln!(text, "        {}", dim(format!("and {more} more (see --report-html)")));
    }
    for line in &result.outcome.reproduce {
        // Commands are never shortened: they are there to be copied.
        let _ = writeln!(text, "        > {}", clean(line));
    }
    let _ = writeln!(
        text,
        "        {}",
        dim(format!("explained by: dyno check --explain {}", result.id))
    );
}

fn next_step(card: &ReportCard) -> String {
    let first = |wanted| card.checks.iter().find(|c| c.outcome.verdict == wanted);
    match first(Verdict::Fail).or_else(|| first(Verdict::Warn)) {
        Some(result) => format!("Next: {} ({})\n", result.title, result.id),
        None if card.checks.is_empty() => "No check was selected.\n".into(),
        None => "Nothing to mend.\n".into(),
    }
}

/// Several engines side by side.
#[must_use]
pub fn side_by_side(cards: &[ReportCard]) -> String {
    use crate::terminal::{Cell, Head, Table, left};
    let mut heads: Vec<Head> = vec![left("check")];
    for card in cards {
        heads.extend([left(clean(&card.engine.name)), left("")]);
    }
    let mut table = Table::new(heads);
    for spec in CATALOGUE {
        let was_made = |card: &ReportCard| card.checks.iter().any(|c| c.id == spec.id);
        if !cards.iter().any(was_made) {
            continue;
        }
        let mut cells: Vec<Cell> = vec![spec.id.into()];
        for card in cards {
            let result = card.checks.iter().find(|c| c.id == spec.id);
            let shown = result.and_then(|r| r.outcome.figures.first()).map(figure);
            cells.push(result.map_or("".into(), |r| r.outcome.verdict.into()));
            cells.push(shown.unwrap_or_default().into());
        }
        table.push(cells);
    }
    table.to_string()
}
