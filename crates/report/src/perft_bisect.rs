//! What the perft bisection shows: the counts that agree in a line each, the faults at length.

use crate::number;
use crate::terminal::{board, bold, clean, dim};
use dyno_trials::perft_bisect::{BisectResult, Comparison, FaultReport};
use std::fmt::Write as _;

/// The result for people.
#[must_use]
pub fn text(result: &BisectResult) -> String {
    let mut text =
        format!("{} answers `{} N`\n", bold(clean(&result.engine)), result.dialect.command);
    for comparison in &result.comparisons {
        line(&mut text, comparison);
    }
    let compared = result.comparisons.iter().filter(|c| c.skipped.is_none()).count();
    let positions = number::plural(compared as u64, "position", "positions");
    let _ = match result.faults() {
        0 => writeln!(text, "{positions} compared, every count right"),
        wrong => writeln!(text, "{} miscounted of {positions}", number::grouped(wrong as u64)),
    };
    text
}

fn line(text: &mut String, comparison: &Comparison) {
    let leaves = number::grouped(comparison.expected);
    let name = clean(&comparison.name);
    if let Some(reason) = &comparison.skipped {
        let _ = writeln!(text, "skipped  {name}: {reason}");
    } else if let Some(fault) = &comparison.fault {
        let _ = writeln!(
            text,
            "{}    {name}, depth {} ({leaves} expected)",
            bold("WRONG"),
            comparison.depth
        );
        details(text, fault);
    } else {
        let _ = writeln!(text, "right    {name}, depth {}: {leaves}", comparison.depth);
    }
}

fn details(text: &mut String, fault: &FaultReport) {
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
        let why = match depth {
            1 => "the engine prints totals only, so which move it is cannot be seen",
            _ => {
                "though every move list that can be seen is right: make or undo leaves something \
                  behind"
            }
        };
        let _ = writeln!(
            text,
            "  perft {depth} is {} instead of {}: {why}",
            number::grouped(found),
            number::grouped(expected)
        );
    }
    if fault.needs_moves {
        let _ = writeln!(
            text,
            "  The position alone is right: the moves before it leave something behind."
        );
    }
    let _ =
        writeln!(text, "  {}", dim("The smallest position that shows it; type into the engine:"));
    for command in &fault.reproduce {
        let _ = writeln!(text, "    {command}");
    }
    let _ = writeln!(text);
}
