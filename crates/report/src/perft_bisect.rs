//! What the perft bisection shows: the counts that agree in a line each, the faults at length, each
//! broken rule once.

use crate::number;
use crate::terminal::{board, bold, clean, dim};
use dyno_trials::perft_bisect::{
    BisectResult, Comparison, Dialect, FaultReport, RuleBreak, RuleFinding,
};
use std::fmt::Write as _;

/// The result for people.
#[must_use]
pub fn text(result: &BisectResult) -> String {
    let mut text = heading(&result.engine, &result.dialect);
    for comparison in &result.comparisons {
        text.push_str(&line(comparison, &result.rules));
    }
    text + &summary(result)
}

/// What the engine is called, and how it is asked.
#[must_use]
pub fn heading(engine: &str, dialect: &Dialect) -> String {
    format!("{} answers `{}`\n", bold(clean(engine)), dialect.line('N'))
}

/// What came of a position: a line where it is right or breaks rules like positions before it, and
/// everything about rules that it is the first to break.
#[must_use]
pub fn line(comparison: &Comparison, rules: &[RuleFinding]) -> String {
    let leaves = number::grouped(comparison.expected);
    let name = clean(&comparison.name);
    let mut text = String::new();
    if let Some(reason) = &comparison.skipped {
        let _ = writeln!(text, "skipped  {name}: {reason}");
    } else if let Some(fault) = &comparison.fault {
        let _ = write!(
            text,
            "{}    {name}, depth {} ({leaves} expected)",
            bold("WRONG"),
            comparison.depth
        );
        let again: Vec<&str> = fault.known_rules.iter().map(|rule| rule.why.as_str()).collect();
        match again.as_slice() {
            [] => text.push('\n'),
            again => {
                let _ = writeln!(text, ": again {}", again.join("; "));
            }
        }
        if !fault.new_rules.is_empty() {
            details(&mut text, comparison, fault, rules);
        }
    } else {
        let _ = writeln!(text, "right    {name}, depth {}: {leaves}", comparison.depth);
    }
    text
}

/// How many positions are right, and which rules are broken how often.
#[must_use]
pub fn summary(result: &BisectResult) -> String {
    let compared = result.comparisons.iter().filter(|c| c.skipped.is_none()).count();
    let positions = number::plural(compared as u64, "position", "positions");
    let mut text = String::new();
    let _ = match result.faults() {
        _ if compared == 0 => writeln!(text, "no position compared"),
        0 => writeln!(text, "{positions} compared, every count right"),
        wrong => writeln!(text, "{} miscounted of {positions}", number::grouped(wrong as u64)),
    };
    for finding in &result.rules {
        let count = number::plural(finding.positions as u64, "position", "positions");
        let _ = writeln!(text, "  {count}: {}", described(finding));
    }
    text
}

/// The rule with the way it is broken, where its wording does not say it.
pub(crate) fn described(finding: &RuleFinding) -> String {
    match finding.rule.how {
        RuleBreak::Surplus => format!("not legal: {}", finding.rule.why),
        RuleBreak::Missing | RuleBreak::Count | RuleBreak::Breakdown => finding.rule.why.clone(),
    }
}

fn details(text: &mut String, comparison: &Comparison, fault: &FaultReport, rules: &[RuleFinding]) {
    let _ = writeln!(text, "\n  In the position {}", fault.fen);
    if !fault.moves.is_empty() {
        let _ = writeln!(text, "  reached by {}", fault.moves.join(" "));
    }
    if let Some(drawn) = board(&fault.fen) {
        for row in drawn.lines() {
            let _ = writeln!(text, "    {row}");
        }
    }
    for wrong in &fault.surplus {
        let _ = writeln!(text, "  surplus  {}: {}", bold(clean(&wrong.mv)), wrong.why);
    }
    for wrong in &fault.missing {
        let _ = writeln!(text, "  missing  {}: {}", bold(&wrong.mv), wrong.why);
    }
    if let Some((depth, expected, found)) = fault.count {
        let why = fault.new_rules.first().map_or("", |rule| &rule.why);
        let (found, expected) = (number::grouped(found), number::grouped(expected));
        let _ = writeln!(text, "  perft {depth} is {found} instead of {expected}: {why}");
    }
    if let Some(breakdown) = &fault.breakdown {
        let how = clean(&breakdown.how);
        let _ = match &breakdown.mv {
            Some(mv) => writeln!(text, "  {} brings the engine down: {how}", bold(mv)),
            None => writeln!(text, "  perft {} brings the engine down: {how}", breakdown.depth),
        };
    }
    let mine = |finding: &&RuleFinding| {
        finding.first == comparison.name && fault.new_rules.contains(&finding.rule)
    };
    for finding in rules.iter().filter(mine) {
        let several = fault.new_rules.len() > 1;
        let of = if several { format!(" ({})", finding.rule.why) } else { String::new() };
        if !finding.smallest_moves.is_empty() && fault.count.is_none() {
            let _ = writeln!(
                text,
                "  The position alone is right{of}: the moves before it leave something behind."
            );
        }
        let hint = format!("The smallest position that shows it{of}; type into the engine:");
        let _ = writeln!(text, "  {}", dim(hint));
        for command in &finding.reproduce {
            let _ = writeln!(text, "    {command}");
        }
    }
    let _ = writeln!(text);
}
