//! Pairs of a move and an answer as sums over sets of squares, for the nodes, most of them, where
//! nothing much happens around the enemy king.
//!
//! Every set of moves costs a few population counts: the enemy's answers and what landing changes
//! of them are known (see `answers`). A piece that the answers depend on leaves a known enemy with
//! one piece less in its zone.

use super::answers::{Answers, Enemy};
use super::chances::{ByRole, Chances, by_role};
use super::known::{KnownAnswers, KnownEnemy};
use super::movers::{Mover, Movers, unlimited};
use super::node::{Node, Step};
use super::pairs::{lost_to_pin, taken_in_passing};
use super::walk::{Machine, origin};
use crate::board::{Board, Side, bishop, rank, rook};
use crate::movegen::{self, Limits, PawnTargets, pawn_steps};
use crate::{Bitboard, Rank, Role, Square, attacks};
use std::marker::PhantomData;

/// The number of pairs of a move and an answer, or nothing where sums do not tell. The movers are
/// ours before the last move, which took nothing and touched two squares.
#[inline(always)]
pub(super) fn count<C: Side, M: Machine>(
    board: &Board,
    movers: Option<(&Movers, Bitboard)>,
    Spare { movers: spare, chances }: &mut Spare,
    (enemy, known): (&KnownEnemy, &mut KnownAnswers),
) -> Option<u64> {
    if board.passed.any() {
        return None;
    }
    let own = board.own::<C>();
    let lines = Lines::new::<C>(board, &enemy.enemy, board.occupied())?;
    let in_zone = own & enemy.enemy.zone;
    let answers = *known.get::<C, M>(board, enemy, in_zone, lines.bound);
    let limits = limits::<C, M>(board, &answers)?;
    chances.work_out::<C, M>(board, &enemy.enemy, limits.occupied)?;
    let (movers, moved) = match movers {
        Some(movers) if (limits.straight_pins | limits.diagonal_pins).is_empty() => movers,
        _ => {
            spare.work_out::<C, M>(board, &limits);
            (&*spare, Bitboard::EMPTY)
        }
    };
    let landing = Landing::new::<C, M>(enemy, &limits, chances, &lines, moved);
    let still = lines.shields | chances.uncover;
    let mut sums = Sums::<C, M> {
        board,
        limits: &limits,
        enemy,
        known,
        in_zone,
        answers: &answers,
        lines: &lines,
        chances,
        landing: &landing,
        moved,
        busy: answers.leaving | lines.pinners | chances.guards | still,
        still,
        complete: answers.are_known(),
        total: 0,
        marker: PhantomData,
    };
    sums.all(movers);
    sums.king();
    sums.castling(movers.castling);
    sums.complete.then_some(sums.total as u64)
}

/// Room to work in, so that it need not be cleared each time.
pub(super) struct Spare {
    movers: Movers,
    chances: Chances,
}

impl Spare {
    pub(super) const NONE: Spare = Spare { movers: Movers::NONE, chances: Chances::NONE };
}

/// What limits our moves, unless we are in check.
#[inline(always)]
fn limits<C: Side, M: Machine>(board: &Board, answers: &Answers) -> Option<Limits> {
    let king = board.king::<C>();
    if answers.seen.contains(king) {
        return None;
    }
    if answers.through.contains(king) {
        return Some(Limits::new::<C, M>(board));
    }
    Some(unlimited::<C>(board))
}

/// The lines between our sliders and the enemy king.
struct Lines {
    /// The lines of pins, the sliders included, and these sliders.
    bound: Bitboard,
    pinners: Bitboard,
    /// Our pieces whose leaving gives check, or lets a slider pin.
    shields: Bitboard,
}

impl Lines {
    /// The lines, unless what is pinned castles or promotes.
    #[inline(always)]
    fn new<C: Side>(board: &Board, enemy: &Enemy, occupied: Bitboard) -> Option<Lines> {
        let none = Bitboard::EMPTY;
        let mut lines = Lines { bound: none, pinners: none, shields: none };
        let sliders = (enemy.king_diagonal & board.diagonal::<C>())
            | (enemy.king_straight & board.straight::<C>());
        for slider in sliders {
            let line = attacks::between(enemy.king, slider);
            let between = line & occupied;
            let ours = between & board.own::<C>();
            if !between.many() && ours.is_empty() {
                lines.bound |= line | Bitboard::of(slider);
                lines.pinners |= Bitboard::of(slider);
            } else if ours.any() && !ours.many() && between.count() <= 2 {
                lines.shields |= ours;
            }
        }
        (lines.bound & enemy.awkward).is_empty().then_some(lines)
    }
}

/// Where landing does more than change the answers of pieces.
struct Landing {
    /// Where landing is worth a closer look.
    interest: ByRole,
    /// Moves to these squares are played: they give check, take a rook that may castle, pin what
    /// castles or promotes, get into the line of a pin, or hide a square near the king from a slider
    /// that guards it.
    played: ByRole,
    /// Landing here pins an enemy piece.
    pins: ByRole,
    /// Enemy pieces beside their king, which may take back.
    beside: Bitboard,
}

impl Landing {
    #[inline(always)]
    fn new<C: Side, M: Machine>(
        known: &KnownEnemy,
        limits: &Limits,
        chances: &Chances,
        lines: &Lines,
        moved: Bitboard,
    ) -> Landing {
        let (enemy, occupied, none) = (&known.enemy, limits.occupied, Bitboard::EMPTY);
        let king = enemy.king;
        let mut diagonal = bishop::<M>(king, occupied);
        let mut straight = rook::<M>(king, occupied);
        let through_diagonal = bishop::<M>(king, occupied ^ (diagonal & limits.enemy));
        let through_straight = rook::<M>(king, occupied ^ (straight & limits.enemy));
        let pins =
            by_role(none, none, through_diagonal - diagonal, through_straight - straight, none);
        if ((diagonal | straight) & enemy.awkward).any() {
            (diagonal, straight) = (through_diagonal, through_straight);
        }
        let (pawn, knight) = (attacks::pawn(C::Them::US, king), attacks::knight(king));
        let always = enemy.castling_rooks | lines.bound | chances.cover;
        let played = by_role(pawn, knight, diagonal, straight, none).map(|set| set | always);
        let beside = enemy.ring & limits.enemy;
        let mut interest = by_role(none, none, moved, moved, none);
        for (role, set) in interest.iter_mut().enumerate() {
            *set |= played[role] | pins[role] | beside;
            for taken_by in chances.now() {
                *set |= taken_by[role];
            }
        }
        Landing { interest, played, pins, beside }
    }
}

/// Squares shifted by the step of a pawn.
#[inline(always)]
fn shifted(squares: Bitboard, step: i32) -> Bitboard {
    if step > 0 { squares << step as u32 } else { squares >> -step as u32 }
}

struct Sums<'a, C, M> {
    board: &'a Board,
    limits: &'a Limits,
    enemy: &'a KnownEnemy,
    known: &'a mut KnownAnswers,
    in_zone: Bitboard,
    answers: &'a Answers,
    lines: &'a Lines,
    chances: &'a Chances,
    landing: &'a Landing,
    /// The squares that the last move left and reached, if they are not in the movers yet.
    moved: Bitboard,
    /// Our pieces whose leaving changes more than the squares they land on do.
    busy: Bitboard,
    /// Those that are played: they uncover something.
    still: Bitboard,
    complete: bool,
    total: i64,
    marker: PhantomData<(C, M)>,
}

impl<C: Side, M: Machine> Sums<'_, C, M> {
    #[inline(always)]
    fn play(&mut self, step: Step) {
        let next = Node { board: *self.board, key: 0 }.after::<C>(step);
        self.total += M::moves::<C::Them>(&next.board) as i64;
    }

    /// The answers to moves of all but the king.
    #[inline(always)]
    fn all(&mut self, movers: &Movers) {
        let (answers, chances) = (self.answers, self.chances.now().len() as i32);
        for (bit, &set) in movers.landings.iter().enumerate() {
            if set.any() {
                self.total += i64::from(answers.after(set, chances)) << bit;
            }
        }
        for mover in movers.as_slice() {
            let leaves = self.busy.contains(mover.from);
            let interest = self.landing.interest[mover.role.index()];
            if leaves || (mover.targets & interest).any() {
                self.total -= i64::from(answers.after(mover.targets, chances));
                self.piece(mover.role, mover.from, self.targets(mover));
            }
        }
        let interest = self.landing.interest[Role::Pawn.index()] | rank::<C>(Rank::Eighth);
        let [single, double, east, west] = pawn_steps::<C>();
        let targets = &self.pawn_targets(movers);
        for (set, step) in [
            (targets.single, single),
            (targets.double, double),
            (targets.east, east),
            (targets.west, west),
        ] {
            let busy = set & (interest | shifted(self.busy, step));
            if busy.any() {
                self.total -= i64::from(answers.after(busy, chances));
                self.pawns(busy, step);
            }
        }
        let takers = self.board.pieces::<C::Them>(Role::Pawn);
        for to in targets.double & (takers.east() | takers.west()) {
            let from = origin(to, double);
            // What was played has its captures.
            if !self.played(Role::Pawn, Bitboard::of(from)).contains(to) {
                self.total += taken_in_passing::<C, M>(self.board, from, to);
            }
        }
    }

    /// The targets of a mover after the last move.
    #[inline(always)]
    fn targets(&self, mover: &Mover) -> Bitboard {
        let Mover { role, from, targets } = *mover;
        if (targets & self.moved).is_empty() {
            return targets;
        }
        let occupied = self.limits.occupied;
        let sees = match role {
            Role::Bishop => bishop::<M>(from, occupied),
            Role::Rook => rook::<M>(from, occupied),
            Role::Queen => bishop::<M>(from, occupied) | rook::<M>(from, occupied),
            _ => return targets,
        };
        sees - self.limits.own
    }

    /// The targets of pawns after the last move, whose answers take the place of those before it.
    #[inline(always)]
    fn pawn_targets(&mut self, movers: &Movers) -> PawnTargets {
        let old = &movers.pawns;
        if (movers.pawn_zone & self.moved).is_empty() {
            return *old;
        }
        let new = PawnTargets::new::<C>(self.board, self.limits);
        let chances = self.chances.now().len() as i32;
        for (old, new) in [
            (old.single | old.double, new.single | new.double),
            (old.east, new.east),
            (old.west, new.west),
        ] {
            self.total += i64::from(self.answers.after(new - old, chances));
            self.total -= i64::from(self.answers.after(old - new, chances));
        }
        new
    }

    #[inline(always)]
    fn king(&mut self) {
        let (king, own) = (self.limits.king, self.limits.own);
        let targets = attacks::king(king) - own - self.answers.seen;
        if targets.any() {
            self.piece(Role::King, king, targets);
        }
    }

    /// Where a piece from a square must be played.
    #[inline(always)]
    fn played(&self, role: Role, from: Bitboard) -> Bitboard {
        if (from & self.still).any() {
            return Bitboard::FULL;
        }
        let mut played = self.landing.played[role.index()];
        if (from & self.lines.pinners).any() {
            // It may pin from elsewhere on the line.
            played |= attacks::line(self.enemy.enemy.king, from.lowest());
        }
        played
    }

    /// The answers to moves by one kind of piece from one square.
    #[inline(always)]
    fn add(&mut self, role: Role, from: Bitboard, targets: Bitboard) {
        let chances = self.chances.now();
        let now = chances.len() as i32;
        let mut sum = if (from & (self.answers.leaving | self.lines.pinners)).any() {
            let own = self.in_zone - from;
            let mut bound = self.lines.bound;
            if (from & self.lines.pinners).any() {
                bound -= attacks::between(self.enemy.enemy.king, from.lowest()) | from;
            }
            let answers = self.known.get::<C, M>(self.board, self.enemy, own, bound);
            self.complete &= answers.are_known();
            answers.after(targets, now)
        } else {
            self.answers.after(targets, now)
        };
        for taken_by in chances {
            sum -= (targets & taken_by[role.index()]).count() as i32;
        }
        if (from & self.chances.guards).any() {
            for chance in self.chances.later() {
                if chance.guard == from {
                    sum += (targets - chance.taken_by[role.index()]).count() as i32;
                }
            }
        }
        self.total += i64::from(sum);
    }

    #[inline(always)]
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        let limits = self.limits;
        let played = targets & self.played(role, Bitboard::of(from));
        for to in played {
            self.play(Step::Piece(role, from, to));
        }
        let targets = targets - played;
        self.add(role, Bitboard::of(from), targets);
        for to in targets & self.landing.pins[role.index()] {
            let own = (limits.own - Bitboard::of(from)) | Bitboard::of(to);
            self.total -= lost_to_pin::<C, M>(self.board, self.enemy.enemy.king, own, to);
        }
        self.take_beside(Bitboard::of(from), targets);
    }

    /// What we take beside the king it may take back, unless another piece guards it.
    #[inline(always)]
    fn take_beside(&mut self, from: Bitboard, targets: Bitboard) {
        for to in targets & self.landing.beside {
            let occupied = self.limits.occupied - from;
            let guards = self.board.attackers::<C, M>(to, occupied) - from;
            self.total += i64::from(guards.is_empty());
        }
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, step: i32) {
        let last = rank::<C>(Rank::Eighth);
        for to in targets & last {
            for role in Role::PROMOTIONS {
                self.play(Step::Promotion(origin(to, step), to, role));
            }
        }
        for to in targets - last {
            let from = origin(to, step);
            if self.played(Role::Pawn, Bitboard::of(from)).contains(to) {
                self.play(Step::Pawn(from, to));
            } else {
                let (from, to) = (Bitboard::of(from), Bitboard::of(to));
                self.add(Role::Pawn, from, to);
                self.take_beside(from, to);
            }
        }
    }

    #[inline(always)]
    fn castling(&mut self, rooks: Bitboard) {
        for rook in rooks {
            if movegen::may_castle(self.limits, rook, self.answers.seen) {
                self.play(Step::Castling(self.limits.king, rook));
            }
        }
    }
}
