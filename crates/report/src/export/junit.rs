//! JUnit XML, for results that are made of tests.

use super::Exporter;
use crate::junit::{Case, Suite, to_xml};
use crate::positions::{PositionRow, SavedPositions};
use crate::saved::{SavedPuzzles, SavedResult};
use crate::{Verdict, check, regress};
use dyno_trials::mate::ProveResult;
use dyno_trials::perft;
use dyno_trials::perft_bisect::BisectResult;
use dyno_trials::puzzles::PuzzleVerdict;

/// Writes one test a check, a position or a count.
#[derive(Clone, Copy, Debug)]
pub struct JunitExporter;

impl Exporter for JunitExporter {
    fn name(&self) -> &'static str {
        "junit"
    }

    fn export(&self, saved: &SavedResult) -> Option<String> {
        let xml = |suites: Vec<Suite>| to_xml(&format!("dyno {}", saved.kind()), suites);
        let written = match saved {
            SavedResult::Check(cards) => check::junit(cards),
            SavedResult::Regress(result) => regress::junit::report(result),
            SavedResult::PerftSuite(result) => xml(vec![counts(result)]),
            SavedResult::PerftEngine(result) => xml(vec![comparisons(result)]),
            SavedResult::Suite(saved) => xml(positions(saved)),
            SavedResult::Mate(saved) => xml(positions(saved)),
            SavedResult::MateProve(result) => xml(vec![proofs(result)]),
            SavedResult::Puzzles(saved) => xml(vec![puzzles(saved)]),
            // Measured, not passed.
            SavedResult::Match(_) | SavedResult::Bench(_) | SavedResult::Tune(_) => return None,
        };
        written.ok()
    }
}

fn verdict(right: bool) -> Verdict {
    if right { Verdict::Pass } else { Verdict::Fail }
}

fn counts(result: &perft::SuiteResult) -> Suite {
    let cases = result.rows.iter().map(|row| {
        let name = row.id.clone().unwrap_or_else(|| format!("line {}", row.line));
        Case::new(format!("{name}, depth {}", row.depth), verdict(row.agrees))
            .message(format!("expected {}, found {}", row.expected, row.found))
            .details(row.fen.clone())
    });
    Suite::new(format!("dyno perft: {}", result.suite)).cases(cases)
}

fn comparisons(result: &BisectResult) -> Suite {
    let cases = result.comparisons.iter().map(|comparison| {
        let name = format!("{}, depth {}", comparison.name, comparison.depth);
        match (&comparison.fault, &comparison.skipped) {
            (Some(fault), _) => Case::new(name, Verdict::Fail)
                .message(format!("wrong moves in {}", fault.smallest_fen))
                .details(fault.reproduce.join("\n")),
            (None, Some(reason)) => Case::new(name, Verdict::Skip).message(reason.clone()),
            (None, None) => Case::new(name, Verdict::Pass),
        }
    });
    Suite::new(format!("dyno perft: {}", result.engine)).cases(cases)
}

fn positions<R: PositionRow>(saved: &SavedPositions<R>) -> Vec<Suite> {
    let engines = R::engines(&saved.run);
    let suite = |(index, name): (usize, &String)| {
        let own = saved.positions.iter().filter(|position| position.engine() == index);
        let cases = own.map(|position| {
            let (suite, line_no, fen) = position.key();
            let verdict = position.correct().map_or(Verdict::Skip, verdict);
            Case::new(position.id(), verdict)
                .class(suite)
                .message(crate::terminal::plain(&position.line(None)))
                .details(format!("{suite}:{line_no}\n{fen}\n{}", position.trouble()))
        });
        Suite::new(format!("dyno {}: {name}", R::COMMAND))
            .property("limit", R::limit(&saved.run))
            .cases(cases)
    };
    engines.iter().enumerate().map(suite).collect()
}

fn proofs(result: &ProveResult) -> Suite {
    let cases = result.examined.iter().map(|one| {
        let reasons: Vec<&str> = one.faults.iter().map(|fault| fault.reason.as_str()).collect();
        Case::new(one.id.clone(), verdict(one.faults.is_empty()))
            .class(one.suite.clone())
            .message(reasons.join("; "))
            .details(one.fen.clone())
    });
    Suite::new("dyno mate prove").cases(cases)
}

fn puzzles(saved: &SavedPuzzles) -> Suite {
    let cases = saved.attempts.iter().map(|attempt| {
        Case::new(attempt.id.clone(), verdict(attempt.verdict == PuzzleVerdict::Solved))
            .message(crate::puzzles::attempt_line(attempt).trim_end().to_owned())
    });
    let result = &saved.result;
    Suite::new(format!("dyno puzzles: {}", result.engine.name))
        .property("limit", result.limit.clone())
        .cases(cases)
}
