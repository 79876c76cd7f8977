//! A whole count: the work divided among threads, watched, and stopped when asked.

use super::layer::{self, Layer};
use super::node::Node;
use super::table::Table;
use super::walk::{self, Run, SAFE_DEPTH, Stop};
use crate::{Color, Move, Position};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How to count.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// How many threads share the work.
    pub threads: usize,
    /// Where they remember what they have counted.
    pub table: Option<&'a Table>,
    /// Asked every few milliseconds, or oftener, whether to stop.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Told after each part of the work how far the count has come.
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
    /// The parts of the work that are done, or as good as done: openings are prepared together, and
    /// the leaves of what is prepared are not in `nodes` yet.
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
    /// The leaves below each legal move, in order of generation. With a depth of 0 there is none.
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

/// A part of the work.
struct Part {
    node: Node,
    /// Which of the root's moves it belongs to.
    root: usize,
}

/// What the threads have found so far.
struct Found {
    /// The leaves of each part.
    nodes: Vec<Option<u128>>,
    /// The parts that are done, and how many were told, with what is as good as done.
    done: usize,
    told: usize,
    sum: u128,
}

impl Found {
    /// How far the count has come, never less than was told before.
    fn progress(&mut self, done: usize) -> Progress {
        self.told = self.told.max(done);
        Progress { done: self.told, parts: self.nodes.len(), nodes: self.sum }
    }
}

/// A thread that panicked holds no half-written state here.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Parts enough for each thread that the last ones to finish do not keep the others waiting.
const PARTS_PER_THREAD: usize = 256;

/// Where parts are still deep, they are divided on, but not beyond this.
const MOST_PARTS: usize = 10_000;

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
    let side = position.side_to_move();
    let children = walk::children(&Node::new(position), side);
    let mut moves: Vec<CountedMove> =
        children.iter().map(|(mv, _)| CountedMove { mv: *mv, nodes: 0, complete: true }).collect();
    let parts: Vec<Part> =
        children.into_iter().enumerate().map(|(root, (_, node))| Part { node, root }).collect();
    let threads = options.threads.max(1);
    let (parts, side, depth) = split(parts, !side, depth - 1, threads, options.table.is_some());
    let stop = Stop::new(options.stop);

    let run = Run { table: options.table, stop: &stop };
    let found = Mutex::new(Found { nodes: vec![None; parts.len()], done: 0, told: 0, sum: 0 });
    let next = AtomicUsize::new(0);
    let work = |end: usize| {
        while let Ok(index) = next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |index| {
            (index < end).then_some(index + 1)
        }) {
            // Small parts would never ask by themselves.
            if stop.should_stop() {
                break;
            }
            let nodes = deep(&parts[index].node, side, depth, &run);
            if stop.is_stopped() {
                break;
            }
            let mut found = lock(&found);
            found.nodes[index] = Some(nodes);
            found.done += 1;
            found.sum += nodes;
            let done = found.done;
            (options.progress)(found.progress(done));
        }
    };
    let nodes: Vec<&Node> = parts.iter().map(|part| &part.node).collect();
    let mut layer = Layer::new(&run, threads, &nodes, side, depth);
    let mut end = 0;
    while end < parts.len() && !stop.is_stopped() {
        let start = end;
        let progress = |count: usize, share: f64| {
            // The walk through what was prepared takes the rest.
            let done = start + (0.95 * share * count as f64) as usize;
            (options.progress)(lock(&found).progress(done));
        };
        match layer.as_ref().and_then(|layer| layer.prepare(&nodes[start..], &progress)) {
            Some(prepared) => end += prepared,
            None => {
                layer = None;
                end = parts.len();
            }
        }
        std::thread::scope(|scope| {
            for _ in 1..threads.min(end - start) {
                scope.spawn(|| work(end));
            }
            work(end);
        });
    }

    let found = found.into_inner().unwrap_or_else(PoisonError::into_inner).nodes;
    let mut complete = true;
    for (part, nodes) in parts.iter().zip(found) {
        let entry = &mut moves[part.root];
        entry.nodes += nodes.unwrap_or(0);
        entry.complete &= nodes.is_some();
        complete &= nodes.is_some();
    }
    Counted { nodes: moves.iter().map(|m| m.nodes).sum(), moves, complete }
}

/// Plays on until there are parts enough. Small work is not worth the trouble.
fn split(
    mut parts: Vec<Part>,
    mut side: Color,
    mut depth: u32,
    threads: usize,
    remembering: bool,
) -> (Vec<Part>, Color, u32) {
    // With a table, parts that meet again are counted once; so they stay as large as they can.
    let wanted = if threads == 1 && remembering { 1 } else { threads * PARTS_PER_THREAD };
    let enough = |parts: usize, depth: u32| {
        let deep = remembering && depth > layer::DEEPEST && parts < MOST_PARTS;
        parts >= wanted && !deep
    };
    while depth > 3 && !parts.is_empty() && !enough(parts.len(), depth) {
        parts = parts
            .iter()
            .flat_map(|part| {
                let next = walk::children(&part.node, side).into_iter();
                next.map(|(_, node)| Part { node, root: part.root })
            })
            .collect();
        side = !side;
        depth -= 1;
    }
    (parts, side, depth)
}

/// Counts of any depth: beyond what is sure to fit 64 bits, in 128.
fn deep(node: &Node, side: Color, depth: u32, run: &Run) -> u128 {
    if let Some(count) = run.table.and_then(|table| table.get(node.key, depth)) {
        return u128::from(count);
    }
    let nodes = if depth <= SAFE_DEPTH {
        u128::from(walk::count(node, side, depth, run))
    } else {
        let children = walk::children(node, side);
        children.iter().map(|(_, next)| deep(next, !side, depth - 1, run)).sum()
    };
    if let (Some(table), Ok(count)) = (run.table, u64::try_from(nodes))
        && depth >= 2
        && !run.stop.is_stopped()
    {
        table.put(node.key, depth, count);
    }
    nodes
}
