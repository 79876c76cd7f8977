//! An engine at its board: started when it is needed, replaced when it fails.

use super::budget::Budget;
use super::plan::{Machine, Plan, Restart};
use dyno_driver::{Engine, EngineError, EngineSpec, Interrupt, Log, Settings};
use std::time::Duration;

/// One engine of one board.
pub struct EngineSlot {
    /// The engine's place in the plan.
    pub index: usize,
    pub budget: Budget,
    pub ponders: bool,
    pub white_pov: bool,
    spec: EngineSpec,
    settings: Settings,
    restart: Restart,
    engine: Option<Engine>,
    played: bool,
}

impl EngineSlot {
    pub fn new(plan: &Plan, index: usize, settings: Settings) -> Self {
        let entry = &plan.engines[index];
        Self {
            index,
            budget: Budget::new(&entry.limits),
            ponders: entry.ponder,
            white_pov: entry.whitepov,
            spec: entry.spec_for(plan.variant),
            settings,
            restart: entry.restart,
            engine: None,
            played: false,
        }
    }

    /// Gets the engine ready for a new game. A process that died or sulks between games is
    /// replaced once.
    pub fn prepare(&mut self) -> Result<(), EngineError> {
        if self.restart == Restart::On && self.played {
            self.retire();
        }
        self.played = true;
        if let Some(engine) = &mut self.engine {
            match engine.prepare() {
                Ok(()) => return Ok(()),
                Err(EngineError::Interrupted) => return Err(EngineError::Interrupted),
                Err(_) => self.discard(),
            }
        }
        self.start()?.prepare()
    }

    fn start(&mut self) -> Result<&mut Engine, EngineError> {
        let mut engine = Engine::start(&self.spec, &self.settings)?;
        engine.set_pondering(self.ponders);
        // Some engines believe they ponder unless told otherwise.
        let wanted = self.ponders.to_string();
        let declared = engine.option("Ponder").and_then(|o| o.default_text());
        if self.spec.option("Ponder").is_none() && declared.is_some_and(|d| d != wanted) {
            engine.set_option("Ponder", &wanted)?;
        }
        Ok(self.engine.insert(engine))
    }

    /// The running process. After [`EngineSlot::prepare`] there is one, until it fails.
    pub fn engine(&mut self) -> Result<&mut Engine, EngineError> {
        self.engine.as_mut().ok_or_else(|| EngineError::Unsupported {
            engine: self.spec.label(),
            what: "it does not run".to_owned(),
        })
    }

    /// Ends the process at once; the next game gets a new one.
    pub fn discard(&mut self) {
        if let Some(engine) = self.engine.take() {
            engine.kill();
        }
    }

    /// Ends the process politely.
    pub fn retire(&mut self) {
        if let Some(engine) = self.engine.take() {
            engine.quit();
        }
    }
}

/// The driver's settings for the engines of one board.
pub fn settings(
    machine: &Machine,
    log: Option<Log>,
    label: Option<String>,
    stop: Option<Interrupt>,
    cpus: Vec<usize>,
) -> Settings {
    Settings {
        handshake: Duration::from_millis(machine.startup_ms),
        ready: Duration::from_millis(machine.ready_ms),
        log,
        label,
        interrupt: stop,
        cpus,
        ..Settings::default()
    }
}
