//! Of what kind the leaves are.

use super::count::{Options, Progress};
use super::node::{Node, Step};
use super::walk::{Player, Stop};
use crate::board::{Black, Side, White};
use crate::movegen::{self, GenKind, Limits};
use crate::sliders::Magic;
use crate::{Bitboard, Color, Move, Position};
use std::ops::AddAssign;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

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
    let children = super::walk::children(&root, position.side);
    let stop = Stop::new(options.stop);
    let levels = depth as usize;
    let sum = Mutex::new((vec![Detail::default(); levels], 0));
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((mv, node)) = children.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut found = vec![Detail::default(); levels];
            match position.side {
                Color::White => enter::<White>(&root, *mv, node, &mut found, &stop),
                Color::Black => enter::<Black>(&root, *mv, node, &mut found, &stop),
            }
            let mut sum = sum.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            let (depths, done) = &mut *sum;
            for (total, part) in depths.iter_mut().zip(found) {
                *total += part;
            }
            *done += 1;
            let nodes = depths.last().map_or(0, |leaves| u128::from(leaves.nodes));
            (options.progress)(Progress { done: *done, parts: children.len(), nodes });
        }
    };
    if levels > 0 {
        std::thread::scope(|scope| {
            for _ in 1..options.threads.clamp(1, children.len().max(1)) {
                scope.spawn(work);
            }
            work();
        });
    }
    let (found, _) = sum.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    (found, !stop.is_stopped())
}

/// Notes the move of side `C` that led to a node, and walks on below it.
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
        level.mates += u64::from(!has_moves::<C::Them>(node));
    }
    if below.is_empty() || (below.len() >= 2 && stop.should_stop()) {
        return;
    }
    let next = |step: Step, next: &Node| enter::<C::Them>(node, step.mv(), next, below, stop);
    let mut player = Player::<C::Them, _>::new(node, next);
    movegen::visit::<C::Them, Magic, _>(&node.board, GenKind::All, &mut player);
}

fn has_moves<C: Side>(node: &Node) -> bool {
    let mut found = Bitboard::EMPTY;
    let mut player =
        Player::<C, _>::new(node, |step: Step, _: &Node| found |= Bitboard::of(step.mv().to()));
    movegen::visit::<C, Magic, _>(&node.board, GenKind::Evasions, &mut player);
    found.any()
}
