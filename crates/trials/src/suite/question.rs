//! A line of a suite as a question with its right answers, and the judgement of an answer.

use super::result::{AnswerStatus, PositionResult, SuiteDefect};
use crate::position_test::{TestPosition, theme_of};
use dyno_chess::Move;
use dyno_driver::{Info, InfoBuf, Score};
use dyno_formats::epd::{Defect, EpdError, EpdRecord, Points};
use dyno_solver::{Budget, Solver};
use std::sync::Arc;

/// How answers are judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// The engine's text must be exactly the solution, and a line without one is a miss.
    pub strict: bool,
    /// Lines with only moves to avoid count: any other move is right.
    pub score_avoid: bool,
}

/// A position and what is right in it.
#[derive(Clone, Debug)]
pub struct Question {
    pub(crate) at: TestPosition,
    theme: String,
    best: Vec<Move>,
    avoid: Vec<Move>,
    /// The length of the mate that is asked for, where no move is named.
    mate: Option<i32>,
    points: Option<Points>,
}

/// Mates up to this length are proved rather than believed, with this much work at most.
const PROVED_MATE: i32 = 4;
const PROOF_NODES: u64 = 300_000;

impl Question {
    /// Reads the record's solutions; a solution that does not fit is a defect of the suite. What
    /// is wrong with the line but not needed for its solution is left out, with a warning.
    pub fn from_record(
        suite: &Arc<str>,
        record: &EpdRecord,
    ) -> Result<(Self, Vec<SuiteDefect>), SuiteDefect> {
        let (best, mut avoid) = (record.best_moves(), record.avoid_moves());
        let mut points = record.points();
        if let Some(defect) = best.defects.first() {
            return Err(solution_defect(suite, record, defect));
        }
        let mut ignored = record.warnings.clone();
        let mate = record.direct_mate().or_else(|| record.mate_of_best_moves());
        // Moves to avoid and points are worth having, but a best move or a mate is enough.
        let is_solved = !best.moves.is_empty() || mate.is_some();
        let mut drop_or_fail = |defects: &[Defect]| match defects.first() {
            None => Ok(false),
            Some(defect) if !is_solved => Err(solution_defect(suite, record, defect)),
            Some(_) => {
                ignored.extend_from_slice(defects);
                Ok(true)
            }
        };
        if drop_or_fail(&avoid.defects)? {
            avoid.moves.clear();
        }
        if drop_or_fail(points.as_ref().map_or(&[], |points| &points.defects))? {
            points = None;
        }
        let warning = |defect| SuiteDefect { kept: true, ..solution_defect(suite, record, defect) };
        let warnings = ignored.iter().map(warning).collect();
        let mut best = best.moves;
        // Where only points are given, the moves with the most are the solution.
        if let (Some(points), true) = (&points, best.is_empty()) {
            let most = points.best();
            best = points.moves.iter().filter(|(_, p)| *p == most).map(|(m, _)| *m).collect();
        }
        let question = Self {
            at: TestPosition::new(suite, record.line, record.label(), record.position),
            theme: record.id().map(|id| theme_of(&id)).unwrap_or_default(),
            mate: mate.filter(|_| best.is_empty()),
            best,
            avoid: avoid.moves,
            points,
        };
        Ok((question, warnings))
    }

    /// Whether a line of thought has the answer: a solution as its first move, or the mate asked
    /// for as its score.
    pub(crate) fn is_answered_by(&self, info: &Info<'_>) -> bool {
        if let (Some(moves), Some(Score::Mate(claim))) = (self.mate, info.score) {
            return claims_mate(claim, moves);
        }
        let first = info.pv_moves().next().and_then(|text| self.at.position.parse_uci(text).ok());
        first.is_some_and(|mv| self.best.contains(&mv) && !self.avoid.contains(&mv))
    }

    /// An empty answer sheet.
    pub(crate) fn sheet(&self, engine: usize) -> PositionResult {
        let uci =
            |moves: &[Move]| moves.iter().map(|m| self.at.position.uci(*m)).collect::<Vec<_>>();
        let mate = self.mate.map(|n| format!("#{n}"));
        PositionResult {
            id: self.at.id.clone(),
            line_no: self.at.line_no,
            correct: None,
            engine_move: String::new(),
            engine_san: String::new(),
            solutions: uci(&self.best).into_iter().chain(mate.clone()).collect(),
            solutions_san: self.best.iter().map(|m| self.at.position.san(*m)).chain(mate).collect(),
            avoid: uci(&self.avoid),
            fen: self.at.fen(),
            time_ms: 0.0,
            depth: None,
            nodes: None,
            suite: self.at.suite.to_string(),
            theme: self.theme.clone(),
            engine,
            status: AnswerStatus::Unscored,
            points: self.points.as_ref().map(|_| 0),
            max_points: self.points.as_ref().map(Points::best),
            score: None,
            solved_ms: None,
            solved_depth: None,
            trouble: String::new(),
        }
    }

    /// Whether the line counts at all.
    fn counts(&self, rules: Rules) -> bool {
        rules.strict
            || !self.best.is_empty()
            || self.mate.is_some()
            || (rules.score_avoid && !self.avoid.is_empty())
    }

    /// Marks a line whose engine gave no usable answer.
    pub(crate) fn judge_failure(
        &self,
        sheet: &mut PositionResult,
        status: AnswerStatus,
        rules: Rules,
    ) {
        sheet.status = status;
        sheet.correct = self.counts(rules).then_some(false);
    }

    /// Judges the engine's move and writes the verdict on the sheet.
    pub(crate) fn judge(
        &self,
        sheet: &mut PositionResult,
        text: &str,
        info: &InfoBuf,
        rules: Rules,
        solver: &mut Solver,
    ) {
        sheet.engine_move = text.to_owned();
        let no_move = matches!(text, "" | "(none)" | "0000" | "none" | "NULL");
        if no_move {
            return self.judge_failure(sheet, AnswerStatus::NoMove, rules);
        }
        let Ok(mv) = self.at.position.parse_uci(&text.to_ascii_lowercase()) else {
            return self.judge_failure(sheet, AnswerStatus::Illegal, rules);
        };
        let uci = self.at.position.uci(mv);
        sheet.engine_san = self.at.position.san(mv);
        if !rules.strict {
            sheet.engine_move.clone_from(&uci);
        }
        let exact = !rules.strict || text == uci;
        if !self.counts(rules) {
            sheet.status = AnswerStatus::Unscored;
            return;
        }
        sheet.status = AnswerStatus::Answered;
        let right = if !self.best.is_empty() {
            self.best.contains(&mv) && !self.avoid.contains(&mv)
        } else if let Some(moves) = self.mate {
            self.keeps_mate(mv, moves, info, solver)
        } else {
            rules.score_avoid && !self.avoid.is_empty() && !self.avoid.contains(&mv)
        };
        sheet.correct = Some(right && exact);
        if let (Some(points), true) = (&self.points, exact) {
            sheet.points = Some(points.of(mv));
        }
    }

    /// Short mates are proved. Of long ones the engine's own claim is taken, if its line is legal
    /// and, where it is long enough, does end in mate.
    fn keeps_mate(&self, mv: Move, moves: i32, info: &InfoBuf, solver: &mut Solver) -> bool {
        if (1..=PROVED_MATE).contains(&moves)
            && let Ok(proved) = solver.keeps_mate(
                &self.at.position,
                mv,
                moves.unsigned_abs(),
                &Budget::nodes(PROOF_NODES),
            )
        {
            return proved;
        }
        match info.score {
            Some(Score::Mate(claim)) => claims_mate(claim, moves) && self.line_holds(mv, info),
            _ => false,
        }
    }

    fn line_holds(&self, mv: Move, info: &InfoBuf) -> bool {
        let Some(Score::Mate(claim)) = info.score else { return false };
        let plies = if claim > 0 { 2 * claim - 1 } else { -2 * claim };
        let mut position = self.at.position;
        let mut length = 0;
        for text in info.pv.split_ascii_whitespace() {
            match position.parse_uci(text) {
                Ok(next) if length > 0 || next == mv => position = position.play(next),
                _ => return false,
            }
            length += 1;
        }
        length < plies || (position.is_check() && position.legal_moves().is_empty())
    }
}

/// Whether a mate score says what is asked for, or better.
fn claims_mate(claim: i32, moves: i32) -> bool {
    if moves > 0 { 0 < claim && claim <= moves } else { moves <= claim && claim <= 0 }
}

fn solution_defect(suite: &Arc<str>, record: &EpdRecord, defect: &Defect) -> SuiteDefect {
    SuiteDefect {
        suite: suite.to_string(),
        line_no: record.line,
        id: record.label(),
        reason: format!("{}: {}", defect.opcode, defect.fault),
        token: defect.token.clone(),
        kept: false,
    }
}

/// The defect of a line that could not be read.
pub(crate) fn line_defect(suite: &Arc<str>, error: &EpdError) -> SuiteDefect {
    SuiteDefect {
        suite: suite.to_string(),
        line_no: error.line,
        id: String::new(),
        reason: error.reason.to_string(),
        token: error.token.clone(),
        kept: false,
    }
}
