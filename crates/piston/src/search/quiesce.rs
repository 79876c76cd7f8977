//! Quiescence: captures, and on some lines checks at the first step, until the position is quiet
//! enough to be evaluated.

use super::node::DECIDED;
use super::worker::Worker;
use crate::checks::Checks;
use crate::ordering::{Hints, Picked, Picker, Wanted, is_tactical};
use crate::score::{MATE_BOUND, MAX_PLY, Value, from_table, is_mate, mated_in, to_table};
use crate::see;
use crate::tt::{Bound, Entry};
use dyno_chess::{Move, Position, Role};

/// A capture must bring the score at least this near to alpha.
const DELTA_MARGIN: Value = 110;
/// The first step of quiescence, which may look at checks too, has depth 0; all further steps, which
/// are alike, have this one in the table.
const LEAST: i32 = -1;

impl Worker<'_> {
    pub(super) fn quiesce<const PV: bool>(
        &mut self,
        pos: &Position,
        mut alpha: Value,
        beta: Value,
        depth: i32,
        ply: usize,
    ) -> Value {
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
        if let Some(value) = self.ruled(pos, ply) {
            return value;
        }
        let in_check = pos.is_check();
        if ply >= MAX_PLY - 1 {
            return if in_check { 0 } else { self.raw_eval(pos) };
        }

        let key = Self::table_key(pos);
        let entry = self.shared.table.probe(key);
        let clock = pos.halfmove_clock();
        let known = entry.and_then(|e| from_table(e.value, ply, clock).map(|v| (e.bound, v)));
        if let Some((bound, value)) = known
            && !PV
            && entry.is_some_and(|e| e.depth >= depth.max(LEAST))
            && (if value >= beta { bound.is_lower() } else { bound.is_upper() })
        {
            return value;
        }

        let found = |mv, value, eval, bound| Entry {
            mv,
            value,
            eval,
            depth: depth.max(LEAST),
            bound,
            pv: false,
        };
        let mut best = mated_in(ply);
        let mut raw = None;
        if !in_check {
            let eval = entry.and_then(|e| e.eval).unwrap_or_else(|| self.raw_eval(pos));
            raw = Some(eval);
            best = self.corrected(pos, eval, ply);
            // A mate is told with all its moves, which the table does not know.
            if let Some((bound, value)) = known
                && !(PV && is_mate(value))
                && (if value > best { bound.is_lower() } else { bound.is_upper() })
            {
                best = value;
            }
            if best >= beta {
                if entry.is_none() {
                    self.remember(key, found(None, best, raw, Bound::Lower), ply);
                }
                return best;
            }
            alpha = alpha.max(best);
        }

        let table_move = entry
            .and_then(|e| e.mv)
            .filter(|&mv| in_check || is_tactical(pos, mv))
            .filter(|&mv| self.allows(pos, mv));
        // Checks only at the first step, or there would be no end to them, and only on lines that
        // were not cut short on the way: elsewhere the nodes are better spent a ply deeper.
        let wanted = match (in_check, depth) {
            (true, _) => Wanted::All,
            (false, 0) if PV || ply as i32 >= self.iteration => Wanted::GoodCapturesAndChecks,
            (false, _) => Wanted::GoodCaptures,
        };
        let checks = (wanted == Wanted::GoodCapturesAndChecks).then(|| Checks::new(pos));
        let rows = self.rows(ply);
        let hints = Hints { table: table_move, killers: [None; 2], counter: None, rows };
        let mut picker = Picker::new(&self.moves, hints, wanted);
        // Where only the won endgames lie ahead, a capture may be worth more than what it takes.
        let may_give_up = !in_check && alpha < DECIDED;
        let optimum = best + DELTA_MARGIN;
        let before = alpha;
        let mut best_move = None;
        while let Some(Picked { mv, losing, .. }) =
            picker.next(&mut self.moves, pos, &self.memory.history, checks.as_ref(), false)
        {
            self.prefetch(pos, mv);
            if best > -MATE_BOUND {
                if losing {
                    break;
                }
                if may_give_up && is_tactical(pos, mv) && is_hopeless(pos, mv, optimum, alpha) {
                    best = best.max(optimum.min(alpha));
                    continue;
                }
                // Having found one answer to the check, quiet ones are not worth the time.
                if in_check && !pos.is_capture(mv) {
                    break;
                }
            }
            let mut child = *pos;
            self.enter(&mut child, mv, ply);
            let value = -self.quiesce::<PV>(&child, -beta, -alpha, depth - 1, ply + 1);
            self.leave();
            if self.stopped {
                break;
            }
            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(mv);
                    if PV {
                        self.pv.extend(ply, mv);
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
        } else if PV && best > before {
            Bound::Exact
        } else {
            Bound::Upper
        };
        self.remember(key, found(best_move, best, raw, bound), ply);
        best
    }

    /// Keeps what was found, mates counted from the node.
    fn remember(&self, key: u64, found: Entry, ply: usize) {
        self.shared.table.store(key, Entry { value: to_table(found.value, ply), ..found });
    }
}

/// Whether even winning what the move takes would leave the score below alpha.
fn is_hopeless(pos: &Position, mv: Move, optimum: Value, alpha: Value) -> bool {
    let won = pos.captured(mv).map_or(0, |role| see::WORTH[role.index()]);
    mv.promotion() != Some(Role::Queen) && optimum + won <= alpha
}
