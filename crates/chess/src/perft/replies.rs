//! What the enemy could reply if we passed: its king, its castling and its pinned pieces; and which
//! of our moves are sensitive.
//!
//! A move is sensitive if it changes the structure of the replies: it gives check, makes or breaks a
//! pin, or changes what we attack around the enemy king from a distance. Such moves are played and
//! their replies counted one by one.
//!
//! "Own" is the side to move, "enemy" the side that replies.

use crate::board::{Board, Side, ahead, bishop, rank, rook};
use crate::movegen::castling_paths;
use crate::sliders::Sliders;
use crate::{Bitboard, Rank, Role, Square, attacks};

/// An enemy castling right: the squares that must be empty, and those of the king's path that must
/// not be attacked.
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
    /// The lines of our pins, the pinning sliders included.
    pub(super) pin_lines: Bitboard,
    /// The replies of pinned pieces.
    pub(super) pinned: i32,
    /// The squares we attack, and those that two of our pieces attack.
    pub(super) attacked: Bitboard,
    pub(super) attacked_twice: Bitboard,
    /// The squares around the enemy king, and those of them without enemy pieces.
    pub(super) king_ring: Bitboard,
    pub(super) king_targets: Bitboard,
    castles: [Castle; 2],
    castle_count: usize,
    /// Our pieces whose leaving discovers a check.
    pub(super) discoverers: Bitboard,
    /// Our pieces whose leaving changes pins, or which squares around the king we attack.
    pub(super) sensitive_from: Bitboard,
    /// Squares around the king, or on its path when castling, without enemy pieces.
    king_zone: Bitboard,
    /// Squares where landing hides a square of `king_zone` from one of our sliders, or from two.
    blocking: Bitboard,
    blocking_two: Bitboard,
    /// Squares whose pawns, if ours, are the only ones to attack some square around the king.
    pub(super) sole_guards: Bitboard,
    /// Squares where a slider's landing pins an enemy piece.
    pinning_diagonal: Bitboard,
    pinning_orthogonal: Bitboard,
    /// Squares where the landing of any piece is sensitive, and of each kind.
    sensitive_to: Bitboard,
    sensitive_pawn: Bitboard,
    sensitive_knight: Bitboard,
    sensitive_diagonal: Bitboard,
    sensitive_orthogonal: Bitboard,
}

impl Replies {
    #[inline(always)]
    pub(super) fn castles(&self) -> &[Castle] {
        &self.castles[..self.castle_count.min(2)]
    }

    /// The sensitive targets of a piece that attacks `attacked` from where it stands.
    #[inline(always)]
    pub(super) fn sensitive(
        &self,
        role: Role,
        from: Square,
        attacked: Bitboard,
        targets: Bitboard,
    ) -> Bitboard {
        let mut blocking = targets & self.blocking;
        if blocking.any() && matches!(role, Role::Bishop | Role::Rook | Role::Queen) {
            // A slider does not get in its own way.
            for square in attacked & self.king_zone {
                blocking -= attacks::between(from, square) - self.blocking_two;
            }
        }
        blocking | (targets & self.sensitive_landing(role))
    }

    /// The same for a piece that has been taken off the board.
    #[inline(always)]
    pub(super) fn sensitive_absent(&self, role: Role) -> Bitboard {
        self.blocking | self.sensitive_landing(role)
    }

    #[inline(always)]
    fn sensitive_landing(&self, role: Role) -> Bitboard {
        self.sensitive_to
            | match role {
                Role::Pawn => self.sensitive_pawn,
                Role::Knight => self.sensitive_knight,
                Role::Bishop => self.sensitive_diagonal,
                Role::Rook => self.sensitive_orthogonal,
                Role::Queen => self.sensitive_diagonal | self.sensitive_orthogonal,
                Role::King => Bitboard::EMPTY,
            }
    }

    /// The squares where a slider's landing pins an enemy piece and is not otherwise sensitive.
    #[inline(always)]
    pub(super) fn pinning(&self, role: Role) -> Bitboard {
        match role {
            Role::Bishop => self.pinning_diagonal,
            Role::Rook => self.pinning_orthogonal,
            Role::Queen => self.pinning_diagonal | self.pinning_orthogonal,
            _ => Bitboard::EMPTY,
        }
    }

    /// Nothing yet. `compute` works in place, because copying so soon after writing is slow.
    pub(super) const NONE: Replies = Replies {
        own: Bitboard::EMPTY,
        enemy: Bitboard::EMPTY,
        occupied: Bitboard::EMPTY,
        enemy_king: Square::from_index(0),
        pin_lines: Bitboard::EMPTY,
        pinned: 0,
        attacked: Bitboard::EMPTY,
        attacked_twice: Bitboard::EMPTY,
        king_ring: Bitboard::EMPTY,
        king_targets: Bitboard::EMPTY,
        castles: [Castle { empty: Bitboard::EMPTY, path: Bitboard::EMPTY }; 2],
        castle_count: 0,
        discoverers: Bitboard::EMPTY,
        sensitive_from: Bitboard::EMPTY,
        king_zone: Bitboard::EMPTY,
        blocking: Bitboard::EMPTY,
        blocking_two: Bitboard::EMPTY,
        sole_guards: Bitboard::EMPTY,
        pinning_diagonal: Bitboard::EMPTY,
        pinning_orthogonal: Bitboard::EMPTY,
        sensitive_to: Bitboard::EMPTY,
        sensitive_pawn: Bitboard::EMPTY,
        sensitive_knight: Bitboard::EMPTY,
        sensitive_diagonal: Bitboard::EMPTY,
        sensitive_orthogonal: Bitboard::EMPTY,
    };

    #[inline(always)]
    pub(super) fn compute<C: Side, S: Sliders>(&mut self, board: &Board) {
        let our = Attacks::new::<C, S>(board);
        let king = board.king::<C::Them>();
        self.own = board.own::<C>();
        self.enemy = board.own::<C::Them>();
        self.occupied = self.own | self.enemy;
        self.enemy_king = king;
        self.attacked = our.attacked;
        self.attacked_twice = our.attacked_twice;
        self.king_ring = attacks::king(king);
        self.king_targets = self.king_ring - self.enemy;
        self.sensitive_pawn = attacks::pawn(C::Them::US, king);
        self.sensitive_knight = attacks::knight(king);
        let pins = self.lines_to_king::<C, S>(board, king);
        self.castling::<C>(board, king, &pins);
        self.around_king::<C, S>(board, &our);
        if self.pin_lines.any() {
            self.pinned = moves_of_pinned::<C, S>(board, &pins);
        }
    }

    /// At least the squares where we can land, `landing` included.
    #[inline(always)]
    pub(super) fn reach<C: Side>(&self, board: &Board, landing: Bitboard) -> Bitboard {
        let pushes = ahead::<C>(board.pieces::<C>(Role::Pawn));
        self.attacked | landing | pushes | ahead::<C>(pushes & rank::<C>(Rank::Third))
    }

    /// Pins, and everything about the lines between our sliders and the enemy king.
    #[inline(always)]
    fn lines_to_king<C: Side, S: Sliders>(&mut self, board: &Board, king: Square) -> Pins {
        let mut pins = Pins { orthogonal: Bitboard::EMPTY, diagonal: Bitboard::EMPTY };
        let orthogonal = rook::<S>(king, Bitboard::EMPTY) & board.orthogonal::<C>();
        for slider in orthogonal {
            self.line_to_king(king, slider, &mut pins.orthogonal);
        }
        let diagonal = bishop::<S>(king, Bitboard::EMPTY) & board.diagonal::<C>();
        for slider in diagonal {
            self.line_to_king(king, slider, &mut pins.diagonal);
        }
        // Landing on a pin's line changes the pin.
        self.pin_lines = pins.orthogonal | pins.diagonal;
        self.sensitive_to |= self.pin_lines;
        // Landing on an open line to the king is a check; landing behind one enemy piece pins it.
        // A pin that could stop castling or a promotion is sensitive too.
        let promoting = board.role(Role::Pawn) & rank::<C::Them>(Rank::Seventh);
        let with_rights = self.enemy & (board.castling | promoting);
        self.sensitive_diagonal = bishop::<S>(king, self.occupied);
        let first = self.sensitive_diagonal & self.enemy;
        self.pinning_diagonal = bishop::<S>(king, self.occupied ^ first);
        if (first & with_rights).any() {
            self.sensitive_diagonal |= bishop::<S>(king, self.occupied ^ (first & with_rights));
        }
        self.sensitive_orthogonal = rook::<S>(king, self.occupied);
        let first = self.sensitive_orthogonal & self.enemy;
        self.pinning_orthogonal = rook::<S>(king, self.occupied ^ first);
        if (first & with_rights).any() {
            self.sensitive_orthogonal |= rook::<S>(king, self.occupied ^ (first & with_rights));
        }
        self.pinning_diagonal -= self.sensitive_diagonal;
        self.pinning_orthogonal -= self.sensitive_orthogonal;
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
                self.sensitive_from |= Bitboard::of(slider);
            }
        } else if between.count() == 2 && ours.count() == 1 {
            // Leaving, it lets the slider pin the other.
            self.sensitive_from |= ours;
        }
    }

    #[inline(always)]
    fn castling<C: Side>(&mut self, board: &Board, king: Square, pins: &Pins) {
        let home = rank::<C::Them>(Rank::First);
        let rooks = board.castling & self.enemy & home;
        // Capturing the rook ends the right.
        self.sensitive_to |= rooks;
        for rook in rooks - pins.orthogonal {
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

    /// Which of our pieces and squares decide what we attack around the king.
    #[inline(always)]
    fn around_king<C: Side, S: Sliders>(&mut self, board: &Board, our: &Attacks) {
        let castles = self.castles().iter();
        self.king_zone = castles.fold(self.king_targets, |set, castle| set | castle.path);
        let guarded = (our.sliders & self.king_zone) | (our.behind & self.king_ring & self.enemy);
        if guarded.any() {
            for square in board.diagonal::<C>() {
                let attacked = bishop::<S>(square, self.occupied);
                let through = bishop::<S>(square, self.occupied ^ (attacked & self.own));
                self.guard(square, attacked, through - attacked);
            }
            for square in board.orthogonal::<C>() {
                let attacked = rook::<S>(square, self.occupied);
                let through = rook::<S>(square, self.occupied ^ (attacked & self.own));
                self.guard(square, attacked, through - attacked);
            }
        }
        let alone = (self.king_zone | self.king_ring) & (self.attacked - self.attacked_twice);
        let behind = ahead::<C::Them>(alone);
        self.sole_guards = behind.east() | behind.west();
    }

    /// One of our sliders and the squares around the king: landing between them blocks it, and a
    /// piece of ours between them unblocks it by leaving.
    #[inline(always)]
    fn guard(&mut self, slider: Square, attacked: Bitboard, behind: Bitboard) {
        for square in attacked & self.king_zone {
            let ray = attacks::between(slider, square);
            self.blocking_two |= self.blocking & ray;
            self.blocking |= ray;
        }
        for square in behind & self.king_zone {
            self.sensitive_from |= attacks::between(slider, square) & self.own;
        }
        // What captures there is protected by the slider it has unblocked.
        self.sensitive_to |= behind & self.king_ring & self.enemy;
    }
}

/// Pinned pieces move along their pins or not at all, whatever we do elsewhere.
#[inline(always)]
fn moves_of_pinned<C: Side, S: Sliders>(board: &Board, pins: &Pins) -> i32 {
    let (own, occupied) = (board.own::<C>(), board.occupied());
    let mut moves = 0;
    for square in board.diagonal::<C::Them>() & pins.diagonal {
        moves += (bishop::<S>(square, occupied) & pins.diagonal).count();
    }
    for square in board.orthogonal::<C::Them>() & pins.orthogonal {
        moves += (rook::<S>(square, occupied) & pins.orthogonal).count();
    }
    let pawns = board.pieces::<C::Them>(Role::Pawn);
    let pushed = ahead::<C::Them>(pawns & pins.orthogonal) & pins.orthogonal & !occupied;
    let twice = ahead::<C::Them>(pushed & rank::<C::Them>(Rank::Third)) & !occupied;
    moves += pushed.count() + twice.count();
    let taking = ahead::<C::Them>(pawns & pins.diagonal);
    let taken = (taking.east() | taking.west()) & pins.diagonal & own;
    let last = rank::<C::Them>(Rank::Eighth);
    moves += taken.count() + 3 * (taken & last).count();
    moves as i32
}

/// The lines of pins, the pinning slider included.
struct Pins {
    orthogonal: Bitboard,
    diagonal: Bitboard,
}

/// What our pieces attack.
struct Attacks {
    /// The squares we attack, and those that two of our pieces attack.
    attacked: Bitboard,
    attacked_twice: Bitboard,
    /// The squares that sliders attack, or would but for a piece of ours; and the latter alone.
    sliders: Bitboard,
    behind: Bitboard,
}

impl Attacks {
    const NONE: Attacks = Attacks {
        attacked: Bitboard::EMPTY,
        attacked_twice: Bitboard::EMPTY,
        sliders: Bitboard::EMPTY,
        behind: Bitboard::EMPTY,
    };

    #[inline(always)]
    fn new<C: Side, S: Sliders>(board: &Board) -> Attacks {
        let (own, occupied) = (board.own::<C>(), board.occupied());
        let pawns = ahead::<C>(board.pieces::<C>(Role::Pawn));
        let (east, west) = (pawns.east(), pawns.west());
        let mut all =
            Attacks { attacked: east | west, attacked_twice: east & west, ..Attacks::NONE };
        all.add(attacks::king(board.king::<C>()));
        for square in board.pieces::<C>(Role::Knight) {
            all.add(attacks::knight(square));
        }
        for square in board.diagonal::<C>() {
            let attacked = bishop::<S>(square, occupied);
            all.add(attacked);
            all.add_slider(attacked, bishop::<S>(square, occupied ^ (attacked & own)));
        }
        for square in board.orthogonal::<C>() {
            let attacked = rook::<S>(square, occupied);
            all.add(attacked);
            all.add_slider(attacked, rook::<S>(square, occupied ^ (attacked & own)));
        }
        all
    }

    #[inline(always)]
    fn add(&mut self, squares: Bitboard) {
        self.attacked_twice |= self.attacked & squares;
        self.attacked |= squares;
    }

    #[inline(always)]
    fn add_slider(&mut self, attacked: Bitboard, through: Bitboard) {
        self.sliders |= through;
        self.behind |= through - attacked;
    }
}
