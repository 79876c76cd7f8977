//! Bugs planted in Piston one by one, to score `dyno check`.
//!
//! Every file in `patches/` is one bug: a header that says what it is and which checks should name
//! it, and the change itself. [`Workshop`] plants it in a copy of the sources and builds the
//! engine; [`examine`] gives that engine to `dyno check`; [`Score`] sums up.

#![deny(missing_docs)]

mod mutation;
mod score;
mod workshop;

pub use mutation::{HeaderError, Mutation};
pub use score::{Exam, Exams, Judgement, Score, Surface, examine};
pub use workshop::{Workshop, WorkshopError};

use std::path::{Path, PathBuf};

/// Where the patches are.
pub fn patches() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("patches")
}

/// The root of the workspace.
fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
