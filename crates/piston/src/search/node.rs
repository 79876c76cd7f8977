//! The inner nodes: principal variation search with pruning, reductions and extensions.

use super::worker::Worker;
use crate::score::{DRAW, INFINITE, MATE, MAX_PLY, Value, from_table, mate_in, mated_in};
use crate::tt::{Bound, Entry};
use dyno_chess::{Move, Position};

/// Beyond this the game is decided and only mates matter, which guesses by margins would miss.
pub(super) const DECIDED: Value = 3_000;

/// What a node is asked for.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub alpha: Value,
    pub beta: Value,
}

impl Window {
    pub fn null(beta: Value) -> Window {
        Window { alpha: beta - 1, beta }
    }

    pub fn flipped(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

/// What is known of a node before its moves are searched.
pub(super) struct Facts {
    pub in_check: bool,
    /// The evaluation, bettered by the table.
    pub eval: Value,
    /// The evaluation alone.
    pub static_eval: Value,
    /// Whether the side to move stands better than at its last turn.
    pub improving: bool,
    pub table_move: Option<Move>,
    pub table_move_is_capture: bool,
    /// Whether the position is or was on a principal variation.
    pub was_pv: bool,
    /// The table's score, depth and bound.
    pub known: Option<(Value, i32, Bound)>,
}

impl Worker<'_> {
    pub(super) fn search<const PV: bool>(
        &mut self,
        pos: &Position,
        mut window: Window,
        mut depth: i32,
        ply: usize,
        cut: bool,
    ) -> Value {
        if depth <= 0 {
            return self.quiesce::<PV>(pos, window.alpha, window.beta, 0, ply);
        }
        if self.stopped {
            return 0;
        }
        self.count_node(pos);
        if PV {
            self.pv.clear(ply);
            self.seldepth = self.seldepth.max(ply);
        }
        if self.stopped {
            return 0;
        }
        let root = ply == 0;
        let in_check = pos.is_check();
        if !root {
            if let Some(value) = self.ruled(pos, ply) {
                return value;
            }
            if ply >= MAX_PLY - 1 {
                return if in_check { DRAW } else { self.raw_eval(pos) };
            }
            // No line from here can beat a mate already found nearer to the root.
            window.alpha = window.alpha.max(mated_in(ply));
            window.beta = window.beta.min(mate_in(ply + 1));
            if window.alpha >= window.beta {
                return window.alpha;
            }
        }

        let excluded = self.frame(ply).excluded;
        let key = Self::table_key(pos);
        let entry = if excluded.is_some() { None } else { self.shared.table.probe(key) };
        let known = entry.and_then(|e| {
            from_table(e.value, ply, pos.halfmove_clock()).map(|v| (v, e.depth, e.bound))
        });
        if let Some((value, known_depth, bound)) = known
            && !PV
            && known_depth >= depth
            && (if value >= window.beta { bound.is_lower() } else { bound.is_upper() })
        {
            return value;
        }
        let table_move = if root {
            self.root_moves[self.root_line].best()
        } else {
            entry.and_then(|e| e.mv).filter(|&mv| self.allows(pos, mv))
        };

        let (raw, facts) = self.look(pos, ply, in_check, entry, known, table_move);
        let grandchild = self.frame(ply + 2);
        grandchild.killers = [None; 2];
        grandchild.cutoffs = 0;
        if !PV
            && !in_check
            && excluded.is_none()
            && let Some(value) = self.prune_node(pos, window, depth, ply, cut, &facts)
        {
            return value;
        }
        if self.stopped {
            return 0;
        }
        // Without a move to begin with, a shallower search finds one soon enough.
        if table_move.is_none() && depth >= 4 && (PV || cut) {
            depth -= 1;
        }

        let node = Node { depth, ply, cut, excluded, raw, key };
        let mut picker = self.picker(&node, &facts);
        let value = self.search_moves::<PV>(pos, window, &node, &facts, &mut picker);
        picker.finish(&mut self.moves);
        debug_assert!(self.stopped || (-MATE..=MATE).contains(&value), "score {value} in {pos}");
        value
    }

    /// A quiet move after which its side stands better, or worse, than before was a good one, or a
    /// bad one: that much is known before the node is searched.
    fn learn_from_eval(&mut self, pos: &Position, eval: Value, ply: usize) {
        let last = self.frame_before(ply, 1);
        if let (Some(before), Some(mv)) = (last.eval, last.quiet) {
            let bonus = (-5 * (before + eval)).clamp(-600, 600) + 100;
            self.memory.history.learn_place(!pos.side_to_move(), mv, bonus);
        }
    }

    /// Evaluates the node.
    fn look(
        &mut self,
        pos: &Position,
        ply: usize,
        in_check: bool,
        entry: Option<Entry>,
        known: Option<(Value, i32, Bound)>,
        table_move: Option<Move>,
    ) -> (Option<Value>, Facts) {
        let mut raw = None;
        let (mut eval, mut static_eval) = (-INFINITE, -INFINITE);
        if in_check {
            self.frame(ply).eval = None;
        } else {
            let value = entry.and_then(|e| e.eval).unwrap_or_else(|| self.raw_eval(pos));
            raw = Some(value);
            static_eval = self.corrected(pos, value, ply);
            self.learn_from_eval(pos, static_eval, ply);
            self.frame(ply).eval = Some(static_eval);
            eval = static_eval;
            if let Some((value, _, bound)) = known
                && (if value > eval { bound.is_lower() } else { bound.is_upper() })
            {
                eval = value;
            }
        }
        let earlier = self.frame_before(ply, 2).eval.or(self.frame_before(ply, 4).eval);
        let improving = !in_check && earlier.is_none_or(|earlier| static_eval > earlier);
        let table_move_is_capture = table_move.is_some_and(|mv| pos.is_capture(mv));
        let facts = Facts {
            in_check,
            eval,
            static_eval,
            improving,
            table_move,
            table_move_is_capture,
            was_pv: entry.is_some_and(|e| e.pv),
            known,
        };
        (raw, facts)
    }
}

/// What stays the same over the moves of a node.
pub(super) struct Node {
    pub depth: i32,
    pub ply: usize,
    pub cut: bool,
    pub excluded: Option<Move>,
    pub raw: Option<Value>,
    pub key: u64,
}
