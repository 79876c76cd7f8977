//! The walk through the tree, with a table or without.

#![allow(unsafe_code, reason = "a list on the stack that is not filled before it is needed")]

use super::bulk::count_moves;
use super::kernel::{self, Kernel, Processor};
use super::node::{Node, TypedMove, for_each_child};
use super::pairs::count_pairs;
use super::table::Table;
use crate::board::{Black, Side, White, rank};
use crate::movegen::{self, GenKind, Visitor, pawn_origin};
use crate::moves::CAPACITY;
use crate::{Bitboard, Color, Rank, Role, Square, zobrist};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering};

/// The deepest count that is sure to fit 64 bits, whatever the position: no side ever has more
/// than 415 moves, and 415^7 is below 2^64.
pub(super) const SAFE_DEPTH: u32 = 7;

/// What all threads share.
pub(super) struct Context<'a> {
    pub(super) table: Option<&'a Table>,
    pub(super) stop: &'a Stop<'a>,
}

/// How a count is stopped.
pub(super) struct Stop<'a> {
    asked: &'a (dyn Fn() -> bool + Sync),
    /// Set once the count has been stopped; every result after that is meaningless.
    stopped: AtomicBool,
}

impl<'a> Stop<'a> {
    pub(super) fn new(asked: &'a (dyn Fn() -> bool + Sync)) -> Stop<'a> {
        Stop { asked, stopped: AtomicBool::new(false) }
    }

    /// Whether the count should end, asked once in a few milliseconds.
    #[inline(always)]
    pub(super) fn should_stop(&self) -> bool {
        if self.is_stopped() {
            return true;
        }
        let stop = (self.asked)();
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

/// The number of leaves below a node. The depth must not be beyond [`SAFE_DEPTH`].
pub(super) fn count_leaves(node: &Node, side: Color, depth: u32, context: &Context) -> u64 {
    match side {
        Color::White => kernel::run(Walk::<White>::new(node, depth, context)),
        Color::Black => kernel::run(Walk::<Black>::new(node, depth, context)),
    }
}

/// Counts the leaves below a node where side `C` is to move.
struct Walk<'a, C> {
    node: &'a Node,
    depth: u32,
    context: &'a Context<'a>,
    side: PhantomData<C>,
}

impl<'a, C: Side> Walk<'a, C> {
    #[inline(always)]
    fn new(node: &'a Node, depth: u32, context: &'a Context<'a>) -> Walk<'a, C> {
        Walk { node, depth, context, side: PhantomData }
    }

    #[inline(always)]
    fn walk_on<P: Processor>(&self, next: &Node) -> u64 {
        P::run(Walk::<C::Them>::new(next, self.depth - 1, self.context))
    }

    /// Plays every move and walks on.
    #[inline(always)]
    fn play_all<P: Processor>(&self) -> u64 {
        let mut total = 0;
        let enter = |_: TypedMove, next: &Node| total += self.walk_on::<P>(next);
        for_each_child::<C, P>(self.node, GenKind::All, enter);
        total
    }

    /// Works out the keys after all moves first, so that what the table knows of them is on its
    /// way; then plays only the moves that it does not know.
    #[inline(always)]
    fn play_unknown<P: Processor>(&self, table: &Table) -> u64 {
        let depth = self.depth - 1;
        let mut moves = KeyedMoves::<C>::new(self.node, table, depth);
        movegen::visit::<C, P, _>(&self.node.board, GenKind::All, &mut moves);
        let moves = moves.as_slice().iter().copied();
        if depth == 2 {
            let pairs = |(key, mv): (u128, TypedMove)| {
                table.pairs(key).unwrap_or_else(|slot| {
                    let count = count_pairs::<C::Them, P>(&self.node.after::<C>(mv));
                    slot.store(key, count);
                    count
                })
            };
            return moves.map(pairs).sum();
        }
        let leaves = |(key, mv): (u128, TypedMove)| {
            table.get(key, depth).unwrap_or_else(|| {
                let count = self.walk_on::<P>(&self.node.after::<C>(mv));
                if !self.context.stop.is_stopped() {
                    table.put(key, depth, count);
                }
                count
            })
        };
        moves.map(leaves).sum()
    }
}

impl<C: Side> Kernel for Walk<'_, C> {
    type Output = u64;

    #[inline(always)]
    fn call<P: Processor>(self) -> u64 {
        match self.depth {
            0 => 1,
            1 => count_moves::<C, P>(&self.node.board),
            2 => count_pairs::<C, P>(self.node),
            depth if depth >= 4 && self.context.stop.should_stop() => 0,
            _ => match self.context.table {
                None => self.play_all::<P>(),
                Some(table) => self.play_unknown::<P>(table),
            },
        }
    }
}

/// The moves of a node with the keys they lead to, on the stack.
struct KeyedMoves<'a, C> {
    node: &'a Node,
    table: &'a Table,
    /// The depth that is left after the moves.
    depth: u32,
    /// The key with the other side to move and nothing moved yet.
    turned: u128,
    moves: [MaybeUninit<(u128, TypedMove)>; CAPACITY],
    len: usize,
    side: PhantomData<C>,
}

impl<'a, C: Side> KeyedMoves<'a, C> {
    #[inline(always)]
    fn new(node: &'a Node, table: &'a Table, depth: u32) -> KeyedMoves<'a, C> {
        let moves = [const { MaybeUninit::uninit() }; CAPACITY];
        let turned = node.turned().key;
        KeyedMoves { node, table, depth, turned, moves, len: 0, side: PhantomData }
    }

    #[inline(always)]
    fn as_slice(&self) -> &[(u128, TypedMove)] {
        // SAFETY: `push` writes an element before it counts it.
        unsafe { std::slice::from_raw_parts(self.moves.as_ptr().cast(), self.len) }
    }

    /// Adds a move and has the table fetch what it knows of the node after it.
    #[inline(always)]
    fn push(&mut self, key: u128, mv: TypedMove) {
        self.table.prefetch(key, self.depth);
        self.moves[self.len].write((key, mv));
        self.len += 1;
    }

    /// A move that changes more than the place of one piece.
    #[inline(always)]
    fn push_any(&mut self, mv: TypedMove) {
        self.push(self.node.after::<C>(mv).key, mv);
    }
}

impl<C: Side> Visitor for KeyedMoves<'_, C> {
    #[inline(always)]
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        let board = &self.node.board;
        let home = if role == Role::King { rank::<C>(Rank::First) } else { Bitboard::EMPTY };
        let loses_right = (board.castling & (home | Bitboard::of(from))).any();
        let plain = if loses_right { Bitboard::EMPTY } else { targets - board.own::<C::Them>() };
        let lifted = self.turned ^ zobrist::wide_piece(C::US, role, from);
        for to in plain {
            let key = lifted ^ zobrist::wide_piece(C::US, role, to);
            self.push(key, TypedMove::Piece(role, from, to));
        }
        for to in targets - plain {
            self.push_any(TypedMove::Piece(role, from, to));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, step: i32) {
        let is_single_step = step.abs() == 8;
        for to in targets {
            let from = pawn_origin(to, step);
            if is_single_step {
                let moved = zobrist::wide_piece(C::US, Role::Pawn, from)
                    ^ zobrist::wide_piece(C::US, Role::Pawn, to);
                self.push(self.turned ^ moved, TypedMove::Pawn(from, to));
            } else {
                self.push_any(TypedMove::Pawn(from, to));
            }
        }
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            for role in Role::PROMOTIONS {
                self.push_any(TypedMove::Promotion(pawn_origin(to, step), to, role));
            }
        }
    }

    #[inline(always)]
    fn en_passant(&mut self, from: Square, to: Square) {
        self.push_any(TypedMove::EnPassant(from, to));
    }

    #[inline(always)]
    fn castling(&mut self, king: Square, rook: Square) {
        self.push_any(TypedMove::Castling(king, rook));
    }
}
