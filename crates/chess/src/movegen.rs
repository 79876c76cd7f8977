//! Strictly legal move generation: one generator for every purpose.
//!
//! Nothing illegal is ever generated: a mask of squares that answer a check, the rays of pinned
//! pieces and the squares the enemy attacks are worked out first, and every set of targets is cut by
//! them. A visitor receives the sets: it lists the moves, counts them, or plays each one.

use crate::board::{Board, Side, ahead, bishop, rank, rook};
use crate::make::castling_targets;
use crate::sliders::Sliders;
use crate::{Bitboard, Rank, Role, Square, attacks};

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

/// What is done with the legal moves, as sets of targets.
pub(crate) trait Visitor {
    /// A piece, king included, goes from a square to each of the targets.
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard);
    /// Pawns go to each of the targets, each from `step` squares behind.
    fn pawns(&mut self, targets: Bitboard, step: i32);
    /// Pawns promote on each of the targets, each coming from `step` squares behind.
    fn promotions(&mut self, targets: Bitboard, step: i32);
    /// A pawn takes another in passing.
    fn en_passant(&mut self, from: Square, to: Square);
    /// The king castles with a rook.
    fn castling(&mut self, king: Square, rook: Square);
    /// Whether nothing more is wanted.
    #[inline(always)]
    fn is_done(&self) -> bool {
        false
    }
}

/// What limits the moves of the side to move.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) king: Square,
    pub(crate) own: Bitboard,
    pub(crate) enemy: Bitboard,
    pub(crate) occupied: Bitboard,
    /// The enemy pieces that give check.
    pub(crate) checkers: Bitboard,
    /// Squares that capture or block a single checker; all squares when there is no check.
    pub(crate) check_mask: Bitboard,
    /// Rays between our king and an orthogonal pinner, the pinner included.
    pub(crate) orthogonal_pins: Bitboard,
    /// Rays between our king and a diagonal pinner, the pinner included.
    pub(crate) diagonal_pins: Bitboard,
}

impl Limits {
    #[inline(always)]
    pub(crate) fn new<C: Side, S: Sliders>(board: &Board) -> Limits {
        let king = board.king::<C>();
        let own = board.own::<C>();
        let enemy = board.own::<C::Them>();
        let mut checkers = (attacks::pawn(C::US, king) & board.pieces::<C::Them>(Role::Pawn))
            | (attacks::knight(king) & board.pieces::<C::Them>(Role::Knight));
        // Through our own pieces, but not through the enemy's: what is met checks, or pins the
        // one piece in between.
        let mut orthogonal_pins = Bitboard::EMPTY;
        for slider in rook::<S>(king, enemy) & board.orthogonal::<C::Them>() {
            sort(slider, king, own, &mut checkers, &mut orthogonal_pins);
        }
        let mut diagonal_pins = Bitboard::EMPTY;
        for slider in bishop::<S>(king, enemy) & board.diagonal::<C::Them>() {
            sort(slider, king, own, &mut checkers, &mut diagonal_pins);
        }
        let check_mask = if checkers.is_empty() {
            Bitboard::FULL
        } else {
            attacks::between(king, checkers.lowest()) | checkers
        };
        Limits {
            king,
            own,
            enemy,
            occupied: own | enemy,
            checkers,
            check_mask,
            orthogonal_pins,
            diagonal_pins,
        }
    }

    /// Whether a piece other than the king may go where it attacks.
    #[inline(always)]
    pub(crate) fn allow(&self, from: Square, to: Square) -> bool {
        let pinned = (self.orthogonal_pins | self.diagonal_pins).contains(from);
        !self.checkers.many()
            && self.check_mask.contains(to)
            && (!pinned || attacks::line(self.king, from).contains(to))
    }
}

#[inline(always)]
fn sort(slider: Square, king: Square, own: Bitboard, checkers: &mut Bitboard, pins: &mut Bitboard) {
    let ray = attacks::between(king, slider);
    let shields = ray & own;
    if shields.is_empty() {
        *checkers |= Bitboard::of(slider);
    } else if !shields.many() {
        *pins |= ray | Bitboard::of(slider);
    }
}

/// Shows the visitor every legal move of a kind.
#[inline(always)]
pub(crate) fn visit<C: Side, S: Sliders, V: Visitor>(
    board: &Board,
    kind: GenKind,
    visitor: &mut V,
) {
    visit_within::<C, S, V>(board, &Limits::new::<C, S>(board), kind, visitor);
}

/// The same, where the limits are known already.
#[inline(always)]
pub(crate) fn visit_within<C: Side, S: Sliders, V: Visitor>(
    board: &Board,
    limits: &Limits,
    kind: GenKind,
    visitor: &mut V,
) {
    if kind == GenKind::Evasions && limits.checkers.is_empty() {
        return;
    }
    let wanted = match kind {
        GenKind::All | GenKind::Evasions => !limits.own,
        GenKind::Captures => limits.enemy,
        GenKind::Quiets => !limits.occupied,
    };
    if !limits.checkers.many() {
        visit_pawns::<C, S, V>(board, limits, kind, visitor);
        if visitor.is_done() {
            return;
        }
        visit_pieces::<C, S, V>(board, limits, wanted & limits.check_mask, visitor);
    }
    if !visitor.is_done() {
        visit_king::<C, S, V>(board, limits, kind, wanted, visitor);
    }
}

/// Shows the visitor the quiet moves of all but the king that end on one of the given squares.
#[inline(always)]
pub(crate) fn visit_quiets_to<C: Side, S: Sliders, V: Visitor>(
    board: &Board,
    squares: Bitboard,
    visitor: &mut V,
) {
    let mut limits = Limits::new::<C, S>(board);
    limits.check_mask &= squares;
    if !limits.checkers.many() {
        visit_pawns::<C, S, V>(board, &limits, GenKind::Quiets, visitor);
        visit_pieces::<C, S, V>(board, &limits, limits.check_mask - limits.occupied, visitor);
    }
}

#[inline(always)]
fn visit_pieces<C: Side, S: Sliders, V: Visitor>(
    board: &Board,
    limits: &Limits,
    wanted: Bitboard,
    visitor: &mut V,
) {
    let (orthogonal_pins, diagonal_pins) = (limits.orthogonal_pins, limits.diagonal_pins);
    let pinned = orthogonal_pins | diagonal_pins;
    for from in board.pieces::<C>(Role::Knight) - pinned {
        visitor.piece(Role::Knight, from, attacks::knight(from) & wanted);
    }
    let along = |from: Square, pins: Bitboard| {
        if pins.contains(from) { wanted & pins } else { wanted }
    };
    for from in board.pieces::<C>(Role::Bishop) - orthogonal_pins {
        let targets = bishop::<S>(from, limits.occupied) & along(from, diagonal_pins);
        visitor.piece(Role::Bishop, from, targets);
    }
    for from in board.pieces::<C>(Role::Rook) - diagonal_pins {
        let targets = rook::<S>(from, limits.occupied) & along(from, orthogonal_pins);
        visitor.piece(Role::Rook, from, targets);
    }
    for from in board.pieces::<C>(Role::Queen) {
        let targets = if orthogonal_pins.contains(from) {
            rook::<S>(from, limits.occupied) & orthogonal_pins
        } else if diagonal_pins.contains(from) {
            bishop::<S>(from, limits.occupied) & diagonal_pins
        } else {
            rook::<S>(from, limits.occupied) | bishop::<S>(from, limits.occupied)
        };
        visitor.piece(Role::Queen, from, targets & wanted);
    }
}

/// The pawns' moves as sets of targets: single steps, double steps, captures east and west.
#[derive(Clone, Copy)]
pub(crate) struct PawnTargets {
    pub(crate) single: Bitboard,
    pub(crate) double: Bitboard,
    pub(crate) east: Bitboard,
    pub(crate) west: Bitboard,
}

/// How far a pawn comes in each of the sets of [`PawnTargets`].
pub(crate) const fn pawn_steps<C: Side>() -> [i32; 4] {
    match C::US {
        crate::Color::White => [8, 16, 9, 7],
        crate::Color::Black => [-8, -16, -7, -9],
    }
}

/// The square a pawn comes from that has moved by `step` squares.
#[inline(always)]
pub(crate) fn pawn_origin(to: Square, step: i32) -> Square {
    Square::from_index((to.index() as i32 - step) as usize)
}

impl PawnTargets {
    #[inline(always)]
    pub(crate) fn new<C: Side>(board: &Board, limits: &Limits) -> PawnTargets {
        let pawns = board.pieces::<C>(Role::Pawn);
        let empty = !limits.occupied;
        let (orthogonal_pins, diagonal_pins) = (limits.orthogonal_pins, limits.diagonal_pins);
        let pushers = pawns - diagonal_pins;
        // An orthogonal pin lets a pawn go on only along its own file.
        let single = (ahead::<C>(pushers - orthogonal_pins)
            | (ahead::<C>(pushers & orthogonal_pins) & orthogonal_pins))
            & empty;
        let double = ahead::<C>(single & rank::<C>(Rank::Third)) & empty & limits.check_mask;
        let takers = pawns - orthogonal_pins;
        let loose = ahead::<C>(takers - diagonal_pins);
        let bound = ahead::<C>(takers & diagonal_pins);
        let targets = limits.enemy & limits.check_mask;
        PawnTargets {
            single: single & limits.check_mask,
            double,
            east: (loose.east() | (bound.east() & diagonal_pins)) & targets,
            west: (loose.west() | (bound.west() & diagonal_pins)) & targets,
        }
    }
}

#[inline(always)]
fn visit_pawns<C: Side, S: Sliders, V: Visitor>(
    board: &Board,
    limits: &Limits,
    kind: GenKind,
    visitor: &mut V,
) {
    let targets = PawnTargets::new::<C>(board, limits);
    let [single, double, east, west] = pawn_steps::<C>();
    let last = rank::<C>(Rank::Eighth);
    if kind != GenKind::Captures {
        visitor.pawns(targets.single - last, single);
        visitor.pawns(targets.double, double);
    }
    if kind == GenKind::Quiets {
        return;
    }
    visitor.pawns(targets.east - last, east);
    visitor.pawns(targets.west - last, west);
    if ((targets.single | targets.east | targets.west) & last).any() {
        visitor.promotions(targets.single & last, single);
        visitor.promotions(targets.east & last, east);
        visitor.promotions(targets.west & last, west);
    }
    if board.ep_square.any() {
        let to = board.ep_square.lowest();
        for from in attacks::pawn(C::Them::US, to) & board.pieces::<C>(Role::Pawn) {
            if board.en_passant_is_safe::<C, S>(from, to) {
                visitor.en_passant(from, to);
            }
        }
    }
}

#[inline(always)]
fn visit_king<C: Side, S: Sliders, V: Visitor>(
    board: &Board,
    limits: &Limits,
    kind: GenKind,
    wanted: Bitboard,
    visitor: &mut V,
) {
    let king = limits.king;
    let targets = attacks::king(king) & wanted;
    let rooks = castling_rooks::<C>(board, limits, kind);
    if (targets | rooks).is_empty() {
        return;
    }
    // The king does not shield the square behind it from a slider.
    let attacked = board.attacked_by::<C::Them, S>(limits.occupied ^ Bitboard::of(king));
    visitor.piece(Role::King, king, targets - attacked);
    for rook in rooks {
        if may_castle(limits, rook, attacked) {
            visitor.castling(king, rook);
        }
    }
}

#[inline(always)]
fn castling_rooks<C: Side>(board: &Board, limits: &Limits, kind: GenKind) -> Bitboard {
    if kind == GenKind::Captures || limits.checkers.any() {
        Bitboard::EMPTY
    } else {
        board.castling & limits.own & rank::<C>(Rank::First)
    }
}

/// Whether the king, which is not in check, may castle with a rook, given the squares the enemy
/// attacks through the king.
#[inline(always)]
pub(crate) fn may_castle(limits: &Limits, rook: Square, attacked: Bitboard) -> bool {
    let king = limits.king;
    let (king_path, empty) = castling_paths(king, rook);
    // A rook that shields the king on their common rank may not leave it (Chess960).
    let pinned = limits.orthogonal_pins.contains(rook);
    (empty & limits.occupied).is_empty() && (king_path & attacked).is_empty() && !pinned
}

/// The squares a castling king crosses or ends on, and those that must be empty.
#[inline(always)]
pub(crate) fn castling_paths(king: Square, rook: Square) -> (Bitboard, Bitboard) {
    let (king_to, rook_to) = castling_targets(king, rook);
    let king_path = attacks::between(king, king_to) | Bitboard::of(king_to);
    let rook_path = attacks::between(rook, rook_to) | Bitboard::of(rook_to);
    let empty = (king_path | rook_path) - Bitboard::of(king) - Bitboard::of(rook);
    (king_path - Bitboard::of(king), empty)
}
