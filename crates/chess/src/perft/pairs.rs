//! The last two plies at once: every move together with the number of its replies.
//!
//! Most moves hardly change what the enemy can reply. So the enemy's replies are counted once,
//! as if we had passed, and for each of our pieces only the difference is worked out, for all of its
//! targets together: lines that open where it leaves and close where it lands, pawns that are freed
//! or stopped, squares the enemy king gains or loses, what is captured or pinned. Sensitive moves,
//! which change the structure of the replies (checks, broken pins, promotions, en passant, castling
//! and the like), are played and counted one by one.

use super::bulk::count_moves;
use super::kernel::{Kernel, Processor};
use super::node::{Node, for_each_child};
use super::piece_replies::{PawnReplies, PieceReplies};
use super::replies::Replies;
use crate::board::{Board, Side, bishop, rook};
use crate::movegen::{self, GenKind, Limits, Visitor, pawn_origin};
use crate::{Bitboard, Role, Square, attacks};
use std::marker::PhantomData;

/// The number of pairs of a move of side `C` and a reply.
#[inline(always)]
pub(super) fn count_pairs<C: Side, P: Processor>(node: &Node) -> u64 {
    P::run(CountPairs { node, side: PhantomData::<C> })
}

struct CountPairs<'a, C> {
    node: &'a Node,
    side: PhantomData<C>,
}

impl<C: Side> Kernel for CountPairs<'_, C> {
    type Output = u64;

    #[inline(always)]
    fn call<P: Processor>(self) -> u64 {
        let board = &self.node.board;
        let limits = Limits::new::<C, P>(board);
        // A side in check has few moves: counting them together gains nothing.
        if limits.checkers.any() {
            let mut total = 0;
            for_each_child::<C, P>(self.node, GenKind::All, |_, next| {
                total += count_moves::<C::Them, P>(&next.board);
            });
            return total;
        }
        let mut replies = Replies::NONE;
        replies.compute::<C, P>(board);
        let mut pieces = PieceReplies::NONE;
        let reach = replies.reach::<C>(board, Bitboard::EMPTY);
        pieces.compute::<C, P>(board, replies.pin_lines, reach);
        let mut pairs = Pairs::<C, P>::new(self.node, &replies, &pieces);
        movegen::visit_within::<C, P, _>(board, &limits, GenKind::All, &mut pairs);
        pairs.total as u64
    }
}

/// Counts the pairs of one piece whose leaving is sensitive: the replies are worked out anew on
/// the board without it.
struct CountWithout<'a, C> {
    node: &'a Node,
    role: Role,
    from: Square,
    targets: Bitboard,
    side: PhantomData<C>,
}

impl<C: Side> Kernel for CountWithout<'_, C> {
    type Output = i64;

    #[inline(always)]
    fn call<P: Processor>(self) -> i64 {
        let CountWithout { node, role, from, targets, .. } = self;
        let mut board = node.board;
        board.by_role[role.index()] ^= Bitboard::of(from);
        board.by_color[C::US.index()] ^= Bitboard::of(from);
        let mut replies = Replies::NONE;
        replies.compute::<C, P>(&board);
        let mut pieces = PieceReplies::NONE;
        let reach = replies.reach::<C>(&board, targets);
        pieces.compute::<C, P>(&board, replies.pin_lines, reach);
        let mut pairs = Pairs::<C, P>::new(node, &replies, &pieces);
        let sensitive = targets & replies.sensitive_absent(role);
        pairs.play_each(role, from, sensitive);
        let targets = targets - sensitive;
        if targets.any() {
            pairs.land(role, targets, &Lifted::nothing(&replies, &pieces));
        }
        pairs.total
    }
}

struct Pairs<'a, C, P> {
    node: &'a Node,
    replies: &'a Replies,
    pieces: &'a PieceReplies,
    /// The replies of all but pawns and king, as if we had passed.
    base: i32,
    total: i64,
    marker: PhantomData<(C, P)>,
}

/// The board after a piece has left its square and before it lands.
struct Lifted<'a> {
    own: Bitboard,
    occupied: Bitboard,
    /// The squares that our other pieces attack.
    attacked: Bitboard,
    pawns: &'a PawnReplies,
}

impl<'a> Lifted<'a> {
    /// The board as the replies were worked out for.
    #[inline(always)]
    fn nothing(replies: &Replies, pieces: &'a PieceReplies) -> Lifted<'a> {
        let (own, occupied, attacked) = (replies.own, replies.occupied, replies.attacked);
        Lifted { own, occupied, attacked, pawns: &pieces.pawns }
    }
}

impl<'a, C: Side, P: Processor> Pairs<'a, C, P> {
    #[inline(always)]
    fn new(node: &'a Node, replies: &'a Replies, pieces: &'a PieceReplies) -> Pairs<'a, C, P> {
        let base = replies.pinned + pieces.count;
        Pairs { node, replies, pieces, base, total: 0, marker: PhantomData }
    }

    /// Plays a move and counts the replies.
    #[inline(always)]
    fn play(&mut self, next: &Node) {
        self.total += count_moves::<C::Them, P>(&next.board) as i64;
    }

    #[inline(always)]
    fn play_each(&mut self, role: Role, from: Square, targets: Bitboard) {
        for to in targets {
            self.play(&self.node.piece::<C>(role, from, to));
        }
    }

    /// Counts the replies to moves of one piece that are not sensitive.
    #[inline(always)]
    fn lift(&mut self, role: Role, from: Square, attacked: Bitboard, targets: Bitboard) {
        let (replies, pieces) = (self.replies, self.pieces);
        let bit = Bitboard::of(from);
        let (own, occupied) = (replies.own ^ bit, replies.occupied ^ bit);
        let attacked = replies.attacked_twice | (replies.attacked - attacked);
        let without;
        let pawns = if pieces.pawns.leaving_matters.contains(from) {
            without = PawnReplies::new::<C>(pieces.pawns.pawns, own, occupied);
            &without
        } else {
            &pieces.pawns
        };
        self.land(role, targets, &Lifted { own, occupied, attacked, pawns });
        if pieces.slider_attacks.contains(from) {
            self.open_lines(from, targets, occupied);
        }
    }

    /// The lines of enemy sliders that our piece has opened by leaving.
    #[inline(always)]
    fn open_lines(&mut self, from: Square, targets: Bitboard, occupied: Bitboard) {
        let replies = self.replies;
        for slider in bishop::<P>(from, replies.occupied) & self.pieces.diagonal {
            let opened = bishop::<P>(slider, occupied) & attacks::shadow(slider, from);
            self.open_line(slider, opened, targets);
        }
        for slider in rook::<P>(from, replies.occupied) & self.pieces.orthogonal {
            let opened = rook::<P>(slider, occupied) & attacks::shadow(slider, from);
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
        // At its end the slider may now protect what we capture.
        change += i64::from((opened & enemy & targets).count());
        self.total += change;
    }

    /// Counts the replies to a set of landings: as many as before, and what landing changes.
    #[inline(always)]
    fn land(&mut self, role: Role, targets: Bitboard, lifted: &Lifted) {
        let replies = self.replies;
        let count = i64::from(targets.count());
        let mut sum = count * i64::from(self.base + lifted.pawns.count);
        for to in targets & self.pieces.changes_at {
            sum += i64::from(self.pieces.landing_change[to.index()]);
        }
        sum += lifted.pawns.landing_change::<C>(targets);
        for to in targets & replies.pinning(role) {
            let own = lifted.own | Bitboard::of(to);
            sum -= lost_to_pin::<C, P>(&self.node.board, replies.enemy_king, own, to);
        }
        // The enemy king keeps a square unless our piece, where it lands, attacks it.
        for square in replies.king_targets - lifted.attacked {
            let attackers = attackers::<C, P>(role, square, lifted.occupied);
            sum += count - i64::from((targets & attackers).count());
        }
        // What we capture beside the king it may recapture, unless another piece protects ours.
        let beside = targets & replies.enemy & replies.king_ring;
        sum += i64::from((beside - lifted.attacked).count());
        for castle in replies.castles() {
            let open = (castle.empty & lifted.occupied).is_empty()
                && (castle.path & lifted.attacked).is_empty();
            if open {
                let mut stopping = castle.empty;
                for square in castle.path {
                    stopping |= attackers::<C, P>(role, square, lifted.occupied);
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
fn lost_to_pin<C: Side, P: Processor>(
    board: &Board,
    enemy_king: Square,
    own: Bitboard,
    to: Square,
) -> i64 {
    let landed = Bitboard::of(to);
    let enemy = board.own::<C::Them>() - landed;
    let occupied = own | enemy;
    let ray = attacks::between(enemy_king, to);
    let pinned = ray & enemy;
    let square = pinned.lowest();
    let ray = ray | landed;
    if (pinned & board.role(Role::Pawn)).any() {
        let pawn = PawnReplies::new::<C>(pinned, own, occupied);
        return i64::from(pawn.count) - i64::from(pawn.within(ray));
    }
    let mut attacked = Bitboard::EMPTY;
    if (pinned & board.role(Role::Knight)).any() {
        attacked = attacks::knight(square);
    }
    if (pinned & board.diagonal::<C::Them>()).any() {
        attacked = bishop::<P>(square, occupied);
    }
    if (pinned & board.orthogonal::<C::Them>()).any() {
        attacked |= rook::<P>(square, occupied);
    }
    i64::from((attacked - enemy - ray).count())
}

/// The en-passant captures that a double step allows.
#[inline(always)]
fn count_en_passant<C: Side, P: Processor>(node: &Node, from: Square, to: Square) -> i64 {
    let next = node.pawn::<C>(from, to).board;
    let ep_square = next.ep_square.lowest();
    let takers = attacks::pawn(C::US, ep_square) & next.pieces::<C::Them>(Role::Pawn);
    let legal = |taker: &Square| next.en_passant_is_safe::<C::Them, P>(*taker, ep_square);
    takers.into_iter().filter(legal).count() as i64
}

/// The squares from which a piece of ours attacks a square.
#[inline(always)]
fn attackers<C: Side, P: Processor>(role: Role, square: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::Pawn => attacks::pawn(C::Them::US, square),
        Role::Knight => attacks::knight(square),
        Role::Bishop => bishop::<P>(square, occupied),
        Role::Rook => rook::<P>(square, occupied),
        Role::Queen => bishop::<P>(square, occupied) | rook::<P>(square, occupied),
        Role::King => attacks::king(square),
    }
}

impl<C: Side, P: Processor> Visitor for Pairs<'_, C, P> {
    #[inline(always)]
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        let replies = self.replies;
        if targets.is_empty() {
            return;
        }
        let sensitive = replies.sensitive_from.contains(from);
        // Without our king the board would not be a legal one.
        if replies.discoverers.contains(from) || (sensitive && role == Role::King) {
            self.play_each(role, from, targets);
        } else if sensitive {
            let (node, side) = (self.node, PhantomData::<C>);
            self.total += P::run(CountWithout { node, role, from, targets, side });
        } else {
            let occupied = replies.occupied;
            let attacked = match role {
                Role::Knight => attacks::knight(from),
                Role::Bishop => bishop::<P>(from, occupied),
                Role::Rook => rook::<P>(from, occupied),
                Role::Queen => bishop::<P>(from, occupied) | rook::<P>(from, occupied),
                _ => attacks::king(from),
            };
            let sensitive = replies.sensitive(role, from, attacked, targets);
            self.play_each(role, from, sensitive);
            if targets != sensitive {
                self.lift(role, from, attacked, targets - sensitive);
            }
        }
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, step: i32) {
        let replies = self.replies;
        let origins = |to: Bitboard| if step > 0 { to >> step as u32 } else { to << -step as u32 };
        let ends =
            |from: Bitboard| if step > 0 { from << step as u32 } else { from >> -step as u32 };
        let leaving = replies.discoverers | replies.sensitive_from;
        let sensitive = targets & (replies.sensitive_absent(Role::Pawn) | ends(leaving));
        for to in sensitive {
            let from = pawn_origin(to, step);
            self.play(&self.node.pawn::<C>(from, to));
        }
        let targets = targets - sensitive;
        if targets.is_empty() {
            return;
        }
        if step.abs() == 16 {
            let takers = self.node.board.pieces::<C::Them>(Role::Pawn);
            for to in targets & (takers.east() | takers.west()) {
                let from = pawn_origin(to, step);
                self.total += count_en_passant::<C, P>(self.node, from, to);
            }
        }
        // Pawns whose leaving changes nothing are counted together.
        let pieces = self.pieces;
        let busy = replies.sole_guards | pieces.pawns.leaving_matters | pieces.slider_attacks;
        let single = origins(targets) & busy;
        for from in single {
            let to = ends(Bitboard::of(from));
            self.lift(Role::Pawn, from, attacks::pawn(C::US, from), to);
        }
        let together = targets - ends(single);
        if together.any() {
            self.land(Role::Pawn, together, &Lifted::nothing(replies, pieces));
        }
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            let from = pawn_origin(to, step);
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
