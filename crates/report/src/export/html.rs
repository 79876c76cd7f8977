//! Pages.

use super::Exporter;
use super::csv::grid;
use super::markdown::summary;
use crate::html::{Code, Page, Section};
use crate::saved::SavedResult;
use crate::{bench, check, perft, regress, tournament, tune};
use dyno_trials::RunHeader;
use serde_json::Value;

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
            SavedResult::Tune(result) => tune::html::page(result),
            SavedResult::PerftSuite(result) => perft::html::suite_page(result),
            SavedResult::PerftEngine(result) => perft::html::engine_page(result),
            SavedResult::MateProve(result) => plain_page(saved, &result.header)?,
            SavedResult::Puzzles(saved) => saved.page(),
            SavedResult::Regress(result) => regress::html::page(result),
        })
    }
}

/// The page of a result without a design of its own: what the prompt showed, and the main table.
fn plain_page(saved: &SavedResult, header: &RunHeader<Value>) -> Option<String> {
    let kind = saved.kind();
    let summary = summary(saved);
    let mut page = Page::new(format!("dyno {kind}")).command(kind).run(header);
    if !summary.trim().is_empty() {
        page = page.section(Section::new("Summary").add(Code::new(summary.trim_end())));
    }
    Some(page.section(Section::new("Rows").add(grid(saved)?.table(kind))).render())
}
