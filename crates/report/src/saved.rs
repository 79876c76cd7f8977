//! Saved results, read back from their JSON.

use crate::html::Cards;
use crate::positions::SavedPositions;
use dyno_tournament::Summary;
use dyno_tournament::tune::TuneResult;
use dyno_trials::SCHEMA;
use dyno_trials::bench::{BenchResult, Comparison};
use dyno_trials::check::ReportCard;
use dyno_trials::mate::{MateResult, ProveResult};
use dyno_trials::perft;
use dyno_trials::perft_bisect::BisectResult;
use dyno_trials::puzzles::{Attempt, PuzzleVerdict, RunResult};
use dyno_trials::regress::RegressResult;
use dyno_trials::suite::PositionResult;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The result of a run, as `--json` and `--report-json` write it.
#[derive(Clone, Debug)]
pub enum SavedResult {
    /// `dyno check`: a card for each engine.
    Check(Vec<ReportCard>),
    /// `dyno perft --suite`.
    PerftSuite(perft::SuiteResult),
    /// `dyno perft --engine`.
    PerftEngine(BisectResult),
    /// `dyno suite`.
    Suite(SavedPositions<PositionResult>),
    /// `dyno mate`.
    Mate(SavedPositions<MateResult>),
    /// `dyno mate prove`.
    MateProve(ProveResult),
    /// `dyno puzzles run`.
    Puzzles(SavedPuzzles),
    /// `dyno match`.
    Match(Box<Summary>),
    /// `dyno bench`.
    Bench(SavedBench),
    /// `dyno regress`.
    Regress(RegressResult),
    /// `dyno tune`.
    Tune(Box<TuneResult>),
}

/// A run over puzzles with every attempt.
#[derive(Clone, Debug)]
pub struct SavedPuzzles {
    /// The sums.
    pub result: RunResult,
    /// Every puzzle.
    pub attempts: Vec<Attempt>,
}

impl SavedPuzzles {
    /// The page, as the run itself writes it.
    #[must_use]
    pub fn page(&self) -> String {
        let misses = self.attempts.iter().filter(|a| a.verdict != PuzzleVerdict::Solved);
        let misses: Vec<Attempt> = misses.take(Cards::MOST_BOARDS).cloned().collect();
        crate::puzzles::html::page(&self.result, &misses)
    }
}

/// A bench with what it was compared with.
#[derive(Clone, Debug)]
pub struct SavedBench {
    /// The bench.
    pub result: BenchResult,
    /// The comparisons.
    pub comparisons: Vec<Comparison>,
}

/// Why a text is not a saved result.
#[derive(Debug, thiserror::Error)]
pub enum SavedError {
    /// The text is not the JSON of a result.
    #[error("not a saved result: {0}")]
    Json(#[from] serde_json::Error),
    /// The result has no header that says what it is.
    #[error("not a saved result with a header: it has no \"kind\" (results of Dyno 0.1 have none)")]
    NoKind,
    /// The result comes from a later version.
    #[error("written by a later version of Dyno (schema {found}, this one reads {SCHEMA})")]
    Schema {
        /// Its schema.
        found: u32,
    },
    /// Results of this kind have no reports.
    #[error("a result of dyno {kind} has no reports to be made again")]
    NoReports {
        /// The kind.
        kind: String,
    },
}

/// What says which kind of result a text is.
#[derive(Deserialize)]
struct Probe {
    #[serde(default)]
    schema: u32,
    #[serde(default)]
    kind: String,
}

impl SavedResult {
    /// Reads a result. Several cards of `dyno check` are a list; anything else is one object.
    pub fn read(text: &str) -> Result<Self, SavedError> {
        let is_list = text.trim_start().starts_with('[');
        let probe = match is_list {
            true => serde_json::from_str::<Vec<Probe>>(text)?.into_iter().next(),
            false => Some(serde_json::from_str(text)?),
        };
        let Some(Probe { schema, kind }) = probe else { return Err(SavedError::NoKind) };
        if schema > SCHEMA {
            return Err(SavedError::Schema { found: schema });
        }
        Ok(match kind.as_str() {
            "check" if is_list => SavedResult::Check(serde_json::from_str(text)?),
            "check" => SavedResult::Check(vec![serde_json::from_str(text)?]),
            "perft suite" => SavedResult::PerftSuite(serde_json::from_str(text)?),
            "perft engine" => SavedResult::PerftEngine(serde_json::from_str(text)?),
            "suite" => {
                let (positions, run) = both::<Positions<_>, _>(text)?;
                SavedResult::Suite(SavedPositions { positions: positions.positions, run })
            }
            "mate" => {
                let (positions, run) = both::<Positions<_>, _>(text)?;
                SavedResult::Mate(SavedPositions { positions: positions.positions, run })
            }
            "mate prove" => SavedResult::MateProve(serde_json::from_str(text)?),
            "puzzles run" => {
                let (puzzles, result) = both::<Puzzles, _>(text)?;
                SavedResult::Puzzles(SavedPuzzles { result, attempts: puzzles.puzzles })
            }
            "match" => SavedResult::Match(Box::new(serde_json::from_str(text)?)),
            "bench" => {
                let (compared, result) = both::<Comparisons, _>(text)?;
                SavedResult::Bench(SavedBench { result, comparisons: compared.comparisons })
            }
            "regress" => SavedResult::Regress(serde_json::from_str(text)?),
            "tune" => SavedResult::Tune(Box::new(serde_json::from_str(text)?)),
            "" => return Err(SavedError::NoKind),
            _ => return Err(SavedError::NoReports { kind }),
        })
    }

    /// What was run, in the words of the command.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            SavedResult::Check(_) => "check",
            SavedResult::PerftSuite(_) => "perft --suite",
            SavedResult::PerftEngine(_) => "perft --engine",
            SavedResult::Suite(_) => "suite",
            SavedResult::Mate(_) => "mate",
            SavedResult::MateProve(_) => "mate prove",
            SavedResult::Puzzles(_) => "puzzles run",
            SavedResult::Match(_) => "match",
            SavedResult::Bench(_) => "bench",
            SavedResult::Regress(_) => "regress",
            SavedResult::Tune(_) => "tune",
        }
    }
}

/// A list and its sums stand in one object; each is read by itself, because a flattened value
/// could hold no map with numbers for keys.
fn both<A: DeserializeOwned, B: DeserializeOwned>(text: &str) -> Result<(A, B), serde_json::Error> {
    Ok((serde_json::from_str(text)?, serde_json::from_str(text)?))
}

#[derive(Deserialize)]
struct Positions<R> {
    positions: Vec<R>,
}

#[derive(Deserialize)]
struct Puzzles {
    puzzles: Vec<Attempt>,
}

#[derive(Deserialize)]
struct Comparisons {
    #[serde(default)]
    comparisons: Vec<Comparison>,
}
