//! How the answers to a suite are judged.

use super::SuitePlan;
use super::question::{Question, Rules, line_defect};
use super::result::{AnswerStatus, PositionResult, SuiteDefect};
use crate::position_test::{Failure, Judge, Line, Lines, Source, Stop, TestPosition, milliseconds};
use dyno_driver::{Go, Info, SearchControl, SearchEnd, SearchResult, default_deadline};
use dyno_formats::epd::{EpdErrorReason, EpdReader};
use dyno_formats::{LineError, OpenError};
use dyno_solver::Solver;
use std::sync::Arc;
use std::time::Duration;

/// Judges by the moves that a suite calls best.
pub(super) struct SuiteJudge {
    limit: Go,
    timeout: Option<Duration>,
    early_stop: Option<u32>,
    rules: Rules,
    repair: bool,
}

impl SuiteJudge {
    pub(super) fn new(plan: &SuitePlan) -> Self {
        Self {
            limit: plan.limit.clone(),
            timeout: plan.test.timeout.or_else(|| default_deadline(&plan.limit)),
            early_stop: plan.test.early_stop,
            rules: plan.rules,
            repair: plan.repair,
        }
    }
}

/// An answer on its way, and since when the solution has been the engine's choice.
pub(super) struct AnswerSheet {
    result: PositionResult,
    stands: Option<(Duration, Option<u32>)>,
}

impl Judge for SuiteJudge {
    type Question = Question;
    type Defect = SuiteDefect;
    type Result = PositionResult;
    type Sheet = AnswerSheet;
    type Tools<'a> = Solver;

    fn read(&self, source: &Source) -> Result<Lines<Self>, OpenError> {
        let (reader, _) = source.open()?;
        let (suite, source) = (Arc::<str>::from(source.name()), source.clone());
        let records = EpdReader::new(reader).repairing(self.repair);
        Ok(Box::new(records.flat_map(move |line| match line {
            Ok(record) => match Question::from_record(&suite, &record) {
                Ok((question, ignored)) => {
                    let ignored = ignored.into_iter().map(Line::Defect);
                    ignored.chain([Line::Question(question)]).collect()
                }
                Err(defect) => vec![Line::Defect(defect)],
            },
            Err(error) => match error.reason {
                EpdErrorReason::Line(LineError::Io(error)) => {
                    vec![Line::Damaged(source.damaged(error))]
                }
                _ => vec![Line::Defect(line_defect(&suite, &error))],
            },
        })))
    }

    fn position(question: &Question) -> &TestPosition {
        &question.at
    }

    fn defect_id(defect: &SuiteDefect) -> &str {
        &defect.id
    }

    fn tools<'a>(&'a self, _: Stop<'a>) -> Solver {
        // Proofs of short mates need little memory.
        Solver::new(1)
    }

    fn open(&self, _: &mut Solver, question: &Question, engine: usize) -> AnswerSheet {
        AnswerSheet { result: question.sheet(engine), stands: None }
    }

    fn limit(&self, _: &Question) -> (Go, Option<Duration>) {
        (self.limit.clone(), self.timeout)
    }

    fn listen(
        &self,
        question: &Question,
        sheet: &mut AnswerSheet,
        info: &Info<'_>,
        at: Duration,
    ) -> SearchControl {
        if info.multipv.unwrap_or(1) > 1 || info.pv.is_none() {
            return SearchControl::Continue;
        }
        if !question.is_answered_by(info) {
            sheet.stands = None;
            return SearchControl::Continue;
        }
        let (_, since) = *sheet.stands.get_or_insert((at, info.depth));
        let iterations = info.depth.zip(since).map_or(0, |(now, then)| now.saturating_sub(then));
        match self.early_stop {
            Some(enough) if iterations >= enough => SearchControl::Stop,
            _ => SearchControl::Continue,
        }
    }

    fn judge(
        &self,
        solver: &mut Solver,
        question: &Question,
        sheet: AnswerSheet,
        found: &SearchResult,
    ) -> PositionResult {
        let AnswerSheet { mut result, stands } = sheet;
        result.time_ms = milliseconds(found.elapsed);
        (result.depth, result.nodes) = (found.info.depth, found.info.nodes);
        result.score = found.info.score;
        if found.end == SearchEnd::Overran {
            result.engine_move.clone_from(&found.best);
            result.trouble = "still searching at its deadline".to_owned();
            question.judge_failure(&mut result, AnswerStatus::Timeout, self.rules);
            return result;
        }
        question.judge(&mut result, &found.best, &found.info, self.rules, solver);
        if result.correct == Some(true) {
            let (at, depth) = stands.unwrap_or((found.elapsed, found.info.depth));
            result.solved_ms = Some(milliseconds(at));
            result.solved_depth = depth;
        }
        result
    }

    fn fail(&self, question: &Question, sheet: AnswerSheet, failure: Failure) -> PositionResult {
        let mut result = sheet.result;
        let status = if failure.hung { AnswerStatus::Timeout } else { AnswerStatus::Crash };
        question.judge_failure(&mut result, status, self.rules);
        result.time_ms = milliseconds(failure.elapsed);
        result.trouble = failure.trouble;
        result
    }
}
