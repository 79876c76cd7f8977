//! A whole count: the work divided among threads, watched, and stopped when asked.

use super::node::{Node, children};
use super::table::{OutOfMemory, Table};
use super::walk::{Context, SAFE_DEPTH, Stop, count_leaves};
use crate::{Color, Move, Position};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// How to count.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// How many threads share the work.
    pub threads: usize,
    /// Where they keep what they have counted.
    pub table: Option<&'a Table>,
    /// Asked every few milliseconds whether to stop.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Called after each part of the work.
    pub progress: &'a (dyn Fn(Progress) + Sync),
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { threads: 1, table: None, stop: &|| false, progress: &|_| {} }
    }
}

/// How far a count has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The parts of the work that are done.
    pub done: usize,
    /// All parts.
    pub parts: usize,
    /// The leaves counted so far.
    pub nodes: u128,
}

/// What a count found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The leaves, all of them when the count is complete.
    pub nodes: u128,
    /// The leaves below each legal move, in order of generation; empty for a depth of 0.
    pub moves: Vec<CountedMove>,
    /// Whether the count came to its end.
    pub complete: bool,
}

/// What a count found below one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedMove {
    /// The move.
    pub mv: Move,
    /// The leaves below it.
    pub nodes: u128,
    /// Whether they are all of them.
    pub complete: bool,
}

/// Counts the leaves of the tree of a depth. The result is the same for any number of threads
/// and any table.
///
/// ```
/// use dyno_chess::{Position, perft::{count, Options}};
/// let counted = count(&Position::startpos(), 4, &Options { threads: 2, ..Options::default() });
/// assert_eq!(counted.nodes, 197_281);
/// assert_eq!(counted.moves.len(), 20);
/// ```
pub fn count(position: &Position, depth: u32, options: &Options) -> Counted {
    if depth == 0 {
        return Counted { nodes: 1, moves: Vec::new(), complete: true };
    }
    let root_moves = children(&Node::new(position), position.side);
    let counted = |&(mv, _): &(Move, Node)| CountedMove { mv, nodes: 0, complete: true };
    let mut moves: Vec<CountedMove> = root_moves.iter().map(counted).collect();
    let work = Work::of(root_moves, !position.side, depth - 1).split(options);
    let (nodes, complete) = work.count(options);
    for (part, nodes) in work.parts.iter().zip(nodes) {
        let entry = &mut moves[part.root_move];
        entry.nodes += nodes.unwrap_or(0);
        entry.complete &= nodes.is_some();
    }
    Counted { nodes: moves.iter().map(|found| found.nodes).sum(), moves, complete }
}

/// A table for one count, of at most that many mebibytes and no larger than the count can use.
pub fn fitting_table(
    position: &Position,
    depth: u32,
    megabytes: usize,
) -> Result<Table, OutOfMemory> {
    // Nodes are looked up down to depth 2. How many different ones there are is estimated from
    // the first plies: the longer the lines, the oftener they transpose.
    let plies = depth.saturating_sub(2);
    let counted = plies.min(4);
    let nodes = count(position, counted, &Options::default()).nodes as f64;
    let distinct = if plies > counted { 0.96 - 0.012 * f64::from(plies) } else { 0.95 };
    let growth = f64::from(plies) / f64::from(counted.max(1));
    Table::at_most(megabytes, nodes.powf(distinct.max(0.7) * growth))
}

/// What is left to count: nodes of one depth, with the same side to move.
struct Work {
    parts: Vec<Part>,
    side: Color,
    depth: u32,
}

struct Part {
    node: Node,
    /// The index of the root's move that led to it.
    root_move: usize,
}

/// Enough for each thread that the last ones to finish do not keep the others waiting.
const PARTS_PER_THREAD: usize = 256;

impl Work {
    fn of(root_moves: Vec<(Move, Node)>, side: Color, depth: u32) -> Work {
        let part = |(root_move, (_, node))| Part { node, root_move };
        Work { parts: root_moves.into_iter().enumerate().map(part).collect(), side, depth }
    }

    /// Plays on until there are enough parts. Small work is not worth dividing.
    fn split(mut self, options: &Options) -> Work {
        // With a table, transpositions are counted once; so parts stay as large as they can.
        let wanted = match options.threads {
            0 | 1 if options.table.is_some() => 1,
            threads => threads * PARTS_PER_THREAD,
        };
        while self.depth > 3 && !self.parts.is_empty() && self.parts.len() < wanted {
            let next = |part: &Part| {
                let root_move = part.root_move;
                let next = children(&part.node, self.side).into_iter();
                next.map(move |(_, node)| Part { node, root_move })
            };
            self.parts = self.parts.iter().flat_map(next).collect();
            self.side = !self.side;
            self.depth -= 1;
        }
        self
    }

    /// The leaves of each part that was counted, and whether all were.
    fn count(&self, options: &Options) -> (Vec<Option<u128>>, bool) {
        let stop = Stop::new(options.stop);
        let context = Context { table: options.table, stop: &stop };
        let mut nodes = vec![None; self.parts.len()];
        let found =
            Mutex::new((&mut nodes, Progress { done: 0, parts: self.parts.len(), nodes: 0 }));
        for_each_part(options.threads, self.parts.len(), |index| {
            // Small parts would never ask by themselves.
            if stop.should_stop() {
                return;
            }
            let leaves = count_deep(&self.parts[index].node, self.side, self.depth, &context);
            if stop.is_stopped() {
                return;
            }
            // A thread that panicked holds no half-written state here.
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            let (nodes, progress) = &mut *found;
            nodes[index] = Some(leaves);
            progress.done += 1;
            progress.nodes += leaves;
            (options.progress)(*progress);
        });
        let complete = nodes.iter().all(Option::is_some);
        (nodes, complete)
    }
}

/// Shares the numbers of the parts among threads, each to the next one that is free.
pub(super) fn for_each_part(threads: usize, parts: usize, work: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&index| index < parts);
    let work = || std::iter::from_fn(take).for_each(&work);
    std::thread::scope(|scope| {
        for _ in 1..threads.min(parts) {
            scope.spawn(work);
        }
        work();
    });
}

/// Counts of any depth: beyond what is sure to fit 64 bits, in 128.
fn count_deep(node: &Node, side: Color, depth: u32, context: &Context) -> u128 {
    // The leaves below stop at once, but the tree above them may be endless.
    if context.stop.is_stopped() {
        return 0;
    }
    if let Some(count) = context.table.and_then(|table| table.get(node.key, depth)) {
        return u128::from(count);
    }
    let nodes = if depth <= SAFE_DEPTH {
        u128::from(count_leaves(node, side, depth, context))
    } else {
        let next = children(node, side).into_iter();
        next.map(|(_, next)| count_deep(&next, !side, depth - 1, context)).sum()
    };
    if let (Some(table), Ok(count)) = (context.table, u64::try_from(nodes))
        && depth >= 2
        && !context.stop.is_stopped()
    {
        table.put(node.key, depth, count);
    }
    nodes
}
