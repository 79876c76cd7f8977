//! The walk through the tree, compiled for each kind of processor and for each side to move.

#![allow(unsafe_code, reason = "calls into code compiled for what the processor was asked for")]

use super::node::Node;
use super::pairs;
use super::table::Table;
use crate::board::{Black, Board, Side, White};
use crate::movegen::{self, GenKind, Visitor};
use crate::sliders::{Magic, Sliders};
use crate::{Bitboard, Color, Move, Role, Square};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};

/// The deepest count that is sure to fit 64 bits, whatever the position: no side ever has more
/// than 415 moves, and 415^7 is below 2^64.
pub(super) const SAFE_DEPTH: u32 = 7;

/// What all threads of a count share.
pub(super) struct Run<'a> {
    pub(super) table: Option<&'a Table>,
    pub(super) stop: &'a (dyn Fn() -> bool + Sync),
    /// Set once the count has been stopped; all results after that mean nothing.
    pub(super) stopped: AtomicBool,
}

impl Run<'_> {
    /// Whether the count should end, asked once in a few milliseconds.
    #[inline(always)]
    pub(super) fn should_stop(&self) -> bool {
        if self.is_stopped() {
            return true;
        }
        let stop = (self.stop)();
        if stop {
            self.stopped.store(true, Ordering::Relaxed);
        }
        stop
    }

    #[inline(always)]
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// The functions that are compiled on their own for a kind of processor.
pub(super) trait Machine: Sliders {
    /// The number of leaves below a node.
    fn walk<C: Side>(node: &Node, depth: u32, run: &Run) -> u64;
    /// The number of legal moves.
    fn moves<C: Side>(board: &Board) -> u64;
    /// The pairs of one piece's moves and their replies, worked out without the piece.
    fn without<C: Side>(node: &Node, role: Role, from: Square, targets: Bitboard) -> i64;
}

macro_rules! machine {
    ($sliders:ty, $(#[$feature:meta])?) => {
        impl Machine for $sliders {
            #[inline(always)]
            fn walk<C: Side>(node: &Node, depth: u32, run: &Run) -> u64 {
                $(#[$feature])?
                fn compiled<C: Side>(node: &Node, depth: u32, run: &Run) -> u64 {
                    walk::<C, $sliders>(node, depth, run)
                }
                // SAFETY: a machine is chosen only after asking the processor for its features.
                #[allow(unused_unsafe, reason = "not every machine asks for features")]
                unsafe { compiled::<C>(node, depth, run) }
            }

            #[inline(always)]
            fn moves<C: Side>(board: &Board) -> u64 {
                $(#[$feature])?
                fn compiled<C: Side>(board: &Board) -> u64 {
                    moves::<C, $sliders>(board)
                }
                // SAFETY: as above.
                #[allow(unused_unsafe, reason = "not every machine asks for features")]
                unsafe { compiled::<C>(board) }
            }

            #[inline(always)]
            fn without<C: Side>(node: &Node, role: Role, from: Square, targets: Bitboard) -> i64 {
                $(#[$feature])?
                fn compiled<C: Side>(
                    node: &Node,
                    role: Role,
                    from: Square,
                    targets: Bitboard,
                ) -> i64 {
                    pairs::without::<C, $sliders>(node, role, from, targets)
                }
                // SAFETY: as above.
                #[allow(unused_unsafe, reason = "not every machine asks for features")]
                unsafe { compiled::<C>(node, role, from, targets) }
            }
        }
    };
}

machine!(Magic,);
#[cfg(target_arch = "x86_64")]
machine!(crate::sliders::Pext, #[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt")]);

/// Counts with the better of the machines that this processor can run. The depth must not be
/// beyond [`SAFE_DEPTH`].
pub(super) fn count(node: &Node, side: Color, depth: u32, run: &Run) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if crate::sliders::pext_is_fast() {
        return count_with::<crate::sliders::Pext>(node, side, depth, run);
    }
    count_with::<Magic>(node, side, depth, run)
}

fn count_with<M: Machine>(node: &Node, side: Color, depth: u32, run: &Run) -> u64 {
    match side {
        Color::White => M::walk::<White>(node, depth, run),
        Color::Black => M::walk::<Black>(node, depth, run),
    }
}

/// The nodes after each legal move.
pub(super) fn children(node: &Node, side: Color) -> Vec<(Move, Node)> {
    match side {
        Color::White => collect::<White>(node),
        Color::Black => collect::<Black>(node),
    }
}

fn collect<C: Side>(node: &Node) -> Vec<(Move, Node)> {
    let mut found = Vec::new();
    let enter = |mv: Move, next: &Node| found.push((mv, *next));
    let mut player = Player::<C, _>::new(node, enter);
    movegen::visit::<C, Magic, _>(&node.board, GenKind::All, &mut player);
    found
}

#[inline(always)]
fn walk<C: Side, M: Machine>(node: &Node, depth: u32, run: &Run) -> u64 {
    match depth {
        0 => 1,
        1 => M::moves::<C>(&node.board),
        2 => pairs::count::<C, M>(node, run),
        _ if depth >= 4 && run.should_stop() => 0,
        _ => match run.table {
            None => each_move::<C, M>(node, depth, run),
            Some(table) => remembered::<C, M>(node, depth, run, table),
        },
    }
}

/// Plays every move and walks on.
#[inline(always)]
pub(super) fn each_move<C: Side, M: Machine>(node: &Node, depth: u32, run: &Run) -> u64 {
    let mut total = 0;
    let enter = |_: Move, next: &Node| total += M::walk::<C::Them>(next, depth - 1, run);
    let mut player = Player::<C, _>::new(node, enter);
    movegen::visit::<C, M, _>(&node.board, GenKind::All, &mut player);
    total
}

/// Plays every move first, so that what the table knows of them is on its way while the others
/// are played; then walks on where it knows nothing.
#[inline(always)]
fn remembered<C: Side, M: Machine>(node: &Node, depth: u32, run: &Run, table: &Table) -> u64 {
    let mut nodes = Nodes::new();
    let enter = |_: Move, next: &Node| {
        table.prefetch(next.key, depth - 1);
        nodes.push(next);
    };
    let mut player = Player::<C, _>::new(node, enter);
    movegen::visit::<C, M, _>(&node.board, GenKind::All, &mut player);
    let mut total = 0;
    for next in nodes.as_slice() {
        total += match table.get(next.key, depth - 1) {
            Some(count) => count,
            None => {
                let count = M::walk::<C::Them>(next, depth - 1, run);
                if !run.is_stopped() {
                    table.put(next.key, depth - 1, count);
                }
                count
            }
        };
    }
    total
}

/// The nodes after one node's moves, on the stack.
struct Nodes {
    nodes: [std::mem::MaybeUninit<Node>; crate::moves::CAPACITY],
    len: usize,
}

impl Nodes {
    #[inline(always)]
    fn new() -> Nodes {
        Nodes { nodes: [const { std::mem::MaybeUninit::uninit() }; crate::moves::CAPACITY], len: 0 }
    }

    #[inline(always)]
    fn push(&mut self, node: &Node) {
        self.nodes[self.len].write(*node);
        self.len += 1;
    }

    #[inline(always)]
    fn as_slice(&self) -> &[Node] {
        // SAFETY: `push` writes an element before it counts it.
        unsafe { std::slice::from_raw_parts(self.nodes.as_ptr().cast::<Node>(), self.len) }
    }
}

#[inline(always)]
fn moves<C: Side, M: Machine>(board: &Board) -> u64 {
    let mut counter = Counter(0);
    movegen::visit::<C, M, _>(board, GenKind::All, &mut counter);
    u64::from(counter.0)
}

/// Counts the moves without playing them.
struct Counter(u32);

impl Visitor for Counter {
    #[inline(always)]
    fn piece(&mut self, _: Role, _: Square, targets: Bitboard) {
        self.0 += targets.count();
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, _: i32) {
        self.0 += targets.count();
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, _: i32) {
        self.0 += 4 * targets.count();
    }

    #[inline(always)]
    fn en_passant(&mut self, _: Square, _: Square) {
        self.0 += 1;
    }

    #[inline(always)]
    fn castling(&mut self, _: Square, _: Square) {
        self.0 += 1;
    }
}

/// Plays every move and hands on the node after it.
pub(super) struct Player<'a, C, F> {
    node: &'a Node,
    enter: F,
    marker: PhantomData<C>,
}

impl<'a, C, F> Player<'a, C, F> {
    #[inline(always)]
    pub(super) fn new(node: &'a Node, enter: F) -> Player<'a, C, F> {
        Player { node, enter, marker: PhantomData }
    }
}

#[inline(always)]
fn origin(to: Square, step: i32) -> Square {
    Square::from_index((to.index() as i32 - step) as usize)
}

impl<C: Side, F: FnMut(Move, &Node)> Visitor for Player<'_, C, F> {
    #[inline(always)]
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        for to in targets {
            (self.enter)(Move::normal(from, to), &self.node.piece::<C>(role, from, to));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            let from = origin(to, step);
            (self.enter)(Move::normal(from, to), &self.node.pawn::<C>(from, to));
        }
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            let from = origin(to, step);
            for role in Role::PROMOTIONS {
                let next = self.node.promotion::<C>(from, to, role);
                (self.enter)(Move::promoting(from, to, role), &next);
            }
        }
    }

    #[inline(always)]
    fn en_passant(&mut self, from: Square, to: Square) {
        (self.enter)(Move::en_passant(from, to), &self.node.en_passant::<C>(from, to));
    }

    #[inline(always)]
    fn castling(&mut self, king: Square, rook: Square) {
        (self.enter)(Move::castling(king, rook), &self.node.castling::<C>(king, rook));
    }
}
