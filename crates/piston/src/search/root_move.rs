//! The moves of the root.

use crate::score::{INFINITE, Value};
use dyno_chess::Move;
use dyno_uci::Bound;

/// A legal move of the root and what is known of it.
#[derive(Clone)]
pub(super) struct RootMove {
    /// The best line that begins with it, never empty.
    pub pv: Vec<Move>,
    /// The score in this iteration; minus infinity if it was not the best.
    pub value: Value,
    /// The score in the last one.
    pub previous: Value,
    /// What the score says.
    pub bound: Bound,
    /// The iteration of the line.
    pub depth: i32,
    pub seldepth: usize,
    /// The nodes spent on it in all iterations.
    pub nodes: u64,
}

impl RootMove {
    pub fn new(mv: Move) -> RootMove {
        RootMove {
            pv: vec![mv],
            value: -INFINITE,
            previous: -INFINITE,
            bound: Bound::Exact,
            depth: 0,
            seldepth: 0,
            nodes: 0,
        }
    }

    /// The move itself.
    pub fn best(&self) -> Option<Move> {
        self.pv.first().copied()
    }

    /// The best known score.
    pub fn known(&self) -> Value {
        if self.value == -INFINITE { self.previous } else { self.value }
    }
}
