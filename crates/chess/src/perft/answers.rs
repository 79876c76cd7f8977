//! What decides how many answers the enemy has: its own pieces, and those of ours that stand on
//! their lines. Positions that share these share the answers, and what our landing changes.
//!
//! "We" are the side to move; the enemy answers.

use super::pieces::PawnReplies;
use super::replies::{Castle, Pins, moves_of_pinned};
use super::walk::Machine;
use crate::board::{Board, Side, ahead, bishop, rank, rook};
use crate::make::castling_targets;
use crate::{Bitboard, Rank, Role, Square, attacks};

/// The enemy's pieces: all, pawns, knights, and what moves like a bishop or like a rook.
pub(super) type Pieces = [Bitboard; 5];

#[inline(always)]
pub(super) fn pieces<C: Side>(board: &Board) -> Pieces {
    [
        board.own::<C>(),
        board.pieces::<C>(Role::Pawn),
        board.pieces::<C>(Role::Knight),
        board.diagonal::<C>(),
        board.straight::<C>(),
    ]
}

/// What the enemy's pieces decide alone.
#[derive(Clone, Copy)]
pub(super) struct Enemy {
    pub(super) king: Square,
    /// The lines of the king, through one of its own pieces.
    pub(super) king_diagonal: Bitboard,
    pub(super) king_straight: Bitboard,
    /// The squares around the king, and those of them without enemy pieces.
    pub(super) ring: Bitboard,
    pub(super) room: Bitboard,
    /// The rooks that may castle, and how.
    pub(super) castling_rooks: Bitboard,
    castles: [Castle; 2],
    castle_count: usize,
    /// Those rooks, and pawns about to promote: pinned, they are not counted here.
    pub(super) awkward: Bitboard,
    /// Where our pieces change the answers of the enemy's pieces and pawns.
    pub(super) zone: Bitboard,
}

impl Enemy {
    pub(super) const NONE: Enemy = Enemy {
        king: Square::from_index(0),
        king_diagonal: Bitboard::EMPTY,
        king_straight: Bitboard::EMPTY,
        ring: Bitboard::EMPTY,
        room: Bitboard::EMPTY,
        castling_rooks: Bitboard::EMPTY,
        castles: [Castle { empty: Bitboard::EMPTY, path: Bitboard::EMPTY }; 2],
        castle_count: 0,
        awkward: Bitboard::EMPTY,
        zone: Bitboard::EMPTY,
    };

    /// The side is the enemy.
    #[inline(always)]
    pub(super) fn new<C: Side, M: Machine>(board: &Board) -> Enemy {
        let own = board.own::<C>();
        let king = board.king::<C>();
        let ring = attacks::king(king);
        let mut enemy = Enemy {
            king,
            king_diagonal: bishop::<M>(king, own ^ (bishop::<M>(king, own) & own)),
            king_straight: rook::<M>(king, own ^ (rook::<M>(king, own) & own)),
            ring,
            room: ring - own,
            castling_rooks: board.castling & own & rank::<C>(Rank::First),
            zone: zone::<C, M>(board),
            ..Enemy::NONE
        };
        let promoting = board.pieces::<C>(Role::Pawn) & rank::<C>(Rank::Seventh);
        enemy.awkward = enemy.castling_rooks | promoting;
        for rook in enemy.castling_rooks {
            let (path, empty) = castling_paths(king, rook);
            if (empty & own).is_empty()
                && let Some(castle) = enemy.castles.get_mut(enemy.castle_count)
            {
                *castle = Castle { empty, path };
                enemy.castle_count += 1;
            }
        }
        enemy
    }

    /// The castlings that no piece of the enemy's own is in the way of.
    #[inline(always)]
    pub(super) fn castles(&self) -> &[Castle] {
        &self.castles[..self.castle_count.min(2)]
    }
}

/// The squares that a castling king crosses, and those that must be empty.
#[inline(always)]
pub(super) fn castling_paths(king: Square, rook: Square) -> (Bitboard, Bitboard) {
    let (king_to, rook_to) = castling_targets(king, rook);
    let path = attacks::between(king, king_to) | Bitboard::of(king_to);
    let rook_path = attacks::between(rook, rook_to) | Bitboard::of(rook_to);
    let empty = (path | rook_path) - Bitboard::of(king) - Bitboard::of(rook);
    (path - Bitboard::of(king), empty)
}

/// The squares where pieces of the other side change the moves of a side's pieces and pawns.
#[inline(always)]
pub(super) fn zone<C: Side, M: Machine>(board: &Board) -> Bitboard {
    let own = board.own::<C>();
    let front = ahead::<C>(board.pieces::<C>(Role::Pawn));
    let mut zone = front | ahead::<C>(front & rank::<C>(Rank::Third)) | front.east() | front.west();
    for square in board.diagonal::<C>() {
        zone |= bishop::<M>(square, own);
    }
    for square in board.straight::<C>() {
        zone |= rook::<M>(square, own);
    }
    zone - own
}

/// What the enemy's pieces decide together with ours in their zone and the lines of pins.
#[derive(Clone, Copy)]
pub(super) struct Answers {
    /// The answers of all but the king, if we pass; nothing where a change is too large to keep.
    count: Option<i32>,
    /// How landing on a square changes them: the bits of a signed number for each.
    change: [Bitboard; CHANGE_BITS],
    /// The squares that change them when one of ours leaves.
    pub(super) leaving: Bitboard,
    /// The squares that the enemy sees, and those that it would see if one of ours gave way.
    pub(super) seen: Bitboard,
    pub(super) through: Bitboard,
}

const CHANGE_BITS: usize = 6;

impl Answers {
    pub(super) const NONE: Answers = Answers {
        count: None,
        change: [Bitboard::EMPTY; CHANGE_BITS],
        leaving: Bitboard::EMPTY,
        seen: Bitboard::EMPTY,
        through: Bitboard::EMPTY,
    };

    /// Works out, in place, the answers, given our pieces in the zone and the lines of pins. The
    /// side is ours.
    #[inline(always)]
    pub(super) fn work_out<C: Side, M: Machine>(
        &mut self,
        board: &Board,
        own: Bitboard,
        bound: Bitboard,
    ) {
        let enemy = board.own::<C::Them>();
        let occupied = own | enemy;
        let king = board.king::<C::Them>();
        let mut sums = Changes { gains: Numbers::ZERO, losses: Numbers::ZERO, count: 0, enemy };
        let front = ahead::<C::Them>(board.pieces::<C::Them>(Role::Pawn));
        let mut seen = front.east() | front.west() | attacks::king(king);
        for square in board.pieces::<C::Them>(Role::Knight) {
            let sees = attacks::knight(square);
            seen |= sees;
            if !bound.contains(square) {
                sums.piece(square, sees);
            }
        }
        let (diagonal, straight) = (board.diagonal::<C::Them>(), board.straight::<C::Them>());
        let mut through = Bitboard::EMPTY;
        let mut sliders_see = Bitboard::EMPTY;
        for square in diagonal | straight {
            let mut sees = Bitboard::EMPTY;
            if diagonal.contains(square) {
                let along = bishop::<M>(square, occupied);
                sees |= along;
                through |= bishop::<M>(square, occupied ^ (along & own));
            }
            if straight.contains(square) {
                let along = rook::<M>(square, occupied);
                sees |= along;
                through |= rook::<M>(square, occupied ^ (along & own));
            }
            seen |= sees;
            if !bound.contains(square) {
                sliders_see |= sees;
                sums.piece(square, sees);
                // Landing nearer hides what is behind.
                for target in sees - enemy - attacks::king(square) {
                    sums.losses.add(attacks::between(square, target));
                }
            }
        }
        let pawns =
            PawnReplies::new::<C>(board.pieces::<C::Them>(Role::Pawn) - bound, own, occupied);
        pawns.add_changes::<C>(&mut sums.gains, &mut sums.losses);
        let mut count = sums.count + pawns.count;
        if bound.any() {
            let mut board = *board;
            board.by_color[C::US.index()] = own;
            let diagonal = bound & bishop::<M>(king, Bitboard::EMPTY);
            let straight = bound & rook::<M>(king, Bitboard::EMPTY);
            count += moves_of_pinned::<C, M>(&board, &Pins { straight, diagonal });
        }
        let (change, known) = sums.gains.less(&sums.losses);
        self.count = known.then_some(count);
        self.change = change;
        self.leaving = sliders_see | pawns.zone;
        self.seen = seen;
        self.through = through | seen;
    }

    /// Whether the changes could be kept.
    #[inline(always)]
    pub(super) fn are_known(&self) -> bool {
        self.count.is_some()
    }

    /// The answers after landing on each of a set of squares, and `more` after each.
    #[inline(always)]
    pub(super) fn after(&self, targets: Bitboard, more: i32) -> i32 {
        let mut sum = targets.count() as i32 * (self.count.unwrap_or(0) + more);
        for (bit, &plane) in self.change.iter().enumerate() {
            let bits = ((targets & plane).count() as i32) << bit;
            sum += if bit == CHANGE_BITS - 1 { -bits } else { bits };
        }
        sum
    }
}

/// How landing on a square changes the answers of pieces.
struct Changes {
    gains: Numbers,
    losses: Numbers,
    count: i32,
    enemy: Bitboard,
}

impl Changes {
    /// A piece's moves; what it guards, it can take back; taken, it has no moves.
    #[inline(always)]
    fn piece(&mut self, square: Square, sees: Bitboard) {
        let moves = (sees - self.enemy).count();
        self.count += moves as i32;
        self.gains.add(sees & self.enemy);
        self.losses.put(square, moves);
    }
}

/// A small number for each square, as sets of squares: one for each bit.
pub(super) struct Numbers {
    bits: [Bitboard; CHANGE_BITS - 1],
    /// Where the number has become too large.
    beyond: Bitboard,
}

impl Numbers {
    const ZERO: Numbers =
        Numbers { bits: [Bitboard::EMPTY; CHANGE_BITS - 1], beyond: Bitboard::EMPTY };

    /// One more on each square of a set.
    #[inline(always)]
    pub(super) fn add(&mut self, set: Bitboard) {
        let mut carried = set;
        let (low, high) = self.bits.split_at_mut(3);
        for bit in low {
            (*bit, carried) = (*bit ^ carried, *bit & carried);
        }
        // Numbers above seven are rare.
        if carried.any() {
            for bit in high {
                (*bit, carried) = (*bit ^ carried, *bit & carried);
            }
            self.beyond |= carried;
        }
    }

    /// The number of a square that had none.
    #[inline(always)]
    fn put(&mut self, square: Square, number: u32) {
        for (bit, set) in self.bits.iter_mut().enumerate() {
            set.0 |= u64::from(number >> bit & 1) << square.index();
        }
    }

    /// The differences, signed, and whether they are right for all squares.
    #[inline(always)]
    fn less(&self, other: &Numbers) -> ([Bitboard; CHANGE_BITS], bool) {
        let mut difference = [Bitboard::EMPTY; CHANGE_BITS];
        let mut borrowed = Bitboard::EMPTY;
        for ((set, &a), &b) in difference.iter_mut().zip(&self.bits).zip(&other.bits) {
            *set = a ^ b ^ borrowed;
            borrowed = (b - a) | (borrowed - (a ^ b));
        }
        // The sign.
        difference[CHANGE_BITS - 1] = borrowed;
        (difference, (self.beyond | other.beyond).is_empty())
    }
}
