//! Sets of squares and distances that several terms need.

use dyno_chess::{Bitboard, Color, Position, Role, Square};

/// The four central files.
pub(super) const CENTER_FILES: Bitboard = Bitboard(0x3c3c_3c3c_3c3c_3c3c);

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

/// The side's second to fourth rank.
#[inline]
pub(super) fn home(us: Color) -> Bitboard {
    match us {
        Color::White => Bitboard(0x0000_0000_ffff_ff00),
        Color::Black => Bitboard(0x00ff_ffff_0000_0000),
    }
}

/// The set with every square ahead of it.
#[inline(always)]
pub(super) fn fill(mut set: Bitboard, color: Color) -> Bitboard {
    match color {
        Color::White => {
            set |= set << 8;
            set |= set << 16;
            set | set << 32
        }
        Color::Black => {
            set |= set >> 8;
            set |= set >> 16;
            set | set >> 32
        }
    }
}

/// The squares a side's pawns attack.
#[inline(always)]
pub(crate) fn attacked_by_pawns(pos: &Position, us: Color) -> Bitboard {
    let ahead = pos.pieces(us, Role::Pawn).forward(us);
    ahead.east() | ahead.west()
}
