//! Puts questions to an engine: one process, a new game for each, a new process after a failure.

use super::judge::{Failure, Judge};
use dyno_driver::{Engine, EngineError, EngineSpec, Findings, Go, Info, SearchControl, Settings};
use std::time::{Duration, Instant};

/// The first process has shown that the engine runs; if a later one is slow to start, the machine
/// is busy, and that must not end the run.
const LATER_HANDSHAKE: Duration = Duration::from_secs(60);

/// An engine under examination.
pub(super) struct Examiner {
    spec: EngineSpec,
    settings: Settings,
    engine: Option<Engine>,
    /// What the engine's earlier processes did against the protocol.
    past: Findings,
    chess960: bool,
}

/// A judged answer, and what the user should be told about the engine.
pub(super) struct Judged<R> {
    pub(super) result: R,
    pub(super) warning: Option<String>,
}

impl Examiner {
    pub(super) fn new(spec: EngineSpec, mut settings: Settings, engine: Option<Engine>) -> Self {
        settings.handshake = settings.handshake.max(LATER_HANDSHAKE);
        Self { spec, settings, engine, past: Findings::default(), chess960: false }
    }

    /// Everything the engine's processes did against the protocol. Ends the engine.
    pub(super) fn dismiss(mut self) -> Findings {
        if let Some(engine) = self.engine.take() {
            self.past.absorb(engine.findings());
            engine.quit();
        }
        self.past
    }

    /// Asks one question. An error means that the engine cannot be run at all, or that the user
    /// wants to stop; any failure on the question itself is a result.
    pub(super) fn ask<J: Judge>(
        &mut self,
        judge: &J,
        tools: &mut J::Tools<'_>,
        question: &J::Question,
        index: usize,
    ) -> Result<Judged<J::Result>, EngineError> {
        let mut engine = match self.engine.take() {
            Some(engine) => engine,
            None => Engine::start(&self.spec, &self.settings)?,
        };
        let mut sheet = judge.open(tools, question, index);
        let (go, deadline) = judge.limit(question);
        let mut guard = LimitGuard::new(&go);
        let began = Instant::now();
        let searched =
            self.choose_variant(&mut engine, J::position(question).position.is_chess960());
        let searched = searched.and_then(|()| engine.prepare()).and_then(|()| {
            let position = format!("fen {}", J::position(question).fen());
            engine.go_watched(&position, &go, deadline, |info, at| {
                let wanted = judge.listen(question, &mut sheet, info, at);
                if guard.is_passed(info) { SearchControl::Stop } else { wanted }
            })
        });
        let warning = guard.warning(engine.name(), &go);
        match searched {
            Ok(found) => {
                self.engine = Some(engine);
                Ok(Judged { result: judge.judge(tools, question, sheet, &found), warning })
            }
            Err(error @ EngineError::Interrupted) => {
                self.engine = Some(engine);
                Err(error)
            }
            Err(error) => {
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
                let (trouble, elapsed) = (error.to_string(), began.elapsed());
                let failure = Failure { hung, trouble, elapsed };
                Ok(Judged { result: judge.fail(question, sheet, failure), warning })
            }
        }
    }

    fn choose_variant(&mut self, engine: &mut Engine, wanted: bool) -> Result<(), EngineError> {
        if wanted != self.chess960 && engine.option("UCI_Chess960").is_some() {
            engine.set_option("UCI_Chess960", &wanted.to_string())?;
            self.chess960 = wanted;
        }
        Ok(())
    }
}

/// Notices an engine that searches on beyond its limit, as some do with nodes: it is stopped then,
/// and the user is told.
struct LimitGuard {
    most_nodes: Option<u64>,
    most_depth: Option<u32>,
    passed: Option<String>,
}

impl LimitGuard {
    /// Engines look at their node count only now and then.
    const SPARE_NODES: u64 = 100_000;

    fn new(go: &Go) -> Self {
        let most_nodes =
            go.nodes.map(|nodes| nodes.saturating_mul(2).saturating_add(Self::SPARE_NODES));
        let most_depth = go.depth.map(|depth| depth.saturating_add(1));
        Self { most_nodes, most_depth, passed: None }
    }

    fn is_passed(&mut self, info: &Info<'_>) -> bool {
        let beyond_nodes = info.nodes.zip(self.most_nodes).filter(|(now, most)| now > most);
        let beyond_depth = info.depth.zip(self.most_depth).filter(|(now, most)| now > most);
        if let Some((nodes, _)) = beyond_nodes {
            self.passed.get_or_insert_with(|| format!("{nodes} nodes"));
        } else if let Some((depth, _)) = beyond_depth {
            self.passed.get_or_insert_with(|| format!("depth {depth}"));
        }
        self.passed.is_some()
    }

    fn warning(&self, engine: &str, go: &Go) -> Option<String> {
        let reached = self.passed.as_ref()?;
        Some(format!(
            "{engine} does not keep `{go}` (it went on to {reached}): its searches are stopped \
             when they go beyond"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_is_passed_is_noticed() {
        let passes = |go: &Go, line: &str| {
            let mut guard = LimitGuard::new(go);
            let info = Info::parse(line, &mut |deviation| panic!("{deviation}"));
            guard.is_passed(&info)
        };
        let nodes = Go::nodes(5000);
        assert!(!passes(&nodes, "info depth 9 nodes 6000 pv e2e4"));
        assert!(passes(&nodes, "info depth 30 nodes 500000 pv e2e4"));
        assert!(!passes(&Go::depth(4), "info depth 5 nodes 9 pv e2e4"));
        assert!(passes(&Go::depth(4), "info depth 6 nodes 9 pv e2e4"));
        assert!(!passes(&Go::movetime(10), "info depth 60 nodes 50000000 pv e2e4"));
        let mut guard = LimitGuard::new(&nodes);
        guard.is_passed(&Info::parse("info nodes 500000", &mut |_| {}));
        let warning = guard.warning("Toga", &nodes).unwrap_or_default();
        assert!(warning.starts_with("Toga does not keep `go nodes 5000`"), "{warning}");
    }
}
