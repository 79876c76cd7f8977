//! The walk through the tree, compiled for each kind of processor and for each side to move.

#![allow(unsafe_code, reason = "calls into code compiled for what the processor was asked for")]

use super::node::Node;
use super::pairs;
use crate::board::{Black, Board, Side, White};
use crate::movegen::{self, GenKind, Visitor};
use crate::sliders::{Magic, Sliders};
use crate::{Bitboard, Color, Role, Square};

/// The functions that are compiled on their own for a kind of processor.
pub(super) trait Machine: Sliders {
    /// The number of leaves below a node.
    fn walk<C: Side>(node: &Node, depth: u32) -> u64;
    /// The number of legal moves.
    fn moves<C: Side>(board: &Board) -> u64;
}

macro_rules! machine {
    ($sliders:ty, $(#[$feature:meta])?) => {
        impl Machine for $sliders {
            #[inline(always)]
            fn walk<C: Side>(node: &Node, depth: u32) -> u64 {
                $(#[$feature])?
                fn compiled<C: Side>(node: &Node, depth: u32) -> u64 {
                    walk::<C, $sliders>(node, depth)
                }
                // SAFETY: a machine is chosen only after asking the processor for its features.
                #[allow(unused_unsafe, reason = "not every machine asks for features")]
                unsafe { compiled::<C>(node, depth) }
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
        }
    };
}

machine!(Magic,);
#[cfg(target_arch = "x86_64")]
machine!(crate::sliders::Pext, #[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt")]);

/// Counts with the better of the machines that this processor can run.
pub(super) fn count(node: &Node, side: Color, depth: u32) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if crate::sliders::pext_is_fast() {
        return count_with::<crate::sliders::Pext>(node, side, depth);
    }
    count_with::<Magic>(node, side, depth)
}

fn count_with<M: Machine>(node: &Node, side: Color, depth: u32) -> u64 {
    match side {
        Color::White => M::walk::<White>(node, depth),
        Color::Black => M::walk::<Black>(node, depth),
    }
}

#[inline(always)]
fn walk<C: Side, M: Machine>(node: &Node, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => M::moves::<C>(&node.board),
        2 => pairs::count::<C, M>(node),
        _ => each_move::<C, M>(node, depth),
    }
}

#[inline(always)]
pub(super) fn each_move<C: Side, M: Machine>(node: &Node, depth: u32) -> u64 {
    let mut walker = Walker::<C, M> { node, depth, total: 0, marker: Default::default() };
    movegen::visit::<C, M, _>(&node.board, GenKind::All, &mut walker);
    walker.total
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

/// Plays every move and walks on.
struct Walker<'a, C, M> {
    node: &'a Node,
    depth: u32,
    total: u64,
    marker: std::marker::PhantomData<(C, M)>,
}

impl<C: Side, M: Machine> Walker<'_, C, M> {
    #[inline(always)]
    fn enter(&mut self, next: &Node) {
        self.total += M::walk::<C::Them>(next, self.depth - 1);
    }
}

#[inline(always)]
fn origin(to: Square, step: i32) -> Square {
    Square::from_index((to.index() as i32 - step) as usize)
}

impl<C: Side, M: Machine> Visitor for Walker<'_, C, M> {
    #[inline(always)]
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        for to in targets {
            self.enter(&self.node.piece::<C>(role, from, to));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            self.enter(&self.node.pawn::<C>(origin(to, step), to));
        }
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            for role in Role::PROMOTIONS {
                self.enter(&self.node.promotion::<C>(origin(to, step), to, role));
            }
        }
    }

    #[inline(always)]
    fn en_passant(&mut self, from: Square, to: Square) {
        self.enter(&self.node.en_passant::<C>(from, to));
    }

    #[inline(always)]
    fn castling(&mut self, king: Square, rook: Square) {
        self.enter(&self.node.castling::<C>(king, rook));
    }
}
