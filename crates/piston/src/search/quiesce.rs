//! Quiescence: captures, and on some lines checks at the first step, until the position is quiet
//! enough to be evaluated.

use super::node::Known;
use super::window::Window;
use super::worker::Worker;
use crate::checks::Checks;
use crate::ordering::{Hints, Picked, Picker, Wanted, is_tactical};
use crate::parameters as p;
use crate::score::{DRAW, MATE_BOUND, MAX_PLY, Value, is_mate, mated_in, to_table};
use crate::see;
use crate::tt::{Bound, Entry};
use dyno_chess::{Move, Position, Role};

/// The first step of quiescence, which may look at checks too, has depth 0; all further steps, which
/// are alike, have this one in the table.
const LEAST_DEPTH: i32 = -1;

/// What is known of a node of the quiescence search.
struct QuietNode {
    ply: usize,
    depth: i32,
    key: u64,
    in_check: bool,
    entry: Option<Entry>,
    known: Option<Known>,
    /// The evaluation as the table keeps it; `None` in check.
    raw_eval: Option<Value>,
}

impl Worker<'_> {
    pub(super) fn quiesce<const PV: bool>(
        &mut self,
        pos: &Position,
        window: Window,
        depth: i32,
        ply: usize,
    ) -> Value {
        if !self.begin_node::<PV>(pos, ply) {
            return 0;
        }
        if let Some(value) = self.score_by_rules(pos, ply) {
            return value;
        }
        let in_check = pos.is_check();
        if ply >= MAX_PLY - 1 {
            return if in_check { DRAW } else { self.raw_eval(pos) };
        }
        let key = Self::table_key(pos);
        let entry = self.shared.table.probe(key);
        let known = entry.as_ref().and_then(|entry| Known::new(entry, pos, ply));
        if let Some(known) = known
            && !PV
            && known.cuts(depth.max(LEAST_DEPTH), window.beta)
        {
            return known.value;
        }
        let mut node = QuietNode { ply, depth, key, in_check, entry, known, raw_eval: None };
        let mut best = mated_in(ply);
        if !in_check {
            best = self.stand_pat::<PV>(pos, &mut node);
            if best >= window.beta {
                if entry.is_none() {
                    self.store_quiet(&node, None, best, Bound::Lower);
                }
                return best;
            }
        }
        let alpha = if in_check { window.alpha } else { window.alpha.max(best) };
        self.search_captures::<PV>(pos, Window { alpha, ..window }, &mut node, best)
    }

    /// What the side to move has without doing anything: the evaluation, improved by the table.
    #[inline(always)]
    fn stand_pat<const PV: bool>(&mut self, pos: &Position, node: &mut QuietNode) -> Value {
        let raw = node.entry.and_then(|e| e.eval).unwrap_or_else(|| self.raw_eval(pos));
        node.raw_eval = Some(raw);
        let eval = self.corrected(pos, raw, node.ply);
        match node.known {
            // A mate is reported with all its moves, which the table does not have.
            Some(known)
                if !(PV && is_mate(known.value)) && known.bound.settles(known.value, eval + 1) =>
            {
                known.value
            }
            _ => eval,
        }
    }

    /// Searches captures, and other moves where they matter, beginning with the score `best`.
    #[inline(always)]
    fn search_captures<const PV: bool>(
        &mut self,
        pos: &Position,
        window: Window,
        node: &mut QuietNode,
        mut best: Value,
    ) -> Value {
        let Window { mut alpha, beta } = window;
        let wanted = self.wanted::<PV>(node);
        let checks = (wanted == Wanted::GoodCapturesAndChecks).then(|| Checks::new(pos));
        let mut picker = self.quiet_picker(pos, node, wanted);
        // Where only the won endgames lie ahead, a capture may be worth more than what it takes.
        let may_give_up = !node.in_check && alpha < p::decided();
        let optimum = best + p::delta_margin();
        let mut best_move = None;
        while let Some(Picked { mv, losing, .. }) =
            picker.next(&mut self.moves, pos, &self.data.history, checks.as_ref(), false)
        {
            self.prefetch(pos, mv);
            if best > -MATE_BOUND {
                // Having found one way out of check, quiet ones are not worth the time.
                if losing || (node.in_check && !pos.is_capture(mv)) {
                    break;
                }
                if may_give_up && is_tactical(pos, mv) && is_hopeless(pos, mv, optimum, alpha) {
                    best = best.max(optimum.min(alpha));
                    continue;
                }
            }
            let mut child = *pos;
            self.enter(&mut child, mv, node.ply);
            let below = Window { alpha: -beta, beta: -alpha };
            let value = -self.quiesce::<PV>(&child, below, node.depth - 1, node.ply + 1);
            self.leave();
            if self.stopped {
                break;
            }
            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(mv);
                    if PV {
                        self.pv.extend(node.ply, mv);
                    }
                    if value >= beta {
                        break;
                    }
                    alpha = value;
                }
            }
        }
        picker.finish(&mut self.moves);
        if self.stopped {
            return 0;
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if PV && best > window.alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        self.store_quiet(node, best_move, best, bound);
        best
    }

    /// Checks only at the first step, or there would be no end to them, and only on lines that were
    /// not cut short on the way: elsewhere the nodes are better spent a ply deeper.
    #[inline(always)]
    fn wanted<const PV: bool>(&self, node: &QuietNode) -> Wanted {
        match (node.in_check, node.depth) {
            (true, _) => Wanted::All,
            (false, 0) if PV || node.ply as i32 >= self.iteration => Wanted::GoodCapturesAndChecks,
            (false, _) => Wanted::GoodCaptures,
        }
    }

    #[inline(always)]
    fn quiet_picker(&mut self, pos: &Position, node: &QuietNode, wanted: Wanted) -> Picker {
        let table_move = node
            .entry
            .and_then(|e| e.mv)
            .filter(|&mv| node.in_check || is_tactical(pos, mv))
            .filter(|&mv| self.allows(pos, mv));
        let rows = self.rows(node.ply);
        let hints = Hints { table: table_move, killers: [None; 2], counter: None, rows };
        Picker::new(&self.moves, hints, wanted)
    }

    #[inline(always)]
    fn store_quiet(&self, node: &QuietNode, mv: Option<Move>, value: Value, bound: Bound) {
        let entry = Entry {
            mv,
            value: to_table(value, node.ply),
            eval: node.raw_eval,
            depth: node.depth.max(LEAST_DEPTH),
            bound,
            pv: false,
        };
        self.shared.table.store(node.key, entry);
    }
}

/// Whether even winning what the move takes would leave the score below alpha.
fn is_hopeless(pos: &Position, mv: Move, optimum: Value, alpha: Value) -> bool {
    let won = pos.captured(mv).map_or(0, see::worth);
    mv.promotion() != Some(Role::Queen) && optimum + won <= alpha
}
