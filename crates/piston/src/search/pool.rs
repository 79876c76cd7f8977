//! The threads of a search.

use super::report::{Listener, Report, SearchResult};
use super::root_move::RootMove;
use super::shared::{Shared, ThreadData};
use super::task::{Signals, Task};
use super::window::Window;
use super::worker::{MAX_DEPTH, Worker};
use crate::score::{DRAW, INFINITE, Value, is_mate, mated_in};
use crate::tt::Table;
use dyno_chess::{Move, Position};
use dyno_uci::Bound;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Search threads recurse deeply, in debug builds with large frames.
const STACK: usize = 32 << 20;

/// Searches the task on one thread for each of their data and reports to the listener.
pub fn search(
    task: &Task,
    table: &Table,
    threads: &mut [ThreadData],
    signals: &Signals,
    listener: &mut dyn Listener,
) -> SearchResult {
    let legal = task.root.legal_moves();
    let root_moves: Vec<RootMove> = legal
        .into_iter()
        .filter(|mv| task.moves.is_empty() || task.moves.contains(mv))
        .map(RootMove::new)
        .collect();
    if root_moves.is_empty() {
        return report_game_over(task, listener);
    }
    table.grow_older();
    let shared = Shared {
        task,
        table,
        signals,
        threads: threads.len().max(1),
        nodes: AtomicU64::new(0),
        done: AtomicBool::new(false),
    };
    let Some((main, helpers)) = threads.split_first_mut() else {
        return report_game_over(task, listener);
    };

    std::thread::scope(|scope| {
        let mut running = Vec::new();
        for (index, data) in helpers.iter_mut().enumerate() {
            let (shared, root_moves) = (&shared, root_moves.clone());
            let helper = move || {
                let mut worker = Worker::new(shared, data, index + 1, root_moves, None);
                worker.deepen();
                Found::of(&worker)
            };
            let thread = std::thread::Builder::new().stack_size(STACK);
            // With fewer threads than hoped for the search is merely slower.
            running.extend(thread.spawn_scoped(scope, helper).ok());
        }
        let mut worker = Worker::new(&shared, main, 0, root_moves.clone(), Some(listener));
        worker.deepen();
        shared.done.store(true, Relaxed);
        let main_found = Found::of(&worker);
        let mut illegal = main_found.illegal_table_moves;
        let mut best = main_found;
        for thread in running {
            if let Ok(found) = thread.join() {
                illegal += found.illegal_table_moves;
                if found.is_better_than(&best) {
                    best = found;
                }
            }
        }
        if best.lines[0].depth == 0 {
            guess(&mut worker, &mut best);
        }
        // What the last report did not say yet.
        if worker.stopped || best.index != 0 {
            worker.root_moves.clone_from(&best.lines);
            worker.report_lines(task.lines.clamp(1, worker.root_moves.len()));
        }
        let line = &best.lines[0];
        SearchResult {
            pv: line.pv.clone(),
            value: line.known(),
            depth: worker.iteration,
            complete: !worker.stopped,
            nodes: worker.total_nodes(),
            illegal_table_moves: illegal,
        }
    })
}

/// One search of the position, to the depth and within the window of two bounds: its score and
/// its best move. Where a whole search deepens step by step, this is a single step of it, so that
/// tests can compare windows and depths.
pub fn within(
    root: &Position,
    depth: u32,
    (alpha, beta): (Value, Value),
    table: &Table,
    data: &mut ThreadData,
) -> (Value, Option<Move>) {
    let task = Task::new(*root);
    let root_moves: Vec<RootMove> = root.legal_moves().into_iter().map(RootMove::new).collect();
    if root_moves.is_empty() {
        return (if root.is_check() { mated_in(0) } else { DRAW }, None);
    }
    table.grow_older();
    let signals = Signals::default();
    let shared = Shared {
        task: &task,
        table,
        signals: &signals,
        threads: 1,
        nodes: AtomicU64::new(0),
        done: AtomicBool::new(false),
    };
    let mut worker = Worker::new(&shared, data, 0, root_moves, None);
    worker.iteration = depth.min(MAX_DEPTH as u32) as i32;
    let alpha = alpha.clamp(-INFINITE, INFINITE - 1);
    let window = Window { alpha, beta: beta.clamp(alpha + 1, INFINITE) };
    let value = worker.search::<true>(root, window, worker.iteration, 0, false);
    worker.root_moves.sort_by_key(|root| -root.value);
    (value, worker.root_moves[0].best().filter(|_| depth > 0))
}

/// The end of the game at the root: nothing to search.
fn report_game_over(task: &Task, listener: &mut dyn Listener) -> SearchResult {
    let value = if task.root.is_checkmate() { mated_in(0) } else { DRAW };
    listener.report(&Report {
        depth: 0,
        seldepth: 0,
        line: 1,
        value,
        bound: Bound::Exact,
        nodes: 0,
        time: task.start.elapsed(),
        hashfull: 0,
        pv: &[],
    });
    SearchResult {
        pv: Vec::new(),
        value,
        depth: 0,
        complete: true,
        nodes: 0,
        illegal_table_moves: 0,
    }
}

/// Stopped before a single move was searched: the evaluation has to serve as a score.
fn guess(worker: &mut Worker<'_>, found: &mut Found) {
    let root = worker.shared.task.root;
    for line in &mut found.lines {
        if line.known() == -INFINITE {
            line.value = worker.raw_eval(&root);
        }
    }
}

/// What one thread found.
struct Found {
    index: usize,
    lines: Vec<RootMove>,
    depth: i32,
    illegal_table_moves: u64,
}

impl Found {
    fn of(worker: &Worker<'_>) -> Found {
        Found {
            index: worker.index,
            lines: worker.root_moves.clone(),
            depth: worker.completed_depth,
            illegal_table_moves: worker.illegal_table_moves,
        }
    }

    fn value(&self) -> Value {
        self.lines[0].known()
    }

    /// Whether to trust this thread rather than another.
    fn is_better_than(&self, other: &Found) -> bool {
        let exact = self.lines[0].bound == Bound::Exact;
        if is_mate(self.value()) || is_mate(other.value()) {
            return exact && self.value() > other.value();
        }
        exact && self.depth > other.depth && self.value() >= other.value() - 10
    }
}
