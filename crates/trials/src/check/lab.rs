//! The workbench of the checks: an engine that is there when it is needed, whatever the check
//! before has done to it.

use super::{Outcome, Plan, Profile};
use dyno_driver::{Engine, EngineError, EngineRecord, Settings};
use std::time::Duration;

/// An engine under examination.
pub(super) struct Lab<'a> {
    pub plan: &'a Plan,
    engine: Option<Engine>,
    record: EngineRecord,
    /// The handshake of the first start, for the checks of starting up.
    pub handshake: Duration,
    /// What the engine was asked last, to be shown when it fails.
    pub said: Vec<String>,
    /// Whether the engine has been seen to keep `searchmoves`.
    pub keeps_searchmoves: Option<bool>,
    /// How the engine is asked for perft, once found out.
    pub perft: Option<Option<crate::hunt::Dialect>>,
}

impl<'a> Lab<'a> {
    pub fn open(plan: &'a Plan) -> Result<Lab<'a>, EngineError> {
        let began = std::time::Instant::now();
        let engine = Engine::start(&plan.engine, &plan.settings)?;
        let handshake = began.elapsed();
        let record = engine.record();
        Ok(Lab {
            plan,
            engine: Some(engine),
            record,
            handshake,
            said: Vec::new(),
            keeps_searchmoves: None,
            perft: None,
        })
    }

    pub fn record(&self) -> EngineRecord {
        self.record.clone()
    }

    pub fn profile(&self) -> Profile {
        self.plan.profile
    }

    /// The engine, started anew where the last one has ended.
    pub fn engine(&mut self) -> Result<&mut Engine, EngineError> {
        if self.engine.is_none() {
            self.engine = Some(Engine::start(&self.plan.engine, &self.plan.settings)?);
        }
        match &mut self.engine {
            Some(engine) => Ok(engine),
            None => Err(EngineError::Interrupted),
        }
    }

    /// A process of its own for a check that may spoil it.
    pub fn fresh(&self) -> Result<Engine, EngineError> {
        Engine::start(&self.plan.engine, &self.plan.settings)
    }

    /// The same with other settings.
    pub fn fresh_with(&self, change: impl FnOnce(&mut Settings)) -> Result<Engine, EngineError> {
        let mut settings = self.plan.settings.clone();
        change(&mut settings);
        Engine::start(&self.plan.engine, &settings)
    }

    /// The engine failed during a check: that is the check's finding, and the next check gets a
    /// new process.
    pub fn post_mortem(&mut self, error: EngineError) -> Outcome {
        let mut evidence = Vec::new();
        if let Some(engine) = self.engine.take() {
            evidence.extend(engine.transcript_tail().lines().rev().take(8).map(str::to_owned));
            evidence.reverse();
            let stderr = engine.stderr();
            evidence.extend(stderr.lines().take(5).map(|line| format!("stderr: {line}")));
            engine.kill();
        }
        let said = std::mem::take(&mut self.said);
        Outcome::fail(error.to_string()).evidence(evidence).reproduce(said)
    }
}
