//! Puzzles: the lichess database turned into suites, put to an engine, and new ones mined from
//! games.

mod blocks;
mod convert;
mod keys;
mod mine;
mod puzzle;
mod run;
mod select;

pub use convert::{ConvertEvent, ConvertPlan, ConvertResult, RejectedRow, convert};
pub use keys::KeyFinder;
pub use mine::{MineEvent, MinePlan, MineResult, Mined, MinedKind, mine};
pub use puzzle::{Puzzle, Reject, mating_moves};
pub use run::{Attempt, Group, Performance, PuzzleVerdict, RunEvent, RunPlan, RunResult, run};
pub use select::{BadRange, RatingRange, Selection};

use dyno_driver::{Engine, EngineError, EngineSpec, Settings};
use dyno_formats::OpenError;
use std::io;

/// Starts an engine that must show more than one line of thought.
fn start_with_lines(spec: &EngineSpec, settings: &Settings) -> Result<Engine, EngineError> {
    let engine = Engine::start(spec, settings)?;
    if engine.option("MultiPV").is_none() {
        let what = "it has no option MultiPV, which is needed to compare moves".to_owned();
        return Err(EngineError::Unsupported { engine: engine.name().to_owned(), what });
    }
    Ok(engine)
}

/// Why puzzles could not be worked on.
#[derive(Debug, thiserror::Error)]
pub enum PuzzleError {
    /// The input cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The input cannot be read any further.
    #[error("cannot read {name}: {error}")]
    Read {
        /// The input.
        name: String,
        /// What went wrong.
        error: io::Error,
    },
    /// The input is not a puzzle database.
    #[error("{name} is not a puzzle database: {reason}")]
    NotPuzzles {
        /// The input.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// The output cannot be written.
    #[error("cannot write {name}: {error}")]
    Write {
        /// The output.
        name: String,
        /// What went wrong.
        error: io::Error,
    },
    /// The engine cannot be run.
    #[error(transparent)]
    Engine(#[from] EngineError),
}
