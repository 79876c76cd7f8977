//! Why a check ends before its end.

use dyno_driver::EngineError;

/// Why a check cannot go on.
#[derive(Debug)]
pub(super) enum Stop {
    /// The engine failed it: a finding in itself.
    Engine(EngineError),
    /// Its share of the time is used up.
    OutOfTime,
}

impl Stop {
    pub fn is_interrupt(&self) -> bool {
        matches!(self, Stop::Engine(EngineError::Interrupted))
    }

    /// Passes on what is not the engine's doing; its failure otherwise.
    pub fn failure(self) -> Result<EngineError, Stop> {
        match self {
            Stop::Engine(error) if !matches!(error, EngineError::Interrupted) => Ok(error),
            other => Err(other),
        }
    }
}

impl From<EngineError> for Stop {
    fn from(error: EngineError) -> Stop {
        Stop::Engine(error)
    }
}
