//! The legal moves of a position: listed, asked for one by one, or only for their existence.
//!
//! Each question is compiled twice, with hardware bit gathering and without, and the better one
//! that the processor can run is chosen at run time: one program is fast everywhere.

#![allow(unsafe_code, reason = "calls into code compiled for what the processor was asked for")]

use crate::board::{Black, Board, Side, White};
use crate::movegen::{self, GenKind, Limits, Visitor, pawn_origin};
use crate::sliders::{Magic, Sliders};
use crate::{Bitboard, Color, Move, MoveList, Position, Rank, Role, Square, attacks, board};

/// Compiles a function of the sliders for both kinds of processor and calls the right one.
macro_rules! by_processor {
    (fn $name:ident($($arg:ident: $type:ty),*) -> $result:ty = $generic:ident) => {
        #[inline]
        fn $name($($arg: $type),*) -> $result {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt")]
                fn with_pext($($arg: $type),*) -> $result {
                    $generic::<crate::sliders::Pext>($($arg),*)
                }
                if crate::sliders::pext_is_fast() {
                    // SAFETY: the processor has just been asked for these features.
                    return unsafe { with_pext($($arg),*) };
                }
            }
            $generic::<Magic>($($arg),*)
        }
    };
}

by_processor!(fn list(position: &Position, kind: GenKind, moves: &mut MoveList) -> () = list_with);
by_processor!(fn list_quiets_to(position: &Position, squares: Bitboard, moves: &mut MoveList) -> () = list_quiets_to_with);
by_processor!(fn any(position: &Position) -> bool = any_with);
by_processor!(fn allows(position: &Position, mv: Move) -> bool = allows_with);
by_processor!(fn attacked(position: &Position, color: Color, occupied: Bitboard) -> Bitboard = attacked_with);

#[inline(always)]
fn list_with<S: Sliders>(position: &Position, kind: GenKind, moves: &mut MoveList) {
    let board = position.board();
    match position.side {
        Color::White => movegen::visit::<White, S, _>(&board, kind, moves),
        Color::Black => movegen::visit::<Black, S, _>(&board, kind, moves),
    }
}

#[inline(always)]
fn list_quiets_to_with<S: Sliders>(position: &Position, squares: Bitboard, moves: &mut MoveList) {
    let board = position.board();
    match position.side {
        Color::White => movegen::visit_quiets_to::<White, S, _>(&board, squares, moves),
        Color::Black => movegen::visit_quiets_to::<Black, S, _>(&board, squares, moves),
    }
}

#[inline(always)]
fn any_with<S: Sliders>(position: &Position) -> bool {
    let mut any = Any(false);
    let board = position.board();
    match position.side {
        Color::White => movegen::visit::<White, S, _>(&board, GenKind::All, &mut any),
        Color::Black => movegen::visit::<Black, S, _>(&board, GenKind::All, &mut any),
    }
    any.0
}

#[inline(always)]
fn attacked_with<S: Sliders>(position: &Position, color: Color, occupied: Bitboard) -> Bitboard {
    let board = position.board();
    match color {
        Color::White => board.attacked_by::<White, S>(occupied),
        Color::Black => board.attacked_by::<Black, S>(occupied),
    }
}

#[inline(always)]
fn allows_with<S: Sliders>(position: &Position, mv: Move) -> bool {
    match position.side {
        Color::White => is_legal::<White, S>(position, mv),
        Color::Black => is_legal::<Black, S>(position, mv),
    }
}

#[inline(always)]
fn is_legal<C: Side, S: Sliders>(position: &Position, mv: Move) -> bool {
    let (from, to) = (mv.from(), mv.to());
    let board = position.board();
    let (own, occupied) = (board.own::<C>(), board.occupied());
    let Some(role) = position.role_at(from) else { return false };
    if !own.contains(from) {
        return false;
    }
    if mv.is_castling() {
        return role == Role::King
            && mv == Move::castling(from, to)
            && may_castle::<C, S>(&board, to);
    }
    if own.contains(to) {
        return false;
    }
    if mv.is_en_passant() {
        return role == Role::Pawn
            && mv == Move::en_passant(from, to)
            && position.en_passant() == Some(to)
            && attacks::pawn(C::US, from).contains(to)
            && board.en_passant_is_safe::<C, S>(from, to);
    }
    let promotes = role == Role::Pawn && board::rank::<C>(Rank::Eighth).contains(to);
    if promotes != mv.promotion().is_some() || (mv.is_normal() && mv != Move::normal(from, to)) {
        return false;
    }
    let attacked = match role {
        Role::Pawn => pawn_targets::<C>(from, occupied, occupied - own),
        Role::Knight => attacks::knight(from),
        Role::Bishop => board::bishop::<S>(from, occupied),
        Role::Rook => board::rook::<S>(from, occupied),
        Role::Queen => board::bishop::<S>(from, occupied) | board::rook::<S>(from, occupied),
        Role::King => attacks::king(from),
    };
    if !attacked.contains(to) {
        return false;
    }
    if role == Role::King {
        let without = occupied ^ Bitboard::of(from);
        return board.attackers::<C::Them, S>(to, without).is_empty();
    }
    Limits::new::<C, S>(&board).allow(from, to)
}

#[inline(always)]
fn pawn_targets<C: Side>(from: Square, occupied: Bitboard, enemy: Bitboard) -> Bitboard {
    let single = board::ahead::<C>(Bitboard::of(from)) - occupied;
    let double = board::ahead::<C>(single & board::rank::<C>(Rank::Third)) - occupied;
    single | double | (attacks::pawn(C::US, from) & enemy)
}

#[inline(always)]
fn may_castle<C: Side, S: Sliders>(board: &Board, rook: Square) -> bool {
    let limits = Limits::new::<C, S>(board);
    let home = board::rank::<C>(Rank::First);
    let attacked = board.attacked_by::<C::Them, S>(limits.occupied ^ Bitboard::of(limits.king));
    (board.castling & limits.own & home).contains(rook)
        && limits.checkers.is_empty()
        && movegen::may_castle(&limits, rook, attacked)
}

impl Position {
    /// What the generator reads.
    #[inline(always)]
    pub(crate) fn board(&self) -> Board {
        Board {
            by_role: self.by_role,
            by_color: self.by_color,
            castling: self.castling,
            ep_square: self.en_passant().map_or(Bitboard::EMPTY, Bitboard::of),
        }
    }

    /// Every legal move.
    pub fn legal_moves(&self) -> MoveList {
        self.generate(GenKind::All)
    }

    /// The legal moves of a kind.
    pub fn generate(&self, kind: GenKind) -> MoveList {
        let mut moves = MoveList::new();
        self.generate_into(kind, &mut moves);
        moves
    }

    /// Adds the legal moves of a kind to a list, for callers that care that a list is not
    /// copied.
    #[inline]
    pub fn generate_into(&self, kind: GenKind, moves: &mut MoveList) {
        list(self, kind, moves);
    }

    /// Adds the quiet moves of all pieces but the king that end on one of the given squares, in the
    /// order in which they come among all quiet moves.
    #[inline]
    pub fn quiets_to(&self, squares: Bitboard, moves: &mut MoveList) {
        list_quiets_to(self, squares, moves);
    }

    /// Whether there is any legal move; stops at the first.
    pub fn has_legal_move(&self) -> bool {
        any(self)
    }

    /// Whether a move from outside is legal here. Nothing is generated: the move is looked at
    /// alone, so that a search can ask this of every move it remembers.
    pub fn is_legal(&self, mv: Move) -> bool {
        allows(self, mv)
    }

    /// The squares a side attacks, on a board with the given occupation.
    pub fn attacked_by(&self, color: Color, occupied: Bitboard) -> Bitboard {
        attacked(self, color, occupied)
    }

    /// Whether some pawn of the side to move may legally take on the passed square.
    pub(crate) fn can_take_en_passant(&self, to: Square) -> bool {
        let board = self.board();
        let takers = attacks::pawn(!self.side, to) & self.pieces(self.side, Role::Pawn);
        takers.into_iter().any(|from| match self.side {
            Color::White => board.en_passant_is_safe::<White, Magic>(from, to),
            Color::Black => board.en_passant_is_safe::<Black, Magic>(from, to),
        })
    }
}

impl Visitor for MoveList {
    #[inline(always)]
    fn piece(&mut self, _: Role, from: Square, targets: Bitboard) {
        for to in targets {
            self.push(Move::normal(from, to));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            self.push(Move::normal(pawn_origin(to, step), to));
        }
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            for role in Role::PROMOTIONS {
                self.push(Move::promoting(pawn_origin(to, step), to, role));
            }
        }
    }

    #[inline(always)]
    fn en_passant(&mut self, from: Square, to: Square) {
        self.push(Move::en_passant(from, to));
    }

    #[inline(always)]
    fn castling(&mut self, king: Square, rook: Square) {
        self.push(Move::castling(king, rook));
    }
}

/// Finds out whether there is any move.
struct Any(bool);

impl Visitor for Any {
    #[inline(always)]
    fn piece(&mut self, _: Role, _: Square, targets: Bitboard) {
        self.0 |= targets.any();
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, _: i32) {
        self.0 |= targets.any();
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, _: i32) {
        self.0 |= targets.any();
    }

    #[inline(always)]
    fn en_passant(&mut self, _: Square, _: Square) {
        self.0 = true;
    }

    #[inline(always)]
    fn castling(&mut self, _: Square, _: Square) {
        self.0 = true;
    }

    #[inline(always)]
    fn is_done(&self) -> bool {
        self.0
    }
}
