//! Searching the moves of a node: pruning, extensions, reductions, and learning from the outcome.

use super::node::{DECIDED, Facts, Node, Window};
use super::reductions;
use super::singular::Verdict;
use super::worker::Worker;
use crate::checks::Checks;
use crate::ordering::{Hints, Picked, Picker, Wanted, is_tactical};
use crate::score::{DRAW, INFINITE, MATE_BOUND, Value, is_mate, mated_in, to_table};
use crate::see;
use crate::tt::{Bound, Entry};
use dyno_chess::{Move, Position, Rank, Role};

/// What goes on while the moves of a node are searched.
struct Progress {
    best: Value,
    best_move: Option<Move>,
    alpha: Value,
    number: usize,
    quiets: Tried,
    captures: Tried,
}

/// Moves that were searched and did not refute.
struct Tried {
    moves: [Move; 32],
    len: usize,
}

impl Tried {
    const NONE: Tried = Tried { moves: [Move::from_bits(0); 32], len: 0 };

    fn push(&mut self, mv: Move) {
        if self.len < self.moves.len() {
            self.moves[self.len] = mv;
            self.len += 1;
        }
    }

    fn iter(&self) -> impl Iterator<Item = Move> + '_ {
        self.moves[..self.len].iter().copied()
    }
}

impl Worker<'_> {
    pub(super) fn picker(&mut self, node: &Node, facts: &Facts) -> Picker {
        if node.ply == 0 {
            let moves = self.root_moves[self.root_line..].iter().filter_map(|root| root.best());
            return Picker::given(&mut self.moves, moves);
        }
        let rows = self.rows(node.ply);
        let hints = Hints {
            table: facts.table_move,
            killers: self.frame(node.ply).killers,
            counter: self.memory.history.counter(rows[0]),
            rows,
        };
        Picker::new(&self.moves, hints, Wanted::All)
    }

    pub(super) fn search_moves<const PV: bool>(
        &mut self,
        pos: &Position,
        window: Window,
        node: &Node,
        facts: &Facts,
        picker: &mut Picker,
    ) -> Value {
        let Node { depth, ply, excluded, .. } = *node;
        let root = ply == 0;
        let checks = Checks::new(pos);
        let rows = self.rows(ply);
        let mut so_far = Progress {
            best: -INFINITE,
            best_move: None,
            alpha: window.alpha,
            number: 0,
            quiets: Tried::NONE,
            captures: Tried::NONE,
        };
        let mut skip_quiets = false;
        while let Some(Picked { mv, losing, learnt }) =
            picker.next(&mut self.moves, pos, &self.memory.history, Some(&checks), skip_quiets)
        {
            if Some(mv) == excluded {
                continue;
            }
            self.prefetch(pos, mv);
            let quiet = !is_tactical(pos, mv);
            so_far.number += 1;
            let gives_check = checks.given_by(pos, mv);
            let far_pawn = is_far_pawn(pos, mv);
            let history = &self.memory.history;
            let learnt = learnt.unwrap_or_else(|| {
                if quiet { history.of_quiet(pos, mv, rows) } else { history.of_capture(pos, mv) }
            });
            let mut reduction = reductions::base(depth, so_far.number);
            if !root && so_far.best > -MATE_BOUND && Self::has_pieces(pos) {
                let lesser = (depth - reduction / 1024).max(0);
                if quiet {
                    let enough = (4 + depth * depth) / if facts.improving { 1 } else { 2 };
                    skip_quiets |= so_far.number as i32 > enough && depth <= 10;
                    let hopeless = !facts.in_check
                        && lesser <= 8
                        && so_far.alpha < DECIDED
                        && facts.static_eval + 90 + 80 * lesser + learnt / 256 <= so_far.alpha;
                    let disliked = lesser <= 4 && learnt < -3_500 * depth;
                    let loses =
                        || lesser <= 8 && !see::wins_at_least(pos, mv, -25 * lesser * lesser);
                    if !gives_check && !far_pawn && (hopeless || disliked || loses()) {
                        continue;
                    }
                } else if losing
                    && !gives_check
                    && depth <= 7
                    && !see::wins_at_least(pos, mv, -90 * depth)
                {
                    continue;
                }
            }

            let mut extension = 0;
            if ply < 2 * self.iteration as usize && !root {
                match self.singularity(pos, mv, window, node, facts) {
                    Verdict::Extend(plies) => extension = plies,
                    Verdict::Cut(value) => return value,
                }
                if self.stopped {
                    return 0;
                }
                if extension == 0 && gives_check && !losing && see::wins_at_least(pos, mv, 0) {
                    extension = 1;
                }
            }
            if root {
                self.announce(mv, so_far.number + self.root_line);
            }

            let nodes_before = self.nodes;
            let mut child = *pos;
            self.enter(&mut child, mv, ply);
            if PV {
                // A scout leaves no line behind; what an earlier move left must not pass for one.
                self.pv.clear(ply + 1);
            }
            let mut deeper = depth - 1 + extension;
            let below = Window { alpha: -window.beta, beta: -so_far.alpha };
            let scout = Window { alpha: -so_far.alpha - 1, beta: -so_far.alpha };
            let mut value = -INFINITE;
            let mut full = PV && so_far.number == 1;
            if !full {
                let late = so_far.number > 1 + usize::from(PV) + usize::from(root);
                let mut shallow = deeper;
                if depth >= 2 && late && (quiet || losing) {
                    reduction += 512 * i32::from(!facts.improving);
                    // Where nearly every answer so far was a refutation, the rest will hardly do.
                    reduction += 1024 * i32::from(self.frame(ply + 1).cutoffs > 3);
                    reduction += 256 * i32::from(facts.table_move_is_capture);
                    reduction -= 1024 * i32::from(root)
                        + 1024 * i32::from(PV)
                        + 1024 * i32::from(facts.was_pv && !PV)
                        + 1536 * i32::from(gives_check);
                    reduction -= learnt / 10 + 1024 * i32::from(far_pawn);
                    let killers = self.frame(ply).killers;
                    if killers.contains(&Some(mv)) {
                        reduction -= 1024;
                    }
                    shallow = (deeper - reduction / 1024).clamp(1, deeper.max(1));
                }
                value = -self.search::<false>(&child, scout, shallow, ply + 1, true);
                if value > so_far.alpha && shallow < deeper {
                    // Much better than expected deserves more, hardly better less.
                    deeper += i32::from(value > so_far.best + 60);
                    deeper -= i32::from(value < so_far.best + 8);
                    value = -self.search::<false>(&child, scout, deeper, ply + 1, !node.cut);
                }
                full = PV && value > so_far.alpha && (root || value < window.beta);
            }
            if full {
                value = -self.search::<PV>(&child, below, deeper, ply + 1, false);
            }
            self.leave();
            if self.stopped {
                return 0;
            }
            if root {
                let spent = self.nodes - nodes_before;
                self.root_searched(mv, value, spent, so_far.number == 1, window, so_far.alpha);
            }

            if value > so_far.best {
                so_far.best = value;
                if value > so_far.alpha {
                    so_far.best_move = Some(mv);
                    if PV && !root {
                        self.pv.extend(ply, mv);
                    }
                    if value >= window.beta {
                        self.frame(ply).cutoffs += 1;
                        self.refuted(pos, mv, quiet, node, &so_far);
                        break;
                    }
                    so_far.alpha = value;
                }
            }
            if so_far.best_move != Some(mv) {
                if quiet { so_far.quiets.push(mv) } else { so_far.captures.push(mv) }
            }
        }
        if so_far.number == 0 {
            return match (excluded, facts.in_check) {
                // Only the excluded move was there.
                (Some(_), _) => window.alpha,
                (None, true) => mated_in(ply),
                (None, false) => DRAW,
            };
        }
        self.keep(pos, window, node, facts, &so_far);
        so_far.best
    }

    /// A move was so good that the opponent will avoid the node: learn from it.
    fn refuted(&mut self, pos: &Position, mv: Move, quiet: bool, node: &Node, so_far: &Progress) {
        let rows = self.rows(node.ply);
        let bonus = (200 * node.depth - 80).min(2_200);
        if quiet {
            let killers = &mut self.frame(node.ply).killers;
            if killers[0] != Some(mv) {
                *killers = [Some(mv), killers[0]];
            }
            let history = &mut self.memory.history;
            history.set_counter(rows[0], mv);
            history.learn_quiet(pos, mv, rows, bonus);
            for other in so_far.quiets.iter() {
                history.learn_quiet(pos, other, rows, -bonus);
            }
        } else {
            self.memory.history.learn_capture(pos, mv, bonus);
        }
        for other in so_far.captures.iter() {
            self.memory.history.learn_capture(pos, other, -bonus);
        }
    }

    /// Stores the result in the table and lets the evaluation learn from it.
    fn keep(
        &mut self,
        pos: &Position,
        window: Window,
        node: &Node,
        facts: &Facts,
        so_far: &Progress,
    ) {
        if node.excluded.is_some() {
            return;
        }
        let best = so_far.best;
        let bound = if best >= window.beta {
            Bound::Lower
        } else if so_far.best_move.is_some() {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let surprising = match bound {
            Bound::Lower => best > facts.static_eval,
            Bound::Upper => best < facts.static_eval,
            _ => true,
        };
        let quiet = so_far.best_move.is_none_or(|mv| !is_tactical(pos, mv));
        if !facts.in_check && quiet && surprising && !is_mate(best) {
            let last = self.frame_before(node.ply, 1).row;
            let history = &mut self.memory.history;
            let difference = best - facts.static_eval + history.correction(pos, last);
            history.learn_correction(pos, last, difference, node.depth);
        }
        if node.ply > 0 || self.root_line == 0 {
            let entry = Entry {
                mv: so_far.best_move,
                value: to_table(best, node.ply),
                eval: node.raw,
                depth: node.depth,
                bound,
                pv: facts.was_pv || window.beta - window.alpha > 1,
            };
            self.shared.table.store(node.key, entry);
        }
    }
}

/// Whether a pawn comes near to its promotion, which changes more than an evaluation foresees.
#[inline]
fn is_far_pawn(pos: &Position, mv: Move) -> bool {
    pos.role_at(mv.from()) == Some(Role::Pawn)
        && mv.to().relative_to(pos.side_to_move()).rank() >= Rank::Sixth
}
