//! What `dyno puzzles` shows.

use crate::number::grouped;
use dyno_trials::puzzles::ConvertResult;
use std::fmt::Write as _;

/// What a conversion came to.
#[must_use]
pub fn convert_summary(result: &ConvertResult) -> String {
    let mut text = String::new();
    let rate = result.rows as f64 / result.seconds.max(1e-9);
    let _ = writeln!(
        text,
        "{} rows of {} in {:.2} s ({} rows/s)",
        grouped(result.rows),
        result.source,
        result.seconds,
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
