//! What a run of a suite yields: plain values, the same for every report.

use crate::position_test::TestResult;
use dyno_driver::{EngineIdentity, Findings, Go, RunHeader, Score};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How the answer to a position went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerStatus {
    /// The engine's move was judged.
    Answered,
    /// A legal move, but the suite gives no solution to judge it by.
    Unscored,
    /// The move was not legal.
    Illegal,
    /// The engine gave no move although there is one.
    NoMove,
    /// The search had to be stopped at its deadline, or never ended.
    Timeout,
    /// The process ended.
    Crash,
}

impl AnswerStatus {
    /// The word used in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            AnswerStatus::Answered => "answered",
            AnswerStatus::Unscored => "unscored",
            AnswerStatus::Illegal => "illegal",
            AnswerStatus::NoMove => "no_move",
            AnswerStatus::Timeout => "timeout",
            AnswerStatus::Crash => "crash",
        }
    }

    /// The status a report's word stands for.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        let all = [
            AnswerStatus::Answered,
            AnswerStatus::Unscored,
            AnswerStatus::Illegal,
            AnswerStatus::NoMove,
            AnswerStatus::Timeout,
            AnswerStatus::Crash,
        ];
        all.into_iter().find(|status| status.word() == word)
    }
}

/// One engine's answer to one position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PositionResult {
    /// The name of the record, or `line 17`.
    pub id: String,
    pub line_no: u64,
    /// Absent when the line is not scored.
    pub correct: Option<bool>,
    /// In UCI; as the engine wrote it when it is not a legal move.
    pub engine_move: String,
    /// In SAN, where it is legal.
    pub engine_san: String,
    /// The moves that are right, in UCI; `#3` where a mate is asked for.
    pub solutions: Vec<String>,
    /// The same in SAN.
    pub solutions_san: Vec<String>,
    /// The moves to avoid, in UCI.
    pub avoid: Vec<String>,
    pub fen: String,
    pub time_ms: f64,
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    /// The suite's file or name.
    pub suite: String,
    pub theme: String,
    /// Which of the engines, counted from 0.
    pub engine: usize,
    pub status: AnswerStatus,
    /// Points earned, where the suite gives points.
    pub points: Option<i32>,
    pub max_points: Option<i32>,
    pub score: Option<Score>,
    /// When the final answer, being right, first stood and stayed.
    pub solved_ms: Option<f64>,
    pub solved_depth: Option<u32>,
    /// What went wrong with the engine, in words.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub trouble: String,
}

/// A line that could not be used, or a solution that does not fit its position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteDefect {
    pub suite: String,
    pub line_no: u64,
    /// Empty where the line could not be read so far.
    pub id: String,
    pub reason: String,
    /// The offending part of the line.
    pub token: String,
    /// Whether the position was asked all the same, without that part.
    #[serde(default)]
    pub kept: bool,
}

impl TestResult for PositionResult {
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

/// Sums over some positions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SuiteTotals {
    /// Positions shown to the engine.
    pub run: u64,
    /// Those that count.
    pub scored: u64,
    pub correct: u64,
    pub unscored: u64,
    /// Unscored because the line has only moves to avoid.
    pub only_avoid: u64,
    pub illegal: u64,
    pub no_move: u64,
    pub timeouts: u64,
    pub crashes: u64,
    pub points: i64,
    pub max_points: i64,
    /// Positions that give points.
    pub with_points: u64,
    pub time_ms: f64,
    pub nodes: u64,
    /// Over the solved positions.
    pub solved_ms: f64,
    pub solved_depth: u64,
    /// Solved positions whose depth to solution is known.
    pub with_solved_depth: u64,
}

impl SuiteTotals {
    /// Adds one position.
    pub fn add(&mut self, result: &PositionResult) {
        self.run += 1;
        self.time_ms += result.time_ms;
        self.nodes += result.nodes.unwrap_or(0);
        match result.correct {
            Some(correct) => {
                self.scored += 1;
                self.correct += u64::from(correct);
            }
            None => {
                self.unscored += 1;
                self.only_avoid += u64::from(!result.avoid.is_empty());
            }
        }
        match result.status {
            AnswerStatus::Illegal => self.illegal += 1,
            AnswerStatus::NoMove => self.no_move += 1,
            AnswerStatus::Timeout => self.timeouts += 1,
            AnswerStatus::Crash => self.crashes += 1,
            AnswerStatus::Answered | AnswerStatus::Unscored => {}
        }
        if let (Some(points), Some(most)) = (result.points, result.max_points) {
            self.points += i64::from(points);
            self.max_points += i64::from(most);
            self.with_points += 1;
        }
        self.solved_ms += result.solved_ms.unwrap_or(0.0);
        if let Some(depth) = result.solved_depth {
            self.solved_depth += u64::from(depth);
            self.with_solved_depth += 1;
        }
    }

    /// The share of right answers in per cent; `None` when nothing counts.
    #[must_use]
    pub fn percent(&self) -> Option<f64> {
        (self.scored > 0).then(|| 100.0 * self.correct as f64 / self.scored as f64)
    }

    /// The share of points in per cent; `None` when there are none to get.
    #[must_use]
    pub fn points_percent(&self) -> Option<f64> {
        (self.max_points > 0).then(|| 100.0 * self.points as f64 / self.max_points as f64)
    }

    /// The score a bar is held against: points where every scored position gives them, right
    /// answers otherwise. `None` when nothing was scored.
    #[must_use]
    pub fn score_percent(&self) -> Option<f64> {
        match self.with_points > 0 && self.with_points == self.scored {
            true => self.points_percent(),
            false => self.percent(),
        }
    }

    /// Mean milliseconds until the final, right answer stood.
    #[must_use]
    pub fn mean_solved_ms(&self) -> Option<f64> {
        (self.correct > 0).then(|| self.solved_ms / self.correct as f64)
    }

    /// Mean depth at which the final, right answer stood.
    #[must_use]
    pub fn mean_solved_depth(&self) -> Option<f64> {
        (self.with_solved_depth > 0)
            .then(|| self.solved_depth as f64 / self.with_solved_depth as f64)
    }
}

/// One theme of a suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThemeTotals {
    pub theme: String,
    #[serde(flatten)]
    pub totals: SuiteTotals,
}

/// An estimate of strength from the Strategic Test Suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatingEstimate {
    pub elo: i32,
    /// What the estimate was calibrated for, and how this run differs.
    pub conditions: String,
}

/// One engine's whole run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EngineResult {
    pub engine: EngineIdentity,
    pub totals: SuiteTotals,
    /// In the order of the suite.
    pub themes: Vec<ThemeTotals>,
    pub sts_rating: Option<RatingEstimate>,
    /// Why positions of the Strategic Test Suite give no estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_sts_rating: Option<String>,
    /// Deviations from the protocol.
    pub findings: Findings,
}

/// The whole run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SuiteResult {
    #[serde(flatten)]
    pub header: RunHeader<Value>,
    pub suites: Vec<String>,
    pub limit: Go,
    pub strict: bool,
    pub engines: Vec<EngineResult>,
    /// Lines that could not be used; every one counted, the first ones kept.
    pub defects: Vec<SuiteDefect>,
    pub defect_count: u64,
    /// Parts of lines that were ignored; the first ones are among the defects.
    #[serde(default)]
    pub ignored_count: u64,
    pub warnings: Vec<String>,
    pub interrupted: bool,
}
