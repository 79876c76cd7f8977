//! Puts questions to an engine: one process, a new game for each, a new process after a failure.

use super::question::{Question, Rules};
use super::result::{PositionResult, Status};
use dyno_driver::{
    Engine, EngineError, EngineSpec, Findings, Go, Info, SearchControl, SearchEnd, Settings,
};
use dyno_solver::Solver;
use std::time::{Duration, Instant};

const LATER_HANDSHAKE: Duration = Duration::from_secs(60);

/// How long an engine may think and how its answers are judged.
#[derive(Clone, Debug)]
pub(crate) struct Exam {
    pub(crate) limit: Go,
    pub(crate) patience: Option<Duration>,
    pub(crate) early_stop: Option<u32>,
    pub(crate) rules: Rules,
}

/// An engine under examination.
pub(crate) struct Examiner {
    spec: EngineSpec,
    settings: Settings,
    engine: Option<Engine>,
    /// The engine's findings in processes that are no more.
    past: Findings,
    solver: Solver,
    chess960: bool,
}

impl Examiner {
    pub(crate) fn new(spec: EngineSpec, mut settings: Settings, engine: Option<Engine>) -> Self {
        // The first process has shown that the engine runs; if a later one is slow to start, the
        // machine is busy, and that must not end the run.
        settings.handshake = settings.handshake.max(LATER_HANDSHAKE);
        // Proofs of short mates need little memory.
        let solver = Solver::new(1);
        Self { spec, settings, engine, past: Findings::default(), solver, chess960: false }
    }

    /// Everything the engine's processes did against the protocol. Ends the engine.
    pub(crate) fn dismiss(mut self) -> Findings {
        self.bury();
        self.past
    }

    fn bury(&mut self) {
        if let Some(engine) = self.engine.take() {
            self.past.absorb(engine.findings());
            engine.quit();
        }
        self.chess960 = false;
    }

    /// Asks one question. An error means that the engine cannot be run at all, or that the user
    /// wants to stop; any failure on the question itself is a result.
    pub(crate) fn ask(
        &mut self,
        question: &Question,
        index: usize,
        exam: &Exam,
    ) -> Result<PositionResult, EngineError> {
        let mut sheet = question.sheet(index);
        let mut engine = match self.engine.take() {
            Some(engine) => engine,
            None => Engine::start(&self.spec, &self.settings)?,
        };
        let began = Instant::now();
        let asked = self.put(&mut engine, question, exam, &mut sheet);
        let Err(error) = asked else {
            self.engine = Some(engine);
            return Ok(sheet);
        };
        if matches!(error, EngineError::Interrupted) {
            self.engine = Some(engine);
            return Err(error);
        }
        self.past.absorb(engine.findings());
        self.chess960 = false;
        if !error.is_fatal() {
            return Err(error);
        }
        engine.kill();
        let hung = matches!(
            error,
            EngineError::Hung { .. }
                | EngineError::NotReady { .. }
                | EngineError::NotReading { .. }
        );
        let status = if hung { Status::Timeout } else { Status::Crash };
        question.judge_failure(&mut sheet, status, exam.rules);
        sheet.time_ms = ms(began.elapsed());
        sheet.trouble = error.to_string();
        Ok(sheet)
    }

    fn put(
        &mut self,
        engine: &mut Engine,
        question: &Question,
        exam: &Exam,
        sheet: &mut PositionResult,
    ) -> Result<(), EngineError> {
        self.choose_variant(engine, question)?;
        engine.prepare()?;
        let mut watcher = Watcher { question, early_stop: exam.early_stop, stands: None };
        let found = engine.go_watched(
            &question.position_text(),
            &exam.limit,
            exam.patience,
            |info, at| watcher.watch(info, at),
        )?;
        sheet.time_ms = ms(found.elapsed);
        (sheet.depth, sheet.nodes) = (found.info.depth, found.info.nodes);
        sheet.score = found.info.score;
        if found.end == SearchEnd::Overran {
            sheet.engine_move = found.best;
            sheet.trouble = "still searching at its deadline".to_owned();
            question.judge_failure(sheet, Status::Timeout, exam.rules);
            return Ok(());
        }
        question.judge(sheet, &found.best, &found.info, exam.rules, &mut self.solver);
        if sheet.correct == Some(true) {
            let (at, depth) = watcher.stands.unwrap_or((found.elapsed, found.info.depth));
            sheet.solved_ms = Some(ms(at));
            sheet.solved_depth = depth;
        }
        Ok(())
    }

    fn choose_variant(
        &mut self,
        engine: &mut Engine,
        question: &Question,
    ) -> Result<(), EngineError> {
        let wanted = question.position.is_chess960();
        if wanted != self.chess960 && engine.option("UCI_Chess960").is_some() {
            engine.set_option("UCI_Chess960", &wanted.to_string())?;
            self.chess960 = wanted;
        }
        Ok(())
    }
}

/// Notices since when the solution has been the engine's choice.
struct Watcher<'a> {
    question: &'a Question,
    early_stop: Option<u32>,
    stands: Option<(Duration, Option<u32>)>,
}

impl Watcher<'_> {
    fn watch(&mut self, info: &Info<'_>, at: Duration) -> SearchControl {
        if info.multipv.unwrap_or(1) > 1 || info.pv.is_none() {
            return SearchControl::Continue;
        }
        if !self.question.is_answered_by(info) {
            self.stands = None;
            return SearchControl::Continue;
        }
        let (_, since) = *self.stands.get_or_insert((at, info.depth));
        let iterations = info.depth.zip(since).map_or(0, |(now, then)| now.saturating_sub(then));
        match self.early_stop {
            Some(enough) if iterations >= enough => SearchControl::Stop,
            _ => SearchControl::Continue,
        }
    }
}

fn ms(duration: Duration) -> f64 {
    // Nanoseconds are what was measured; a microsecond is what a reader can use.
    (duration.as_secs_f64() * 1e6).round() / 1e3
}
