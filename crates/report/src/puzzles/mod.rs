//! What `dyno puzzles` shows, and the reports of `dyno puzzles run`.

pub mod csv;
pub mod html;

use crate::number::{grouped, percent, plural};
use crate::row;
use crate::terminal::{Table, clean, left, right};
use dyno_trials::puzzles::{
    Attempt, ConvertResult, Group, MineResult, Performance, PuzzleVerdict, RunResult,
};
use std::fmt::Write as _;

/// Themes of fewer puzzles say nothing about an engine and are left out of the table.
const FEWEST: u64 = 5;

/// What a conversion came to.
#[must_use]
pub fn convert_summary(result: &ConvertResult) -> String {
    let mut text = String::new();
    let rate = result.rows as f64 / result.header.seconds.max(1e-9);
    let _ = writeln!(
        text,
        "{} rows of {} in {:.2} s ({} rows/s)",
        grouped(result.rows),
        result.source,
        result.header.seconds,
        grouped(rate as u64)
    );
    let depths = result.by_depth.iter().map(|(depth, n)| match depth {
        0 => format!("no mate {}", grouped(*n)),
        _ => format!("mate in {depth}: {}", grouped(*n)),
    });
    line(&mut text, "written", result.written, &depths.collect::<Vec<_>>().join(", "));
    line(&mut text, "no mate", result.not_mate, "left out; --all writes them too");
    line(&mut text, "not asked for", result.not_selected, "by rating or theme");
    let reasons = result.reasons.iter().map(|(reason, n)| format!("{reason} {}", grouped(*n)));
    line(&mut text, "rejected", result.rejected, &reasons.collect::<Vec<_>>().join(", "));
    line(&mut text, "bad numbers", result.ignored_numbers, "ignored; the puzzles count");
    line(&mut text, "repaired", result.repaired, "castling or en passant impossible, taken away");
    line(&mut text, "disputed", result.disputed, "the row's move is not among the mates found");
    line(&mut text, "unsettled", result.unsettled, "other keys not settled within the budget");
    if result.interrupted {
        text.push_str("interrupted: what was read is written\n");
    }
    text
}

/// A figure with what stands behind it; nothing for none, but for what was written.
fn line(text: &mut String, name: &str, number: u64, detail: &str) {
    if number > 0 || name == "written" {
        let gap = if detail.is_empty() { "" } else { "  " };
        let _ = writeln!(text, "  {name:<14}{:>12}{gap}{detail}", grouped(number));
    }
}

/// What the engine did in a puzzle that it did not solve.
fn played(attempt: &Attempt) -> String {
    match (attempt.verdict, &attempt.wrong) {
        (PuzzleVerdict::Crashed, _) => "failed".to_owned(),
        (_, Some(wrong)) => wrong.clone(),
        _ => "no move".to_owned(),
    }
}

/// A puzzle that was not solved.
#[must_use]
pub fn attempt_line(attempt: &Attempt) -> String {
    let what = match (&attempt.verdict, &attempt.wrong) {
        (PuzzleVerdict::Crashed, _) => attempt.trouble.clone(),
        (_, Some(wrong)) => {
            let number = attempt.found as usize;
            let expected = attempt.solution.get(2 * number).map_or("?", String::as_str);
            format!("move {}: played {wrong}, expected {expected}", number + 1)
        }
        _ => "solved".to_owned(),
    };
    let rating = attempt.rating.map_or(String::new(), |rating| format!(" ({rating})"));
    format!("{}{rating}: {}  {}\n", clean(&attempt.id), clean(&what), attempt.fen)
}

/// What a run came to.
#[must_use]
pub fn run_summary(result: &RunResult) -> String {
    let mut text = String::new();
    let group = |name: String, group: &Group| {
        row![name, grouped(group.tried), grouped(group.solved), percent(group.solved, group.tried)]
    };
    let heads = |name: &str| [left(name), right("puzzles"), right("solved"), right("")];
    if !result.by_rating.is_empty() {
        let bands =
            result.by_rating.iter().map(|(from, g)| group(format!("{from}–{}", from + 199), g));
        let _ = writeln!(text, "{}", Table::new(heads("rating")).rows(bands));
    }
    let mut themes: Vec<_> = result.by_theme.iter().filter(|(_, g)| g.tried >= FEWEST).collect();
    themes.sort_by_key(|(name, group)| (std::cmp::Reverse(group.tried), name.as_str()));
    if !themes.is_empty() {
        let themes = themes.into_iter().map(|(name, g)| group(name.clone(), g));
        let _ = writeln!(text, "{}", Table::new(heads("theme")).rows(themes));
    }
    let rejected: u64 = result.rejected.values().sum();
    if rejected > 0 {
        let reasons = result.rejected.iter().map(|(reason, n)| format!("{reason} {}", grouped(*n)));
        let _ = writeln!(
            text,
            "{} rows rejected: {}",
            grouped(rejected),
            reasons.collect::<Vec<_>>().join(", ")
        );
    }
    if result.repaired > 0 {
        let rows = plural(result.repaired, "row", "rows");
        let _ = writeln!(text, "{rows} repaired: castling or en passant impossible, taken away");
    }
    let _ = writeln!(
        text,
        "{}, {}: solved {} of {} puzzles ({}) in {:.1} s",
        result.engine.name,
        result.limit,
        grouped(result.total.solved),
        grouped(result.total.tried),
        percent(result.total.solved, result.total.tried),
        result.header.seconds
    );
    if result.crashes > 0 {
        let _ = writeln!(text, "the engine failed on {} of them", grouped(result.crashes));
    }
    if let Some(performance) = &result.performance {
        let rating = rating_text(performance, result.total.solved);
        let _ = writeln!(text, "performance rating {rating}");
        if performance.is_extrapolated {
            let (low, high) = performance.range;
            let _ = writeln!(
                text,
                "  an extrapolation: most puzzles are rated from {low} to {high}, far from that"
            );
        }
    }
    if result.interrupted {
        text.push_str("interrupted: this is what was done\n");
    }
    text
}

/// `1631 ± 72 (95 %)`, or the bound where every puzzle went the same way.
fn rating_text(performance: &Performance, solved: u64) -> String {
    let rating = performance.rating;
    match performance.error {
        Some(error) => format!("{rating:.0} ± {error:.0} (95 %)"),
        None if solved > 0 => format!("above {rating:.0} (all solved, 95 %)"),
        None => format!("below {rating:.0} (none solved, 95 %)"),
    }
}

/// What mining came to.
#[must_use]
pub fn mine_summary(result: &MineResult) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{} games of {}, {} positions in {:.1} s",
        grouped(result.games),
        result.source,
        grouped(result.positions),
        result.header.seconds
    );
    let tactics = match &result.engine {
        Some(engine) => format!("by {}", engine.name),
        None => "none looked for: give an --engine".to_owned(),
    };
    let _ = writeln!(text, "  mates     {:>10}  proved", grouped(result.mates));
    let _ = writeln!(text, "  tactics   {:>10}  {tactics}", grouped(result.tactics));
    if result.unsettled > 0 {
        let hint = "not settled within --solver-nodes";
        let _ = writeln!(text, "  unsettled {:>10}  {hint}", grouped(result.unsettled));
    }
    if result.crashes > 0 {
        let hint = "positions on which the engine failed";
        let _ = writeln!(text, "  failures  {:>10}  {hint}", grouped(result.crashes));
    }
    if result.repaired > 0 {
        let hint = "games whose position had impossible castling or en passant, taken away";
        let _ = writeln!(text, "  repaired  {:>10}  {hint}", grouped(result.repaired));
    }
    if result.bad_games > 0 {
        let _ = writeln!(text, "  bad games {:>10}", grouped(result.bad_games));
    }
    if result.interrupted {
        text.push_str("interrupted: what was found is written\n");
    }
    text
}
