//! Pages.

use super::Exporter;
use crate::saved::SavedResult;
use crate::{bench, check, tournament};

/// Writes a page.
#[derive(Clone, Copy, Debug)]
pub struct HtmlExporter;

impl Exporter for HtmlExporter {
    fn name(&self) -> &'static str {
        "html"
    }

    fn export(&self, saved: &SavedResult) -> Option<String> {
        Some(match saved {
            SavedResult::Check(cards) => check::html::page(cards),
            SavedResult::Suite(saved) => saved.page(),
            SavedResult::Mate(saved) => saved.page(),
            SavedResult::Match(summary) => tournament::page(summary),
            SavedResult::Bench(saved) => bench::html::page(&saved.result, &saved.comparisons, &[]),
            SavedResult::PerftSuite(_)
            | SavedResult::PerftEngine(_)
            | SavedResult::MateProve(_)
            | SavedResult::Puzzles(_)
            | SavedResult::Regress(_) => return None,
        })
    }
}
