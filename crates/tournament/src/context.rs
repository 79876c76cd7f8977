//! What all games of a match have in common.

use super::adjudication::Rules;
use super::control::Control;
use super::error::MatchError;
use super::openings::{BookError, PersonalBook};
use super::plan::{Plan, Variant};
use super::tablebase::Tablebase;
use dyno_driver::{Interrupt, Log, Settings};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The plan, made ready for playing: rules, tables and books are opened once.
pub struct GameContext {
    pub plan: Plan,
    pub(crate) rules: Rules,
    pub(crate) chess960: bool,
    /// Keep principal variations in the record.
    pub(crate) keep_pv: bool,
    /// The engines' own opening books.
    pub(crate) books: Vec<Option<PersonalBook>>,
    pub(crate) control: Control,
    log: Option<Log>,
    /// The factor on all time limits: what makes a slow machine play as a fast one does.
    pub(crate) time_factor: f64,
    /// Breaks off all games once it is 1.
    stop_now: Arc<AtomicUsize>,
}

impl GameContext {
    pub fn new(plan: &Plan, control: &Control, log: Option<Log>) -> Result<Self, MatchError> {
        let tables = Tablebase::open(&plan.adjudication)?.map(Arc::new);
        let books: Result<Vec<_>, BookError> = plan
            .engines
            .iter()
            .map(|e| e.book.as_deref().map(|p| PersonalBook::open(p, e.bookdepth)).transpose())
            .collect();
        Ok(Self {
            plan: plan.clone(),
            rules: Rules::new(&plan.adjudication, tables),
            chess960: plan.variant == Variant::FischeRandom,
            keep_pv: plan.output.pgn.as_ref().is_some_and(|p| p.pv),
            books: books?,
            control: control.clone(),
            log,
            time_factor: 1.0,
            stop_now: Arc::default(),
        })
    }

    /// The same with all time limits multiplied.
    #[must_use]
    pub fn time_factor(mut self, factor: f64) -> Self {
        self.time_factor = factor;
        self
    }

    /// Breaks off all games.
    pub fn stop(&self) {
        self.stop_now.store(1, Ordering::Relaxed);
    }

    pub fn is_stopped(&self) -> bool {
        self.stop_now.load(Ordering::Relaxed) > 0
    }

    /// The driver's settings for an engine of one board.
    pub(crate) fn settings(&self, board: usize, engine: usize) -> Settings {
        let scale = self.plan.engines[engine].limits.tscale.unwrap_or(1.0);
        let patience = |ms: u64| {
            Duration::try_from_secs_f64(ms as f64 / 1000.0 * scale).unwrap_or(Duration::MAX / 4)
        };
        Settings {
            handshake: patience(self.plan.machine.startup_ms),
            ready: patience(self.plan.machine.ready_ms),
            log: self.log.clone(),
            label: Some(format!("{}#{}", self.plan.engines[engine].name(), board + 1)),
            interrupt: Some(Interrupt::new(Arc::clone(&self.stop_now), 1)),
            cpus: self.cpus(board),
            ..Settings::default()
        }
    }

    /// The processors of a board, when engines are to be pinned: as many as an engine has threads.
    pub(crate) fn cpus(&self, board: usize) -> Vec<usize> {
        if !self.plan.machine.affinity {
            return Vec::new();
        }
        let all: Vec<usize> = match self.plan.machine.cpus.as_slice() {
            [] => (0..std::thread::available_parallelism().map_or(1, usize::from)).collect(),
            chosen => chosen.to_vec(),
        };
        let width = self.plan.threads().min(all.len()).max(1);
        (0..width).map(|i| all[(board * width + i) % all.len()]).collect()
    }
}
