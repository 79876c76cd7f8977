//! The root: iterative deepening, aspiration windows, several best lines, and when to stop.

use super::report::Report;
use super::shared::Shared;
use super::window::Window;
use super::worker::{MAX_DEPTH, Worker};
use crate::parameters as p;
use crate::score::{INFINITE, MATE, Value, is_mate};
use crate::time::Progress;
use dyno_chess::Move;
use dyno_uci::Bound;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// Searches longer than this report moves under way and bounds.
const TALKATIVE_AFTER: Duration = Duration::from_secs(3);

impl Worker<'_> {
    /// Deepens until a limit is reached.
    pub(super) fn deepen(&mut self) {
        let task = self.shared.task;
        let deepest =
            task.depth.map_or(MAX_DEPTH, |depth| (depth.clamp(1, 1000) as i32).min(MAX_DEPTH));
        let lines = task.lines.clamp(1, self.root_moves.len());
        // Helpers differ a little from each other, or they would all do the same work.
        let first = 1 + (self.index % 2) as i32;
        let mut stable = 0;
        for iteration in first.min(deepest)..=deepest {
            self.iteration = iteration;
            let before = self.root_moves[0].clone();
            for root in &mut self.root_moves {
                // Scores older than one iteration must not come back when the next is broken off.
                root.previous = root.value;
                root.value = -INFINITE;
            }
            for line in 0..lines {
                self.root_line = line;
                self.seldepth = 0;
                self.aspire();
                self.root_moves[..=line].sort_by_key(|root| -root.known());
                if self.stopped {
                    break;
                }
                if line + 1 == lines || task.start.elapsed() > TALKATIVE_AFTER {
                    self.report_lines(lines);
                }
            }
            if self.stopped {
                break;
            }
            self.completed_depth = iteration;
            let now = &self.root_moves[0];
            stable = if now.best() == before.best() { stable + 1 } else { 0 };
            if self.index == 0 && self.has_enough(stable, before.known()) {
                break;
            }
        }
        self.share_nodes();
    }

    /// Whether another iteration is not worth beginning.
    fn has_enough(&self, stable: u32, before: Value) -> bool {
        let Shared { task, signals, .. } = self.shared;
        let best = &self.root_moves[0];
        let Some(budget) = task.budget else { return false };
        if signals.pondering.load(Relaxed) || !budget.flexible {
            return false;
        }
        if self.root_moves.len() == 1 && self.iteration >= 6 {
            return true;
        }
        // A mate that the iteration has looked well beyond will not be bettered.
        if is_mate(best.value) && self.iteration > 2 * (MATE - best.value.abs()) + 4 {
            return true;
        }
        let effort = best.nodes * 100 / self.nodes.max(1);
        let fallen = if before == -INFINITE { 0 } else { before - best.value };
        let limit = budget.stop_after(&Progress { stable, fallen, effort });
        task.start.elapsed().as_millis() as u64 >= limit
    }

    /// Searches the root with a narrow window about the last score, widened as needed.
    fn aspire(&mut self) {
        let root = self.shared.task.root;
        let last = self.root_moves[self.root_line].previous;
        let wider = (last.abs() / p::aspiration_score_divisor()).min(p::aspiration_score_max());
        let mut delta = p::aspiration_delta() + wider;
        let mut window = Window { alpha: -INFINITE, beta: INFINITE };
        if self.iteration >= p::aspiration_min_iteration()
            && last.abs() < INFINITE
            && !is_mate(last)
        {
            window.alpha = (last - delta).max(-INFINITE);
            window.beta = (last + delta).min(INFINITE);
        }
        let mut failed_high = 0;
        loop {
            let depth = (self.iteration - failed_high).max(1);
            let value = self.search::<true>(&root, window, depth, 0, false);
            self.root_moves[self.root_line..].sort_by_key(|root| (-root.value, -root.previous));
            if self.stopped {
                return;
            }
            if value <= window.alpha {
                window.beta = (window.alpha + window.beta) / 2;
                window.alpha = (value - delta).max(-INFINITE);
                failed_high = 0;
            } else if value >= window.beta {
                window.beta = (value + delta).min(INFINITE);
                failed_high = (failed_high + 1).min(3);
            } else {
                return;
            }
            if window.alpha < -p::aspiration_limit() {
                window.alpha = -INFINITE;
            }
            if window.beta > p::aspiration_limit() {
                window.beta = INFINITE;
            }
            delta += delta / 2 + 5;
            if self.shared.task.start.elapsed() > TALKATIVE_AFTER && self.shared.task.lines == 1 {
                self.report_lines(1);
            }
        }
    }

    /// Records what the search of one root move found.
    pub(super) fn root_searched(
        &mut self,
        mv: Move,
        value: Value,
        nodes: u64,
        first: bool,
        window: Window,
        alpha: Value,
    ) {
        let (iteration, seldepth) = (self.iteration, self.seldepth);
        let Some(root) = self.root_moves.iter_mut().find(|root| root.best() == Some(mv)) else {
            return;
        };
        root.nodes += nodes;
        if !first && value <= alpha {
            root.value = -INFINITE;
            return;
        }
        root.value = value;
        root.depth = iteration;
        root.seldepth = seldepth;
        root.bound = if value >= window.beta {
            Bound::Lower
        } else if value <= window.alpha {
            Bound::Upper
        } else {
            Bound::Exact
        };
        // A line that failed low has no variation of its own; the old one is as good as any.
        if value > window.alpha || root.pv.is_empty() {
            root.pv.truncate(1);
            root.pv.extend_from_slice(self.pv.get(1));
        }
    }

    /// Reports which root move is about to be searched.
    pub(super) fn announce(&mut self, mv: Move, number: usize) {
        let depth = self.iteration;
        if let Some(listener) = &mut self.listener
            && self.shared.task.start.elapsed() > TALKATIVE_AFTER
        {
            listener.current(depth, mv, number);
        }
    }

    /// Reports the best lines.
    pub(super) fn report_lines(&mut self, lines: usize) {
        let nodes = self.total_nodes();
        let time = self.shared.task.start.elapsed();
        let hashfull = self.shared.table.per_mille_full();
        let Some(listener) = &mut self.listener else { return };
        for (index, root) in self.root_moves.iter().take(lines).enumerate() {
            listener.report(&Report {
                depth: root.depth,
                seldepth: root.seldepth,
                line: index + 1,
                value: root.known(),
                bound: root.bound,
                nodes,
                time,
                hashfull,
                pv: &root.pv,
            });
        }
    }
}
