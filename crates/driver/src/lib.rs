//! Runs a chess engine as a child process and never trusts it.
//!
//! An [`EngineSpec`] says what to run; [`Engine::start`] runs it, shakes hands and sets its
//! options. From then on every wait has a deadline, every line is stamped on arrival, every
//! buffer is bounded and every oddity is kept as a finding. UCI and XBoard engines answer to the
//! same calls; positions and moves are always UCI text here.
//!
//! ```no_run
//! use dyno_driver::{Engine, EngineSpec, Go, Settings};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let spec: EngineSpec = "stockfish".parse()?;
//! let mut engine = Engine::start(&spec, &Settings::default())?;
//! engine.new_game()?;
//! let found = engine.go("startpos moves e2e4", &Go::depth(10), None)?;
//! println!("{} in {:?}, {:?}", found.best, found.elapsed, found.info.score);
//! engine.quit();
//! # Ok(()) }
//! ```

mod affinity;
mod batch;
mod channel;
mod config;
mod cpu_colocation;
mod engine;
mod error;
mod identity;
mod jail;
mod line_buffer;
mod machine;
mod pipes;
mod process;
mod program;
mod protocol;
mod run_delay;
mod run_header;
mod search;
mod settings;
mod spec;
mod transcript;

pub use affinity::pin_current_thread;
pub use batch::{BatchRun, run_to_end};
pub use config::{ConfigError, engine_names, named_engine, read_engines};
pub use cpu_colocation::CpuColocation;
pub use dyno_uci::{
    BestMove, Bound, Deviation, EngineOption, Finding, Findings, Go, Info, InfoBuf, OptionKind,
    Score,
};
pub use engine::{Engine, EngineWarning};
pub use error::{EngineError, Phase};
pub use identity::{EngineIdentity, Identity, file_hash};
pub use jail::{NoJail, become_jailed_engine, jail_gaps};
pub use machine::Machine;
pub use pipes::is_crash_report;
pub use process::{Activity, Exit, Usage};
pub use program::find_program;
pub use protocol::Capabilities;
pub use run_header::{RunHeader, SCHEMA};
pub use search::{
    ResultClaim, SearchControl, SearchEnd, SearchEvent, SearchResult, default_deadline,
};
pub use settings::{Interrupt, Settings};
pub use spec::{EngineSpec, Program, Protocol, SpecError, split_command_line};
pub use transcript::Log;

/// Reads a line of an XBoard engine in every way that one can be read; for fuzzing, as nothing an
/// engine says may make Dyno panic.
#[doc(hidden)]
pub fn read_xboard_line(position: &dyno_chess::Position, color: dyno_chess::Color, line: &str) {
    protocol::read_xboard_line(position, color, line);
}
