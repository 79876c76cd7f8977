//! What the enemy could reply if we passed, and which of our moves change it, by how much.
//!
//! "Own" is the side to move, "enemy" the side that replies.

use super::answers::castling_paths;
use super::walk::Machine;
use crate::board::{Board, Side, ahead, bishop, rank, rook};
use crate::{Bitboard, Rank, Role, Square, attacks};

/// An enemy castling right: the squares that must be empty, and those the king must cross unseen.
#[derive(Clone, Copy)]
pub(super) struct Castle {
    pub(super) empty: Bitboard,
    pub(super) path: Bitboard,
}

pub(super) struct Replies {
    pub(super) own: Bitboard,
    pub(super) enemy: Bitboard,
    pub(super) occupied: Bitboard,
    pub(super) enemy_king: Square,
    /// The lines of pins.
    pub(super) bound: Bitboard,
    /// Replies of whatever is pinned.
    pub(super) pinned: i32,
    /// The squares we see, and those that two of our pieces see.
    pub(super) seen: Bitboard,
    pub(super) seen_twice: Bitboard,
    /// The squares around the enemy king, and those of them without enemy pieces.
    pub(super) king_ring: Bitboard,
    pub(super) king_room: Bitboard,
    castles: [Castle; 2],
    castle_count: usize,
    /// Our pieces whose leaving discovers a check.
    pub(super) discoverers: Bitboard,
    /// Our pieces whose leaving changes pins or what we see of the squares around the king.
    pub(super) special_from: Bitboard,
    /// Squares around the king, or on its way when castling, without enemy pieces.
    near: Bitboard,
    /// Squares where landing stops one of our sliders seeing a square of `near`, or two of them.
    blocks: Bitboard,
    blocks_twice: Bitboard,
    /// Squares whose pawns, if ours, alone see a square near the king.
    pub(super) guards: Bitboard,
    /// Squares where a slider's landing pins an enemy piece.
    pins_diagonal: Bitboard,
    pins_straight: Bitboard,
    /// Squares where the landing of any piece is special, and of each kind.
    special_to: Bitboard,
    special_pawn: Bitboard,
    special_knight: Bitboard,
    special_diagonal: Bitboard,
    special_straight: Bitboard,
}

impl Replies {
    #[inline(always)]
    pub(super) fn castles(&self) -> &[Castle] {
        &self.castles[..self.castle_count.min(2)]
    }

    /// The targets of a piece, with what it sees from where it is, that must be looked at one by
    /// one.
    #[inline(always)]
    pub(super) fn special(
        &self,
        role: Role,
        from: Square,
        sees: Bitboard,
        targets: Bitboard,
    ) -> Bitboard {
        let mut blocks = targets & self.blocks;
        if blocks.any() && matches!(role, Role::Bishop | Role::Rook | Role::Queen) {
            // A slider does not get in its own way.
            for square in sees & self.near {
                blocks -= attacks::between(from, square) - self.blocks_twice;
            }
        }
        blocks | (targets & self.special_landing(role))
    }

    /// The same for a piece that sees nothing any more.
    #[inline(always)]
    pub(super) fn special_absent(&self, role: Role) -> Bitboard {
        self.blocks | self.special_landing(role)
    }

    #[inline(always)]
    fn special_landing(&self, role: Role) -> Bitboard {
        self.special_to
            | match role {
                Role::Pawn => self.special_pawn,
                Role::Knight => self.special_knight,
                Role::Bishop => self.special_diagonal,
                Role::Rook => self.special_straight,
                Role::Queen => self.special_diagonal | self.special_straight,
                Role::King => Bitboard::EMPTY,
            }
    }

    /// The squares where a slider's landing pins an enemy piece and does nothing else that is
    /// special.
    #[inline(always)]
    pub(super) fn pinning(&self, role: Role) -> Bitboard {
        match role {
            Role::Bishop => self.pins_diagonal,
            Role::Rook => self.pins_straight,
            Role::Queen => self.pins_diagonal | self.pins_straight,
            _ => Bitboard::EMPTY,
        }
    }

    /// Nothing yet. What is worked out in place need not be copied, and copying so soon after
    /// writing is slow.
    pub(super) const NONE: Replies = Replies {
        own: Bitboard::EMPTY,
        enemy: Bitboard::EMPTY,
        occupied: Bitboard::EMPTY,
        enemy_king: Square::from_index(0),
        bound: Bitboard::EMPTY,
        pinned: 0,
        seen: Bitboard::EMPTY,
        seen_twice: Bitboard::EMPTY,
        king_ring: Bitboard::EMPTY,
        king_room: Bitboard::EMPTY,
        castles: [Castle { empty: Bitboard::EMPTY, path: Bitboard::EMPTY }; 2],
        castle_count: 0,
        discoverers: Bitboard::EMPTY,
        special_from: Bitboard::EMPTY,
        near: Bitboard::EMPTY,
        blocks: Bitboard::EMPTY,
        blocks_twice: Bitboard::EMPTY,
        guards: Bitboard::EMPTY,
        pins_diagonal: Bitboard::EMPTY,
        pins_straight: Bitboard::EMPTY,
        special_to: Bitboard::EMPTY,
        special_pawn: Bitboard::EMPTY,
        special_knight: Bitboard::EMPTY,
        special_diagonal: Bitboard::EMPTY,
        special_straight: Bitboard::EMPTY,
    };

    /// Works out the replies on a board.
    #[inline(always)]
    pub(super) fn work_out<C: Side, M: Machine>(&mut self, board: &Board) {
        let sight = Sight::new::<C, M>(board);
        let king = board.king::<C::Them>();
        self.own = board.own::<C>();
        self.enemy = board.own::<C::Them>();
        self.occupied = self.own | self.enemy;
        self.enemy_king = king;
        self.seen = sight.seen;
        self.seen_twice = sight.seen_twice;
        self.king_ring = attacks::king(king);
        self.king_room = self.king_ring - self.enemy;
        self.special_pawn = attacks::pawn(C::Them::US, king);
        self.special_knight = attacks::knight(king);
        let pins = self.lines_to_king::<C, M>(board, king);
        self.castling::<C>(board, king, &pins);
        self.near_king::<C, M>(board, &sight);
        if self.bound.any() {
            self.pinned = moves_of_pinned::<C, M>(board, &pins);
        }
    }

    /// The squares where we can land, `landing` included, or more.
    #[inline(always)]
    pub(super) fn reach<C: Side>(&self, board: &Board, landing: Bitboard) -> Bitboard {
        let pushes = ahead::<C>(board.pieces::<C>(Role::Pawn));
        self.seen | landing | pushes | ahead::<C>(pushes & rank::<C>(Rank::Third))
    }

    /// Pins, and everything about the lines between our sliders and the enemy king.
    #[inline(always)]
    fn lines_to_king<C: Side, M: Machine>(&mut self, board: &Board, king: Square) -> Pins {
        let mut pins = Pins { straight: Bitboard::EMPTY, diagonal: Bitboard::EMPTY };
        let straight = rook::<M>(king, Bitboard::EMPTY) & board.straight::<C>();
        for slider in straight {
            self.line_to_king(king, slider, &mut pins.straight);
        }
        let diagonal = bishop::<M>(king, Bitboard::EMPTY) & board.diagonal::<C>();
        for slider in diagonal {
            self.line_to_king(king, slider, &mut pins.diagonal);
        }
        // Landing on a pin's line changes the pin.
        self.bound = pins.straight | pins.diagonal;
        self.special_to |= self.bound;
        // Landing in sight of the king is a check; landing behind one enemy piece pins it. Where
        // that could stop a castling or a promotion, it is special too.
        let promoting = board.role(Role::Pawn) & rank::<C::Them>(Rank::Seventh);
        let awkward = self.enemy & (board.castling | promoting);
        self.special_diagonal = bishop::<M>(king, self.occupied);
        let first = self.special_diagonal & self.enemy;
        self.pins_diagonal = bishop::<M>(king, self.occupied ^ first);
        if (first & awkward).any() {
            self.special_diagonal |= bishop::<M>(king, self.occupied ^ (first & awkward));
        }
        self.special_straight = rook::<M>(king, self.occupied);
        let first = self.special_straight & self.enemy;
        self.pins_straight = rook::<M>(king, self.occupied ^ first);
        if (first & awkward).any() {
            self.special_straight |= rook::<M>(king, self.occupied ^ (first & awkward));
        }
        self.pins_diagonal -= self.special_diagonal;
        self.pins_straight -= self.special_straight;
        pins
    }

    #[inline(always)]
    fn line_to_king(&mut self, king: Square, slider: Square, pins: &mut Bitboard) {
        let ray = attacks::between(king, slider);
        let between = ray & self.occupied;
        let ours = between & self.own;
        if !between.many() {
            if ours.any() {
                self.discoverers |= ours;
            } else {
                *pins |= ray | Bitboard::of(slider);
                self.special_from |= Bitboard::of(slider);
            }
        } else if between.count() == 2 && ours.count() == 1 {
            // Leaving, it lets the slider pin the other.
            self.special_from |= ours;
        }
    }

    #[inline(always)]
    fn castling<C: Side>(&mut self, board: &Board, king: Square, pins: &Pins) {
        let home = rank::<C::Them>(Rank::First);
        let rooks = board.castling & self.enemy & home;
        // Taking the rook takes the right with it.
        self.special_to |= rooks;
        for rook in rooks - pins.straight {
            let (path, empty) = castling_paths(king, rook);
            if (empty & self.enemy).any() {
                continue;
            }
            if let Some(castle) = self.castles.get_mut(self.castle_count) {
                *castle = Castle { empty, path };
                self.castle_count += 1;
            }
        }
    }

    /// Which of our pieces and squares matter to the squares around the king.
    #[inline(always)]
    fn near_king<C: Side, M: Machine>(&mut self, board: &Board, sight: &Sight) {
        let castles = self.castles().iter();
        self.near = castles.fold(self.king_room, |set, castle| set | castle.path);
        let guarded = (sight.sliders & self.near) | (sight.behind & self.king_ring & self.enemy);
        if guarded.any() {
            for square in board.diagonal::<C>() {
                let seen = bishop::<M>(square, self.occupied);
                let through = bishop::<M>(square, self.occupied ^ (seen & self.own));
                self.guard(square, seen, through - seen);
            }
            for square in board.straight::<C>() {
                let seen = rook::<M>(square, self.occupied);
                let through = rook::<M>(square, self.occupied ^ (seen & self.own));
                self.guard(square, seen, through - seen);
            }
        }
        // A pawn that alone sees a square near the king is not idle.
        let alone = (self.near | self.king_ring) & (self.seen - self.seen_twice);
        let behind = ahead::<C::Them>(alone);
        self.guards = behind.east() | behind.west();
    }

    /// Our slider's sight of squares near the king: landing on its way there blocks it, and a
    /// piece of ours that stands in its way there uncovers it by leaving.
    #[inline(always)]
    fn guard(&mut self, slider: Square, seen: Bitboard, behind: Bitboard) {
        for square in seen & self.near {
            let ray = attacks::between(slider, square);
            self.blocks_twice |= self.blocks & ray;
            self.blocks |= ray;
        }
        for square in behind & self.near {
            self.special_from |= attacks::between(slider, square) & self.own;
        }
        // Taking there, the piece that left is guarded by the one it uncovered.
        self.special_to |= behind & self.king_ring & self.enemy;
    }
}

/// Pinned pieces move along their pins or not at all, whatever else we do.
#[inline(always)]
pub(super) fn moves_of_pinned<C: Side, M: Machine>(board: &Board, pins: &Pins) -> i32 {
    let (own, occupied) = (board.own::<C>(), board.occupied());
    let bound = (pins.straight | pins.diagonal) & board.own::<C::Them>();
    let mut moves = 0;
    for square in bound & board.diagonal::<C::Them>() & pins.diagonal {
        moves += (bishop::<M>(square, occupied) & pins.diagonal).count();
    }
    for square in bound & board.straight::<C::Them>() & pins.straight {
        moves += (rook::<M>(square, occupied) & pins.straight).count();
    }
    let pawns = board.pieces::<C::Them>(Role::Pawn);
    let pushed = ahead::<C::Them>(pawns & pins.straight) & pins.straight & !occupied;
    let twice = ahead::<C::Them>(pushed & rank::<C::Them>(Rank::Third)) & !occupied;
    moves += pushed.count() + twice.count();
    let taking = ahead::<C::Them>(pawns & pins.diagonal);
    let taken = (taking.east() | taking.west()) & pins.diagonal & own;
    let last = rank::<C::Them>(Rank::Eighth);
    moves += taken.count() + 3 * (taken & last).count();
    moves as i32
}

/// The lines of pins, the pinning slider included.
pub(super) struct Pins {
    pub(super) straight: Bitboard,
    pub(super) diagonal: Bitboard,
}

/// What our pieces see.
struct Sight {
    /// The squares we see, and those that two of our pieces see.
    seen: Bitboard,
    seen_twice: Bitboard,
    /// The squares that sliders see, or would see but for a piece of ours; and the latter alone.
    sliders: Bitboard,
    behind: Bitboard,
}

impl Sight {
    const NONE: Sight = Sight {
        seen: Bitboard::EMPTY,
        seen_twice: Bitboard::EMPTY,
        sliders: Bitboard::EMPTY,
        behind: Bitboard::EMPTY,
    };

    #[inline(always)]
    fn new<C: Side, M: Machine>(board: &Board) -> Sight {
        let (own, occupied) = (board.own::<C>(), board.occupied());
        let pawns = ahead::<C>(board.pieces::<C>(Role::Pawn));
        let (east, west) = (pawns.east(), pawns.west());
        let mut sight = Sight { seen: east | west, seen_twice: east & west, ..Sight::NONE };
        sight.see(attacks::king(board.king::<C>()));
        for square in board.pieces::<C>(Role::Knight) {
            sight.see(attacks::knight(square));
        }
        for square in board.diagonal::<C>() {
            let seen = bishop::<M>(square, occupied);
            sight.see(seen);
            sight.slide(seen, bishop::<M>(square, occupied ^ (seen & own)));
        }
        for square in board.straight::<C>() {
            let seen = rook::<M>(square, occupied);
            sight.see(seen);
            sight.slide(seen, rook::<M>(square, occupied ^ (seen & own)));
        }
        sight
    }

    #[inline(always)]
    fn see(&mut self, squares: Bitboard) {
        self.seen_twice |= self.seen & squares;
        self.seen |= squares;
    }

    #[inline(always)]
    fn slide(&mut self, seen: Bitboard, through: Bitboard) {
        self.sliders |= through;
        self.behind |= through - seen;
    }
}
