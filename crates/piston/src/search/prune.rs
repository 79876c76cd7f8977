//! Settling a node without searching all its moves.

use super::node::{DECIDED, Facts, Window};
use super::worker::Worker;
use crate::ordering::{Hints, Picked, Picker, Wanted};
use crate::score::{MATE_BOUND, Value, is_mate};
use crate::see;
use dyno_chess::{Position, Role};

impl Worker<'_> {
    /// Tries to settle a node without searching all its moves.
    pub(super) fn prune_node(
        &mut self,
        pos: &Position,
        window: Window,
        depth: i32,
        ply: usize,
        cut: bool,
        facts: &Facts,
    ) -> Option<Value> {
        let Window { alpha, beta } = window;
        let eval = facts.eval;
        // So far ahead that the opponent will not let it come to this. The answers to the root's own
        // moves are not guessed at: that is where a sacrifice would be missed.
        let margin = 70 * (depth - i32::from(facts.improving));
        if ply > 1 && depth <= 8 && eval - margin >= beta && eval < MATE_BOUND && beta > -DECIDED {
            return Some((eval + beta) / 2);
        }
        // So far behind that only captures could help.
        if depth <= 4 && eval + 180 + 200 * depth * depth <= alpha && alpha < DECIDED {
            let value = self.quiesce::<false>(pos, alpha, alpha + 1, 0, ply);
            if value <= alpha {
                return Some(value);
            }
        }
        if eval >= beta
            && facts.static_eval >= beta - 20 * depth + 120
            && beta > -MATE_BOUND
            && let Some(value) = self.try_null_move(pos, beta, depth, ply, cut, facts)
        {
            return Some(value);
        }
        self.try_good_captures(pos, beta, depth, ply, cut, facts)
    }

    /// If passing the turn still leaves a score above beta, so would the best move – unless the
    /// side to move is in zugzwang, which a search without null moves then rules out.
    fn try_null_move(
        &mut self,
        pos: &Position,
        beta: Value,
        depth: i32,
        ply: usize,
        cut: bool,
        facts: &Facts,
    ) -> Option<Value> {
        let after_null = self.frame_before(ply, 0).since_null == 0;
        if depth < 3
            || ply == 1
            || after_null
            || ply < self.no_null_before
            || !Self::has_pieces(pos)
        {
            return None;
        }
        let reduction = 4 + depth / 4 + ((facts.eval - beta) / 200).clamp(0, 3);
        let child = self.enter_null(pos, ply);
        let below = Window::null(beta).flipped();
        let value = -self.search::<false>(&child, below, depth - reduction, ply + 1, !cut);
        self.leave();
        if self.stopped || value < beta {
            return None;
        }
        // A mate found by passing twice proves nothing.
        let value = if is_mate(value) { beta } else { value };
        let few_pieces =
            (pos.by_color(pos.side_to_move()) - pos.by_role(Role::Pawn) - pos.by_role(Role::King))
                .count()
                <= 1;
        if self.no_null_before > 0 || (depth < 12 && !few_pieces) {
            return Some(value);
        }
        self.no_null_before = ply + (3 * (depth - reduction) / 4).max(1) as usize;
        let proof = self.search::<false>(pos, Window::null(beta), depth - reduction, ply, false);
        self.no_null_before = 0;
        (!self.stopped && proof >= beta).then_some(value)
    }

    /// If a good capture beats beta by a margin at a shallower depth, it will beat beta.
    fn try_good_captures(
        &mut self,
        pos: &Position,
        beta: Value,
        depth: i32,
        ply: usize,
        cut: bool,
        facts: &Facts,
    ) -> Option<Value> {
        let goal = beta + 180 - 50 * i32::from(facts.improving);
        let refuted = facts
            .known
            .is_some_and(|(value, known_depth, _)| known_depth >= depth - 3 && value < goal);
        if depth < 5 || is_mate(beta) || refuted {
            return None;
        }
        let hints = Hints {
            table: facts.table_move.filter(|_| facts.table_move_is_capture),
            killers: [None; 2],
            counter: None,
            rows: self.rows(ply),
        };
        let mut picker = Picker::new(&self.moves, hints, Wanted::GoodCaptures);
        let mut result = None;
        while let Some(Picked { mv, .. }) =
            picker.next(&mut self.moves, pos, &self.memory.history, None, false)
        {
            if !see::wins_at_least(pos, mv, goal - facts.static_eval) {
                continue;
            }
            self.prefetch(pos, mv);
            let mut child = *pos;
            self.enter(&mut child, mv, ply);
            let below = Window::null(goal).flipped();
            let mut value = -self.quiesce::<false>(&child, below.alpha, below.beta, 0, ply + 1);
            if value >= goal {
                value = -self.search::<false>(&child, below, depth - 4, ply + 1, !cut);
            }
            self.leave();
            if self.stopped {
                break;
            }
            if value >= goal {
                result = Some(value);
                break;
            }
        }
        picker.finish(&mut self.moves);
        result
    }
}
