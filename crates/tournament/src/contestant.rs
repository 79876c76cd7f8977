//! An engine at its board: started when it is needed, replaced when it fails.

use super::budget::Budget;
use super::plan::{Contender, Machine, Plan, Protocol, Restart, Variant};
use dyno_driver::{Engine, EngineError, EngineSpec, Interrupt, Log, Program, Settings};
use std::time::Duration;

/// One engine of one board.
pub struct Contestant {
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

impl Contestant {
    pub fn new(plan: &Plan, index: usize, settings: Settings) -> Self {
        let contender = &plan.engines[index];
        Self {
            index,
            budget: Budget::new(&contender.limits),
            ponders: contender.ponder,
            white_pov: contender.whitepov,
            spec: spec(contender, plan.variant),
            settings,
            restart: contender.restart,
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
        let chosen = self.spec.options.iter().any(|(n, _)| n.eq_ignore_ascii_case("Ponder"));
        if !chosen && declared.is_some_and(|d| d != wanted) {
            engine.set_option("Ponder", &wanted)?;
        }
        Ok(self.engine.insert(engine))
    }

    /// The running process. After [`Contestant::prepare`] there is one, until it fails.
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

/// What the driver must know to run an engine of the plan.
pub fn spec(contender: &Contender, variant: Variant) -> EngineSpec {
    let program = match contender.cmd.as_str() {
        "builtin" => Program::Builtin,
        path => Program::Path(path.into()),
    };
    let protocol = match contender.protocol {
        Protocol::Auto => dyno_driver::Protocol::Auto,
        Protocol::Uci => dyno_driver::Protocol::Uci,
        Protocol::Xboard => dyno_driver::Protocol::Xboard,
    };
    let mut options: Vec<(String, String)> = contender
        .options
        .iter()
        .map(|option| {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            (name.to_owned(), value.to_owned())
        })
        .collect();
    if variant == Variant::FischeRandom {
        options.push(("UCI_Chess960".to_owned(), "true".to_owned()));
    }
    EngineSpec {
        name: Some(contender.name.clone()),
        program,
        args: contender.args.clone(),
        dir: contender.dir.clone(),
        options,
        protocol,
        init: contender.init.clone(),
        stderr: contender.stderr.clone(),
        ..EngineSpec::default()
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
