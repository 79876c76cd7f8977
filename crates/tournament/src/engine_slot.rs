//! An engine at its board: started when it is needed, replaced when it fails.

use super::budget::Budget;
use super::context::GameContext;
use super::plan::Restart;
use dyno_driver::{Engine, EngineError, EngineSpec, Settings};

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
    /// Options that the running process was given for the present game alone.
    overrides: Vec<(String, String)>,
}

impl EngineSlot {
    pub fn new(context: &GameContext, board: usize, index: usize) -> Self {
        let entry = &context.plan.engines[index];
        Self {
            index,
            budget: Budget::new(&entry.limits, context.time_factor),
            ponders: entry.ponder,
            white_pov: entry.whitepov,
            spec: entry.spec_for(context.plan.variant),
            settings: context.settings(board, index),
            restart: entry.restart,
            engine: None,
            played: false,
            overrides: Vec::new(),
        }
    }

    /// Gets the engine ready for a new game, with the options of that game. A process that died or
    /// does not answer between games is replaced once.
    pub fn prepare(&mut self, overrides: &[(String, String)]) -> Result<(), EngineError> {
        if self.restart == Restart::On && self.played {
            self.retire();
        }
        self.played = true;
        if self.engine.is_some() {
            match self.prepare_running(overrides) {
                Ok(()) => return Ok(()),
                Err(EngineError::Interrupted) => return Err(EngineError::Interrupted),
                Err(_) => self.discard(),
            }
        }
        self.start()?;
        self.prepare_running(overrides)
    }

    fn prepare_running(&mut self, overrides: &[(String, String)]) -> Result<(), EngineError> {
        if self.overrides != overrides {
            self.set_overrides(overrides)?;
        }
        self.engine()?.prepare()
    }

    /// Options of an earlier game that this one does not set go back to what they were. Where that
    /// is not known, only a new process will do.
    fn set_overrides(&mut self, overrides: &[(String, String)]) -> Result<(), EngineError> {
        let set_now = |name: &str| overrides.iter().any(|(n, _)| n.eq_ignore_ascii_case(name));
        let mut wanted = Vec::new();
        for (name, _) in self.overrides.iter().filter(|(name, _)| !set_now(name)) {
            let own = self.spec.option(name).map(str::to_owned);
            let declared = self.engine.as_ref().and_then(|e| e.option(name)?.default_text());
            match own.or_else(|| declared.map(|text| text.to_string())) {
                Some(value) => wanted.push((name.clone(), value)),
                None => {
                    self.retire();
                    wanted.clear();
                    self.start()?;
                    break;
                }
            }
        }
        wanted.extend_from_slice(overrides);
        let engine = self.engine()?;
        for (name, value) in &wanted {
            engine.set_option(name, value)?;
        }
        self.overrides = overrides.to_vec();
        Ok(())
    }

    /// Starts the process.
    pub fn start(&mut self) -> Result<&mut Engine, EngineError> {
        let mut engine = Engine::start(&self.spec, &self.settings)?;
        engine.set_pondering(self.ponders);
        // Some engines believe they ponder unless told otherwise.
        let wanted = self.ponders.to_string();
        let declared = engine.option("Ponder").and_then(|o| o.default_text());
        if self.spec.option("Ponder").is_none() && declared.is_some_and(|d| d != wanted) {
            engine.set_option("Ponder", &wanted)?;
        }
        self.overrides.clear();
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
