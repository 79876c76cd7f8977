//! The last two plies at once: every move together with the number of its replies.
//!
//! Most moves hardly change what the enemy can answer. So the enemy's replies are counted once,
//! as if we had passed, and for each of our pieces only the change is worked out, for all of its
//! targets together: lines that open where it leaves, lines that close where it lands, pawns
//! that get free or are stopped, squares the enemy king gains or loses, what is captured. Moves
//! that change the structure of the replies themselves (checks, pins made or broken, promotions,
//! en passant, castling and the rare like) are played and counted one by one.

use super::node::Node;
use super::replies::{PawnReplies, Replies};
use super::walk::{Machine, Run, each_move};
use crate::board::{Side, bishop, rook};
use crate::movegen::{self, GenKind, Limits, Visitor};
use crate::{Bitboard, Role, Square, attacks};
use std::marker::PhantomData;

/// The number of pairs of a move and a reply.
#[inline(always)]
pub(super) fn count<C: Side, M: Machine>(node: &Node, run: &Run) -> u64 {
    // A side in check has few moves: nothing is gained by looking at them together.
    if Limits::new::<C, M>(&node.board).checkers.any() {
        return each_move::<C, M>(node, 2, run);
    }
    let replies = Replies::new::<C, M>(&node.board, Bitboard::EMPTY);
    let mut pairs = Pairs::<C, M> { node, replies: &replies, total: 0, marker: PhantomData };
    movegen::visit::<C, M, _>(&node.board, GenKind::All, &mut pairs);
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
    let replies = Replies::new::<C, M>(&board, targets);
    let mut pairs = Pairs::<C, M> { node, replies: &replies, total: 0, marker: PhantomData };
    let special = targets & replies.special_absent(role);
    pairs.play_each(role, from, special);
    let targets = targets - special;
    if targets.any() {
        let lifted =
            Lifted { occupied: replies.occupied, seen: replies.seen, pawns: &replies.pawns };
        pairs.land(role, targets, &lifted);
    }
    pairs.total
}

struct Pairs<'a, C, M> {
    node: &'a Node,
    replies: &'a Replies,
    total: i64,
    marker: PhantomData<(C, M)>,
}

/// What a piece that has left its square, and not landed yet, has changed.
struct Lifted<'a> {
    occupied: Bitboard,
    /// The squares that our other pieces see.
    seen: Bitboard,
    pawns: &'a PawnReplies,
}

impl<C: Side, M: Machine> Pairs<'_, C, M> {
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

    /// The en-passant captures that a double step allows.
    #[inline(always)]
    fn taken_in_passing(&self, from: Square, to: Square) -> i64 {
        let next = self.node.pawn::<C>(from, to).board;
        let passed = next.passed.lowest();
        let takers = attacks::pawn(C::US, passed) & next.pieces::<C::Them>(Role::Pawn);
        let legal = |taker: &Square| next.en_passant_is_safe::<C::Them, M>(*taker, passed);
        takers.into_iter().filter(legal).count() as i64
    }

    /// Counts the replies to the moves of one piece that change nothing fundamental.
    #[inline(always)]
    fn lift(&mut self, role: Role, from: Square, sees: Bitboard, targets: Bitboard) {
        let replies = self.replies;
        let bit = Bitboard::of(from);
        let occupied = replies.occupied ^ bit;
        let seen = replies.seen_twice | (replies.seen - sees);
        if replies.pawns.zone.contains(from) {
            let own = replies.own ^ bit;
            let pawns = PawnReplies::new::<C>(replies.pawns.pawns, own, occupied);
            self.land(role, targets, &Lifted { occupied, seen, pawns: &pawns });
        } else {
            self.land(role, targets, &Lifted { occupied, seen, pawns: &replies.pawns });
        }
        if replies.sliders_see.contains(from) {
            self.open_lines(from, targets, occupied);
        }
    }

    /// The lines of enemy sliders that our piece, leaving, has opened.
    #[inline(always)]
    fn open_lines(&mut self, from: Square, targets: Bitboard, occupied: Bitboard) {
        let replies = self.replies;
        for slider in bishop::<M>(from, replies.occupied) & replies.free_diagonal {
            let opened = bishop::<M>(slider, occupied) & attacks::shadow(slider, from);
            self.open_line(slider, opened, targets);
        }
        for slider in rook::<M>(from, replies.occupied) & replies.free_straight {
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
        let mut sum = count * i64::from(replies.base + lifted.pawns.count);
        for to in targets & replies.matters {
            sum += i64::from(replies.change[to.index()]);
        }
        sum += lifted.pawns.change::<C>(targets);
        // The enemy king: where it could go if our piece were gone, and can still go.
        let sees = |square: Square| match role {
            Role::Pawn => attacks::pawn(C::Them::US, square),
            Role::Knight => attacks::knight(square),
            Role::Bishop => bishop::<M>(square, lifted.occupied),
            Role::Rook => rook::<M>(square, lifted.occupied),
            Role::Queen => {
                bishop::<M>(square, lifted.occupied) | rook::<M>(square, lifted.occupied)
            }
            Role::King => attacks::king(square),
        };
        for square in replies.king_room - lifted.seen {
            sum += count - i64::from((targets & sees(square)).count());
        }
        // What we take beside the king it may take back, unless another piece guards it.
        let beside = targets & replies.enemy & replies.king_ring;
        sum += i64::from((beside - lifted.seen).count());
        for castle in replies.castles() {
            let open = (castle.empty & lifted.occupied).is_empty()
                && (castle.path & lifted.seen).is_empty();
            if open {
                let stopping =
                    castle.path.into_iter().fold(castle.empty, |set, square| set | sees(square));
                sum += count - i64::from((targets & stopping).count());
            }
        }
        self.total += sum;
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
            let takers = replies.pawns.pawns_all;
            for to in targets & (takers.east() | takers.west()) {
                let from = Square::from_index((to.index() as i32 - step) as usize);
                self.total += self.taken_in_passing(from, to);
            }
        }
        // Pawns that nothing depends on where they stand go together.
        let single = from_of(targets) & replies.not_idle;
        for from in single {
            let to = to_of(Bitboard::of(from));
            self.lift(Role::Pawn, from, attacks::pawn(C::US, from), to);
        }
        let together = targets - to_of(single);
        if together.any() {
            let lifted =
                Lifted { occupied: replies.occupied, seen: replies.seen, pawns: &replies.pawns };
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
