//! The inner nodes: principal variation search with pruning, reductions and extensions.

use super::window::Window;
use super::worker::Worker;
use crate::parameters as p;
use crate::score::{DRAW, INFINITE, MATE, MAX_PLY, Value, from_table, mate_in, mated_in};
use crate::tt::{Bound, Entry};
use dyno_chess::{Move, Position};

/// What is known of a node before its moves are searched.
pub(super) struct Node {
    pub depth: i32,
    pub ply: usize,
    /// Whether some move is expected to reach beta.
    pub cut: bool,
    /// The move left out, when the search asks whether it is the only good one.
    pub excluded: Option<Move>,
    /// The key under which the table knows the node.
    pub key: u64,
    pub in_check: bool,
    /// The evaluation as it is stored in the table; `None` in check.
    pub raw_eval: Option<Value>,
    /// The evaluation, corrected by what was learnt.
    pub static_eval: Value,
    /// The evaluation, improved by the table's score.
    pub eval: Value,
    /// Whether the side to move stands better than at its last turn.
    pub improving: bool,
    pub table_move: Option<Move>,
    pub table_move_is_capture: bool,
    /// Whether the position is or was on a principal variation.
    pub was_pv: bool,
    pub known: Option<Known>,
}

/// What the table says of a node's score.
#[derive(Clone, Copy)]
pub(super) struct Known {
    pub value: Value,
    pub depth: i32,
    pub bound: Bound,
}

impl Known {
    /// The entry's score as it counts at the ply, unless the fifty-move rule makes it meaningless.
    #[inline]
    pub fn new(entry: &Entry, pos: &Position, ply: usize) -> Option<Known> {
        let value = from_table(entry.value, ply, pos.halfmove_clock())?;
        Some(Known { value, depth: entry.depth, bound: entry.bound })
    }

    /// Whether the entry is deep enough and its score settles on which side of beta the node is.
    #[inline]
    pub fn cuts(&self, depth: i32, beta: Value) -> bool {
        self.depth >= depth && self.bound.settles(self.value, beta)
    }
}

impl Worker<'_> {
    pub(super) fn search<const PV: bool>(
        &mut self,
        pos: &Position,
        mut window: Window,
        depth: i32,
        ply: usize,
        cut: bool,
    ) -> Value {
        if depth <= 0 {
            return self.quiesce::<PV>(pos, window, 0, ply);
        }
        if !self.begin_node::<PV>(pos, ply) {
            return 0;
        }
        if ply > 0 {
            match self.narrow(pos, window, ply) {
                Ok(narrowed) => window = narrowed,
                Err(value) => return value,
            }
        }
        let excluded = self.frame(ply).excluded;
        let key = Self::table_key(pos);
        let entry = if excluded.is_some() { None } else { self.shared.table.probe(key) };
        let known = entry.as_ref().and_then(|entry| Known::new(entry, pos, ply));
        if let Some(known) = known
            && !PV
            && known.cuts(depth, window.beta)
        {
            return known.value;
        }
        let table_move = if ply == 0 {
            self.root_moves[self.root_line].best()
        } else {
            entry.and_then(|e| e.mv).filter(|&mv| self.allows(pos, mv))
        };
        let mut node = Node {
            depth,
            ply,
            cut,
            excluded,
            key,
            in_check: pos.is_check(),
            raw_eval: None,
            static_eval: -INFINITE,
            eval: -INFINITE,
            improving: false,
            table_move,
            table_move_is_capture: table_move.is_some_and(|mv| pos.is_capture(mv)),
            was_pv: entry.is_some_and(|e| e.pv),
            known,
        };
        self.evaluate_node(pos, &mut node, entry.and_then(|e| e.eval));
        let grandchild = self.frame(ply + 2);
        grandchild.killers = [None; 2];
        grandchild.cutoffs = 0;
        if !PV
            && !node.in_check
            && excluded.is_none()
            && let Some(value) = self.prune_node(pos, window, &node)
        {
            return value;
        }
        if self.stopped {
            return 0;
        }
        // Without a move to begin with, a shallower search finds one soon enough.
        if table_move.is_none() && depth >= p::iir_min_depth() && (PV || cut) {
            node.depth -= 1;
        }

        let mut picker = self.picker(&node);
        let value = self.search_moves::<PV>(pos, window, &node, &mut picker);
        picker.finish(&mut self.moves);
        debug_assert!(self.stopped || (-MATE..=MATE).contains(&value), "score {value} in {pos}");
        value
    }

    /// What the rules leave of a window below the root, or the score that they settle.
    #[inline(always)]
    fn narrow(&mut self, pos: &Position, window: Window, ply: usize) -> Result<Window, Value> {
        if let Some(value) = self.score_by_rules(pos, ply) {
            return Err(value);
        }
        if ply >= MAX_PLY - 1 {
            return Err(if pos.is_check() { DRAW } else { self.raw_eval(pos) });
        }
        // No line from here can beat a mate already found nearer to the root.
        let alpha = window.alpha.max(mated_in(ply));
        let beta = window.beta.min(mate_in(ply + 1));
        if alpha < beta { Ok(Window { alpha, beta }) } else { Err(alpha) }
    }

    /// Evaluates a node, `stored` being the table's evaluation.
    #[inline(always)]
    fn evaluate_node(&mut self, pos: &Position, node: &mut Node, stored: Option<Value>) {
        let ply = node.ply;
        if node.in_check {
            self.frame(ply).eval = None;
        } else {
            let raw = stored.unwrap_or_else(|| self.raw_eval(pos));
            node.raw_eval = Some(raw);
            node.static_eval = self.corrected(pos, raw, ply);
            self.learn_from_eval(pos, node.static_eval, ply);
            self.frame(ply).eval = Some(node.static_eval);
            node.eval = node.static_eval;
            if let Some(known) = node.known
                && known.bound.settles(known.value, node.eval + 1)
            {
                node.eval = known.value;
            }
        }
        let earlier = self.frame_before(ply, 2).eval.or(self.frame_before(ply, 4).eval);
        node.improving = !node.in_check && earlier.is_none_or(|earlier| node.static_eval > earlier);
    }

    /// A quiet move after which its side stands better, or worse, than before was a good one, or a
    /// bad one: that much is known before the node is searched.
    fn learn_from_eval(&mut self, pos: &Position, eval: Value, ply: usize) {
        let last = self.frame_before(ply, 1);
        if let (Some(before), Some(mv)) = (last.eval, last.quiet) {
            let limit = p::eval_history_max();
            let bonus = (-p::eval_history_factor() * (before + eval)).clamp(-limit, limit);
            let bonus = bonus + p::eval_history_base();
            self.data.history.learn_from_to(!pos.side_to_move(), mv, bonus);
        }
    }
}
