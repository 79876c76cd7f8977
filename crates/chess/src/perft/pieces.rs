//! The replies of the enemy's pieces and pawns that are not pinned, and how our landing on a square
//! changes their number.

use super::answers::Numbers;
use super::walk::Machine;
use crate::board::{Board, Side, ahead, bishop, rank, rook};
use crate::{Bitboard, Rank, Role, Square, attacks};

pub(super) struct PieceReplies {
    /// Replies of pieces; those of pawns and king are counted apart.
    pub(super) count: i32,
    /// How the count changes when we land on a square.
    pub(super) change: [i8; 64],
    /// The squares where `change` is not zero.
    pub(super) matters: Bitboard,
    /// The sliders, by the way they move, and the squares they see.
    pub(super) diagonal: Bitboard,
    pub(super) straight: Bitboard,
    pub(super) sliders_see: Bitboard,
    pub(super) pawns: PawnReplies,
}

impl PieceReplies {
    pub(super) const NONE: PieceReplies = PieceReplies {
        count: 0,
        change: [0; 64],
        matters: Bitboard::EMPTY,
        diagonal: Bitboard::EMPTY,
        straight: Bitboard::EMPTY,
        sliders_see: Bitboard::EMPTY,
        pawns: PawnReplies::NONE,
    };

    /// Works out, in place, the replies of all that is not bound by a pin. `reach` holds at least
    /// the squares where we can land: only there the changes are worked out.
    #[inline(always)]
    pub(super) fn work_out<C: Side, M: Machine>(
        &mut self,
        board: &Board,
        bound: Bitboard,
        reach: Bitboard,
    ) {
        let (own, enemy) = (board.own::<C>(), board.own::<C::Them>());
        let occupied = own | enemy;
        for square in board.pieces::<C::Them>(Role::Knight) - bound {
            self.piece(square, attacks::knight(square), enemy, reach);
        }
        self.diagonal = board.diagonal::<C::Them>() - bound;
        for square in self.diagonal {
            self.slider(square, bishop::<M>(square, occupied), enemy, reach - occupied, reach);
        }
        self.straight = board.straight::<C::Them>() - bound;
        for square in self.straight {
            self.slider(square, rook::<M>(square, occupied), enemy, reach - occupied, reach);
        }
        self.matters |= enemy;
        let pawns = board.pieces::<C::Them>(Role::Pawn);
        self.pawns = PawnReplies::new::<C>(pawns - bound, own, occupied);
    }

    /// A piece's moves; what it guards, it can take back; taken, it has no moves.
    #[inline(always)]
    fn piece(&mut self, square: Square, seen: Bitboard, enemy: Bitboard, reach: Bitboard) {
        let moves = (seen - enemy).count() as i32;
        self.count += moves;
        self.change[square.index()] -= moves as i8;
        for guarded in seen & enemy & reach {
            self.change[guarded.index()] += 1;
        }
    }

    #[inline(always)]
    fn slider(
        &mut self,
        square: Square,
        seen: Bitboard,
        enemy: Bitboard,
        free: Bitboard,
        reach: Bitboard,
    ) {
        self.piece(square, seen, enemy, reach);
        self.sliders_see |= seen;
        let targets = seen - enemy;
        for block in seen & free {
            let hidden = (targets & attacks::shadow(square, block)).count();
            self.change[block.index()] -= hidden as i8;
        }
        self.matters |= seen;
    }
}

/// The replies of the enemy's pawns that are not pinned.
pub(super) struct PawnReplies {
    pub(super) pawns: Bitboard,
    pub(super) count: i32,
    single: Bitboard,
    /// Single steps that a double step goes on from.
    first: Bitboard,
    double: Bitboard,
    east: Bitboard,
    west: Bitboard,
    own: Bitboard,
    occupied: Bitboard,
    /// Squares whose being left by us changes the count.
    pub(super) zone: Bitboard,
}

impl PawnReplies {
    const NONE: PawnReplies = PawnReplies {
        pawns: Bitboard::EMPTY,
        count: 0,
        single: Bitboard::EMPTY,
        first: Bitboard::EMPTY,
        double: Bitboard::EMPTY,
        east: Bitboard::EMPTY,
        west: Bitboard::EMPTY,
        own: Bitboard::EMPTY,
        occupied: Bitboard::EMPTY,
        zone: Bitboard::EMPTY,
    };

    #[inline(always)]
    pub(super) fn new<C: Side>(pawns: Bitboard, own: Bitboard, occupied: Bitboard) -> PawnReplies {
        let front = ahead::<C::Them>(pawns);
        let single = front - occupied;
        let third = rank::<C::Them>(Rank::Third);
        let double = ahead::<C::Them>(single & third) - occupied;
        let first = ahead::<C>(double);
        let (east, west) = (front.east(), front.west());
        let last = rank::<C::Them>(Rank::Eighth);
        let mut count =
            single.count() + double.count() + (east & own).count() + (west & own).count();
        if (front & last).any() {
            count += 3 * promotions(single, east & own, west & own, last);
        }
        PawnReplies {
            pawns,
            count: count as i32,
            single,
            first,
            double,
            east,
            west,
            own,
            occupied,
            zone: front | ahead::<C::Them>(front & third) | east | west,
        }
    }

    /// The replies that stay on some squares.
    #[inline(always)]
    pub(super) fn within(&self, squares: Bitboard) -> u32 {
        let moves = self.single | self.double | ((self.east | self.west) & self.own);
        (moves & squares).count()
    }

    /// Adds what landing on each square changes of the pawns' replies.
    #[inline(always)]
    pub(super) fn add_changes<C: Side>(&self, gains: &mut Numbers, losses: &mut Numbers) {
        let (east_taken, west_taken) = (self.east & self.own, self.west & self.own);
        let mut add = |set: Bitboard| {
            gains.add(self.east & set);
            gains.add(self.west & set);
            // A pawn that is taken has no replies.
            losses.add((self.single & set) | ahead::<C>(self.single & set));
            losses.add(ahead::<C>((east_taken & set).west()));
            losses.add(ahead::<C>((west_taken & set).east()));
        };
        add(Bitboard::FULL);
        let last = rank::<C::Them>(Rank::Eighth);
        if ((self.single | self.east | self.west) & last).any() {
            // A promotion counts four times.
            for _ in 0..3 {
                add(last);
            }
        }
        losses.add(self.first | self.double | ahead::<C>(self.first));
    }

    /// How the pawns' replies change, over all of a set of landings together.
    #[inline(always)]
    pub(super) fn change<C: Side>(&self, targets: Bitboard) -> i64 {
        let last = rank::<C::Them>(Rank::Eighth);
        let gained = (targets & self.east).count() + (targets & self.west).count();
        let lost = (targets & self.single).count()
            + (targets & self.first).count()
            + (targets & self.double).count();
        let mut change = i64::from(gained) - i64::from(lost);
        if (targets & last).any() {
            change += 3 * i64::from((targets & last & self.east).count());
            change += 3 * i64::from((targets & last & self.west).count());
            change -= 3 * i64::from((targets & last & self.single).count());
        }
        // A pawn that is taken has no replies.
        for pawn in targets & self.pawns {
            let alone = PawnReplies::new::<C>(Bitboard::of(pawn), self.own, self.occupied);
            change -= i64::from(alone.count);
        }
        change
    }
}

#[inline(always)]
fn promotions(single: Bitboard, east: Bitboard, west: Bitboard, last: Bitboard) -> u32 {
    (single & last).count() + (east & last).count() + (west & last).count()
}
