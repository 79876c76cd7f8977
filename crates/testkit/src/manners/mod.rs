//! An engine with good manners: it thinks on its own thread, keeps every limit and option of UCI,
//! and can be given one bad manner, so that checks of conduct are tried on something that is right
//! in everything else.

mod engine;
mod fault;
mod think;

pub use engine::run;
pub use fault::Fault;

use std::path::PathBuf;
use std::sync::OnceLock;

/// The command line of the engine, with a fault or without, for `--engine` and its like. The
/// program is built on first use where it is not there yet.
///
/// # Panics
///
/// When the program can be neither found nor built: a test cannot go on without it.
#[must_use]
pub fn command(fault: Option<Fault>) -> String {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    let program = BINARY.get_or_init(|| crate::binary::built("mannered-engine"));
    crate::binary::command(program, &fault.map(Fault::name).into_iter().collect::<Vec<_>>())
}
