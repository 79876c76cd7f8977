//! Rows for spreadsheets and scripts.

use super::Exporter;
use crate::grid::Grid;
use crate::saved::{SavedBench, SavedPuzzles, SavedResult};
use crate::tune;
use dyno_tournament::Summary;
use dyno_trials::check::ReportCard;
use dyno_trials::mate::ProveResult;
use dyno_trials::perft;
use dyno_trials::perft_bisect::BisectResult;
use dyno_trials::regress::RegressResult;

/// Writes the rows of a result.
#[derive(Clone, Copy, Debug)]
pub struct CsvExporter;

impl Exporter for CsvExporter {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn export(&self, saved: &SavedResult) -> Option<String> {
        Some(match saved {
            SavedResult::Suite(saved) => saved.csv(),
            SavedResult::Mate(saved) => saved.csv(),
            SavedResult::Tune(result) => tune::csv(result),
            other => grid(other)?.csv(),
        })
    }
}

/// The main table of a result. Position tests have columns of their own.
pub(super) fn grid(saved: &SavedResult) -> Option<Grid> {
    Some(match saved {
        SavedResult::Check(cards) => checks(cards),
        SavedResult::PerftSuite(result) => counts(result),
        SavedResult::PerftEngine(result) => comparisons(result),
        SavedResult::MateProve(result) => proofs(result),
        SavedResult::Puzzles(saved) => puzzles(saved),
        SavedResult::Match(summary) => engines(summary),
        SavedResult::Bench(saved) => measures(saved),
        SavedResult::Regress(result) => cases(result),
        SavedResult::Suite(_) | SavedResult::Mate(_) | SavedResult::Tune(_) => return None,
    })
}

fn text(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn checks(cards: &[ReportCard]) -> Grid {
    let rows = cards.iter().flat_map(|card| {
        card.checks.iter().map(|check| {
            [
                card.engine.name.clone(),
                check.id.clone(),
                check.group.clone(),
                check.outcome.verdict.word().to_owned(),
                check.outcome.summary.clone(),
                format!("{:.3}", check.seconds),
            ]
        })
    });
    Grid::new(["engine", "check", "group", "verdict", "summary", "seconds"]).rows(rows)
}

fn counts(result: &perft::SuiteResult) -> Grid {
    let rows = result.rows.iter().map(|row| {
        [
            row.line.to_string(),
            text(row.id.as_ref()),
            row.fen.clone(),
            row.depth.to_string(),
            row.expected.to_string(),
            row.found.to_string(),
            row.agrees.to_string(),
            format!("{:.6}", row.seconds),
        ]
    });
    Grid::new(["line", "id", "fen", "depth", "expected", "found", "agrees", "seconds"]).rows(rows)
}

fn comparisons(result: &BisectResult) -> Grid {
    let rows = result.comparisons.iter().map(|comparison| {
        let verdict = match (&comparison.fault, &comparison.skipped) {
            (Some(_), _) => "fail",
            (None, Some(_)) => "skip",
            (None, None) => "pass",
        };
        [
            comparison.name.clone(),
            comparison.fen.clone(),
            comparison.depth.to_string(),
            comparison.expected.to_string(),
            verdict.to_owned(),
            text(comparison.fault.as_ref().map(|fault| &fault.smallest_fen)),
        ]
    });
    Grid::new(["position", "fen", "depth", "expected", "verdict", "smallest"]).rows(rows)
}

fn proofs(result: &ProveResult) -> Grid {
    let rows = result.examined.iter().map(|one| {
        let reasons: Vec<&str> = one.faults.iter().map(|fault| fault.reason.as_str()).collect();
        [
            one.suite.clone(),
            one.line_no.to_string(),
            one.id.clone(),
            one.fen.clone(),
            one.stated.to_string(),
            text(one.truth.shortest()),
            reasons.join("; "),
        ]
    });
    Grid::new(["suite", "line_no", "id", "fen", "stated", "proved", "faults"]).rows(rows)
}

fn puzzles(saved: &SavedPuzzles) -> Grid {
    Grid::new(crate::puzzles::csv::COLUMNS)
        .rows(saved.attempts.iter().map(crate::puzzles::csv::cells))
}

fn engines(summary: &Summary) -> Grid {
    let rows = summary.ranking.iter().enumerate().filter_map(|(rank, &index)| {
        let engine = summary.engines.get(index)?;
        let total = engine.total();
        Some([
            (rank + 1).to_string(),
            engine.name.clone(),
            total.games().to_string(),
            total.wins.to_string(),
            total.draws.to_string(),
            total.losses.to_string(),
            format!("{:.4}", total.score()),
            engine.faults.values().sum::<u64>().to_string(),
        ])
    });
    Grid::new(["rank", "engine", "games", "won", "drawn", "lost", "score", "faults"]).rows(rows)
}

fn measures(saved: &SavedBench) -> Grid {
    let result = &saved.result;
    let rows = result.engines.iter().flat_map(|engine| {
        engine.measures.iter().map(|measure| {
            let position = result.positions.get(measure.position);
            [
                engine.engine.name.clone(),
                (measure.run + 1).to_string(),
                text(position.map(|position| &position.id)),
                text(measure.nodes),
                text(measure.depth),
                format!("{:.3}", measure.time_ms),
                text(measure.nps().map(|nps| format!("{nps:.0}"))),
            ]
        })
    });
    Grid::new(["engine", "run", "position", "nodes", "depth", "time_ms", "nps"]).rows(rows)
}

fn cases(result: &RegressResult) -> Grid {
    let rows = result.steps.iter().flat_map(|step| {
        step.cases.iter().map(|case| {
            [
                step.section.name().to_owned(),
                step.name.clone(),
                case.id.clone(),
                case.verdict.word().to_owned(),
                case.summary.clone(),
            ]
        })
    });
    Grid::new(["section", "step", "case", "verdict", "summary"]).rows(rows)
}
