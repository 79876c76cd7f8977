//! Markdown: for a comment on a pull request, an issue, a wiki.

use super::Exporter;
use super::csv::grid;
use crate::grid::markdown_text;
use crate::positions::{PositionRow, SavedPositions};
use crate::saved::SavedResult;
use crate::terminal::plain;
use crate::{bench, check, perft, perft_bisect, puzzles, regress, tournament, tune};

/// Writes the summary that the prompt shows, and the main table.
#[derive(Clone, Copy, Debug)]
pub struct MarkdownExporter;

impl Exporter for MarkdownExporter {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn export(&self, saved: &SavedResult) -> Option<String> {
        if let SavedResult::Regress(result) = saved {
            return Some(regress::markdown::report(result));
        }
        let mut out = format!("## Dyno: {}\n", markdown_text(saved.kind()));
        let summary = summary(saved);
        if !summary.trim().is_empty() {
            // Four backticks: the text itself may hold three.
            out += &format!("\n````text\n{}\n````\n", summary.trim_end());
        }
        if let Some(grid) = grid(saved) {
            out += &format!("\n{}", grid.markdown());
        }
        Some(out)
    }
}

/// What the prompt shows at the end, without colours.
pub(super) fn summary(saved: &SavedResult) -> String {
    plain(&match saved {
        SavedResult::Regress(result) => regress::terminal::report(result),
        SavedResult::Check(cards) => cards.iter().map(check::counts).collect::<Vec<_>>().join("\n"),
        SavedResult::PerftSuite(result) => perft::suite_summary(result),
        SavedResult::PerftEngine(result) => perft_bisect::text(result),
        SavedResult::Suite(saved) => sums(saved),
        SavedResult::Mate(saved) => sums(saved),
        SavedResult::MateProve(_) => String::new(),
        SavedResult::Puzzles(saved) => puzzles::run_summary(&saved.result),
        SavedResult::Match(summary) => tournament::final_report(summary),
        SavedResult::Bench(saved) => {
            bench::terminal::report(&saved.result, &saved.comparisons, false)
        }
        SavedResult::Tune(result) => tune::terminal::summary(result),
    })
}

fn sums<R: PositionRow>(saved: &SavedPositions<R>) -> String {
    R::summary(&saved.run)
}
