//! The search: iterative deepening over a principal variation search, on one thread or several.
//!
//! With one thread and a limit of depth or nodes nothing here looks at the clock to decide, and
//! all arithmetic is of whole numbers: the same question gets the same answer everywhere.

mod moves;
mod node;
mod pool;
mod prune;
mod pv;
mod quiesce;
mod reductions;
mod root;
mod singular;
mod worker;

pub use pool::{Memory, search, within};
pub use worker::MAX_DEPTH;

use crate::score::Value;
use crate::time::Budget;
use crate::tt::Table;
use dyno_chess::{Move, Position};
use dyno_uci::Bound;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::{Duration, Instant};

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
    /// The question is for a mate in so many moves.
    pub mate: Option<u32>,
    /// When the question was asked.
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

/// What the search has found so far, or in the end.
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
    /// Time since the question.
    pub time: Duration,
    /// How full the table is, in per mille.
    pub hashfull: u32,
    /// The principal variation.
    pub pv: &'a [Move],
}

/// Who is told of the progress.
pub trait Listener {
    /// A line was found or confirmed.
    fn report(&mut self, report: &Report<'_>);
    /// A move of the root is about to be searched; told only in long searches.
    fn current(&mut self, _depth: i32, _mv: Move, _number: usize) {}
    /// Something else worth knowing.
    fn remark(&mut self, _text: &str) {}
}

/// A listener to whom it is all the same.
pub struct Silent;

impl Listener for Silent {
    fn report(&mut self, _report: &Report<'_>) {}
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The best line, empty when there is no legal move.
    pub pv: Vec<Move>,
    /// Its score.
    pub value: Value,
    /// The last iteration that was completed or at least changed the answer.
    pub depth: i32,
    /// Whether the last iteration was searched to its end.
    pub complete: bool,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Moves from the table that were not legal where they were found.
    pub illegal_table_moves: u64,
}

impl Answer {
    /// The best move.
    pub fn best(&self) -> Option<Move> {
        self.pv.first().copied()
    }
}

/// What all threads of one search share.
struct Shared<'a> {
    task: &'a Task,
    table: &'a Table,
    signals: &'a Signals,
    threads: usize,
    /// Nodes told so far by all threads.
    nodes: AtomicU64,
    /// The search is over for all threads, by its own limits.
    done: AtomicBool,
}
