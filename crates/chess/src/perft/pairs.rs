//! The last two plies at once: every move together with the number of its replies.
//!
//! Most moves hardly change what the enemy can answer. So the enemy's replies are counted once,
//! as if we had passed, and for each of our pieces only the change is worked out, for all of its
//! targets together: lines that open where it leaves, lines that close where it lands, pawns
//! that get free or are stopped, squares the enemy king gains or loses, what is captured or pinned.
//! Moves that change the structure of the replies themselves (checks, pins broken, promotions, en
//! passant, castling and the rare like) are played and counted one by one.

use super::node::Node;
use super::pieces::{PawnReplies, PieceReplies};
use super::replies::Replies;
use super::walk::{Machine, Run, each_move};
use crate::board::{Board, Side, bishop, rook};
use crate::movegen::{self, GenKind, Limits, Visitor};
use crate::{Bitboard, Role, Square, attacks};
use std::marker::PhantomData;

/// The number of pairs of a move and a reply.
#[inline(always)]
pub(super) fn count<C: Side, M: Machine>(node: &Node, run: &Run) -> u64 {
    let board = &node.board;
    let limits = Limits::new::<C, M>(board);
    // A side in check has few moves: nothing is gained by looking at them together.
    if limits.checkers.any() {
        return each_move::<C, M>(node, 2, run);
    }
    let mut replies = Replies::NONE;
    replies.work_out::<C, M>(board);
    let mut pieces = PieceReplies::NONE;
    let reach = replies.reach::<C>(board, Bitboard::EMPTY);
    pieces.work_out::<C, M>(board, replies.bound, reach);
    let mut pairs = Pairs::<C, M>::new(node, &replies, &pieces);
    movegen::visit_within::<C, M, _>(board, &limits, GenKind::All, &mut pairs);
    pairs.total as u64
}

/// The pairs of one piece whose leaving changes pins or guards: the replies are worked out anew on
/// the board without it.
#[inline(always)]
pub(super) fn without<C: Side, M: Machine>(
    node: &Node,
    role: Role,
    from: Square,
    targets: Bitboard,
) -> i64 {
    let mut board = node.board;
    board.by_role[role.index()] ^= Bitboard::of(from);
    board.by_color[C::US.index()] ^= Bitboard::of(from);
    let mut replies = Replies::NONE;
    replies.work_out::<C, M>(&board);
    let mut pieces = PieceReplies::NONE;
    let reach = replies.reach::<C>(&board, targets);
    pieces.work_out::<C, M>(&board, replies.bound, reach);
    let mut pairs = Pairs::<C, M>::new(node, &replies, &pieces);
    let special = targets & replies.special_absent(role);
    pairs.play_each(role, from, special);
    let targets = targets - special;
    if targets.any() {
        let (own, occupied, seen) = (replies.own, replies.occupied, replies.seen);
        let lifted = Lifted { own, occupied, seen, pawns: &pieces.pawns };
        pairs.land(role, targets, &lifted);
    }
    pairs.total
}

struct Pairs<'a, C, M> {
    node: &'a Node,
    replies: &'a Replies,
    pieces: &'a PieceReplies,
    /// The replies of all but pawns and king, as if we had passed.
    base: i32,
    total: i64,
    marker: PhantomData<(C, M)>,
}

/// What a piece that has left its square, and not landed yet, has changed.
struct Lifted<'a> {
    own: Bitboard,
    occupied: Bitboard,
    /// The squares that our other pieces see.
    seen: Bitboard,
    pawns: &'a PawnReplies,
}

impl<'a, C: Side, M: Machine> Pairs<'a, C, M> {
    #[inline(always)]
    fn new(node: &'a Node, replies: &'a Replies, pieces: &'a PieceReplies) -> Pairs<'a, C, M> {
        let base = replies.pinned + pieces.count;
        Pairs { node, replies, pieces, base, total: 0, marker: PhantomData }
    }

    /// Plays a move and counts the replies.
    #[inline(always)]
    fn play(&mut self, next: &Node) {
        self.total += M::moves::<C::Them>(&next.board) as i64;
    }

    #[inline(always)]
    fn play_each(&mut self, role: Role, from: Square, targets: Bitboard) {
        for to in targets {
            self.play(&self.node.piece::<C>(role, from, to));
        }
    }

    /// Counts the replies to the moves of one piece that change nothing fundamental.
    #[inline(always)]
    fn lift(&mut self, role: Role, from: Square, sees: Bitboard, targets: Bitboard) {
        let (replies, pieces) = (self.replies, self.pieces);
        let bit = Bitboard::of(from);
        let (own, occupied) = (replies.own ^ bit, replies.occupied ^ bit);
        let seen = replies.seen_twice | (replies.seen - sees);
        let without;
        let pawns = if pieces.pawns.zone.contains(from) {
            without = PawnReplies::new::<C>(pieces.pawns.pawns, own, occupied);
            &without
        } else {
            &pieces.pawns
        };
        self.land(role, targets, &Lifted { own, occupied, seen, pawns });
        if pieces.sliders_see.contains(from) {
            self.open_lines(from, targets, occupied);
        }
    }

    /// The lines of enemy sliders that our piece, leaving, has opened.
    #[inline(always)]
    fn open_lines(&mut self, from: Square, targets: Bitboard, occupied: Bitboard) {
        let replies = self.replies;
        for slider in bishop::<M>(from, replies.occupied) & self.pieces.diagonal {
            let opened = bishop::<M>(slider, occupied) & attacks::shadow(slider, from);
            self.open_line(slider, opened, targets);
        }
        for slider in rook::<M>(from, replies.occupied) & self.pieces.straight {
            let opened = rook::<M>(slider, occupied) & attacks::shadow(slider, from);
            self.open_line(slider, opened, targets);
        }
    }

    #[inline(always)]
    fn open_line(&mut self, slider: Square, opened: Bitboard, targets: Bitboard) {
        let enemy = self.replies.enemy;
        let gained = opened - enemy;
        // A capture of the slider itself gains it nothing.
        let moves = (targets - Bitboard::of(slider)).count();
        let mut change = i64::from(moves * gained.count());
        // Landing on the line closes it again.
        for far in gained {
            change -= i64::from((targets & attacks::between(slider, far)).count());
        }
        // At its end it may now guard what we take.
        change += i64::from((opened & enemy & targets).count());
        self.total += change;
    }

    /// A set of moves by one kind of piece: the replies as they were, and what landing changes.
    #[inline(always)]
    fn land(&mut self, role: Role, targets: Bitboard, lifted: &Lifted) {
        let replies = self.replies;
        let count = i64::from(targets.count());
        let mut sum = count * i64::from(self.base + lifted.pawns.count);
        for to in targets & self.pieces.matters {
            sum += i64::from(self.pieces.change[to.index()]);
        }
        sum += lifted.pawns.change::<C>(targets);
        for to in targets & replies.pinning(role) {
            let own = lifted.own | Bitboard::of(to);
            sum -= lost_to_pin::<C, M>(&self.node.board, replies.enemy_king, own, to);
        }
        // The enemy king: where it could go if our piece were gone, and can still go.
        for square in replies.king_room - lifted.seen {
            sum +=
                count - i64::from((targets & sees::<C, M>(role, square, lifted.occupied)).count());
        }
        // What we take beside the king it may take back, unless another piece guards it.
        let beside = targets & replies.enemy & replies.king_ring;
        sum += i64::from((beside - lifted.seen).count());
        for castle in replies.castles() {
            let open = (castle.empty & lifted.occupied).is_empty()
                && (castle.path & lifted.seen).is_empty();
            if open {
                let mut stopping = castle.empty;
                for square in castle.path {
                    stopping |= sees::<C, M>(role, square, lifted.occupied);
                }
                sum += count - i64::from((targets & stopping).count());
            }
        }
        self.total += sum;
    }
}

/// The replies lost to the piece that we pin by landing on a square: all but those along the
/// line. `own` are our pieces after the move.
#[inline(always)]
pub(super) fn lost_to_pin<C: Side, M: Machine>(
    board: &Board,
    enemy_king: Square,
    own: Bitboard,
    to: Square,
) -> i64 {
    let landed = Bitboard::of(to);
    let enemy = board.own::<C::Them>() - landed;
    let occupied = own | enemy;
    let ray = attacks::between(enemy_king, to);
    let bound = ray & enemy;
    let pinned = bound.lowest();
    let ray = ray | landed;
    if (bound & board.role(Role::Pawn)).any() {
        let pawn = PawnReplies::new::<C>(bound, own, occupied);
        return i64::from(pawn.count) - i64::from(pawn.within(ray));
    }
    let mut sees = Bitboard::EMPTY;
    if (bound & board.role(Role::Knight)).any() {
        sees = attacks::knight(pinned);
    }
    if (bound & board.diagonal::<C::Them>()).any() {
        sees = bishop::<M>(pinned, occupied);
    }
    if (bound & board.straight::<C::Them>()).any() {
        sees |= rook::<M>(pinned, occupied);
    }
    i64::from((sees - enemy - ray).count())
}

/// The en-passant captures that a double step allows.
#[inline(always)]
pub(super) fn taken_in_passing<C: Side, M: Machine>(
    board: &Board,
    from: Square,
    to: Square,
) -> i64 {
    let next = Node { board: *board, key: 0 }.pawn::<C>(from, to).board;
    let passed = next.passed.lowest();
    let takers = attacks::pawn(C::US, passed) & next.pieces::<C::Them>(Role::Pawn);
    let legal = |taker: &Square| next.en_passant_is_safe::<C::Them, M>(*taker, passed);
    takers.into_iter().filter(legal).count() as i64
}

/// The squares from which a piece of ours sees a square.
#[inline(always)]
fn sees<C: Side, M: Machine>(role: Role, square: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::Pawn => attacks::pawn(C::Them::US, square),
        Role::Knight => attacks::knight(square),
        Role::Bishop => bishop::<M>(square, occupied),
        Role::Rook => rook::<M>(square, occupied),
        Role::Queen => bishop::<M>(square, occupied) | rook::<M>(square, occupied),
        Role::King => attacks::king(square),
    }
}

impl<C: Side, M: Machine> Visitor for Pairs<'_, C, M> {
    #[inline(always)]
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        let replies = self.replies;
        if targets.is_empty() {
            return;
        }
        let special = replies.special_from.contains(from);
        // A board without our king is no board.
        if replies.discoverers.contains(from) || (special && role == Role::King) {
            self.play_each(role, from, targets);
        } else if special {
            self.total += M::without::<C>(self.node, role, from, targets);
        } else {
            let occupied = replies.occupied;
            let sees = match role {
                Role::Knight => attacks::knight(from),
                Role::Bishop => bishop::<M>(from, occupied),
                Role::Rook => rook::<M>(from, occupied),
                Role::Queen => bishop::<M>(from, occupied) | rook::<M>(from, occupied),
                _ => attacks::king(from),
            };
            let special = replies.special(role, from, sees, targets);
            self.play_each(role, from, special);
            if targets != special {
                self.lift(role, from, sees, targets - special);
            }
        }
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, step: i32) {
        let replies = self.replies;
        let from_of = |to: Bitboard| if step > 0 { to >> step as u32 } else { to << -step as u32 };
        let to_of =
            |from: Bitboard| if step > 0 { from << step as u32 } else { from >> -step as u32 };
        let stays = replies.discoverers | replies.special_from;
        let special = targets & (replies.special_absent(Role::Pawn) | to_of(stays));
        for to in special {
            let from = Square::from_index((to.index() as i32 - step) as usize);
            self.play(&self.node.pawn::<C>(from, to));
        }
        let targets = targets - special;
        if targets.is_empty() {
            return;
        }
        if step.abs() == 16 {
            let takers = self.node.board.pieces::<C::Them>(Role::Pawn);
            for to in targets & (takers.east() | takers.west()) {
                let from = Square::from_index((to.index() as i32 - step) as usize);
                self.total += taken_in_passing::<C, M>(&self.node.board, from, to);
            }
        }
        // Pawns that nothing depends on where they stand go together.
        let pieces = self.pieces;
        let busy = replies.guards | pieces.pawns.zone | pieces.sliders_see;
        let single = from_of(targets) & busy;
        for from in single {
            let to = to_of(Bitboard::of(from));
            self.lift(Role::Pawn, from, attacks::pawn(C::US, from), to);
        }
        let together = targets - to_of(single);
        if together.any() {
            let (own, occupied, seen) = (replies.own, replies.occupied, replies.seen);
            let lifted = Lifted { own, occupied, seen, pawns: &pieces.pawns };
            self.land(Role::Pawn, together, &lifted);
        }
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            let from = Square::from_index((to.index() as i32 - step) as usize);
            for role in Role::PROMOTIONS {
                self.play(&self.node.promotion::<C>(from, to, role));
            }
        }
    }

    #[inline(always)]
    fn en_passant(&mut self, from: Square, to: Square) {
        self.play(&self.node.en_passant::<C>(from, to));
    }

    #[inline(always)]
    fn castling(&mut self, king: Square, rook: Square) {
        self.play(&self.node.castling::<C>(king, rook));
    }
}
