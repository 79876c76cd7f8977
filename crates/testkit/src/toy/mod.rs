//! A small engine of the kind a student writes, complete and correct, that can be given any of
//! the classic bugs: what our own checks are tried on.

mod board;
mod bug;
mod search;
mod uci;

pub use board::{Cell, ToyBoard, ToyMove};
pub use bug::Bug;
pub use search::{MATE, ToySearch, evaluate};
pub use uci::{Habit, run};

use std::path::PathBuf;
use std::sync::OnceLock;

/// The command line of the toy engine, with a bug or without, for `--engine` and its like. The
/// program is built on first use where it is not there yet.
///
/// # Panics
///
/// When the program can be neither found nor built: a test cannot go on without it.
#[must_use]
pub fn command(bug: Option<Bug>) -> String {
    command_with(bug, &[])
}

/// The same with habits, by their names.
///
/// # Panics
///
/// As [`command`].
#[must_use]
pub fn command_with(bug: Option<Bug>, habits: &[&str]) -> String {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    let program = BINARY.get_or_init(|| crate::binary::built("toy-engine"));
    let words: Vec<&str> = bug.map(Bug::name).into_iter().chain(habits.iter().copied()).collect();
    crate::binary::command(program, &words)
}
