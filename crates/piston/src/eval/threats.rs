//! What each side attacks, what it restrains, and its passed pawns on their way.

use super::terms::*;
use super::{Board, Sink, pawns::fill, pieces::CENTER_FILES};
use dyno_chess::{Bitboard, Color, Rank, Role, Square, attacks};

impl Board<'_> {
    #[inline(always)]
    pub(super) fn threats<S: Sink>(&self, us: Color, sink: &mut S) {
        let (own, other) = (us.index(), 1 - us.index());
        let them = !us;
        let pos = self.pos;
        let enemy = pos.by_color(them);
        let pieces = enemy - pos.by_role(Role::Pawn) - pos.by_role(Role::King);
        let guarded_by_pawn = self.pawns.attacks[other];
        let guarded = self.seen_by_any[other];
        let loose = enemy - guarded_by_pawn;
        let seen = &self.seen[own];
        // A threat is worth something else to the side whose turn it is.
        let turn = usize::from(pos.side_to_move() == us);

        let by_pawn = pieces & seen[Role::Pawn.index()];
        if by_pawn.any() {
            for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
                let count = (by_pawn & pos.by_role(role)).count();
                sink.add(us, PAWN_THREAT + 4 * turn + role.index() - 1, count as i32);
            }
        }
        let majors = pos.by_role(Role::Rook) | pos.by_role(Role::Queen);
        let minors = seen[Role::Knight.index()] | seen[Role::Bishop.index()];
        let by_minor = minors & (loose | (pieces & majors));
        let by_rook = seen[Role::Rook.index()] & (loose | (pieces & pos.by_role(Role::Queen)));
        for role in [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            let targets = enemy & pos.by_role(role);
            if (by_minor & targets).any() {
                sink.add(
                    us,
                    MINOR_THREAT + 5 * turn + role.index(),
                    (by_minor & targets).count() as i32,
                );
            }
            if (by_rook & targets).any() {
                sink.add(
                    us,
                    ROOK_THREAT + 5 * turn + role.index(),
                    (by_rook & targets).count() as i32,
                );
            }
        }
        if (seen[Role::King.index()] & (enemy - guarded)).any() {
            sink.add(us, KING_THREAT + turn, 1);
        }
        let hanging = (pieces & self.seen_by_any[own]) - guarded;
        if hanging.any() {
            for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
                let count = (hanging & pos.by_role(role)).count();
                sink.add(us, HANGING + 4 * turn + role.index() - 1, count as i32);
            }
        }
        if hanging.many() {
            sink.add(us, SEVERAL_HANGING + turn, 1);
        }

        let outnumbered =
            (pieces & self.seen_by_two[own]) - self.seen_by_two[other] - guarded_by_pawn;
        sink.add(us, OUTNUMBERED + turn, outnumbered.count() as i32);
        self.harried_queen(us, turn, sink);
        self.knight_forks(us, turn, sink);

        let pawns = pos.pieces(us, Role::Pawn);
        let third = Bitboard::rank(Rank::Third.relative_to(us));
        let single = pawns.forward(us) - self.occupied;
        let pushes = single | ((single & third).forward(us) - self.occupied);
        let safe = (pushes - guarded_by_pawn) & (self.seen_by_any[own] | !guarded);
        let next = safe.forward(us);
        let pushed = (next.east() | next.west()) & pieces;
        sink.add(us, PUSH_THREAT + turn, pushed.count() as i32);

        let free = self.seen_by_any[own] - guarded_by_pawn;
        for rank in 0..8 {
            let there = free & Bitboard::rank(Rank::new(rank).relative_to(us));
            sink.add(us, CONTROL + rank, there.count() as i32);
        }
        let dominated = self.seen_by_two[own] - guarded;
        sink.add(us, DOMINATED, dominated.count() as i32);
        let weak = (Bitboard::rank(Rank::Second.relative_to(us))
            | Bitboard::rank(Rank::Third.relative_to(us))
            | Bitboard::rank(Rank::Fourth.relative_to(us)))
            - self.pawns.reach[own];
        sink.add(us, WEAK_SQUARES, weak.count() as i32);
        sink.add(us, WEAK_SQUARES + 1, (weak & CENTER_FILES).count() as i32);
        let levers = seen[Role::Pawn.index()] & enemy & pos.by_role(Role::Pawn);
        sink.add(us, LEVERS + turn, levers.count() as i32);
        let head_to_head = pos.pieces(Color::White, Role::Pawn).forward(Color::White)
            & pos.pieces(Color::Black, Role::Pawn);
        let closed = head_to_head.count() as i32;
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            let count = pos.pieces(us, role).count() as i32;
            sink.add(us, CLOSED + role.index() - 1, closed * count);
        }
        if (seen[Role::Rook.index()] & pos.pieces(us, Role::Rook)).any() {
            sink.add(us, ROOKS_CONNECTED, 1);
        }

        let restricted = self.seen_by_any[own] & (guarded - guarded_by_pawn);
        sink.add(us, RESTRICTED, restricted.count() as i32);

        let camp = match us {
            Color::White => Bitboard(0x0000_0000_ffff_ff00),
            Color::Black => Bitboard(0x00ff_ffff_0000_0000),
        };
        let space = camp & (CENTER_FILES - pawns - guarded_by_pawn);
        let count = space.count() as i32;
        sink.add(us, SPACE, count);
        let own_pieces = (pos.by_color(us) - pawns).count() as i32;
        sink.add(us, SPACE_SHARED, count * own_pieces / 4);
    }

    /// Safe squares from which the enemy's queen could be attacked by something lesser.
    #[inline(always)]
    fn harried_queen<S: Sink>(&self, us: Color, turn: usize, sink: &mut S) {
        let own = us.index();
        let seen = &self.seen[own];
        let safe = self.safe_squares(us);
        for queen in self.pos.pieces(!us, Role::Queen) {
            let squares = (attacks::knight(queen) & seen[Role::Knight.index()])
                | (attacks::bishop(queen, self.occupied) & seen[Role::Bishop.index()])
                | (attacks::rook(queen, self.occupied) & seen[Role::Rook.index()]);
            sink.add(us, QUEEN_HARRIED + turn, (squares & safe).count() as i32);
        }
    }

    /// Safe squares from which a knight would attack two of king, queen and rooks.
    #[inline(always)]
    fn knight_forks<S: Sink>(&self, us: Color, turn: usize, sink: &mut S) {
        let landing = self.seen[us.index()][Role::Knight.index()] & self.safe_squares(us);
        if landing.is_empty() {
            return;
        }
        let pos = self.pos;
        let heavy = pos.by_role(Role::Queen) | pos.by_role(Role::Rook) | pos.by_role(Role::King);
        let (mut once, mut twice) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for square in heavy & pos.by_color(!us) {
            let from = attacks::knight(square);
            twice |= once & from;
            once |= from;
        }
        sink.add(us, KNIGHT_FORK + turn, (landing & twice).count() as i32);
    }

    /// Squares on which a piece of the side would not be lost.
    #[inline(always)]
    fn safe_squares(&self, us: Color) -> Bitboard {
        let (own, other) = (us.index(), 1 - us.index());
        let held = self.seen_by_two[own] - self.seen_by_two[other] - self.pawns.attacks[other];
        (!self.seen_by_any[other] | held) - self.pos.by_color(us)
    }

    #[inline(always)]
    pub(super) fn passed_pawns<S: Sink>(&self, us: Color, sink: &mut S) {
        let (own, other) = (us.index(), 1 - us.index());
        let pawns_and_kings = self.pos.by_role(Role::Pawn) | self.pos.by_role(Role::King);
        let alone = (self.pos.by_color(!us) - pawns_and_kings).is_empty();
        for square in self.pawns.passed[own] {
            let rank = square.relative_to(us).rank().index();
            let bit = Bitboard::of(square);
            let stop = bit.forward(us);
            let Some(target) = stop.first() else { continue };
            if (stop & self.occupied).any() {
                sink.add(us, PASSED_BLOCKED + rank, 1);
            }
            let path = fill(stop, us);
            if (path & (self.seen_by_any[other] | self.pos.by_color(!us))).is_empty() {
                sink.add(us, PASSED_FREE + rank, 1);
            }
            if (stop & self.seen_by_any[own]).any() {
                sink.add(us, PASSED_HELPED + rank, 1);
            }
            if self.pos.side_to_move() == us {
                sink.add(us, PASSED_TURN + rank, 1);
            }
            if alone && self.outruns(us, square) {
                sink.add(us, PASSED_UNSTOPPABLE, 1);
            }
            let friends = bit.east() | bit.west();
            let near = friends | friends.forward(us) | friends.forward(!us);
            if (near & self.pawns.passed[own]).any() {
                sink.add(us, PASSED_CONNECTED + rank, 1);
            }
            if rank >= 3 {
                let far = 8 * (rank - 3);
                sink.add(us, PASSED_OWN_KING + far + distance(self.pos.king(us), target), 1);
                sink.add(us, PASSED_ENEMY_KING + far + distance(self.pos.king(!us), target), 1);
            }
        }
    }

    /// Whether the enemy's king, alone, comes too late to stop the pawn.
    fn outruns(&self, us: Color, pawn: Square) -> bool {
        let ahead = fill(Bitboard::of(pawn).forward(us), us);
        if (ahead & self.pos.by_color(us)).any() {
            return false;
        }
        let goal = Square::from_index(pawn.index() % 8 + if us == Color::White { 56 } else { 0 });
        let rank = pawn.relative_to(us).rank().index();
        // From its first square the pawn gains a move.
        let needed = (7 - rank).min(5);
        let late = usize::from(self.pos.side_to_move() == us);
        distance(self.pos.king(!us), goal) + late > needed + 1
    }
}

static DISTANCES: [[u8; 64]; 64] = {
    let mut table = [[0; 64]; 64];
    let mut a = 0;
    while a < 64 {
        let mut b = 0;
        while b < 64 {
            let files = (a % 8usize).abs_diff(b % 8);
            let ranks = (a / 8usize).abs_diff(b / 8);
            table[a][b] = if files > ranks { files } else { ranks } as u8;
            b += 1;
        }
        a += 1;
    }
    table
};

/// How many moves a king needs from one square to another.
#[inline]
pub(super) fn distance(a: Square, b: Square) -> usize {
    usize::from(DISTANCES[a.index()][b.index()])
}
