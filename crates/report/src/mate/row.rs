//! An answer to a mate as a row of the reports.

use super::{html, terminal, truth};
use crate::positions::PositionRow;
use crate::positions::csv::{cell, score};
use dyno_trials::mate::{MateResult, MateRun};

impl PositionRow for MateResult {
    type Run = MateRun;

    const COMMAND: &'static str = "mate";

    /// The first nine are those of every suite. The last one holds the whole result, for resuming.
    const COLUMNS: &'static [&'static str] = &[
        "id",
        "line_no",
        "correct",
        "engine_move",
        "solutions",
        "fen",
        "time_ms",
        "depth",
        "nodes",
        "engine",
        "suite",
        "stated",
        "proof",
        "verdict",
        "score",
        "move_right",
        "pv_verdict",
        "pv_fault",
        "engine_pv",
        "expected_pv",
        "found_ms",
        "found_nodes",
        "found_depth",
        "remark",
        "trouble",
        "limit",
        "details",
    ];

    fn cells(&self, engine: &str, limit: &str) -> Vec<String> {
        let found = self.found;
        vec![
            self.id.clone(),
            self.line_no.to_string(),
            cell(self.correct),
            self.engine_move.clone(),
            self.solutions.join(" "),
            self.fen.clone(),
            format!("{:.0}", self.time_ms),
            cell(self.depth),
            cell(self.nodes),
            engine.to_owned(),
            self.suite.clone(),
            self.stated.to_string(),
            truth(self),
            self.verdict.word().to_owned(),
            score(self.score),
            cell(self.move_right),
            cell(self.line_verdict.map(|verdict| verdict.words())),
            self.line_fault.clone(),
            self.engine_line.clone(),
            self.expected_line.clone(),
            cell(found.map(|found| format!("{:.3}", found.time_ms))),
            cell(found.and_then(|found| found.nodes)),
            cell(found.and_then(|found| found.depth)),
            self.remark.clone(),
            self.trouble.clone(),
            limit.to_owned(),
            serde_json::to_string(self).unwrap_or_default(),
        ]
    }

    fn from_cells(row: &csv::StringRecord) -> Option<Self> {
        serde_json::from_str(row.iter().next_back()?).ok()
    }

    fn correct(&self) -> Option<bool> {
        self.correct
    }

    fn trouble(&self) -> &str {
        &self.trouble
    }

    fn is_miss(&self) -> bool {
        self.correct == Some(false)
    }

    fn is_on_page(&self) -> bool {
        self.is_miss() || !self.false_claims.is_empty()
    }

    fn line(&self, engine: Option<&str>) -> String {
        terminal::position_line(self, engine)
    }

    fn running(correct: u64, scored: u64) -> String {
        terminal::running(correct, scored)
    }

    fn miss_list(misses: &[Self], all: u64, engines: &[String]) -> String {
        terminal::miss_list(misses, all, engines)
    }

    fn limit(run: &MateRun) -> String {
        super::limit(&run.limit)
    }

    fn engines(run: &MateRun) -> Vec<String> {
        run.engines.iter().map(|engine| engine.engine.name.clone()).collect()
    }

    fn summary(run: &MateRun) -> String {
        terminal::summary(run)
    }

    fn page(run: &MateRun, shown: &[Self]) -> String {
        html::page(run, shown)
    }
}
