//! The moves of a side as sets of squares, which stay the same after most moves of the enemy.

use super::answers::castling_paths;
use super::walk::Machine;
use crate::board::{Board, Side, ahead, bishop, rank, rook};
use crate::movegen::{Limits, PawnTargets};
use crate::{Bitboard, Rank, Role, Square, attacks};

/// Our moves, as far as they do not depend on the enemy's last one; the king's are left out.
pub(super) struct Movers {
    list: [Mover; MOST_MOVERS],
    count: usize,
    pub(super) pawns: PawnTargets,
    /// How many moves end on each square, as the bits of a number.
    pub(super) landings: [Bitboard; 4],
    /// The rooks that the king may castle with as far as our own pieces are concerned.
    pub(super) castling: Bitboard,
    /// The squares where an enemy piece that leaves or lands changes the pawns' moves.
    pub(super) pawn_zone: Bitboard,
}

#[derive(Clone, Copy)]
pub(super) struct Mover {
    pub(super) role: Role,
    pub(super) from: Square,
    pub(super) targets: Bitboard,
}

/// A side has no more pieces, the king apart.
const MOST_MOVERS: usize = 15;

impl Movers {
    pub(super) const NONE: Movers = Movers {
        list: [Mover { role: Role::Pawn, from: Square::from_index(0), targets: Bitboard::EMPTY };
            MOST_MOVERS],
        count: 0,
        pawns: PawnTargets {
            single: Bitboard::EMPTY,
            double: Bitboard::EMPTY,
            east: Bitboard::EMPTY,
            west: Bitboard::EMPTY,
        },
        landings: [Bitboard::EMPTY; 4],
        castling: Bitboard::EMPTY,
        pawn_zone: Bitboard::EMPTY,
    };

    /// The movers of a side that is not to move, if nothing is pinned.
    #[inline(always)]
    pub(super) fn waiting<C: Side, M: Machine>(&mut self, board: &Board) {
        let limits = unlimited::<C>(board);
        self.work_out::<C, M>(board, &limits);
    }

    #[inline(always)]
    pub(super) fn work_out<C: Side, M: Machine>(&mut self, board: &Board, limits: &Limits) {
        let occupied = limits.occupied;
        self.count = 0;
        self.landings = [Bitboard::EMPTY; 4];
        let front = ahead::<C>(board.pieces::<C>(Role::Pawn));
        let second = ahead::<C>(front & rank::<C>(Rank::Third));
        self.pawn_zone = front | second | front.east() | front.west();
        for from in board.pieces::<C>(Role::Knight) {
            self.push(limits, Role::Knight, from, attacks::knight(from));
        }
        for from in board.pieces::<C>(Role::Bishop) {
            self.push(limits, Role::Bishop, from, bishop::<M>(from, occupied));
        }
        for from in board.pieces::<C>(Role::Rook) {
            self.push(limits, Role::Rook, from, rook::<M>(from, occupied));
        }
        for from in board.pieces::<C>(Role::Queen) {
            let sees = bishop::<M>(from, occupied) | rook::<M>(from, occupied);
            self.push(limits, Role::Queen, from, sees);
        }
        self.castling = Bitboard::EMPTY;
        for rook in board.castling & limits.own & rank::<C>(Rank::First) {
            let (_, empty) = castling_paths(limits.king, rook);
            if (empty & limits.own).is_empty() {
                self.castling |= Bitboard::of(rook);
            }
        }
        self.pawns = PawnTargets::new::<C>(board, limits);
        let PawnTargets { single, double, east, west } = self.pawns;
        self.land(single | double);
        self.land(east);
        self.land(west);
    }

    #[inline(always)]
    fn push(&mut self, limits: &Limits, role: Role, from: Square, sees: Bitboard) {
        let mut targets = sees - limits.own;
        if (limits.straight_pins | limits.diagonal_pins).contains(from) {
            targets &= attacks::line(limits.king, from);
        }
        self.land(targets);
        if let Some(place) = self.list.get_mut(self.count) {
            *place = Mover { role, from, targets };
            self.count += usize::from(targets.any());
        }
    }

    #[inline(always)]
    fn land(&mut self, targets: Bitboard) {
        let mut carried = targets;
        for bit in &mut self.landings {
            let both = *bit & carried;
            *bit ^= carried;
            carried = both;
        }
    }

    #[inline(always)]
    pub(super) fn as_slice(&self) -> &[Mover] {
        &self.list[..self.count.min(MOST_MOVERS)]
    }
}

/// The limits of a side that is not in check and has no pinned pieces.
#[inline(always)]
pub(super) fn unlimited<C: Side>(board: &Board) -> Limits {
    Limits {
        king: board.king::<C>(),
        own: board.own::<C>(),
        enemy: board.own::<C::Them>(),
        occupied: board.occupied(),
        checkers: Bitboard::EMPTY,
        answers: Bitboard::FULL,
        straight_pins: Bitboard::EMPTY,
        diagonal_pins: Bitboard::EMPTY,
    }
}
