//! Piece-square terms by where the kings stand.

use super::sink::Sink;
use super::terms::{ENEMY_KING_PSQT, OWN_KING_PSQT};
use dyno_chess::{Color, File, Position, Role, Square};

/// The bucket of a king, and whether the board is mirrored to bring it to the right half.
#[derive(Clone, Copy)]
pub(super) struct KingBucket {
    /// Flips the file of a square when the board is mirrored.
    mirror: usize,
    bucket: usize,
}

/// The bucket of each square of a king, as its side sees the board.
static BUCKET_OF: [u8; 64] = {
    let mut buckets = [4; 64];
    let mut square = 0;
    while square < 16 {
        let central = 2 <= square % 8 && square % 8 < 6;
        buckets[square] = 2 * (square / 8) as u8 + central as u8;
        square += 1;
    }
    buckets
};

impl KingBucket {
    #[inline(always)]
    fn new(pos: &Position, side: Color) -> KingBucket {
        let king = pos.king(side).relative_to(side);
        let mirror = if king.file() < File::E { 7 } else { 0 };
        KingBucket { mirror, bucket: usize::from(BUCKET_OF[king.index()]) }
    }

    /// The bucket of each side's king.
    #[inline(always)]
    pub(super) fn both(pos: &Position) -> [KingBucket; 2] {
        [KingBucket::new(pos, Color::White), KingBucket::new(pos, Color::Black)]
    }

    /// A number below 16 for each bucket and mirroring.
    pub(super) fn index(self) -> usize {
        self.bucket * 2 + (self.mirror & 1)
    }

    /// Where a role on a square is in the table.
    #[inline]
    pub(super) fn place(self, role: Role, square: usize) -> usize {
        64 * (6 * self.bucket + role.index()) + (square ^ self.mirror)
    }
}

/// Adds the piece-square terms of a piece, by its own king and by the enemy's.
#[inline(always)]
pub(super) fn add_psqt<S: Sink>(
    us: Color,
    role: Role,
    square: Square,
    buckets: [KingBucket; 2],
    sink: &mut S,
) {
    let seen = square.relative_to(us).index();
    sink.add(us, OWN_KING_PSQT + buckets[us.index()].place(role, seen), 1);
    sink.add(us, ENEMY_KING_PSQT + buckets[1 - us.index()].place(role, seen), 1);
}
