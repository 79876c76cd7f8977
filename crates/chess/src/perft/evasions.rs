//! The answers to a check, counted from the squares where they can end: these are few, whatever the
//! pieces.

use super::walk::Machine;
use crate::board::{Board, Side, ahead, rank};
use crate::movegen::Limits;
use crate::{Bitboard, Rank, Role, attacks};

/// The number of legal moves of a side in check that cannot take in passing.
#[inline(always)]
pub(super) fn count<C: Side, M: Machine>(board: &Board, limits: &Limits) -> u64 {
    let king = Bitboard::of(limits.king);
    let occupied = limits.occupied;
    let mut count = 0;
    for to in attacks::king(limits.king) - limits.own {
        let seen = board.attackers::<C::Them, M>(to, occupied ^ king);
        count += u32::from(seen.is_empty());
    }
    if limits.checkers.many() {
        return u64::from(count);
    }
    let free = limits.own - king - limits.straight_pins - limits.diagonal_pins;
    let pawns = free & board.role(Role::Pawn);
    let last = rank::<C>(Rank::Eighth);
    let checker = limits.checkers.lowest();
    let takers = board.attackers::<C, M>(checker, occupied) & free;
    count += takers.count();
    if last.contains(checker) {
        count += 3 * (takers & pawns).count();
    }
    let between = limits.answers - limits.checkers;
    for to in between {
        count += (board.attackers::<C, M>(to, occupied) & (free - pawns)).count();
    }
    let single = ahead::<C>(pawns) - occupied;
    let double = ahead::<C>(single & rank::<C>(Rank::Third)) - occupied;
    count += ((single | double) & between).count() + 3 * (single & between & last).count();
    u64::from(count)
}
