//! What can end a match.

use super::check::PlanError;
use super::journal::JournalError;
use super::openings::BookError;
use super::tablebase::TablebaseError;
use dyno_driver::EngineError;
use std::io;
use std::path::PathBuf;

/// Why a match could not be played, or not to the end. Finished games are in the journal.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Book(#[from] BookError),
    #[error(transparent)]
    Tables(#[from] TablebaseError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("-openings {}: the book is not the one this match began with: bring it back, or start a new match", .book.display())]
    BookChanged { book: PathBuf },
    #[error(
        "-rounds {wanted}: the match was planned for {planned} rounds; it can get more, not fewer"
    )]
    FewerRounds { planned: u32, wanted: u32 },
    #[error("a board has failed: this is a fault of Dyno's")]
    BoardFailed,
    /// A pool of another crate, in its own words.
    #[error("{0}")]
    Pool(String),
}

/// Why a result file cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", .path.display())]
pub struct OutputError {
    pub path: PathBuf,
    pub source: io::Error,
}
