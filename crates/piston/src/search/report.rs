//! What a search has found, on the way and in the end.

use crate::score::Value;
use dyno_chess::Move;
use dyno_uci::Bound;
use std::time::Duration;

/// What the search has found so far.
pub struct Report<'a> {
    /// The iteration.
    pub depth: i32,
    /// The longest line looked at.
    pub seldepth: usize,
    /// The rank of the line, from 1.
    pub line: usize,
    /// The score.
    pub value: Value,
    /// Whether the score is exact.
    pub bound: Bound,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Time since the search was asked for.
    pub time: Duration,
    /// How full the table is, in per mille.
    pub hashfull: u32,
    /// The principal variation.
    pub pv: &'a [Move],
}

/// Hears of the progress.
pub trait Listener {
    /// A line was found or confirmed.
    fn report(&mut self, report: &Report<'_>);
    /// A move of the root is about to be searched; called only in long searches.
    fn current(&mut self, _depth: i32, _mv: Move, _number: usize) {}
    /// Something else worth knowing.
    fn remark(&mut self, _text: &str) {}
}

/// A listener that ignores everything.
pub struct Silent;

impl Listener for Silent {
    fn report(&mut self, _report: &Report<'_>) {}
}

/// What a search found in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchResult {
    /// The best line, empty when there is no legal move.
    pub pv: Vec<Move>,
    /// Its score.
    pub value: Value,
    /// The last iteration that was completed or at least changed the result.
    pub depth: i32,
    /// Whether the last iteration was searched to its end.
    pub complete: bool,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Moves from the table that were not legal where they were found.
    pub illegal_table_moves: u64,
}

impl SearchResult {
    /// The best move.
    pub fn best(&self) -> Option<Move> {
        self.pv.first().copied()
    }
}
