//! The engine under examination, with as much patience as it needs, whatever it speaks.

use dyno_driver::{Engine, EngineError, EngineSpec, Settings};
use std::ops::{Deref, DerefMut};
use std::time::Duration;

/// A running engine that may be slow for a reason, for example because it runs under valgrind.
pub(super) struct TestedEngine {
    engine: Engine,
    slowness: f64,
}

impl TestedEngine {
    pub fn start(
        spec: &EngineSpec,
        settings: &Settings,
        slowness: f64,
    ) -> Result<TestedEngine, EngineError> {
        let mut settings = settings.clone();
        for span in
            [&mut settings.handshake, &mut settings.ready, &mut settings.grace, &mut settings.quit]
        {
            *span = span.mul_f64(slowness);
        }
        Ok(TestedEngine { engine: Engine::start(spec, &settings)?, slowness })
    }

    /// A span in which an ordinary engine is done, for this one.
    pub fn patience(&self, span: Duration) -> Duration {
        span.mul_f64(self.slowness)
    }

    /// Waits for the answer to `isready` as long as an ordinary engine would deserve.
    pub fn is_ready(&mut self, span: Duration) -> Result<(), EngineError> {
        let patience = self.patience(span);
        self.engine.is_ready(patience)
    }

    /// The search that asks for no more than a move.
    pub fn least_search(&self) -> &'static str {
        if self.engine.capabilities().depth_limit { "go depth 1" } else { "go movetime 30" }
    }

    /// The engine itself, for its last words.
    pub fn into_engine(self) -> Engine {
        self.engine
    }
}

impl Deref for TestedEngine {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        &self.engine
    }
}

impl DerefMut for TestedEngine {
    fn deref_mut(&mut self) -> &mut Engine {
        &mut self.engine
    }
}
