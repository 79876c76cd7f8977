//! What is to be searched, and how a running search is steered.

use crate::time::Budget;
use dyno_chess::{Move, Position};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// What is to be searched and how far.
#[derive(Clone)]
pub struct Task {
    /// The position.
    pub root: Position,
    /// The keys of the positions of the game before it, the oldest first.
    pub earlier: Vec<u64>,
    /// Only these moves are considered; all when empty.
    pub moves: Vec<Move>,
    /// How many best lines are wanted.
    pub lines: usize,
    /// The deepest iteration.
    pub depth: Option<u32>,
    /// The number of nodes.
    pub nodes: Option<u64>,
    /// The time.
    pub budget: Option<Budget>,
    /// A mate in this many moves is wanted.
    pub mate: Option<u32>,
    /// When the search was asked for.
    pub start: Instant,
}

impl Task {
    /// A search without limits.
    pub fn new(root: Position) -> Task {
        Task {
            root,
            earlier: Vec::new(),
            moves: Vec::new(),
            lines: 1,
            depth: None,
            nodes: None,
            budget: None,
            mate: None,
            start: Instant::now(),
        }
    }
}

/// How the outside steers a running search.
#[derive(Default)]
pub struct Signals {
    /// Come to an end.
    pub stop: AtomicBool,
    /// The opponent is still to move: the clock does not count yet.
    pub pondering: AtomicBool,
}
