//! What each side attacks, and what it could attack next.

use super::board::Board;
use super::sink::Sink;
use super::terms::*;
use dyno_chess::{Bitboard, Color, Rank, Role, attacks};

const PIECES: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

impl Board<'_> {
    #[inline(always)]
    pub(super) fn threats<S: Sink>(&self, us: Color, sink: &mut S) {
        // A threat is worth something else to the side whose turn it is.
        let turn = usize::from(self.pos.side_to_move() == us);
        self.by_minors_and_rooks(us, turn, sink);
        self.hanging(us, turn, sink);
        self.by_pawns(us, turn, sink);
        self.harried_queen(us, turn, sink);
        self.knight_forks(us, turn, sink);
    }

    /// The enemy's pieces without pawns and king.
    #[inline(always)]
    fn targets(&self, us: Color) -> Bitboard {
        let pos = self.pos;
        pos.by_color(!us) - pos.by_role(Role::Pawn) - pos.by_role(Role::King)
    }

    /// What minor pieces and rooks attack that is worth more or not well defended.
    #[inline(always)]
    fn by_minors_and_rooks<S: Sink>(&self, us: Color, turn: usize, sink: &mut S) {
        let pos = self.pos;
        let enemy = pos.by_color(!us);
        let pieces = self.targets(us);
        let loose = enemy - self.pawn_attacks[1 - us.index()];
        let seen = &self.seen[us.index()];
        let majors = pos.by_role(Role::Rook) | pos.by_role(Role::Queen);
        let minors = seen[Role::Knight.index()] | seen[Role::Bishop.index()];
        let by_minor = minors & (loose | (pieces & majors));
        let by_rook = seen[Role::Rook.index()] & (loose | (pieces & pos.by_role(Role::Queen)));
        for role in [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            let targets = enemy & pos.by_role(role);
            let term = 5 * turn + role.index();
            for (first, attacked) in [(MINOR_THREAT, by_minor), (ROOK_THREAT, by_rook)] {
                if (attacked & targets).any() {
                    sink.add(us, first + term, (attacked & targets).count() as i32);
                }
            }
        }
    }

    /// What is attacked and not defended, or more often attacked than defended.
    #[inline(always)]
    fn hanging<S: Sink>(&self, us: Color, turn: usize, sink: &mut S) {
        let (own, other) = (us.index(), 1 - us.index());
        let pieces = self.targets(us);
        let guarded = self.seen_by_any[other];
        if (self.seen[own][Role::King.index()] & (self.pos.by_color(!us) - guarded)).any() {
            sink.add(us, KING_THREAT + turn, 1);
        }
        let hanging = (pieces & self.seen_by_any[own]) - guarded;
        if hanging.any() {
            for role in PIECES {
                let count = (hanging & self.pos.by_role(role)).count();
                sink.add(us, HANGING + 4 * turn + role.index() - 1, count as i32);
            }
        }
        if hanging.many() {
            sink.add(us, SEVERAL_HANGING + turn, 1);
        }
        let outnumbered =
            (pieces & self.seen_by_two[own]) - self.seen_by_two[other] - self.pawn_attacks[other];
        sink.add(us, OUTNUMBERED + turn, outnumbered.count() as i32);
    }

    /// What pawns attack, or would after one step.
    #[inline(always)]
    fn by_pawns<S: Sink>(&self, us: Color, turn: usize, sink: &mut S) {
        let (own, other) = (us.index(), 1 - us.index());
        let pos = self.pos;
        let pieces = self.targets(us);
        let attacked = self.pawn_attacks[own];
        if (pieces & attacked).any() {
            for role in PIECES {
                let count = (pieces & attacked & pos.by_role(role)).count();
                sink.add(us, PAWN_THREAT + 4 * turn + role.index() - 1, count as i32);
            }
        }
        let levers = attacked & pos.pieces(!us, Role::Pawn);
        sink.add(us, LEVERS + turn, levers.count() as i32);

        let third = Bitboard::rank(Rank::Third.relative_to(us));
        let single = pos.pieces(us, Role::Pawn).forward(us) - self.occupied;
        let pushes = single | ((single & third).forward(us) - self.occupied);
        let held = self.seen_by_any[own] | !self.seen_by_any[other];
        let next = ((pushes - self.pawn_attacks[other]) & held).forward(us);
        let pushed = (next.east() | next.west()) & pieces;
        sink.add(us, PUSH_THREAT + turn, pushed.count() as i32);
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
        let held = self.seen_by_two[own] - self.seen_by_two[other] - self.pawn_attacks[other];
        (!self.seen_by_any[other] | held) - self.pos.by_color(us)
    }
}
