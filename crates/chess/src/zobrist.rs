//! The random numbers behind the hash keys.
//!
//! Drawn once, at compile time, from a fixed seed, so that keys are the same on every machine.

use crate::{Bitboard, Color, Role, SplitMix64, Square};

struct Keys {
    pieces: [[[u64; 64]; 6]; 2],
    castling: [u64; 64],
    en_passant: [u64; 8],
    side: u64,
    counts: [[[u64; 17]; 6]; 2],
}

const fn keys(seed: u64) -> Keys {
    let mut random = SplitMix64::new(seed);
    let mut keys = Keys {
        pieces: [[[0; 64]; 6]; 2],
        castling: [0; 64],
        en_passant: [0; 8],
        side: 0,
        counts: [[[0; 17]; 6]; 2],
    };
    let mut color = 0;
    while color < 2 {
        let mut role = 0;
        while role < 6 {
            let mut i = 0;
            while i < 64 {
                keys.pieces[color][role][i] = random.next_u64();
                i += 1;
            }
            i = 0;
            while i < 17 {
                keys.counts[color][role][i] = random.next_u64();
                i += 1;
            }
            role += 1;
        }
        color += 1;
    }
    let mut i = 0;
    while i < 64 {
        keys.castling[i] = random.next_u64();
        i += 1;
    }
    i = 0;
    while i < 8 {
        keys.en_passant[i] = random.next_u64();
        i += 1;
    }
    keys.side = random.next_u64();
    keys
}

static KEYS: Keys = keys(0x4479_6e6f_2064_796e);

/// The number of a piece on a square.
#[inline]
pub(crate) fn piece(color: Color, role: Role, square: Square) -> u64 {
    KEYS.pieces[color.index()][role.index()][square.index()]
}

/// The number of a set of castling rooks.
#[inline]
pub(crate) fn castling(rooks: Bitboard) -> u64 {
    rooks.into_iter().fold(0, |key, rook| key ^ KEYS.castling[rook.index()])
}

/// The number of an en-passant square.
#[inline]
pub(crate) fn en_passant(square: Square) -> u64 {
    KEYS.en_passant[square.file().index()]
}

/// The number of Black being to move.
#[inline]
pub(crate) fn side() -> u64 {
    KEYS.side
}

/// The number of the n-th piece of a kind being on the board, counted from 0.
#[inline]
pub(crate) fn count(color: Color, role: Role, nth: u32) -> u64 {
    KEYS.counts[color.index()][role.index()][nth.min(16) as usize]
}

/// The numbers of the first n pieces of each kind, together.
static TOGETHER: [[[u64; 18]; 6]; 2] = together();

const fn together() -> [[[u64; 18]; 6]; 2] {
    let mut sums = [[[0; 18]; 6]; 2];
    let mut i = 0;
    while i < 2 * 6 * 17 {
        let (color, role, nth) = (i / (6 * 17), i / 17 % 6, i % 17);
        sums[color][role][nth + 1] = sums[color][role][nth] ^ KEYS.counts[color][role][nth];
        i += 1;
    }
    sums
}

/// The number of a count of pieces of a kind on the board, which is at most 16.
#[inline]
pub(crate) fn counts(color: Color, role: Role, count: u32) -> u64 {
    TOGETHER[color.index()][role.index()][count.min(17) as usize]
}

/// The second half of the wide keys, drawn from another seed.
static MORE: Keys = keys(0x7065_7266_7421_2121);

/// Both halves of the pieces' numbers side by side.
static WIDE_PIECES: [[[u128; 64]; 6]; 2] = wide_pieces();

const fn wide_pieces() -> [[[u128; 64]; 6]; 2] {
    let mut pieces = [[[0; 64]; 6]; 2];
    let mut i = 0;
    while i < 2 * 6 * 64 {
        let (c, r, s) = (i / (6 * 64), i / 64 % 6, i % 64);
        pieces[c][r][s] = wide(KEYS.pieces[c][r][s], MORE.pieces[c][r][s]);
        i += 1;
    }
    pieces
}

/// A piece's number in the keys of 128 bits that perft's table uses.
#[inline]
pub(crate) fn wide_piece(color: Color, role: Role, square: Square) -> u128 {
    WIDE_PIECES[color.index()][role.index()][square.index()]
}

/// The wide number of a set of castling rooks.
#[inline]
pub(crate) fn wide_castling(rooks: Bitboard) -> u128 {
    rooks
        .into_iter()
        .fold(0, |key, rook| key ^ wide(KEYS.castling[rook.index()], MORE.castling[rook.index()]))
}

/// The wide number of an en-passant square, if there is one.
#[inline]
pub(crate) fn wide_ep_square(square: Bitboard) -> u128 {
    match square.first() {
        Some(square) => {
            let file = square.file().index();
            wide(KEYS.en_passant[file], MORE.en_passant[file])
        }
        None => 0,
    }
}

/// The wide number of Black being to move.
#[inline]
pub(crate) fn wide_side() -> u128 {
    wide(KEYS.side, MORE.side)
}

#[inline]
const fn wide(low: u64, high: u64) -> u128 {
    low as u128 | (high as u128) << 64
}
