//! What a run over mates yields: plain values, the same for every report.

use super::limit::MateLimit;
use super::line::{LineVerdict, LineVerdicts};
use super::problem::{StatedBy, SuiteFault};
use super::proof::{ProofLimits, Truth};
use crate::position_test::TestResult;
use dyno_driver::{EngineIdentity, Findings, RunHeader, Score};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How an engine did on one mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MateVerdict {
    /// It announced the mate in the right number of moves.
    Best,
    /// It announced a mate, but a longer one.
    Found,
    /// It announced a shorter mate than stated, which was not refuted.
    Better,
    /// It announced no mate.
    Missed,
    /// It announced a mate that is not there.
    Wrong,
    /// The suite is wrong about this position, so that nothing can be expected.
    Unscored,
    /// It crashed, hung or gave no legal move.
    Failed,
}

impl MateVerdict {
    /// All of them, in the order of the reports.
    pub const ALL: [MateVerdict; 7] = [
        MateVerdict::Best,
        MateVerdict::Found,
        MateVerdict::Better,
        MateVerdict::Missed,
        MateVerdict::Wrong,
        MateVerdict::Unscored,
        MateVerdict::Failed,
    ];

    /// The word used in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            MateVerdict::Best => "best",
            MateVerdict::Found => "found",
            MateVerdict::Better => "better",
            MateVerdict::Missed => "missed",
            MateVerdict::Wrong => "wrong",
            MateVerdict::Unscored => "unscored",
            MateVerdict::Failed => "failed",
        }
    }

    /// Whether the engine did all that could be asked; `None` where the position does not count.
    #[must_use]
    pub fn correct(self) -> Option<bool> {
        match self {
            MateVerdict::Best | MateVerdict::Better => Some(true),
            MateVerdict::Unscored => None,
            _ => Some(false),
        }
    }
}

/// A mate the engine announced on the way and that is not there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FalseClaim {
    pub mate: i32,
    pub depth: Option<u32>,
    pub line: String,
}

/// When the engine's final mate first stood and stayed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundAt {
    pub time_ms: f64,
    pub nodes: Option<u64>,
    pub depth: Option<u32>,
}

/// One engine's answer to one mate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MateResult {
    pub id: String,
    pub line_no: u64,
    /// Absent when the position is not scored.
    pub correct: Option<bool>,
    /// In UCI; as the engine wrote it when it is not legal.
    pub engine_move: String,
    /// In SAN, where it is legal.
    pub engine_san: String,
    /// The moves of `bm`, in UCI.
    pub solutions: Vec<String>,
    /// The same in SAN.
    pub solutions_san: Vec<String>,
    pub fen: String,
    pub time_ms: f64,
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    /// The file or the name of the suite.
    pub suite: String,
    /// Which of the engines, counted from 0.
    pub engine: usize,
    /// The mate the suite states; negative when the side to move is mated.
    pub stated: i32,
    pub stated_by: StatedBy,
    /// What the solver says.
    pub truth: Truth,
    /// The first move of the line below, in UCI.
    pub expected_move: String,
    /// The suite's line or, where the solver has one, the solver's, in SAN.
    pub expected_line: String,
    pub verdict: MateVerdict,
    /// Whether the move played keeps the mate (or holds out longest); absent when not known.
    pub move_right: Option<bool>,
    /// The engine's last exact score.
    pub score: Option<Score>,
    /// The line it gave with that score, in SAN as far as it is legal.
    pub engine_line: String,
    /// The verdict on that line, if the score was a mate.
    pub line_verdict: Option<LineVerdict>,
    /// What is wrong with the line, in words.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub line_fault: String,
    /// The verdicts on all different lines with an exact mate score.
    pub mate_lines: LineVerdicts,
    pub false_claims: Vec<FalseClaim>,
    pub found: Option<FoundAt>,
    /// Why the verdict is what it is, where that is not plain.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub remark: String,
    /// What went wrong with the engine.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub trouble: String,
    /// What is wrong with the suite's statement.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub faults: Vec<SuiteFault>,
}

impl MateResult {
    /// The mate announced by the last exact score.
    #[must_use]
    pub fn announced(&self) -> Option<i32> {
        match self.score {
            Some(Score::Mate(moves)) => Some(moves),
            _ => None,
        }
    }
}

impl TestResult for MateResult {
    fn key(&self) -> (&str, u64, &str) {
        (&self.suite, self.line_no, &self.fen)
    }

    fn id(&self) -> &str {
        &self.id
    }

    fn engine(&self) -> usize {
        self.engine
    }

    fn set_engine(&mut self, engine: usize) {
        self.engine = engine;
    }
}

/// Counts by what the engine said and the suite states alone, with no solver: the numbers that
/// other mate checkers print.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoreCounts {
    pub total: u64,
    /// The last exact score is a mate for the right side.
    pub found: u64,
    /// It is exactly the stated one.
    pub best: u64,
    /// It is shorter than stated.
    pub better: u64,
    /// It is a mate for the wrong side.
    pub wrong_side: u64,
    /// The line of that mate is not a legal line of exactly its length that ends in mate.
    pub bad_lines: u64,
}

impl ScoreCounts {
    pub(super) fn add(&mut self, result: &MateResult) {
        self.total += 1;
        let Some(mate) = result.announced() else { return };
        if mate == 0 || (mate > 0) != (result.stated > 0) {
            self.wrong_side += 1;
        } else {
            self.found += 1;
            self.best += u64::from(mate == result.stated);
            self.better += u64::from(mate.abs() < result.stated.abs());
        }
        self.bad_lines += u64::from(result.line_verdict.is_some_and(|v| v != LineVerdict::Ok));
    }
}

/// Sums over some positions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MateTotals {
    pub run: u64,
    pub scored: u64,
    pub correct: u64,
    pub best: u64,
    pub found: u64,
    pub better: u64,
    pub missed: u64,
    pub wrong: u64,
    pub unscored: u64,
    pub failed: u64,
    /// Positions whose final mate line is bad.
    pub bad_lines: u64,
    /// Positions where it is known whether the move played keeps the mate.
    #[serde(default)]
    pub known_moves: u64,
    /// Positions where the move played is known to be right, mate announced or not.
    pub right_moves: u64,
    /// All lines with a mate score, by verdict.
    pub mate_lines: LineVerdicts,
    pub false_claims: u64,
    /// Over the positions with verdict best or better.
    pub median_ms: Option<f64>,
    pub median_nodes: Option<u64>,
}

impl MateTotals {
    pub(super) fn add(&mut self, result: &MateResult) {
        self.run += 1;
        let count = match result.verdict {
            MateVerdict::Best => &mut self.best,
            MateVerdict::Found => &mut self.found,
            MateVerdict::Better => &mut self.better,
            MateVerdict::Missed => &mut self.missed,
            MateVerdict::Wrong => &mut self.wrong,
            MateVerdict::Unscored => &mut self.unscored,
            MateVerdict::Failed => &mut self.failed,
        };
        *count += 1;
        self.scored += u64::from(result.verdict.correct().is_some());
        self.correct += u64::from(result.verdict.correct() == Some(true));
        self.bad_lines += u64::from(result.line_verdict.is_some_and(|v| v != LineVerdict::Ok));
        self.known_moves += u64::from(result.move_right.is_some());
        self.right_moves += u64::from(result.move_right == Some(true));
        self.mate_lines.absorb(&result.mate_lines);
        self.false_claims += result.false_claims.len() as u64;
    }

    /// The share of right answers in per cent; `None` when nothing counts.
    #[must_use]
    pub fn percent(&self) -> Option<f64> {
        (self.scored > 0).then(|| 100.0 * self.correct as f64 / self.scored as f64)
    }
}

/// The positions of one mate depth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DepthTotals {
    /// As stated; negative when the side to move is mated.
    pub mate: i32,
    #[serde(flatten)]
    pub totals: MateTotals,
}

/// One engine's whole run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EngineMates {
    pub engine: EngineIdentity,
    pub totals: MateTotals,
    pub by_score: ScoreCounts,
    /// By depth: mates to give first, the shortest first; then mates to suffer.
    pub depths: Vec<DepthTotals>,
    /// Deviations from the protocol.
    pub findings: Findings,
}

/// The whole run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MateRun {
    #[serde(flatten)]
    pub header: RunHeader<Value>,
    pub suites: Vec<String>,
    /// The limit of the searches.
    pub limit: MateLimit,
    pub proof: ProofLimits,
    pub engines: Vec<EngineMates>,
    /// Lines that could not be used and statements that are wrong.
    pub faults: Vec<SuiteFault>,
    pub warnings: Vec<String>,
    pub interrupted: bool,
}
