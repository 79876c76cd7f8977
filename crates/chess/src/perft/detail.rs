//! Of what kind the leaves are.

use super::count::{Options, Progress, for_each_part};
use super::node::{Node, TypedMove, children, for_each_child};
use super::walk::Stop;
use crate::board::{Black, Side, White};
use crate::movegen::{GenKind, Limits};
use crate::sliders::Magic;
use crate::{Color, Move, Position};
use std::ops::AddAssign;
use std::sync::{Mutex, PoisonError};

/// The leaves of a depth, and how many of them the last move made in which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detail {
    /// All leaves.
    pub nodes: u64,
    /// Moves that took a piece, en-passant captures included.
    pub captures: u64,
    /// En-passant captures.
    pub en_passants: u64,
    /// Castlings.
    pub castles: u64,
    /// Promotions, each piece counted.
    pub promotions: u64,
    /// Moves that gave check, the discovered and double ones included.
    pub checks: u64,
    /// Checks that only a piece which did not move gives.
    pub discovered_checks: u64,
    /// Checks that two pieces give at once.
    pub double_checks: u64,
    /// Moves that mated.
    pub mates: u64,
}

impl AddAssign for Detail {
    fn add_assign(&mut self, other: Detail) {
        self.nodes += other.nodes;
        self.captures += other.captures;
        self.en_passants += other.en_passants;
        self.castles += other.castles;
        self.promotions += other.promotions;
        self.checks += other.checks;
        self.discovered_checks += other.discovered_checks;
        self.double_checks += other.double_checks;
        self.mates += other.mates;
    }
}

/// The leaves of every depth from 1 to the given one, by kind. Every move is played: this is
/// many times slower than counting, and a table does not help. Stopped, it returns what it has
/// counted and `false`.
///
/// ```
/// use dyno_chess::{Position, perft::{Options, detail}};
/// let (depths, complete) = detail(&Position::startpos(), 4, &Options::default());
/// assert!(complete);
/// assert_eq!((depths[3].nodes, depths[3].checks, depths[3].mates), (197_281, 469, 8));
/// ```
pub fn detail(position: &Position, depth: u32, options: &Options) -> (Vec<Detail>, bool) {
    let root = Node::new(position);
    let root_moves = children(&root, position.side);
    let stop = Stop::new(options.stop);
    let mut depths = vec![Detail::default(); depth as usize];
    let total = Mutex::new((&mut depths, 0));
    for_each_part(options.threads, root_moves.len(), |index| {
        let (mv, node) = &root_moves[index];
        let mut found = vec![Detail::default(); depth as usize];
        match position.side {
            Color::White => enter::<White>(&root, *mv, node, &mut found, &stop),
            Color::Black => enter::<Black>(&root, *mv, node, &mut found, &stop),
        }
        let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
        let (depths, done) = &mut *total;
        for (sum, part) in depths.iter_mut().zip(found) {
            *sum += part;
        }
        *done += 1;
        let nodes = depths.last().map_or(0, |leaves| u128::from(leaves.nodes));
        (options.progress)(Progress { done: *done, parts: root_moves.len(), nodes });
    });
    (depths, !stop.is_stopped())
}

/// Records the move of side `C` that led to a node, and walks on below it.
fn enter<C: Side>(before: &Node, mv: Move, node: &Node, levels: &mut [Detail], stop: &Stop) {
    let Some((level, below)) = levels.split_first_mut() else { return };
    let captured = !mv.is_castling() && before.board.occupied().contains(mv.to());
    level.nodes += 1;
    level.captures += u64::from(captured || mv.is_en_passant());
    level.en_passants += u64::from(mv.is_en_passant());
    level.castles += u64::from(mv.is_castling());
    level.promotions += u64::from(mv.promotion().is_some());
    let checkers = Limits::new::<C::Them, Magic>(&node.board).checkers;
    if checkers.any() {
        level.checks += 1;
        // The rook that castled has moved too; its check is not a discovered one.
        let moved = node.board.own::<C>() - before.board.own::<C>();
        if checkers.many() {
            level.double_checks += 1;
        } else if (checkers & moved).is_empty() {
            level.discovered_checks += 1;
        }
        level.mates += u64::from(!has_evasions::<C::Them>(node));
    }
    if below.is_empty() || (below.len() >= 2 && stop.should_stop()) {
        return;
    }
    for_each_child::<C::Them, Magic>(node, GenKind::All, |mv: TypedMove, next: &Node| {
        enter::<C::Them>(node, mv.untyped(), next, below, stop);
    });
}

fn has_evasions<C: Side>(node: &Node) -> bool {
    let mut found = false;
    for_each_child::<C, Magic>(node, GenKind::Evasions, |_, _| found = true);
    found
}
