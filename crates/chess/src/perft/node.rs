//! A node of the tree: the board with its key, and the nodes that legal moves lead to.

use crate::board::{Black, Board, Side, White, ahead, rank};
use crate::make::castling_targets;
use crate::movegen::{self, GenKind, Visitor, pawn_origin};
use crate::sliders::{Magic, Sliders};
use crate::{Bitboard, Color, Move, Position, Rank, Role, Square, attacks, zobrist};
use std::marker::PhantomData;

/// A board with a key of 128 bits, wide enough that a table may trust it.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) board: Board,
    pub(super) key: u128,
}

/// A move with its kind, which the generator knows and the board need not be asked for.
#[derive(Clone, Copy)]
pub(super) enum TypedMove {
    Piece(Role, Square, Square),
    Pawn(Square, Square),
    Promotion(Square, Square, Role),
    EnPassant(Square, Square),
    Castling(Square, Square),
}

impl TypedMove {
    pub(super) fn untyped(self) -> Move {
        match self {
            TypedMove::Piece(_, from, to) | TypedMove::Pawn(from, to) => Move::normal(from, to),
            TypedMove::Promotion(from, to, role) => Move::promoting(from, to, role),
            TypedMove::EnPassant(from, to) => Move::en_passant(from, to),
            TypedMove::Castling(king, rook) => Move::castling(king, rook),
        }
    }
}

impl Node {
    pub(super) fn new(position: &Position) -> Node {
        let board = position.board();
        let mut key =
            zobrist::wide_castling(board.castling) ^ zobrist::wide_ep_square(board.ep_square);
        for square in position.occupied() {
            if let Some(piece) = position.piece_at(square) {
                key ^= zobrist::wide_piece(piece.color, piece.role, square);
            }
        }
        if position.side == Color::Black {
            key ^= zobrist::wide_side();
        }
        Node { board, key }
    }

    /// The node with the other side to move and nothing moved yet.
    #[inline(always)]
    pub(super) fn turned(&self) -> Node {
        let mut next = *self;
        next.key ^= zobrist::wide_side() ^ zobrist::wide_ep_square(self.board.ep_square);
        next.board.ep_square = Bitboard::EMPTY;
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
    pub(super) fn after<C: Side>(&self, mv: TypedMove) -> Node {
        match mv {
            TypedMove::Piece(role, from, to) => self.piece::<C>(role, from, to),
            TypedMove::Pawn(from, to) => self.pawn::<C>(from, to),
            TypedMove::Promotion(from, to, role) => self.promotion::<C>(from, to, role),
            TypedMove::EnPassant(from, to) => self.en_passant::<C>(from, to),
            TypedMove::Castling(king, rook) => self.castling::<C>(king, rook),
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
            let ep_square = ahead::<C>(Bitboard::of(from));
            let takers = attacks::pawn(C::US, ep_square.lowest());
            if (takers & next.board.pieces::<C::Them>(Role::Pawn)).any() {
                next.board.ep_square = ep_square;
                next.key ^= zobrist::wide_ep_square(ep_square);
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

    /// A pawn captures en passant.
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

/// The nodes after each legal move.
pub(super) fn children(node: &Node, side: Color) -> Vec<(Move, Node)> {
    let mut found = Vec::new();
    let collect = |mv: TypedMove, next: &Node| found.push((mv.untyped(), *next));
    match side {
        Color::White => for_each_child::<White, Magic>(node, GenKind::All, collect),
        Color::Black => for_each_child::<Black, Magic>(node, GenKind::All, collect),
    }
    found
}

/// Plays every legal move of a kind and hands on the node after it.
#[inline(always)]
pub(super) fn for_each_child<C: Side, S: Sliders>(
    node: &Node,
    kind: GenKind,
    enter: impl FnMut(TypedMove, &Node),
) {
    let mut player = Player::<C, _> { node, enter, side: PhantomData };
    movegen::visit::<C, S, _>(&node.board, kind, &mut player);
}

struct Player<'a, C, F> {
    node: &'a Node,
    enter: F,
    side: PhantomData<C>,
}

impl<C: Side, F: FnMut(TypedMove, &Node)> Player<'_, C, F> {
    #[inline(always)]
    fn play(&mut self, mv: TypedMove) {
        (self.enter)(mv, &self.node.after::<C>(mv));
    }
}

impl<C: Side, F: FnMut(TypedMove, &Node)> Visitor for Player<'_, C, F> {
    #[inline(always)]
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        for to in targets {
            self.play(TypedMove::Piece(role, from, to));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            self.play(TypedMove::Pawn(pawn_origin(to, step), to));
        }
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            for role in Role::PROMOTIONS {
                self.play(TypedMove::Promotion(pawn_origin(to, step), to, role));
            }
        }
    }

    #[inline(always)]
    fn en_passant(&mut self, from: Square, to: Square) {
        self.play(TypedMove::EnPassant(from, to));
    }

    #[inline(always)]
    fn castling(&mut self, king: Square, rook: Square) {
        self.play(TypedMove::Castling(king, rook));
    }
}
