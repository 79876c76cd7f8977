//! Is the table's move the only good one?

use super::node::Node;
use super::window::Window;
use super::worker::Worker;
use crate::parameters as p;
use crate::score::{Value, is_mate};
use dyno_chess::{Move, Position};

/// What follows from how much better a move is than all others.
pub(super) enum Singularity {
    /// The move is searched this many plies deeper, or shallower.
    Extend(i32),
    /// The node is settled.
    Cut(Value),
}

impl Worker<'_> {
    /// Asks whether the table's move is the only good one: then it deserves a closer look.
    pub(super) fn singularity(
        &mut self,
        pos: &Position,
        mv: Move,
        window: Window,
        node: &Node,
    ) -> Singularity {
        let Some(known) = node.known else { return Singularity::Extend(0) };
        let applies = node.table_move == Some(mv)
            && node.excluded.is_none()
            && node.depth >= p::singular_min_depth()
            && known.depth >= node.depth - p::singular_table_depth()
            && known.bound.is_lower()
            && !is_mate(known.value);
        if !applies {
            return Singularity::Extend(0);
        }
        let goal = known.value - p::singular_margin() * node.depth;
        self.frame(node.ply).excluded = Some(mv);
        let without =
            self.search::<false>(pos, Window::null(goal), (node.depth - 1) / 2, node.ply, node.cut);
        self.frame(node.ply).excluded = None;
        // The inner search has used the frame for itself.
        self.frame(node.ply).eval = (!node.in_check).then_some(node.static_eval);
        if without < goal {
            let by_far = window.is_null() && without < goal - p::singular_double_margin();
            Singularity::Extend(if by_far { 2 } else { 1 })
        } else if goal >= window.beta && !is_mate(goal) {
            // Several moves beat beta.
            Singularity::Cut(goal)
        } else if known.value >= window.beta {
            Singularity::Extend(-1)
        } else {
            Singularity::Extend(0)
        }
    }
}
