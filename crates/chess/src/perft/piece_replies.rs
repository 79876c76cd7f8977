//! The replies of the enemy's pieces and pawns that are not pinned, and how our landing on a square
//! changes their number.
//!
//! "Own" is the side to move, "enemy" the side that replies.

use crate::board::{Board, Side, ahead, bishop, rank, rook};
use crate::sliders::Sliders;
use crate::{Bitboard, Rank, Role, Square, attacks};

pub(super) struct PieceReplies {
    /// Replies of pieces; those of pawns and king are counted apart.
    pub(super) count: i32,
    /// How the count changes when we land on a square.
    pub(super) landing_change: [i8; 64],
    /// The squares where `landing_change` may not be zero.
    pub(super) changes_at: Bitboard,
    /// The sliders, by the way they move, and the squares they attack.
    pub(super) diagonal: Bitboard,
    pub(super) orthogonal: Bitboard,
    pub(super) slider_attacks: Bitboard,
    pub(super) pawns: PawnReplies,
}

impl PieceReplies {
    pub(super) const NONE: PieceReplies = PieceReplies {
        count: 0,
        landing_change: [0; 64],
        changes_at: Bitboard::EMPTY,
        diagonal: Bitboard::EMPTY,
        orthogonal: Bitboard::EMPTY,
        slider_attacks: Bitboard::EMPTY,
        pawns: PawnReplies::NONE,
    };

    /// Counts, in place, the replies of everything off the pin lines. `reach` holds at least the
    /// squares where we can land: changes are worked out only there.
    #[inline(always)]
    pub(super) fn compute<C: Side, S: Sliders>(
        &mut self,
        board: &Board,
        pin_lines: Bitboard,
        reach: Bitboard,
    ) {
        let (own, enemy) = (board.own::<C>(), board.own::<C::Them>());
        let occupied = own | enemy;
        for square in board.pieces::<C::Them>(Role::Knight) - pin_lines {
            self.piece(square, attacks::knight(square), enemy, reach);
        }
        self.diagonal = board.diagonal::<C::Them>() - pin_lines;
        for square in self.diagonal {
            self.slider(square, bishop::<S>(square, occupied), enemy, reach - occupied, reach);
        }
        self.orthogonal = board.orthogonal::<C::Them>() - pin_lines;
        for square in self.orthogonal {
            self.slider(square, rook::<S>(square, occupied), enemy, reach - occupied, reach);
        }
        self.changes_at |= enemy;
        let pawns = board.pieces::<C::Them>(Role::Pawn);
        self.pawns = PawnReplies::new::<C>(pawns - pin_lines, own, occupied);
    }

    /// A piece's moves; it recaptures what it guards; captured, it has no moves.
    #[inline(always)]
    fn piece(&mut self, square: Square, attacked: Bitboard, enemy: Bitboard, reach: Bitboard) {
        let moves = (attacked - enemy).count() as i32;
        self.count += moves;
        self.landing_change[square.index()] -= moves as i8;
        for guarded in attacked & enemy & reach {
            self.landing_change[guarded.index()] += 1;
        }
    }

    #[inline(always)]
    fn slider(
        &mut self,
        square: Square,
        attacked: Bitboard,
        enemy: Bitboard,
        free: Bitboard,
        reach: Bitboard,
    ) {
        self.piece(square, attacked, enemy, reach);
        self.slider_attacks |= attacked;
        let targets = attacked - enemy;
        for block in attacked & free {
            let hidden = (targets & attacks::shadow(square, block)).count();
            self.landing_change[block.index()] -= hidden as i8;
        }
        self.changes_at |= attacked;
    }
}

/// The replies of the enemy's pawns that are not pinned.
pub(super) struct PawnReplies {
    pub(super) pawns: Bitboard,
    pub(super) count: i32,
    single: Bitboard,
    /// The single steps of pawns that have a double step.
    first: Bitboard,
    double: Bitboard,
    east: Bitboard,
    west: Bitboard,
    own: Bitboard,
    occupied: Bitboard,
    /// Squares of ours that, vacated, change the count.
    pub(super) leaving_matters: Bitboard,
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
        leaving_matters: Bitboard::EMPTY,
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
            leaving_matters: front | ahead::<C::Them>(front & third) | east | west,
        }
    }

    /// The replies that end on one of some squares.
    #[inline(always)]
    pub(super) fn within(&self, squares: Bitboard) -> u32 {
        let moves = self.single | self.double | ((self.east | self.west) & self.own);
        (moves & squares).count()
    }

    /// How the pawns' replies change, summed over a set of landings.
    #[inline(always)]
    pub(super) fn landing_change<C: Side>(&self, targets: Bitboard) -> i64 {
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
        // A captured pawn has no replies.
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
