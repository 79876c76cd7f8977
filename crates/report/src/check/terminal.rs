//! The card on the terminal.

use super::{counts, figure};
use crate::number;
use crate::terminal::{bold, clean, dim, verdict as painted, width};
use dyno_trials::check::{CATALOGUE, CheckResult, Confirmation, Group, ReportCard, Verdict};
use std::fmt::Write as _;

/// The line that is shown as soon as a check is done.
#[must_use]
pub fn line(result: &CheckResult) -> String {
    let judged = super::judged(&result.outcome).map(|text| dim(format!(" ({text})")));
    format!(
        "{}  {:<32} {}{}",
        painted(result.outcome.verdict),
        result.id,
        clean(&result.outcome.summary),
        judged.unwrap_or_default()
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

/// Every finding with its evidence and reproduction, and where to read on.
fn details(text: &mut String, result: &CheckResult) {
    let outcome = &result.outcome;
    for (number, finding) in outcome.findings.iter().filter(|finding| finding.stands()).enumerate()
    {
        if number > 0 {
            let _ = writeln!(text, "      {} {}", finding.verdict.sign(), clean(&finding.seen));
        }
        for (name, words) in [("expected", &finding.expected), ("likely cause", &finding.cause)] {
            if !words.is_empty() {
                let _ = writeln!(text, "        {} {}", dim(format!("{name}:")), clean(words));
            }
        }
        evidence(text, &finding.evidence);
        reproduction(text, &finding.reproduce, how_shown(finding.confirmation));
    }
    if outcome.findings.is_empty() {
        evidence(text, &outcome.evidence);
        reproduction(text, &outcome.reproduce, "");
    }
    let advice = format!("explained by: dyno check --explain {}", result.id);
    let _ = writeln!(text, "        {}", dim(advice));
}

fn how_shown(confirmation: Confirmation) -> &'static str {
    match confirmation {
        Confirmation::Fresh => "to see it again (tried in a fresh process):",
        Confirmation::WithHistory => {
            "to see it again (tried in a fresh process; it needs the lines before):"
        }
        Confirmation::NotShown => "it was seen after these lines, but not again:",
        Confirmation::NoTime => "it was seen after these lines, not tried again:",
        Confirmation::NotTried => "to see it again:",
    }
}

fn evidence(text: &mut String, lines: &[String]) {
    let room = width().unwrap_or(120).saturating_sub(10).max(40);
    for line in lines.iter().take(4) {
        let line = clean(line);
        let short: String = match line.chars().count() > room {
            true => line.chars().take(room - 1).chain(['…']).collect(),
            false => line,
        };
        let _ = writeln!(text, "        {}", dim(short));
    }
    let more = lines.len().saturating_sub(4);
    if more > 0 {
        let _ = writeln!(text, "        {}", dim(format!("and {more} more (see --report-html)")));
    }
}

/// Commands are never shortened: they are there to be copied.
fn reproduction(text: &mut String, lines: &[String], how: &str) {
    if !lines.is_empty() && !how.is_empty() {
        let _ = writeln!(text, "        {}", dim(how));
    }
    for line in lines {
        let mark = if line.starts_with("$ ") || line.starts_with("# ") { "" } else { "> " };
        let _ = writeln!(text, "        {mark}{}", clean(line));
    }
}

/// What to mend first: a broken rule of chess makes an engine fail in many other ways.
const URGENT: [&str; 5] = ["legality", "hash", "search", "tactics", "stability"];

fn next_step(card: &ReportCard) -> String {
    let urgency = |group: &str| URGENT.iter().position(|urgent| *urgent == group);
    let first = |wanted| {
        let such = card.checks.iter().filter(|c| c.outcome.verdict == wanted);
        such.min_by_key(|c| urgency(&c.group).unwrap_or(URGENT.len()))
    };
    match first(Verdict::Fail).or_else(|| first(Verdict::Warn)) {
        Some(result) => {
            format!("Mend first: {} ({})\n", clean(&result.outcome.summary), result.id)
        }
        None if card.checks.is_empty() => "No check was selected.\n".into(),
        None => match card.checks.len() - card.count(Verdict::Skip) {
            judged if 2 * judged < card.checks.len() => {
                format!(
                    "Nothing to mend; {judged} of {} checks could be made.\n",
                    card.checks.len()
                )
            }
            _ => "Nothing to mend.\n".into(),
        },
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
