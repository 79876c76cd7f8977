//! Is the table's move the only good one?

use super::node::{Facts, Node, Window};
use super::worker::Worker;
use crate::score::{Value, is_mate};
use dyno_chess::{Move, Position};

/// What the question "is this the only good move?" leads to.
pub(super) enum Verdict {
    Extend(i32),
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
        facts: &Facts,
    ) -> Verdict {
        let Some((value, known_depth, bound)) = facts.known else { return Verdict::Extend(0) };
        let applies = facts.table_move == Some(mv)
            && node.excluded.is_none()
            && node.depth >= 6
            && known_depth >= node.depth - 3
            && bound.is_lower()
            && !is_mate(value);
        if !applies {
            return Verdict::Extend(0);
        }
        let goal = value - 2 * node.depth;
        self.frame(node.ply).excluded = Some(mv);
        let without =
            self.search::<false>(pos, Window::null(goal), (node.depth - 1) / 2, node.ply, node.cut);
        self.frame(node.ply).excluded = None;
        // The inner search has used the frame for itself.
        self.frame(node.ply).eval = (!facts.in_check).then_some(facts.static_eval);
        if without < goal {
            let pv = window.beta - window.alpha > 1;
            Verdict::Extend(if !pv && without < goal - 20 { 2 } else { 1 })
        } else if goal >= window.beta && !is_mate(goal) {
            // Several moves beat beta.
            Verdict::Cut(goal)
        } else if value >= window.beta {
            Verdict::Extend(-1)
        } else {
            Verdict::Extend(0)
        }
    }
}
