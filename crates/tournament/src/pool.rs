//! Where games are played: boards in this process, or on many machines.

use super::advice::Advice;
use super::assignment::Assignment;
use super::error::MatchError;
use super::event::MoveMade;
use super::record::GameRecord;
use super::slot::Slot;
use super::summary::Ending;
use dyno_driver::EngineIdentity;
use std::time::Duration;

/// Brings assignments to boards and records back.
///
/// Every game submitted comes back at least once, as a record or as a return; counting it once is
/// the coordinator's business.
pub trait WorkerPool {
    /// Finds out who the engines are, and what there is to warn about, before the first game.
    fn introduce(&mut self, first: Option<&Assignment>) -> Result<Introduction, MatchError>;

    /// Asks for [`PoolReport::Move`] as well.
    fn watch_moves(&mut self) {}

    /// Whether someone looks at the moves right now. A pool from which they come a long way need not
    /// tell them otherwise.
    fn looked_at(&mut self, _someone: bool) {}

    /// How many games the pool takes at the moment. Some may have to wait for a board, so that a
    /// board need not wait for its next game.
    fn room(&self) -> usize;

    fn submit(&mut self, assignment: Assignment);

    /// What happened, in its order; waits at most this long.
    fn report(&mut self, patience: Duration) -> Option<PoolReport>;

    /// Games that are being played.
    fn running(&self) -> usize;

    /// Whether everything submitted has come back.
    fn is_idle(&self) -> bool;

    /// Takes back games that wait for a board, where `unwanted` says so.
    fn recall(&mut self, unwanted: &dyn Fn(&Slot) -> bool);

    /// Breaks off the running games and takes back the waiting ones.
    fn stop(&mut self);

    /// Sends the engines away. Called once nothing more is to be played, with how the match ended:
    /// `None` when what was reported last could not be written down.
    fn close(&mut self, ending: Option<Ending>);
}

/// The engines of a match, as they introduced themselves.
#[derive(Clone, Debug, Default)]
pub struct Introduction {
    pub engines: Vec<EngineIdentity>,
    pub advice: Vec<Advice>,
}

/// What a pool has to say.
#[derive(Debug)]
pub enum PoolReport {
    Started(Assignment),
    /// At most a few times a second for each game.
    Move(MoveMade),
    Finished(Box<GameRecord>),
    /// The game was not played, or not to its end.
    Returned(Slot),
    /// Something that the user should know.
    Warning(Advice),
    /// The match cannot go on: an engine does not start.
    Failed(MatchError),
}
