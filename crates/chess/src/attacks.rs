//! Which squares a piece sees.

use crate::sliders::{Magic, Sliders as _};
use crate::{Bitboard, Color, Role, Square};

const KNIGHT: [(i32, i32); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const KING: [(i32, i32); 8] =
    [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

/// The squares one step away in each of the given directions.
const fn steps(directions: &[(i32, i32)]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut index = 0;
    while index < 64 {
        let mut i = 0;
        while i < directions.len() {
            let (files, ranks) = directions[i];
            if let Some(to) = Square::from_index(index).offset(files, ranks) {
                table[index].0 |= 1 << to.index();
            }
            i += 1;
        }
        index += 1;
    }
    table
}

static KNIGHT_ATTACKS: [Bitboard; 64] = steps(&KNIGHT);
static KING_ATTACKS: [Bitboard; 64] = steps(&KING);
static PAWN_ATTACKS: [[Bitboard; 64]; 2] = [steps(&[(-1, 1), (1, 1)]), steps(&[(-1, -1), (1, -1)])];

/// The squares a knight sees.
#[inline]
pub fn knight(square: Square) -> Bitboard {
    KNIGHT_ATTACKS[square.index()]
}

/// The squares a king sees.
#[inline]
pub fn king(square: Square) -> Bitboard {
    KING_ATTACKS[square.index()]
}

/// The squares a pawn of the given side takes on.
#[inline]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    PAWN_ATTACKS[color.index()][square.index()]
}

/// The whole line through a square in a direction and its opposite, without the square.
const fn line_mask(index: usize, files: i32, ranks: i32) -> u64 {
    let mut mask = 0;
    let mut sign = -1;
    while sign <= 1 {
        let mut at = Square::from_index(index).offset(sign * files, sign * ranks);
        while let Some(square) = at {
            mask |= 1 << square.index();
            at = square.offset(sign * files, sign * ranks);
        }
        sign += 2;
    }
    mask
}

/// The squares a bishop sees.
#[inline]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(Magic::bishop(square.index(), occupied.0))
}

/// The squares a rook sees.
#[inline]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(Magic::rook(square.index(), occupied.0))
}

/// The squares a queen sees.
#[inline]
pub fn queen(square: Square, occupied: Bitboard) -> Bitboard {
    bishop(square, occupied) | rook(square, occupied)
}

/// The squares a piece sees; a pawn needs its side.
#[inline]
pub fn of(role: Role, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::Pawn => pawn(color, square),
        Role::Knight => knight(square),
        Role::Bishop => bishop(square, occupied),
        Role::Rook => rook(square, occupied),
        Role::Queen => queen(square, occupied),
        Role::King => king(square),
    }
}

const fn lines() -> ([[Bitboard; 64]; 64], [[Bitboard; 64]; 64]) {
    let mut between = [[Bitboard::EMPTY; 64]; 64];
    let mut line = [[Bitboard::EMPTY; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (files, ranks) = KING[direction];
            let mut passed = 0;
            let mut at = Square::from_index(from).offset(files, ranks);
            while let Some(square) = at {
                between[from][square.index()] = Bitboard(passed);
                line[from][square.index()] = Bitboard(line_mask(from, files, ranks) | 1 << from);
                passed |= 1 << square.index();
                at = square.offset(files, ranks);
            }
            direction += 1;
        }
        from += 1;
    }
    (between, line)
}

static LINES: ([[Bitboard; 64]; 64], [[Bitboard; 64]; 64]) = lines();

/// The squares strictly between two squares of one line; empty for any other two.
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    LINES.0[a.index()][b.index()]
}

/// The whole line through two squares, both included; empty where there is none.
#[inline]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINES.1[a.index()][b.index()]
}

const fn shadows() -> [[Bitboard; 64]; 64] {
    let mut shadows = [[Bitboard::EMPTY; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (files, ranks) = KING[direction];
            let mut ray = 0;
            let mut at = Square::from_index(from).offset(files, ranks);
            while let Some(square) = at {
                ray |= 1 << square.index();
                at = square.offset(files, ranks);
            }
            at = Square::from_index(from).offset(files, ranks);
            while let Some(square) = at {
                ray &= !(1 << square.index());
                shadows[from][square.index()] = Bitboard(ray);
                at = square.offset(files, ranks);
            }
            direction += 1;
        }
        from += 1;
    }
    shadows
}

static SHADOWS: [[Bitboard; 64]; 64] = shadows();

/// The squares that a piece on `by` hides from a slider on `from`; empty off the lines.
#[inline]
pub fn shadow(from: Square, by: Square) -> Bitboard {
    SHADOWS[from.index()][by.index()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(square: Square, occupied: Bitboard, directions: &[(i32, i32)]) -> Bitboard {
        let mut seen = Bitboard::EMPTY;
        for &(files, ranks) in directions {
            let mut at = square.offset(files, ranks);
            while let Some(to) = at {
                seen |= Bitboard::of(to);
                at = if occupied.contains(to) { None } else { to.offset(files, ranks) };
            }
        }
        seen
    }

    #[test]
    fn sliders_agree_with_walking_the_board() {
        let mut random = 0x9e37_79b9_7f4a_7c15u64;
        for round in 0..2000 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let occupied = Bitboard(random & random.rotate_left(round));
            for square in Square::all() {
                let straight = walk(square, occupied, &[(0, 1), (1, 0), (0, -1), (-1, 0)]);
                let diagonal = walk(square, occupied, &[(1, 1), (1, -1), (-1, -1), (-1, 1)]);
                assert_eq!(rook(square, occupied), straight);
                assert_eq!(bishop(square, occupied), diagonal);
                assert_eq!(queen(square, occupied), straight | diagonal);
            }
        }
    }
}
