//! Knights, bishops, rooks and queens: squares, mobility, and their attack on the king.

use super::board::Board;
use super::geometry::{CENTER_FILES, distance, fill};
use super::king_bucket::add_psqt;
use super::sink::Sink;
use super::terms::*;
use dyno_chess::{Bitboard, Color, File, Rank, Role, Square, attacks};

const LIGHT: Bitboard = Bitboard(0x55aa_55aa_55aa_55aa);
const LONG_DIAGONALS: Bitboard = Bitboard(0x8142_2418_1824_4281);
const CENTER: Bitboard = Bitboard(0x0000_0018_1800_0000);

impl Board<'_> {
    #[inline(always)]
    pub(super) fn pieces<S: Sink>(&mut self, us: Color, sink: &mut S) {
        if self.pos.pieces(us, Role::Bishop).many() {
            sink.add(us, BISHOP_PAIR, 1);
        }
        self.minors(us, sink);
        self.rooks(us, sink);
        for square in self.pos.pieces(us, Role::Queen) {
            let seen = attacks::queen(square, self.occupied);
            let mobility = self.piece(us, Role::Queen, square, seen, sink);
            sink.add(us, QUEEN_MOBILITY + mobility.min(27), 1);
        }
        add_psqt(us, Role::King, self.pos.king(us), self.buckets, sink);
    }

    /// What all pieces have in common; returns the mobility.
    #[inline(always)]
    fn piece<S: Sink>(
        &mut self,
        us: Color,
        role: Role,
        square: Square,
        seen: Bitboard,
        sink: &mut S,
    ) -> usize {
        let (own, other) = (us.index(), 1 - us.index());
        add_psqt(us, role, square, self.buckets, sink);
        let distances = 8 * (role.index() - 1);
        sink.add(us, TO_OWN_KING + distances + distance(square, self.pos.king(us)), 1);
        sink.add(us, TO_ENEMY_KING + distances + distance(square, self.pos.king(!us)), 1);
        self.seen[own][role.index()] |= seen;
        self.seen_by_two[own] |= self.seen_by_any[own] & seen;
        self.seen_by_any[own] |= seen;
        let near = seen & self.ring[other];
        if near.any() {
            let count = near.count() as i32;
            self.in_danger[other] = true;
            sink.danger(!us, DANGER + role.index() - 1, 1);
            sink.danger(!us, DANGER_RING + role.index() - 1, count);
            sink.add(us, KING_RING_ATTACKS + role.index() - 1, count);
        }
        (seen & self.area[own]).count() as usize
    }

    #[inline(always)]
    fn minors<S: Sink>(&mut self, us: Color, sink: &mut S) {
        let pawns = self.pos.pieces(us, Role::Pawn);
        let queens = self.pos.pieces(us, Role::Queen);
        let minors = self.pos.pieces(us, Role::Knight) | self.pos.pieces(us, Role::Bishop);
        let ranks = match us {
            Color::White => Bitboard(0x0000_ffff_ff00_0000),
            Color::Black => Bitboard(0x0000_00ff_ffff_0000),
        };
        let outposts = ranks & (self.pawn_attacks[us.index()] - self.pawns.reach[(!us).index()]);
        let all_pawns = self.pos.by_role(Role::Pawn);
        let sheltered = (minors.forward(us) & all_pawns).count();
        if sheltered > 0 {
            sink.add(us, MINOR_BEHIND_PAWN, sheltered as i32);
        }

        let guarded = (minors & self.pawn_attacks[us.index()]).count();
        sink.add(us, MINOR_GUARDED, guarded as i32);

        for square in self.pos.pieces(us, Role::Knight) {
            let mobility = self.piece(us, Role::Knight, square, attacks::knight(square), sink);
            sink.add(us, KNIGHT_MOBILITY + mobility.min(8), 1);
            if outposts.contains(square) {
                sink.add(us, KNIGHT_OUTPOST, 1);
            }
        }
        let stuck = (pawns & CENTER_FILES & self.occupied.forward(!us)).count() as i32;
        for square in self.pos.pieces(us, Role::Bishop) {
            // Bishops work through their own queen.
            let seen = attacks::bishop(square, self.occupied - queens);
            let mobility = self.piece(us, Role::Bishop, square, seen, sink);
            sink.add(us, BISHOP_MOBILITY + mobility.min(13), 1);
            if outposts.contains(square) {
                sink.add(us, BISHOP_OUTPOST, 1);
            }
            let shade = if LIGHT.contains(square) { LIGHT } else { !LIGHT };
            let same_shade = (pawns & shade).count() as i32;
            sink.add(us, BISHOP_PAWNS, same_shade);
            sink.add(us, BISHOP_PAWNS_STUCK, same_shade * stuck);
            if LONG_DIAGONALS.contains(square)
                && (attacks::bishop(square, all_pawns) & CENTER).many()
            {
                sink.add(us, LONG_DIAGONAL, 1);
            }
        }
    }

    #[inline(always)]
    fn rooks<S: Sink>(&mut self, us: Color, sink: &mut S) {
        let pawns = self.pos.pieces(us, Role::Pawn);
        let all_pawns = self.pos.by_role(Role::Pawn);
        let heavy = self.pos.pieces(us, Role::Queen) | self.pos.pieces(us, Role::Rook);
        let king = self.pos.king(us);
        for square in self.pos.pieces(us, Role::Rook) {
            // Rooks work through each other and through their own queen.
            let seen = attacks::rook(square, self.occupied - heavy);
            let mobility = self.piece(us, Role::Rook, square, seen, sink);
            sink.add(us, ROOK_MOBILITY + mobility.min(14), 1);
            let file = Bitboard::file(square.file());
            if (file & all_pawns).is_empty() {
                sink.add(us, ROOK_OPEN_FILE, 1);
            } else if (file & pawns).is_empty() {
                sink.add(us, ROOK_HALF_OPEN_FILE, 1);
            } else if mobility <= 3 && is_trapped(us, king, square) {
                sink.add(us, ROOK_TRAPPED, 1);
            }
            let ahead = fill(Bitboard::of(square), us);
            if (ahead & self.pawns.passed[us.index()]).any() {
                sink.add(us, ROOK_BEHIND_PASSED, 1);
            }
        }
    }
}

/// Whether the king, on its first ranks, stands between the rook and the centre.
fn is_trapped(us: Color, king: Square, rook: Square) -> bool {
    let home = king.relative_to(us).rank() <= Rank::Second && rook.rank() == king.rank();
    let king_side = king.file() >= File::E;
    home && king_side == (rook.file() > king.file())
}
