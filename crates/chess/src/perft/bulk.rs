//! The last ply: legal moves counted in bulk, without playing them.

use super::kernel::{Kernel, Processor};
use crate::board::{Board, Side, ahead, rank};
use crate::movegen::{self, GenKind, Limits, Visitor};
use crate::{Bitboard, Rank, Role, Square, attacks};
use std::marker::PhantomData;

/// The number of legal moves of side `C`.
#[inline(always)]
pub(super) fn count_moves<C: Side, P: Processor>(board: &Board) -> u64 {
    P::run(CountMoves { board, side: PhantomData::<C> })
}

struct CountMoves<'a, C> {
    board: &'a Board,
    side: PhantomData<C>,
}

impl<C: Side> Kernel for CountMoves<'_, C> {
    type Output = u64;

    #[inline(always)]
    fn call<P: Processor>(self) -> u64 {
        let limits = Limits::new::<C, P>(self.board);
        if limits.checkers.any() && self.board.ep_square.is_empty() {
            return count_evasions::<C, P>(self.board, &limits);
        }
        let mut counter = Counter(0);
        movegen::visit_within::<C, P, _>(self.board, &limits, GenKind::All, &mut counter);
        u64::from(counter.0)
    }
}

/// The legal moves of a side in check that cannot capture en passant, counted from the squares
/// where they can end: there are few of these, whatever the pieces.
#[inline(always)]
fn count_evasions<C: Side, P: Processor>(board: &Board, limits: &Limits) -> u64 {
    let king = Bitboard::of(limits.king);
    let occupied = limits.occupied;
    let mut count = 0;
    for to in attacks::king(limits.king) - limits.own {
        let attackers = board.attackers::<C::Them, P>(to, occupied ^ king);
        count += u32::from(attackers.is_empty());
    }
    if limits.checkers.many() {
        return u64::from(count);
    }
    let free = limits.own - king - limits.orthogonal_pins - limits.diagonal_pins;
    let pawns = free & board.role(Role::Pawn);
    let last = rank::<C>(Rank::Eighth);
    let checker = limits.checkers.lowest();
    let takers = board.attackers::<C, P>(checker, occupied) & free;
    count += takers.count();
    if last.contains(checker) {
        count += 3 * (takers & pawns).count();
    }
    let between = limits.check_mask - limits.checkers;
    for to in between {
        count += (board.attackers::<C, P>(to, occupied) & (free - pawns)).count();
    }
    let single = ahead::<C>(pawns) - occupied;
    let double = ahead::<C>(single & rank::<C>(Rank::Third)) - occupied;
    count += ((single | double) & between).count() + 3 * (single & between & last).count();
    u64::from(count)
}

/// Adds up the sizes of the sets of targets.
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
