//! Searching the moves of a node one after the other: which are pruned, extended or reduced, and
//! what is learnt from the outcome.

use super::node::Node;
use super::reductions;
use super::singular::Singularity;
use super::window::Window;
use super::worker::Worker;
use crate::checks::Checks;
use crate::history::Rows;
use crate::ordering::{Hints, Picked, Picker, Wanted, is_tactical};
use crate::parameters as p;
use crate::score::{DRAW, INFINITE, MATE_BOUND, Value, is_mate, mated_in, to_table};
use crate::see;
use crate::tt::{Bound, Entry};
use dyno_chess::{Move, Position, Rank, Role};

/// How far the moves of a node have been searched.
struct Progress {
    best: Value,
    best_move: Option<Move>,
    alpha: Value,
    /// The number of the move being searched, from 1.
    number: usize,
    /// Whether all quiet moves to come are pruned, unless they give check.
    skip_quiets: bool,
    quiets: Tried,
    captures: Tried,
}

impl Progress {
    fn new(alpha: Value) -> Progress {
        Progress {
            best: -INFINITE,
            best_move: None,
            alpha,
            number: 0,
            skip_quiets: false,
            quiets: Tried::NONE,
            captures: Tried::NONE,
        }
    }
}

/// Moves that were searched and did not reach beta.
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

/// A move about to be searched.
struct Candidate {
    mv: Move,
    quiet: bool,
    /// Whether it is a capture that loses material.
    losing: bool,
    gives_check: bool,
    advanced_pawn: bool,
    /// What was learnt of it.
    history: i32,
}

impl Worker<'_> {
    /// Hands out the moves of a node in their order.
    pub(super) fn picker(&mut self, node: &Node) -> Picker {
        if node.ply == 0 {
            let moves = self.root_moves[self.root_line..].iter().filter_map(|root| root.best());
            return Picker::given(&mut self.moves, moves);
        }
        let rows = self.rows(node.ply);
        let hints = Hints {
            table: node.table_move,
            killers: self.frame(node.ply).killers,
            counter: self.data.history.counter(rows[0]),
            rows,
        };
        Picker::new(&self.moves, hints, Wanted::All)
    }

    pub(super) fn search_moves<const PV: bool>(
        &mut self,
        pos: &Position,
        window: Window,
        node: &Node,
        picker: &mut Picker,
    ) -> Value {
        let checks = Checks::new(pos);
        let rows = self.rows(node.ply);
        let mut so_far = Progress::new(window.alpha);
        while let Some(picked) = self.next_move(picker, pos, &checks, so_far.skip_quiets) {
            let mv = picked.mv;
            if Some(mv) == node.excluded {
                continue;
            }
            self.prefetch(pos, mv);
            so_far.number += 1;
            let candidate = self.candidate(pos, picked, &checks, rows);
            let reduction = reductions::base(node.depth, so_far.number);
            if Self::is_pruned(pos, &candidate, node, &mut so_far, reduction) {
                continue;
            }
            let extension = match self.extension(pos, &candidate, window, node) {
                Singularity::Extend(plies) => plies,
                Singularity::Cut(value) => return value,
            };
            if self.stopped {
                return 0;
            }
            if node.ply == 0 {
                self.announce(mv, so_far.number + self.root_line);
            }
            let nodes_before = self.nodes;
            let value = self
                .search_move::<PV>(pos, &candidate, window, node, &so_far, reduction, extension);
            if self.stopped {
                return 0;
            }
            if node.ply == 0 {
                let spent = self.nodes - nodes_before;
                self.root_searched(mv, value, spent, so_far.number == 1, window, so_far.alpha);
            }
            if self.is_cutoff::<PV>(&candidate, value, window, node, &mut so_far) {
                self.learn_from_cutoff(pos, &candidate, node, &so_far);
                break;
            }
        }
        if so_far.number == 0 {
            return match (node.excluded, node.in_check) {
                // Only the excluded move was there.
                (Some(_), _) => window.alpha,
                (None, true) => mated_in(node.ply),
                (None, false) => DRAW,
            };
        }
        self.store_node(pos, window, node, &so_far);
        so_far.best
    }

    #[inline(always)]
    fn next_move(
        &mut self,
        picker: &mut Picker,
        pos: &Position,
        checks: &Checks,
        skip_quiets: bool,
    ) -> Option<Picked> {
        picker.next(&mut self.moves, pos, &self.data.history, Some(checks), skip_quiets)
    }

    #[inline(always)]
    fn candidate(&self, pos: &Position, picked: Picked, checks: &Checks, rows: Rows) -> Candidate {
        let Picked { mv, losing, history } = picked;
        let quiet = !is_tactical(pos, mv);
        let learnt = &self.data.history;
        Candidate {
            mv,
            quiet,
            losing,
            gives_check: checks.given_by(pos, mv),
            advanced_pawn: is_advanced_pawn(pos, mv),
            history: history.unwrap_or_else(|| {
                if quiet { learnt.of_quiet(pos, mv, rows) } else { learnt.of_capture(pos, mv) }
            }),
        }
    }

    /// Whether a move is not worth searching. Once a move is safe from mate, those that are late,
    /// have failed before, lose material or could not raise the score far enough are left out.
    #[inline(always)]
    fn is_pruned(
        pos: &Position,
        candidate: &Candidate,
        node: &Node,
        so_far: &mut Progress,
        reduction: i32,
    ) -> bool {
        if node.ply == 0 || so_far.best <= -MATE_BOUND || !Self::has_pieces(pos) {
            return false;
        }
        let Candidate { mv, quiet, losing, gives_check, advanced_pawn, history } = *candidate;
        let depth = node.depth;
        if !quiet {
            return losing
                && !gives_check
                && depth <= p::capture_see_max_depth()
                && !see::wins_at_least(pos, mv, -p::capture_see_margin() * depth);
        }
        let late = (p::late_move_base() + depth * depth) / if node.improving { 1 } else { 2 };
        so_far.skip_quiets |= so_far.number as i32 > late && depth <= p::late_move_max_depth();
        if gives_check || advanced_pawn {
            return false;
        }
        let reduced = (depth - reduction / reductions::PLY).max(0);
        let margin = p::futility_base()
            + p::futility_depth() * reduced
            + history / p::futility_history_divisor();
        let futile = !node.in_check
            && reduced <= p::futility_max_depth()
            && so_far.alpha < p::decided()
            && node.static_eval + margin <= so_far.alpha;
        let disliked = reduced <= p::history_pruning_max_depth()
            && history < -p::history_pruning_margin() * depth;
        let loses = || {
            reduced <= p::quiet_see_max_depth()
                && !see::wins_at_least(pos, mv, -p::quiet_see_margin() * reduced * reduced)
        };
        futile || disliked || loses()
    }

    /// How many plies deeper a move is searched: the only good one, and checks that lose nothing.
    #[inline(always)]
    fn extension(
        &mut self,
        pos: &Position,
        candidate: &Candidate,
        window: Window,
        node: &Node,
    ) -> Singularity {
        // Lines twice as long as the iteration are extended no more, or they would not end.
        if node.ply == 0 || node.ply >= 2 * self.iteration as usize {
            return Singularity::Extend(0);
        }
        let Candidate { mv, gives_check, losing, .. } = *candidate;
        match self.singularity(pos, mv, window, node) {
            Singularity::Extend(0)
                if !self.stopped && gives_check && !losing && see::wins_at_least(pos, mv, 0) =>
            {
                Singularity::Extend(1)
            }
            other => other,
        }
    }

    /// Plays a move and searches it: late moves less deep and with a null window first, and again
    /// as deep and as wide as what they turn out to be worth asks for.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "one step of the loop, apart to be read")]
    fn search_move<const PV: bool>(
        &mut self,
        pos: &Position,
        candidate: &Candidate,
        window: Window,
        node: &Node,
        so_far: &Progress,
        reduction: i32,
        extension: i32,
    ) -> Value {
        let ply = node.ply;
        let mut child = *pos;
        self.enter(&mut child, candidate.mv, ply);
        if PV {
            // A null-window search leaves no line behind; an earlier move's must not pass for one.
            self.pv.clear(ply + 1);
        }
        let mut depth = node.depth - 1 + extension;
        let mut value = -INFINITE;
        let mut full = PV && so_far.number == 1;
        if !full {
            let scout = Window::null(-so_far.alpha);
            let late = so_far.number > 1 + usize::from(PV) + usize::from(ply == 0);
            let mut reduced = depth;
            if node.depth >= p::lmr_min_depth() && late && (candidate.quiet || candidate.losing) {
                let reduction = reduction + self.late_move_reduction::<PV>(candidate, node);
                reduced = (depth - reduction / reductions::PLY).clamp(1, depth.max(1));
            }
            value = -self.search::<false>(&child, scout, reduced, ply + 1, true);
            if value > so_far.alpha && reduced < depth {
                // Much better than expected deserves more, hardly better less.
                depth += i32::from(value > so_far.best + p::lmr_deeper_margin());
                depth -= i32::from(value < so_far.best + p::lmr_shallower_margin());
                value = -self.search::<false>(&child, scout, depth, ply + 1, !node.cut);
            }
            full = PV && value > so_far.alpha && (ply == 0 || value < window.beta);
        }
        if full {
            let below = Window { alpha: -window.beta, beta: -so_far.alpha };
            value = -self.search::<PV>(&child, below, depth, ply + 1, false);
        }
        self.leave();
        value
    }

    /// What is added to the base reduction of a late move.
    #[inline(always)]
    fn late_move_reduction<const PV: bool>(&mut self, candidate: &Candidate, node: &Node) -> i32 {
        let on = |condition: bool, reduction: i32| if condition { reduction } else { 0 };
        // Where nearly every reply so far was a refutation, the rest will hardly do.
        let refuted = self.frame(node.ply + 1).cutoffs > p::lmr_refutations() as u32;
        let killer = self.frame(node.ply).killers.contains(&Some(candidate.mv));
        on(!node.improving, p::lmr_not_improving())
            + on(refuted, p::lmr_refuted())
            + on(node.table_move_is_capture, p::lmr_table_capture())
            - on(node.ply == 0, p::lmr_root())
            - on(PV, p::lmr_pv())
            - on(node.was_pv && !PV, p::lmr_was_pv())
            - on(candidate.gives_check, p::lmr_check())
            - on(candidate.advanced_pawn, p::lmr_advanced_pawn())
            - on(killer, p::lmr_killer())
            - candidate.history / p::lmr_history_divisor()
    }

    /// Records what a move was found to be worth; whether the node is settled by it.
    #[inline(always)]
    fn is_cutoff<const PV: bool>(
        &mut self,
        candidate: &Candidate,
        value: Value,
        window: Window,
        node: &Node,
        so_far: &mut Progress,
    ) -> bool {
        let mv = candidate.mv;
        if value > so_far.best {
            so_far.best = value;
            if value > so_far.alpha {
                so_far.best_move = Some(mv);
                if PV && node.ply > 0 {
                    self.pv.extend(node.ply, mv);
                }
                if value >= window.beta {
                    return true;
                }
                so_far.alpha = value;
            }
        }
        if so_far.best_move != Some(mv) {
            if candidate.quiet { so_far.quiets.push(mv) } else { so_far.captures.push(mv) }
        }
        false
    }

    /// A move was so good that the opponent will avoid the node: learn from it.
    fn learn_from_cutoff(
        &mut self,
        pos: &Position,
        candidate: &Candidate,
        node: &Node,
        so_far: &Progress,
    ) {
        self.frame(node.ply).cutoffs += 1;
        let mv = candidate.mv;
        let rows = self.rows(node.ply);
        let bonus = (p::history_bonus_depth() * node.depth - p::history_bonus_offset())
            .min(p::history_bonus_max());
        if candidate.quiet {
            let killers = &mut self.frame(node.ply).killers;
            if killers[0] != Some(mv) {
                *killers = [Some(mv), killers[0]];
            }
            let history = &mut self.data.history;
            history.set_counter(rows[0], mv);
            history.learn_quiet(pos, mv, rows, bonus);
            for other in so_far.quiets.iter() {
                history.learn_quiet(pos, other, rows, -bonus);
            }
        } else {
            self.data.history.learn_capture(pos, mv, bonus);
        }
        for other in so_far.captures.iter() {
            self.data.history.learn_capture(pos, other, -bonus);
        }
    }

    /// Stores the result in the table and lets the evaluation learn from it.
    fn store_node(&mut self, pos: &Position, window: Window, node: &Node, so_far: &Progress) {
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
            Bound::Lower => best > node.static_eval,
            Bound::Upper => best < node.static_eval,
            _ => true,
        };
        let quiet = so_far.best_move.is_none_or(|mv| !is_tactical(pos, mv));
        if !node.in_check && quiet && surprising && !is_mate(best) {
            let last = self.frame_before(node.ply, 1).row;
            let history = &mut self.data.history;
            let difference = best - node.static_eval + history.correction(pos, last);
            history.learn_correction(pos, last, difference, node.depth);
        }
        if node.ply > 0 || self.root_line == 0 {
            let entry = Entry {
                mv: so_far.best_move,
                value: to_table(best, node.ply),
                eval: node.raw_eval,
                depth: node.depth,
                bound,
                pv: node.was_pv || !window.is_null(),
            };
            self.shared.table.store(node.key, entry);
        }
    }
}

/// Whether a pawn comes near to its promotion, which changes more than an evaluation foresees.
#[inline]
fn is_advanced_pawn(pos: &Position, mv: Move) -> bool {
    pos.role_at(mv.from()) == Some(Role::Pawn)
        && mv.to().relative_to(pos.side_to_move()).rank() >= Rank::Sixth
}
