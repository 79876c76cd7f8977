//! One engine at its stand: searches, one at a time, with a new process after a failure.

use super::own::own_bench;
use super::positions::BenchPosition;
use super::result::{Measure, Status};
use dyno_driver::{
    Engine, EngineError, EngineIdentity, EngineSpec, Go, Info, SearchControl, SearchEnd, Settings,
};
use std::time::Duration;

/// An engine and what became of it.
pub(super) struct Stand {
    spec: EngineSpec,
    settings: Settings,
    engine: Option<Engine>,
    record: EngineIdentity,
    warnings: Vec<String>,
    chess960: bool,
    pub(super) failures_in_a_row: u32,
    last_failure: String,
}

impl Stand {
    pub(super) fn open(spec: &EngineSpec, settings: Settings) -> Result<Self, EngineError> {
        let engine = Engine::start(spec, &settings)?;
        Ok(Self {
            spec: spec.clone(),
            record: engine.record(),
            warnings: engine.warnings().iter().map(ToString::to_string).collect(),
            settings,
            engine: Some(engine),
            chess960: false,
            failures_in_a_row: 0,
            last_failure: String::new(),
        })
    }

    pub(super) fn record(&self) -> EngineIdentity {
        self.record.clone()
    }

    pub(super) fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// Each run has processes of its own: what luck one had with its memory, the next has not.
    pub(super) fn begin_run(&mut self, run: u32) -> Result<(), EngineError> {
        if run > 0
            && let Some(engine) = self.engine.take()
        {
            engine.quit();
        }
        Ok(())
    }

    /// Ends the engine; says why it was given up, if it was.
    pub(super) fn close(mut self) -> String {
        if let Some(engine) = self.engine.take() {
            engine.quit();
        }
        if self.failures_in_a_row >= super::MOST_FAILURES {
            return format!("given up after {}: {}", self.failures_in_a_row, self.last_failure);
        }
        String::new()
    }

    /// The running process, or a new one.
    fn engine(&mut self) -> Result<&mut Engine, EngineError> {
        if self.engine.is_none() {
            self.engine = Some(Engine::start(&self.spec, &self.settings)?);
            self.chess960 = false;
        }
        self.engine.as_mut().ok_or(EngineError::Interrupted)
    }

    /// Searches a position. Only the user's wish to stop, or a limit this engine cannot be given,
    /// is an error.
    pub(super) fn search(
        &mut self,
        position: &BenchPosition,
        limit: &Go,
        patience: Duration,
    ) -> Result<Measure, EngineError> {
        let outcome = self.try_search(position, limit, patience);
        self.take_note(outcome)
    }

    /// Runs the engine's own bench.
    pub(super) fn own(
        &mut self,
        command: &[String],
        patience: Duration,
    ) -> Result<Measure, EngineError> {
        // The engine that only introduced itself would share the machine with its bench.
        if let Some(engine) = self.engine.take() {
            engine.quit();
        }
        let outcome = own_bench(&self.spec, command, &self.settings, patience);
        self.take_note(outcome)
    }

    fn take_note(&mut self, outcome: Result<Measure, EngineError>) -> Result<Measure, EngineError> {
        let measure = match outcome {
            Ok(measure) => measure,
            Err(error @ EngineError::Interrupted) => return Err(error),
            Err(error) if !error.is_fatal() => return Err(error),
            Err(error) => {
                if let Some(engine) = self.engine.take() {
                    engine.kill();
                }
                let hung = matches!(
                    error,
                    EngineError::Hung { .. }
                        | EngineError::NotReady { .. }
                        | EngineError::NotReading { .. }
                );
                let status = if hung { Status::Hung } else { Status::Crashed };
                Measure::failed(status, error.to_string())
            }
        };
        if measure.status.counts() {
            self.failures_in_a_row = 0;
        } else {
            self.failures_in_a_row += 1;
            self.last_failure.clone_from(&measure.trouble);
        }
        Ok(measure)
    }

    fn try_search(
        &mut self,
        position: &BenchPosition,
        limit: &Go,
        patience: Duration,
    ) -> Result<Measure, EngineError> {
        let chess960 = needs_chess960(&position.fen);
        let was = self.chess960;
        let engine = self.engine()?;
        if chess960 != was && engine.option("UCI_Chess960").is_some() {
            engine.set_option("UCI_Chess960", &chess960.to_string())?;
        }
        engine.prepare()?;
        let before = engine.usage().cpu;
        let mut watcher = Watcher { limit: limit.depth, at_limit: None };
        let text = format!("fen {}", position.fen);
        let found =
            engine.go_watched(&text, limit, Some(patience), |info, at| watcher.watch(info, at))?;
        let spent = engine.usage().cpu.saturating_sub(before);
        self.chess960 = chess960;
        let mut measure = Measure {
            cpu_ms: (spent > Duration::ZERO || before > Duration::ZERO).then(|| ms(spent)),
            nodes: found.info.nodes,
            own_nps: found.info.nps,
            time_ms: ms(found.elapsed),
            depth: found.info.depth,
            best: found.best,
            ..Measure::default()
        };
        match (found.end, watcher.at_limit) {
            (SearchEnd::Stopped, Some((nodes, depth, at))) => {
                measure.status = Status::RanOn;
                measure.trouble = "searched on when the depth was reached, and was stopped".into();
                (measure.nodes, measure.depth, measure.time_ms) = (nodes, depth, ms(at));
            }
            (SearchEnd::Overran, _) => {
                measure.status = Status::Overran;
                measure.trouble = format!(
                    "not done after {} s: it may not know `{limit}` (try --movetime), or the limit \
                     is too much for it (--timeout waits longer)",
                    patience.as_secs()
                );
            }
            _ => {}
        }
        Ok(measure)
    }
}

/// Castling rights by file letters are the mark of Shredder-FEN.
fn needs_chess960(fen: &str) -> bool {
    let rights = fen.split_ascii_whitespace().nth(2).unwrap_or("-");
    rights.chars().any(|c| c != '-' && !"KQkq".contains(c))
}

/// Notices when an engine goes on beyond its depth.
struct Watcher {
    limit: Option<u32>,
    /// Nodes, depth and time of the last word at the limit.
    at_limit: Option<(Option<u64>, Option<u32>, Duration)>,
}

impl Watcher {
    fn watch(&mut self, info: &Info<'_>, at: Duration) -> SearchControl {
        let (Some(limit), Some(depth)) = (self.limit, info.depth) else {
            return SearchControl::Continue;
        };
        // A line without a score only announces what is looked at next.
        if depth > limit && self.at_limit.is_some() {
            return SearchControl::Stop;
        }
        if depth == limit && info.score.is_some() {
            let known = self.at_limit.and_then(|(nodes, ..)| nodes);
            self.at_limit = Some((info.nodes.or(known), info.depth, at));
        }
        SearchControl::Continue
    }
}

pub(super) fn ms(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}
