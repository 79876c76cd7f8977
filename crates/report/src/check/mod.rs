//! The report card of `dyno check`, for every reader.

pub mod guide;
pub mod html;
pub mod terminal;

use crate::junit::{Case, Suite, to_xml};
use crate::svg_card;
use crate::{Verdict, number};
use dyno_trials::check::{self, CheckOutcome, CheckResult, Figure, ReportCard};
use std::time::Duration;

/// `31 passed, 2 warnings, 1 failed, 4 skipped`.
#[must_use]
pub fn counts(card: &ReportCard) -> String {
    let count = |v| card.count(v);
    let warnings = count(Verdict::Warn);
    format!(
        "{} passed, {} {}, {} failed, {} skipped",
        count(Verdict::Pass),
        warnings,
        if warnings == 1 { "warning" } else { "warnings" },
        count(Verdict::Fail),
        count(Verdict::Skip)
    )
}

/// A figure as people read it.
#[must_use]
pub fn figure(figure: &Figure) -> String {
    let value = if figure.value.abs() >= 100.0 || figure.value.fract() == 0.0 {
        number::grouped(figure.value.round() as i64)
    } else {
        format!("{:.2}", figure.value)
    };
    format!("{} {value} {}", figure.name, figure.unit).trim_end().to_owned()
}

/// How much was judged: `123 positions`.
#[must_use]
pub fn judged(outcome: &CheckOutcome) -> Option<String> {
    let judged = outcome.judged.as_ref();
    let judged = judged.filter(|judged| !judged.what.is_empty() && judged.count > 0)?;
    let what = if judged.count == 1 { singular(&judged.what) } else { judged.what.clone() };
    Some(format!("{} {what}", number::grouped(judged.count as i64)))
}

/// One of what there are several of: `kinds of limits` are a `kind of limits`.
fn singular(plural: &str) -> String {
    let end = [" of ", " after "].iter().filter_map(|word| plural.find(word)).min();
    let (noun, rest) = plural.split_at(end.unwrap_or(plural.len()));
    let one = noun.strip_suffix("es").filter(|stem| stem.ends_with("ch") || stem.ends_with("ss"));
    format!("{}{rest}", one.or(noun.strip_suffix('s')).unwrap_or(noun))
}

/// The card as JUnit XML, a suite for each engine.
pub fn junit(cards: &[ReportCard]) -> Result<String, crate::junit::Error> {
    let suites = cards.iter().map(|card| {
        Suite::new(format!("dyno check: {}", card.engine.name))
            .property("engine", card.engine.command.clone())
            .property("seed", card.header.seed.unwrap_or_default().to_string())
            .cases(card.checks.iter().map(case))
    });
    to_xml("dyno check", suites)
}

fn case(result: &CheckResult) -> Case {
    let outcome = &result.outcome;
    let mut details = outcome.evidence.join("\n");
    for finding in outcome.findings.iter().filter(|finding| finding.stands()) {
        details += &format!("\n{}", finding.seen);
        for (name, text) in [("Expected", &finding.expected), ("Likely cause", &finding.cause)] {
            if !text.is_empty() {
                details += &format!("\n{name}: {text}");
            }
        }
        if !finding.reproduce.is_empty() {
            details += &format!("\nTo see it again:\n{}", finding.reproduce.join("\n"));
        }
    }
    if outcome.findings.is_empty() && !outcome.reproduce.is_empty() {
        details += &format!("\nTo see it again:\n{}", outcome.reproduce.join("\n"));
    }
    Case::new(result.id.clone(), outcome.verdict)
        .class(result.group.clone())
        .message(outcome.summary.clone())
        .details(details)
        .time(Duration::from_secs_f64(result.seconds.max(0.0)))
}

/// The card as a picture.
#[must_use]
pub fn svg(card: &ReportCard) -> String {
    let judged = card.checks.len() - card.count(Verdict::Skip);
    let mut picture = svg_card::ReportCard::new("Report card", card.engine.name.clone())
        .score(card.count(Verdict::Pass) as u64, judged as u64);
    for group in check::Group::ALL {
        let of_group: Vec<&CheckResult> =
            card.checks.iter().filter(|c| c.group == group.name()).collect();
        let Some(worst) = of_group.iter().map(|c| c.outcome.verdict).min() else {
            continue;
        };
        let passed = of_group.iter().filter(|c| c.outcome.verdict == Verdict::Pass).count();
        let skipped = of_group.iter().filter(|c| c.outcome.verdict == Verdict::Skip).count();
        let figures = format!("{passed} of {}", of_group.len() - skipped);
        picture = picture.check(group.title(), worst_shown(worst, passed), figures);
    }
    picture.foot(format!("dyno check, {}", counts(card))).svg()
}

/// A group that has nothing but skips is skipped; a skip beside passes does not spoil it.
fn worst_shown(worst: Verdict, passed: usize) -> Verdict {
    if worst == Verdict::Skip && passed > 0 { Verdict::Pass } else { worst }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_several() {
        for (plural, one) in [
            ("searches", "search"),
            ("processes", "process"),
            ("table sizes", "table size"),
            ("kinds of limits", "kind of limits"),
            ("positions after moves", "position after moves"),
        ] {
            assert_eq!(singular(plural), one);
        }
    }
}
