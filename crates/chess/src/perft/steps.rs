//! The moves of a node with the keys they lead to, worked out without playing them.

#![allow(unsafe_code, reason = "a list on the stack that is not filled before it is needed")]

use super::node::{Node, Step};
use super::table::Table;
use super::walk::origin;
use crate::board::{Side, rank};
use crate::movegen::Visitor;
use crate::moves::CAPACITY;
use crate::{Bitboard, Rank, Role, Square, zobrist};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Lists the moves of a node on the stack, and has the table fetch what it knows of each.
pub(super) struct Steps<'a, C> {
    node: &'a Node,
    table: &'a Table,
    /// The depth that is left after the moves.
    depth: u32,
    /// The key with the turn passed and nothing moved yet.
    turned: u128,
    steps: [MaybeUninit<(u128, Step)>; CAPACITY],
    len: usize,
    marker: PhantomData<C>,
}

impl<'a, C: Side> Steps<'a, C> {
    #[inline(always)]
    pub(super) fn new(node: &'a Node, table: &'a Table, depth: u32) -> Steps<'a, C> {
        let steps = [const { MaybeUninit::uninit() }; CAPACITY];
        Steps { node, table, depth, turned: node.turned().key, steps, len: 0, marker: PhantomData }
    }

    #[inline(always)]
    pub(super) fn as_slice(&self) -> &[(u128, Step)] {
        // SAFETY: `push` writes an element before it counts it.
        unsafe { std::slice::from_raw_parts(self.steps.as_ptr().cast(), self.len) }
    }

    #[inline(always)]
    fn push(&mut self, key: u128, step: Step) {
        self.table.prefetch(key, self.depth);
        self.steps[self.len].write((key, step));
        self.len += 1;
    }

    /// A move that takes something, loses a right or gives one.
    #[inline(always)]
    fn push_any(&mut self, step: Step) {
        self.push(self.node.after::<C>(step).key, step);
    }
}

impl<C: Side> Visitor for Steps<'_, C> {
    #[inline(always)]
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        let board = &self.node.board;
        let home = if role == Role::King { rank::<C>(Rank::First) } else { Bitboard::EMPTY };
        let loses_right = (board.castling & (home | Bitboard::of(from))).any();
        let plain = if loses_right { Bitboard::EMPTY } else { targets - board.own::<C::Them>() };
        let lifted = self.turned ^ zobrist::wide_piece(C::US, role, from);
        for to in plain {
            let key = lifted ^ zobrist::wide_piece(C::US, role, to);
            self.push(key, Step::Piece(role, from, to));
        }
        for to in targets - plain {
            self.push_any(Step::Piece(role, from, to));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, step: i32) {
        let one_step_on = step.abs() == 8;
        for to in targets {
            let from = origin(to, step);
            if one_step_on {
                let moved = zobrist::wide_piece(C::US, Role::Pawn, from)
                    ^ zobrist::wide_piece(C::US, Role::Pawn, to);
                self.push(self.turned ^ moved, Step::Pawn(from, to));
            } else {
                self.push_any(Step::Pawn(from, to));
            }
        }
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            for role in Role::PROMOTIONS {
                self.push_any(Step::Promotion(origin(to, step), to, role));
            }
        }
    }

    #[inline(always)]
    fn en_passant(&mut self, from: Square, to: Square) {
        self.push_any(Step::EnPassant(from, to));
    }

    #[inline(always)]
    fn castling(&mut self, king: Square, rook: Square) {
        self.push_any(Step::Castling(king, rook));
    }
}
