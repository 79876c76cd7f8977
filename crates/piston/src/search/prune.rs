//! Settling a node without searching all its moves.

use super::node::Node;
use super::window::Window;
use super::worker::Worker;
use crate::ordering::{Hints, Picked, Picker, Wanted};
use crate::parameters as p;
use crate::score::{MATE_BOUND, Value, is_mate};
use crate::see;
use dyno_chess::{Position, Role};

impl Worker<'_> {
    /// Tries to settle a node without searching all its moves.
    pub(super) fn prune_node(
        &mut self,
        pos: &Position,
        window: Window,
        node: &Node,
    ) -> Option<Value> {
        self.try_reverse_futility(window, node)
            .or_else(|| self.try_razoring(pos, window, node))
            .or_else(|| self.try_null_move(pos, window.beta, node))
            .or_else(|| self.try_probcut(pos, window.beta, node))
    }

    /// So far ahead that the opponent will not let it come to this. The replies to the root's own
    /// moves are not guessed at: that is where a sacrifice would be missed.
    #[inline(always)]
    fn try_reverse_futility(&self, window: Window, node: &Node) -> Option<Value> {
        let Node { depth, eval, .. } = *node;
        let margin = p::reverse_futility_margin() * (depth - i32::from(node.improving));
        let settled = node.ply > 1
            && depth <= p::reverse_futility_max_depth()
            && eval - margin >= window.beta
            && eval < MATE_BOUND
            && window.beta > -p::decided();
        settled.then_some((eval + window.beta) / 2)
    }

    /// So far behind that only captures could help.
    #[inline(always)]
    fn try_razoring(&mut self, pos: &Position, window: Window, node: &Node) -> Option<Value> {
        let Node { depth, eval, .. } = *node;
        let alpha = window.alpha;
        let margin = p::razoring_base() + p::razoring_depth_squared() * depth * depth;
        if depth > p::razoring_max_depth() || eval + margin > alpha || alpha >= p::decided() {
            return None;
        }
        let value = self.quiesce::<false>(pos, Window::null(alpha + 1), 0, node.ply);
        (value <= alpha).then_some(value)
    }

    /// If passing still leaves a score above beta, so would the best move, unless the side to move
    /// is in zugzwang, which a search without null moves then rules out.
    #[inline(always)]
    fn try_null_move(&mut self, pos: &Position, beta: Value, node: &Node) -> Option<Value> {
        let Node { depth, ply, .. } = *node;
        let wanted = p::null_eval_base() - p::null_eval_depth() * depth;
        let after_null = self.frame_before(ply, 0).since_null == 0;
        if node.eval < beta
            || node.static_eval < beta + wanted
            || beta <= -MATE_BOUND
            || depth < p::null_min_depth()
            || ply == 1
            || after_null
            || ply < self.no_null_before
            || !Self::has_pieces(pos)
        {
            return None;
        }
        let lead = ((node.eval - beta) / p::null_eval_divisor()).clamp(0, p::null_eval_max());
        let reduction = p::null_reduction() + depth / p::null_depth_divisor() + lead;
        let child = self.enter_null(pos, ply);
        let below = Window::null(beta).flipped();
        let value = -self.search::<false>(&child, below, depth - reduction, ply + 1, !node.cut);
        self.leave();
        if self.stopped || value < beta {
            return None;
        }
        // A mate found by passing twice proves nothing.
        let value = if is_mate(value) { beta } else { value };
        let deep = depth >= p::null_verification_depth();
        if self.no_null_before > 0 || !(deep || has_one_piece(pos)) {
            return Some(value);
        }
        self.no_null_before = ply + (3 * (depth - reduction) / 4).max(1) as usize;
        let proof = self.search::<false>(pos, Window::null(beta), depth - reduction, ply, false);
        self.no_null_before = 0;
        (!self.stopped && proof >= beta).then_some(value)
    }

    /// If a good capture beats beta by a margin at a shallower depth, it will beat beta.
    #[inline(always)]
    fn try_probcut(&mut self, pos: &Position, beta: Value, node: &Node) -> Option<Value> {
        let Node { depth, ply, .. } = *node;
        let improving = if node.improving { p::probcut_improving() } else { 0 };
        let goal = beta + p::probcut_margin() - improving;
        let shallower = depth - p::probcut_reduction();
        let refuted = node.known.is_some_and(|known| known.depth > shallower && known.value < goal);
        if self.stopped || depth < p::probcut_min_depth() || is_mate(beta) || refuted {
            return None;
        }
        let hints = Hints {
            table: node.table_move.filter(|_| node.table_move_is_capture),
            killers: [None; 2],
            counter: None,
            rows: self.rows(ply),
        };
        let mut picker = Picker::new(&self.moves, hints, Wanted::GoodCaptures);
        let mut result = None;
        while let Some(Picked { mv, .. }) =
            picker.next(&mut self.moves, pos, &self.data.history, None, false)
        {
            if !see::wins_at_least(pos, mv, goal - node.static_eval) {
                continue;
            }
            self.prefetch(pos, mv);
            let mut child = *pos;
            self.enter(&mut child, mv, ply);
            let below = Window::null(goal).flipped();
            let mut value = -self.quiesce::<false>(&child, below, 0, ply + 1);
            if value >= goal {
                value = -self.search::<false>(&child, below, shallower, ply + 1, !node.cut);
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

/// Whether the side to move has at most one piece beside king and pawns.
fn has_one_piece(pos: &Position) -> bool {
    let light = pos.by_role(Role::Pawn) | pos.by_role(Role::King);
    (pos.by_color(pos.side_to_move()) - light).count() <= 1
}
