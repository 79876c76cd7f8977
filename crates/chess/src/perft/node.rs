//! A node of the tree: the board with its key, and the moves that lead to the next one.

use crate::board::{Board, Side, ahead, rank};
use crate::make::castling_targets;
use crate::{Bitboard, Move, Position, Rank, Role, Square, attacks, zobrist};

/// A board with a key of 128 bits, wide enough that a table may trust it.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) board: Board,
    pub(super) key: u128,
}

/// A move as the tree plays it: the generator knows what moves, so nobody has to look again.
#[derive(Clone, Copy)]
pub(super) enum Step {
    Piece(Role, Square, Square),
    Pawn(Square, Square),
    Promotion(Square, Square, Role),
    EnPassant(Square, Square),
    Castling(Square, Square),
}

impl Step {
    pub(super) fn mv(self) -> Move {
        match self {
            Step::Piece(_, from, to) | Step::Pawn(from, to) => Move::normal(from, to),
            Step::Promotion(from, to, role) => Move::promoting(from, to, role),
            Step::EnPassant(from, to) => Move::en_passant(from, to),
            Step::Castling(king, rook) => Move::castling(king, rook),
        }
    }
}

impl Node {
    pub(super) fn new(position: &Position) -> Node {
        let board = position.board();
        let mut key = zobrist::wide_castling(board.castling) ^ zobrist::wide_passed(board.passed);
        for square in position.occupied() {
            if let Some(piece) = position.piece_at(square) {
                key ^= zobrist::wide_piece(piece.color, piece.role, square);
            }
        }
        if position.side == crate::Color::Black {
            key ^= zobrist::wide_side();
        }
        Node { board, key }
    }

    /// The node with the turn passed and nothing moved yet.
    #[inline(always)]
    pub(super) fn turned(&self) -> Node {
        let mut next = *self;
        next.key ^= zobrist::wide_side() ^ zobrist::wide_passed(self.board.passed);
        next.board.passed = Bitboard::EMPTY;
        next
    }

    #[inline(always)]
    fn toggle<C: Side>(&mut self, role: Role, square: Square) {
        let bit = Bitboard::of(square);
        self.board.by_role[role.index()] ^= bit;
        self.board.by_color[C::US.index()] ^= bit;
        self.key ^= zobrist::wide_piece(C::US, role, square);
    }

    /// Takes what the enemy has on a square, if anything.
    #[inline(always)]
    fn take<C: Side>(&mut self, square: Square) {
        if !self.board.own::<C::Them>().contains(square) {
            return;
        }
        for role in [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            if self.board.role(role).contains(square) {
                self.toggle::<C::Them>(role, square);
                return;
            }
        }
    }

    #[inline(always)]
    fn drop_castling(&mut self, squares: Bitboard) {
        let lost = self.board.castling & squares;
        if lost.any() {
            self.board.castling -= lost;
            self.key ^= zobrist::wide_castling(lost);
        }
    }

    /// The node after a move. Where only its key is wanted, the compiler leaves the board out.
    #[inline(always)]
    pub(super) fn after<C: Side>(&self, step: Step) -> Node {
        match step {
            Step::Piece(role, from, to) => self.piece::<C>(role, from, to),
            Step::Pawn(from, to) => self.pawn::<C>(from, to),
            Step::Promotion(from, to, role) => self.promotion::<C>(from, to, role),
            Step::EnPassant(from, to) => self.en_passant::<C>(from, to),
            Step::Castling(king, rook) => self.castling::<C>(king, rook),
        }
    }

    /// A piece other than a pawn moves, or takes.
    #[inline(always)]
    pub(super) fn piece<C: Side>(&self, role: Role, from: Square, to: Square) -> Node {
        let mut next = self.turned();
        next.take::<C>(to);
        next.toggle::<C>(role, from);
        next.toggle::<C>(role, to);
        let lost = Bitboard::of(from) | Bitboard::of(to);
        let home = rank::<C>(Rank::First);
        next.drop_castling(if role == Role::King { lost | home } else { lost });
        next
    }

    /// A pawn moves, or takes, without promoting.
    #[inline(always)]
    pub(super) fn pawn<C: Side>(&self, from: Square, to: Square) -> Node {
        let mut next = self.turned();
        next.take::<C>(to);
        next.toggle::<C>(Role::Pawn, from);
        next.toggle::<C>(Role::Pawn, to);
        next.drop_castling(Bitboard::of(to));
        if from.index().abs_diff(to.index()) == 16 {
            let passed = ahead::<C>(Bitboard::of(from));
            let takers = attacks::pawn(C::US, passed.lowest());
            if (takers & next.board.pieces::<C::Them>(Role::Pawn)).any() {
                next.board.passed = passed;
                next.key ^= zobrist::wide_passed(passed);
            }
        }
        next
    }

    /// A pawn promotes, with or without taking.
    #[inline(always)]
    pub(super) fn promotion<C: Side>(&self, from: Square, to: Square, role: Role) -> Node {
        let mut next = self.turned();
        next.take::<C>(to);
        next.toggle::<C>(Role::Pawn, from);
        next.toggle::<C>(role, to);
        next.drop_castling(Bitboard::of(to));
        next
    }

    /// A pawn takes another in passing.
    #[inline(always)]
    pub(super) fn en_passant<C: Side>(&self, from: Square, to: Square) -> Node {
        let mut next = self.turned();
        next.toggle::<C::Them>(Role::Pawn, Square::new(to.file(), from.rank()));
        next.toggle::<C>(Role::Pawn, from);
        next.toggle::<C>(Role::Pawn, to);
        next
    }

    /// The king castles with a rook.
    #[inline(always)]
    pub(super) fn castling<C: Side>(&self, king: Square, rook: Square) -> Node {
        let mut next = self.turned();
        let (king_to, rook_to) = castling_targets(king, rook);
        next.toggle::<C>(Role::King, king);
        next.toggle::<C>(Role::Rook, rook);
        next.toggle::<C>(Role::King, king_to);
        next.toggle::<C>(Role::Rook, rook_to);
        next.drop_castling(rank::<C>(Rank::First));
        next
    }
}
