//! Where the enemy king can go, and which of our moves take that away or give it.

use super::answers::Enemy;
use super::walk::Machine;
use crate::board::{Board, Side, bishop, rook};
use crate::{Bitboard, Role, Square, attacks};

/// An answer of the enemy king.
#[derive(Clone, Copy)]
pub(super) struct Chance {
    /// The one piece of ours that must leave for it, if it must.
    pub(super) guard: Bitboard,
    /// The squares where landing takes it away, by kind of piece.
    pub(super) taken_by: ByRole,
}

/// A set of squares for each kind of piece.
pub(super) type ByRole = [Bitboard; 6];

/// The sets of all kinds, given those that are not made of others.
#[inline(always)]
pub(super) fn by_role(
    pawn: Bitboard,
    knight: Bitboard,
    diagonal: Bitboard,
    straight: Bitboard,
    king: Bitboard,
) -> ByRole {
    [pawn, knight, diagonal, straight, diagonal | straight, king]
}

/// The squares from which pieces of a side see a square.
#[inline(always)]
fn sees<C: Side, M: Machine>(square: Square, occupied: Bitboard) -> ByRole {
    by_role(
        attacks::pawn(C::Them::US, square),
        attacks::knight(square),
        bishop::<M>(square, occupied),
        rook::<M>(square, occupied),
        attacks::king(square),
    )
}

/// The pieces of a side that see a square, given from where they would.
#[inline(always)]
fn seers<C: Side>(board: &Board, [pawn, knight, diagonal, straight, _, king]: ByRole) -> Bitboard {
    (pawn & board.pieces::<C>(Role::Pawn))
        | (knight & board.pieces::<C>(Role::Knight))
        | (king & board.pieces::<C>(Role::King))
        | (diagonal & board.diagonal::<C>())
        | (straight & board.straight::<C>())
}

/// The answers of the enemy king: those that it has, and those that a guard's leaving gives it.
pub(super) struct Chances {
    open: [ByRole; MOST],
    open_count: usize,
    guarded: [Chance; MOST],
    guarded_count: usize,
    /// All guards.
    pub(super) guards: Bitboard,
    /// Our pieces whose leaving uncovers a square, and the squares where landing covers one.
    pub(super) uncover: Bitboard,
    pub(super) cover: Bitboard,
}

/// A king with more room is not looked at here.
const MOST: usize = 5;

impl Chances {
    pub(super) const NONE: Chances = Chances {
        open: [[Bitboard::EMPTY; 6]; MOST],
        open_count: 0,
        guarded: [Chance { guard: Bitboard::EMPTY, taken_by: [Bitboard::EMPTY; 6] }; MOST],
        guarded_count: 0,
        guards: Bitboard::EMPTY,
        uncover: Bitboard::EMPTY,
        cover: Bitboard::EMPTY,
    };

    /// Works out all chances, or nothing where there are too many, or they are too involved.
    #[inline(always)]
    pub(super) fn work_out<C: Side, M: Machine>(
        &mut self,
        board: &Board,
        enemy: &Enemy,
        occupied: Bitboard,
    ) -> Option<()> {
        (self.open_count, self.guarded_count) = (0, 0);
        self.guards = Bitboard::EMPTY;
        self.uncover = Bitboard::EMPTY;
        self.cover = Bitboard::EMPTY;
        for square in enemy.room {
            let sees = sees::<C, M>(square, occupied);
            let seers = seers::<C>(board, sees);
            if seers.is_empty() {
                self.uncover |= uncovering::<C, M>(board, square, occupied, sees);
                self.open(sees)?;
            } else {
                self.guarded::<C, M>(board, square, occupied, sees, seers)?;
            }
        }
        for castle in enemy.castles() {
            // A piece of ours is in the way, and may go.
            if (castle.empty & occupied).any() {
                return None;
            }
            let mut taken_by = [castle.empty; 6];
            for square in castle.path {
                let sees = sees::<C, M>(square, occupied);
                if seers::<C>(board, sees).any() {
                    return None;
                }
                self.uncover |= uncovering::<C, M>(board, square, occupied, sees);
                for (set, sees) in taken_by.iter_mut().zip(sees) {
                    *set |= sees;
                }
            }
            self.open(taken_by)?;
        }
        Some(())
    }

    /// A square that we see.
    #[inline(always)]
    fn guarded<C: Side, M: Machine>(
        &mut self,
        board: &Board,
        square: Square,
        occupied: Bitboard,
        sees: ByRole,
        seers: Bitboard,
    ) -> Option<()> {
        let sliders = board.diagonal::<C>() | board.straight::<C>();
        if seers.count() <= 2 {
            // With three that see it, no single move takes all away.
            for slider in seers & sliders {
                self.cover |= attacks::between(slider, square);
            }
        }
        if seers.many() {
            return Some(());
        }
        let behind = uncovering::<C, M>(board, square, occupied, sees);
        if (behind & seers).any() {
            return None;
        }
        self.guards |= seers;
        let taken_by = self::sees::<C, M>(square, occupied ^ seers);
        let without = Chance { guard: seers, taken_by };
        *self.guarded.get_mut(self.guarded_count)? = without;
        self.guarded_count += 1;
        Some(())
    }

    #[inline(always)]
    fn open(&mut self, taken_by: ByRole) -> Option<()> {
        *self.open.get_mut(self.open_count)? = taken_by;
        self.open_count += 1;
        Some(())
    }

    /// The squares where landing takes away each of those that the king has.
    #[inline(always)]
    pub(super) fn now(&self) -> &[ByRole] {
        &self.open[..self.open_count.min(MOST)]
    }

    /// Those that a guard's leaving gives it.
    #[inline(always)]
    pub(super) fn later(&self) -> &[Chance] {
        &self.guarded[..self.guarded_count.min(MOST)]
    }
}

/// Our pieces behind which a slider of ours would see a square.
#[inline(always)]
fn uncovering<C: Side, M: Machine>(
    board: &Board,
    square: Square,
    occupied: Bitboard,
    [_, _, diagonal, straight, ..]: ByRole,
) -> Bitboard {
    let own = board.own::<C>();
    let mut uncovering = Bitboard::EMPTY;
    let diagonal = bishop::<M>(square, occupied ^ (diagonal & own)) - diagonal;
    for slider in diagonal & board.diagonal::<C>() {
        uncovering |= attacks::between(square, slider) & own;
    }
    let straight = rook::<M>(square, occupied ^ (straight & own)) - straight;
    for slider in straight & board.straight::<C>() {
        uncovering |= attacks::between(square, slider) & own;
    }
    uncovering
}
