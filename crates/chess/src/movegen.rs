//! Strictly legal move generation.
//!
//! Nothing illegal is ever generated: a mask of squares that answer a check, the rays of pinned
//! pieces and the squares the enemy sees are worked out first, and every set of targets is cut by
//! them.

use crate::make::castling_targets;
use crate::{Bitboard, Color, Move, MoveList, Position, Rank, Role, Square, attacks};

/// Which moves to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenKind {
    /// Every legal move.
    All,
    /// The moves that change the material: captures, en passant and promotions.
    Captures,
    /// All the others, castling included.
    Quiets,
    /// The answers to a check: every legal move when in check, none otherwise.
    Evasions,
}

/// What limits the moves of the side to move.
struct Limits {
    us: Color,
    king: Square,
    own: Bitboard,
    enemy: Bitboard,
    occupied: Bitboard,
    /// Squares that capture or block a single checker; all squares when there is no check.
    answers: Bitboard,
    /// Rays between our king and a straight pinner, the pinner included.
    straight_pins: Bitboard,
    /// Rays between our king and a diagonal pinner, the pinner included.
    diagonal_pins: Bitboard,
}

impl Limits {
    fn new(position: &Position) -> Limits {
        let us = position.side;
        let king = position.king(us);
        let own = position.by_color(us);
        let enemy = position.by_color(!us);
        let answers = match position.checkers.first() {
            Some(checker) => attacks::between(king, checker) | position.checkers,
            None => Bitboard::FULL,
        };
        let queens = position.by_role(Role::Queen);
        let pins = |pinners: Bitboard| {
            let mut rays = Bitboard::EMPTY;
            for pinner in pinners & enemy {
                let ray = attacks::between(king, pinner);
                // The enemy's own pieces already stop the line, so only ours can be in between.
                if (ray & own).count() == 1 {
                    rays |= ray | Bitboard::of(pinner);
                }
            }
            rays
        };
        let straight_pins =
            pins(attacks::rook(king, enemy) & (position.by_role(Role::Rook) | queens));
        let diagonal_pins =
            pins(attacks::bishop(king, enemy) & (position.by_role(Role::Bishop) | queens));
        Limits {
            us,
            king,
            own,
            enemy,
            occupied: own | enemy,
            answers,
            straight_pins,
            diagonal_pins,
        }
    }
}

impl Position {
    /// Every legal move.
    pub fn legal_moves(&self) -> MoveList {
        self.generate(GenKind::All)
    }

    /// The legal moves of a kind.
    pub fn generate(&self, kind: GenKind) -> MoveList {
        let mut list = MoveList::new();
        let limits = Limits::new(self);
        let wanted = match kind {
            GenKind::All => !limits.own,
            GenKind::Captures => limits.enemy,
            GenKind::Quiets => !limits.occupied,
            GenKind::Evasions if self.is_check() => !limits.own,
            GenKind::Evasions => return list,
        };
        self.king_moves(&limits, wanted, &mut list);
        if self.checkers.many() {
            return list;
        }
        self.piece_moves(&limits, wanted & limits.answers, &mut list);
        self.pawn_moves(&limits, kind, &mut list);
        if !matches!(kind, GenKind::Captures) && self.checkers.is_empty() {
            self.castling_moves(&limits, &mut list);
        }
        list
    }

    /// Whether there is any legal move.
    pub fn has_legal_move(&self) -> bool {
        !self.legal_moves().is_empty()
    }

    /// Whether a move from outside is legal here.
    pub fn is_legal(&self, mv: Move) -> bool {
        if !self.by_color(self.side).contains(mv.from()) {
            return false;
        }
        self.legal_moves().contains(&mv)
    }

    /// The squares a side sees, on a board with the given occupation.
    pub fn seen_by(&self, color: Color, occupied: Bitboard) -> Bitboard {
        let pawns = self.pieces(color, Role::Pawn).forward(color);
        let mut seen = pawns.east() | pawns.west() | attacks::king(self.king(color));
        let queens = self.pieces(color, Role::Queen);
        for square in self.pieces(color, Role::Knight) {
            seen |= attacks::knight(square);
        }
        for square in self.pieces(color, Role::Bishop) | queens {
            seen |= attacks::bishop(square, occupied);
        }
        for square in self.pieces(color, Role::Rook) | queens {
            seen |= attacks::rook(square, occupied);
        }
        seen
    }

    fn king_moves(&self, limits: &Limits, wanted: Bitboard, list: &mut MoveList) {
        let targets = attacks::king(limits.king) & wanted;
        if targets.is_empty() {
            return;
        }
        // The king does not shield the square behind it from a slider.
        let seen = self.seen_by(!limits.us, limits.occupied ^ Bitboard::of(limits.king));
        push_all(list, limits.king, targets - seen);
    }

    fn piece_moves(&self, limits: &Limits, wanted: Bitboard, list: &mut MoveList) {
        let pinned = limits.straight_pins | limits.diagonal_pins;
        let queens = self.pieces(limits.us, Role::Queen);
        for from in self.pieces(limits.us, Role::Knight) - pinned {
            push_all(list, from, attacks::knight(from) & wanted);
        }
        let diagonal = self.pieces(limits.us, Role::Bishop) | queens;
        for from in diagonal - limits.straight_pins {
            let mut targets = attacks::bishop(from, limits.occupied) & wanted;
            if limits.diagonal_pins.contains(from) {
                targets &= limits.diagonal_pins;
            }
            push_all(list, from, targets);
        }
        let straight = self.pieces(limits.us, Role::Rook) | queens;
        for from in straight - limits.diagonal_pins {
            let mut targets = attacks::rook(from, limits.occupied) & wanted;
            if limits.straight_pins.contains(from) {
                targets &= limits.straight_pins;
            }
            push_all(list, from, targets);
        }
    }

    fn pawn_moves(&self, limits: &Limits, kind: GenKind, list: &mut MoveList) {
        let us = limits.us;
        let pawns = self.pieces(us, Role::Pawn);
        let last = Bitboard::rank(Rank::Eighth.relative_to(us));
        let (quiets, captures) = match kind {
            GenKind::Captures => (last, Bitboard::FULL),
            GenKind::Quiets => (!last, Bitboard::EMPTY),
            GenKind::All | GenKind::Evasions => (Bitboard::FULL, Bitboard::FULL),
        };

        let empty = !limits.occupied;
        let pushers = pawns - limits.diagonal_pins;
        let free = pushers - limits.straight_pins;
        // A straight pin lets a pawn go on only along its own file.
        let single = (free.forward(us)
            | ((pushers & limits.straight_pins).forward(us) & limits.straight_pins))
            & empty;
        let third = Bitboard::rank(Rank::Third.relative_to(us));
        let double = (single & third).forward(us) & empty;
        push_pawns(list, us, single & limits.answers & quiets, 1, 0);
        push_pawns(list, us, double & limits.answers & quiets, 2, 0);

        let takers = pawns - limits.straight_pins;
        let loose = takers - limits.diagonal_pins;
        let bound = takers & limits.diagonal_pins;
        let targets = limits.enemy & limits.answers & captures;
        let east = loose.forward(us).east() | (bound.forward(us).east() & limits.diagonal_pins);
        let west = loose.forward(us).west() | (bound.forward(us).west() & limits.diagonal_pins);
        push_pawns(list, us, east & targets, 1, 1);
        push_pawns(list, us, west & targets, 1, -1);

        if kind != GenKind::Quiets
            && let Some(to) = self.en_passant()
        {
            for from in attacks::pawn(!us, to) & pawns {
                if self.en_passant_is_safe(from, to) {
                    list.push(Move::en_passant(from, to));
                }
            }
        }
    }

    /// Whether some pawn of the side to move may legally take on the passed square.
    pub(crate) fn can_take_en_passant(&self, to: Square) -> bool {
        let takers = attacks::pawn(!self.side, to) & self.pieces(self.side, Role::Pawn);
        takers.into_iter().any(|from| self.en_passant_is_safe(from, to))
    }

    /// An en-passant capture takes two pawns off their lines at once, so the king's safety is
    /// checked on the board as it will be.
    fn en_passant_is_safe(&self, from: Square, to: Square) -> bool {
        let taken = Bitboard::of(Square::new(to.file(), from.rank()));
        let occupied = (self.occupied() - taken - Bitboard::of(from)) | Bitboard::of(to);
        let enemy = self.by_color(!self.side) - taken;
        (self.attackers_to(self.king(self.side), occupied) & enemy).is_empty()
    }

    fn castling_moves(&self, limits: &Limits, list: &mut MoveList) {
        let home = Bitboard::rank(Rank::First.relative_to(limits.us));
        let rooks = self.castling & limits.own & home;
        if rooks.is_empty() {
            return;
        }
        let seen = self.seen_by(!limits.us, limits.occupied ^ Bitboard::of(limits.king));
        for rook in rooks {
            let king = limits.king;
            let (king_to, rook_to) = castling_targets(king, rook);
            let king_path = attacks::between(king, king_to) | Bitboard::of(king_to);
            let rook_path = attacks::between(rook, rook_to) | Bitboard::of(rook_to);
            let others = limits.occupied - Bitboard::of(king) - Bitboard::of(rook);
            let blocked = (king_path | rook_path) & others;
            // A rook that shields the king on their common rank may not leave it (Chess960).
            let pinned = limits.straight_pins.contains(rook);
            if blocked.is_empty() && (king_path & seen).is_empty() && !pinned {
                list.push(Move::castling(king, rook));
            }
        }
    }
}

#[inline]
fn push_all(list: &mut MoveList, from: Square, targets: Bitboard) {
    for to in targets {
        list.push(Move::normal(from, to));
    }
}

/// Pawn moves to a set of targets, each coming from `ranks` behind and `files` to the west.
#[inline]
fn push_pawns(list: &mut MoveList, us: Color, targets: Bitboard, ranks: i32, files: i32) {
    let step = match us {
        Color::White => 8 * ranks + files,
        Color::Black => -8 * ranks + files,
    };
    let last = Bitboard::rank(Rank::Eighth.relative_to(us));
    let origin = |to: Square| Square::from_index((to.index() as i32 - step) as usize);
    for to in targets - last {
        list.push(Move::normal(origin(to), to));
    }
    for to in targets & last {
        for role in Role::PROMOTIONS {
            list.push(Move::promoting(origin(to), to, role));
        }
    }
}
