//! What the enemy could reply if we passed, and which of our moves change it, by how much.
//!
//! "Own" is the side to move, "enemy" the side that replies.

use super::walk::Machine;
use crate::board::{Board, Side, ahead, bishop, rank, rook};
use crate::make::castling_targets;
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
    /// Replies of pieces, and of whatever is pinned; pawns and king are counted apart.
    pub(super) base: i32,
    pub(super) pawns: PawnReplies,
    /// How the count changes when we land on a square, as far as enemy pieces are concerned.
    pub(super) change: [i8; 64],
    /// The squares where `change` is not zero.
    pub(super) matters: Bitboard,
    /// Enemy sliders that are not pinned, by the way they move, and the squares they see.
    pub(super) free_diagonal: Bitboard,
    pub(super) free_straight: Bitboard,
    pub(super) sliders_see: Bitboard,
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
    /// Our pawns that must be looked at one by one.
    pub(super) not_idle: Bitboard,
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

    /// The replies on a board. `landing` holds the targets of a piece that is not on it.
    #[inline(always)]
    pub(super) fn new<C: Side, M: Machine>(board: &Board, landing: Bitboard) -> Replies {
        let own = board.own::<C>();
        let enemy = board.own::<C::Them>();
        let king = board.king::<C::Them>();
        let king_ring = attacks::king(king);
        let mut replies = Replies {
            own,
            enemy,
            occupied: own | enemy,
            base: 0,
            pawns: PawnReplies::NONE,
            change: [0; 64],
            matters: Bitboard::EMPTY,
            free_diagonal: Bitboard::EMPTY,
            free_straight: Bitboard::EMPTY,
            sliders_see: Bitboard::EMPTY,
            seen: Bitboard::EMPTY,
            seen_twice: Bitboard::EMPTY,
            king_ring,
            king_room: king_ring - enemy,
            castles: [Castle { empty: Bitboard::EMPTY, path: Bitboard::EMPTY }; 2],
            castle_count: 0,
            discoverers: Bitboard::EMPTY,
            special_from: Bitboard::EMPTY,
            near: Bitboard::EMPTY,
            blocks: Bitboard::EMPTY,
            blocks_twice: Bitboard::EMPTY,
            not_idle: Bitboard::EMPTY,
            special_to: Bitboard::EMPTY,
            special_pawn: attacks::pawn(C::Them::US, king),
            special_knight: attacks::knight(king),
            special_diagonal: Bitboard::EMPTY,
            special_straight: Bitboard::EMPTY,
        };
        let pins = replies.lines_to_king::<C, M>(board, king);
        replies.castling::<C>(board, king, &pins);
        replies.own_pieces::<C, M>(board);
        replies.pinned::<C, M>(board, &pins);
        replies.enemy_pieces::<C, M>(board, &pins, landing);
        replies
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
        self.special_to |= pins.straight | pins.diagonal;
        // Landing in sight of the king is a check; landing behind one enemy piece pins it.
        let checks = bishop::<M>(king, self.occupied);
        self.special_diagonal = checks | bishop::<M>(king, self.occupied ^ (checks & self.enemy));
        let checks = rook::<M>(king, self.occupied);
        self.special_straight = checks | rook::<M>(king, self.occupied ^ (checks & self.enemy));
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
            let (king_to, rook_to) = castling_targets(king, rook);
            let path = attacks::between(king, king_to) | Bitboard::of(king_to);
            let rook_path = attacks::between(rook, rook_to) | Bitboard::of(rook_to);
            let empty = (path | rook_path) - Bitboard::of(king) - Bitboard::of(rook);
            if (empty & self.enemy).any() {
                continue;
            }
            if let Some(castle) = self.castles.get_mut(self.castle_count) {
                *castle = Castle { empty, path: path - Bitboard::of(king) };
                self.castle_count += 1;
            }
        }
    }

    /// What we see, and which of our pieces and squares matter to the squares around the king.
    #[inline(always)]
    fn own_pieces<C: Side, M: Machine>(&mut self, board: &Board) {
        let castles = self.castles().iter();
        self.near = castles.fold(self.king_room, |set, castle| set | castle.path);
        let pawns = ahead::<C>(board.pieces::<C>(Role::Pawn));
        let (east, west) = (pawns.east(), pawns.west());
        self.seen = east | west;
        self.seen_twice = east & west;
        self.see(attacks::king(board.king::<C>()));
        for square in board.pieces::<C>(Role::Knight) {
            self.see(attacks::knight(square));
        }
        for square in board.diagonal::<C>() {
            let seen = bishop::<M>(square, self.occupied);
            self.see(seen);
            let behind = bishop::<M>(square, self.occupied ^ (seen & self.own)) - seen;
            self.guard(square, seen, behind);
        }
        for square in board.straight::<C>() {
            let seen = rook::<M>(square, self.occupied);
            self.see(seen);
            let behind = rook::<M>(square, self.occupied ^ (seen & self.own)) - seen;
            self.guard(square, seen, behind);
        }
        // A pawn that alone sees a square near the king is not idle.
        let alone = (self.near | self.king_ring) & (self.seen - self.seen_twice);
        let behind = ahead::<C::Them>(alone);
        self.not_idle = behind.east() | behind.west();
    }

    #[inline(always)]
    fn see(&mut self, squares: Bitboard) {
        self.seen_twice |= self.seen & squares;
        self.seen |= squares;
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

    /// Pinned pieces move along their pins or not at all, whatever else we do.
    #[inline(always)]
    fn pinned<C: Side, M: Machine>(&mut self, board: &Board, pins: &Pins) {
        let bound = (pins.straight | pins.diagonal) & self.enemy;
        for square in bound & board.diagonal::<C::Them>() & pins.diagonal {
            self.base += (bishop::<M>(square, self.occupied) & pins.diagonal).count() as i32;
        }
        for square in bound & board.straight::<C::Them>() & pins.straight {
            self.base += (rook::<M>(square, self.occupied) & pins.straight).count() as i32;
        }
        let pawns = board.pieces::<C::Them>(Role::Pawn);
        let pushed = ahead::<C::Them>(pawns & pins.straight) & pins.straight & !self.occupied;
        let twice = ahead::<C::Them>(pushed & rank::<C::Them>(Rank::Third)) & !self.occupied;
        self.base += (pushed.count() + twice.count()) as i32;
        let taking = ahead::<C::Them>(pawns & pins.diagonal);
        let taken = (taking.east() | taking.west()) & pins.diagonal & self.own;
        let last = rank::<C::Them>(Rank::Eighth);
        self.base += (taken.count() + 3 * (taken & last).count()) as i32;
    }

    #[inline(always)]
    fn enemy_pieces<C: Side, M: Machine>(&mut self, board: &Board, pins: &Pins, landing: Bitboard) {
        let bound = pins.straight | pins.diagonal;
        let pushes = ahead::<C>(board.pieces::<C>(Role::Pawn));
        let reach = self.seen | landing | pushes | ahead::<C>(pushes & rank::<C>(Rank::Third));
        for square in board.pieces::<C::Them>(Role::Knight) - bound {
            self.enemy_piece(square, attacks::knight(square), reach);
        }
        self.free_diagonal = board.diagonal::<C::Them>() - bound;
        for square in self.free_diagonal {
            let seen = bishop::<M>(square, self.occupied);
            self.enemy_slider(square, seen, reach);
        }
        self.free_straight = board.straight::<C::Them>() - bound;
        for square in self.free_straight {
            let seen = rook::<M>(square, self.occupied);
            self.enemy_slider(square, seen, reach);
        }
        self.matters |= self.enemy;
        let pawns = board.pieces::<C::Them>(Role::Pawn);
        self.pawns = PawnReplies::new::<C>(pawns - bound, self.own, self.occupied);
        self.pawns.pawns_all = pawns;
        self.not_idle |= self.pawns.zone | self.sliders_see;
    }

    /// An enemy piece's moves; what it guards, it can take back; taken, it has no moves.
    #[inline(always)]
    fn enemy_piece(&mut self, square: Square, seen: Bitboard, reach: Bitboard) {
        let moves = (seen - self.enemy).count() as i32;
        self.base += moves;
        self.change[square.index()] -= moves as i8;
        for guarded in seen & self.enemy & reach {
            self.change[guarded.index()] += 1;
        }
    }

    #[inline(always)]
    fn enemy_slider(&mut self, square: Square, seen: Bitboard, reach: Bitboard) {
        self.enemy_piece(square, seen, reach);
        self.sliders_see |= seen;
        let targets = seen - self.enemy;
        for block in seen & reach & !self.occupied {
            let hidden = (targets & attacks::shadow(square, block)).count();
            self.change[block.index()] -= hidden as i8;
        }
        self.matters |= seen;
    }
}

/// The lines of pins, the pinning slider included.
struct Pins {
    straight: Bitboard,
    diagonal: Bitboard,
}

/// The replies of the enemy's pawns that are not pinned.
pub(super) struct PawnReplies {
    pub(super) pawns: Bitboard,
    pub(super) pawns_all: Bitboard,
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
        pawns_all: Bitboard::EMPTY,
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
        let zone = front | ahead::<C::Them>(front & third) | east | west;
        PawnReplies {
            pawns,
            pawns_all: pawns,
            count: count as i32,
            single,
            first,
            double,
            east,
            west,
            own,
            occupied,
            zone,
        }
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
