//! What a run over mates yields: plain values, the same for every report.

use super::line::{LineVerdict, LineVerdicts};
use super::problem::StatedBy;
use super::proof::{ProofLimits, Truth};
use super::run::Limit;
use dyno_driver::{EngineIdentity, Findings, RunHeader, Score};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How an engine did on one mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It announced the mate in the right number of moves.
    Best,
    /// It announced a mate, but a longer one.
    Found,
    /// It announced a shorter mate than stated, and nobody could show it wrong.
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

impl Verdict {
    /// All of them, in the order of the reports.
    pub const ALL: [Verdict; 7] = [
        Verdict::Best,
        Verdict::Found,
        Verdict::Better,
        Verdict::Missed,
        Verdict::Wrong,
        Verdict::Unscored,
        Verdict::Failed,
    ];

    /// The word used in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Best => "best",
            Verdict::Found => "found",
            Verdict::Better => "better",
            Verdict::Missed => "missed",
            Verdict::Wrong => "wrong",
            Verdict::Unscored => "unscored",
            Verdict::Failed => "failed",
        }
    }

    /// Whether the engine did all that could be asked; `None` where the position does not count.
    #[must_use]
    pub fn correct(self) -> Option<bool> {
        match self {
            Verdict::Best | Verdict::Better => Some(true),
            Verdict::Unscored => None,
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
    /// In UCI; as the engine wrote it when it is no legal move.
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
    pub verdict: Verdict,
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

/// A fault of the suite, with the proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteFault {
    pub suite: String,
    pub line_no: u64,
    pub id: String,
    /// Empty where the line could not be read so far.
    pub fen: String,
    pub reason: String,
    /// The line or the reply that shows it; empty where the reason says all.
    pub proof: String,
    /// Whether the position had to be left out.
    pub skipped: bool,
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
    fn add(&mut self, result: &MateResult) {
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
pub struct Totals {
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
    /// Positions where the move played is known to be right, mate announced or not.
    pub right_moves: u64,
    /// All lines with a mate score, by verdict.
    pub mate_lines: LineVerdicts,
    pub false_claims: u64,
    /// Over the positions with verdict best or better.
    pub median_ms: Option<f64>,
    pub median_nodes: Option<u64>,
}

impl Totals {
    fn add(&mut self, result: &MateResult) {
        self.run += 1;
        let count = match result.verdict {
            Verdict::Best => &mut self.best,
            Verdict::Found => &mut self.found,
            Verdict::Better => &mut self.better,
            Verdict::Missed => &mut self.missed,
            Verdict::Wrong => &mut self.wrong,
            Verdict::Unscored => &mut self.unscored,
            Verdict::Failed => &mut self.failed,
        };
        *count += 1;
        self.scored += u64::from(result.verdict.correct().is_some());
        self.correct += u64::from(result.verdict.correct() == Some(true));
        self.bad_lines += u64::from(result.line_verdict.is_some_and(|v| v != LineVerdict::Ok));
        self.right_moves += u64::from(result.move_right == Some(true));
        self.mate_lines.absorb(&result.mate_lines);
        self.false_claims += result.false_claims.len() as u64;
    }

    fn of<'a>(results: impl Iterator<Item = &'a MateResult>) -> Totals {
        let mut totals = Totals::default();
        let mut times = Vec::new();
        let mut nodes = Vec::new();
        for result in results {
            totals.add(result);
            if let (Some(found), Some(true)) = (result.found, result.verdict.correct()) {
                times.push(found.time_ms);
                nodes.extend(found.nodes);
            }
        }
        times.sort_by(f64::total_cmp);
        nodes.sort_unstable();
        totals.median_ms = times.get(times.len() / 2).copied();
        totals.median_nodes = nodes.get(nodes.len() / 2).copied();
        totals
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
    pub totals: Totals,
}

/// One engine's whole run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EngineMates {
    pub engine: EngineIdentity,
    pub totals: Totals,
    pub by_score: ScoreCounts,
    /// By depth: mates to give first, the shortest first; then mates to suffer.
    pub depths: Vec<DepthTotals>,
    /// In the order of the suite. Written apart, as they come.
    #[serde(skip)]
    pub results: Vec<MateResult>,
    /// Deviations from the protocol.
    pub findings: Findings,
}

impl EngineMates {
    pub(crate) fn new(engine: EngineIdentity) -> EngineMates {
        EngineMates {
            engine,
            totals: Totals::default(),
            by_score: ScoreCounts::default(),
            depths: Vec::new(),
            results: Vec::new(),
            findings: Findings::default(),
        }
    }

    /// Works the sums out of the results.
    pub(crate) fn sum_up(&mut self) {
        self.totals = Totals::of(self.results.iter());
        self.by_score = ScoreCounts::default();
        let mut mates = Vec::new();
        for result in &self.results {
            self.by_score.add(result);
            if !mates.contains(&result.stated) {
                mates.push(result.stated);
            }
        }
        mates.sort_by_key(|mate| (*mate <= 0, mate.abs()));
        self.depths = mates
            .into_iter()
            .map(|mate| DepthTotals {
                mate,
                totals: Totals::of(self.results.iter().filter(|r| r.stated == mate)),
            })
            .collect();
    }
}

/// The whole run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MateRun {
    #[serde(flatten)]
    pub header: RunHeader<Value>,
    pub suites: Vec<String>,
    /// The limit of the searches.
    pub limit: Limit,
    pub proof: ProofLimits,
    pub engines: Vec<EngineMates>,
    /// Lines that could not be used and statements that are wrong.
    pub faults: Vec<SuiteFault>,
    pub warnings: Vec<String>,
    pub interrupted: bool,
}
