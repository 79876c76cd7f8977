//! An engine that follows UCI to the letter (it searches on its own thread and keeps every limit
//! and option) and can be given exactly one protocol fault, so that a check is tried on an engine
//! that is right in everything else.

mod engine;
mod fault;
mod search;
mod think;

pub use engine::run;
pub use fault::ProtocolFault;

use std::path::PathBuf;
use std::sync::OnceLock;

/// The command line of the engine, with a fault or without, for `--engine` and its like. The
/// program is built on first use where it is not there yet.
///
/// # Panics
///
/// When the program can be neither found nor built: a test cannot go on without it.
#[must_use]
pub fn command(fault: Option<ProtocolFault>) -> String {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    let program = BINARY.get_or_init(|| crate::binary::built("protocol-faults-engine"));
    crate::binary::command(program, &fault.map(ProtocolFault::name).into_iter().collect::<Vec<_>>())
}
