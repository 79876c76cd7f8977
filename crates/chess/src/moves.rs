//! Moves and lists of moves.

use crate::{Role, Square};
use std::fmt;
use std::mem::MaybeUninit;
use std::ops::Deref;

/// A move in sixteen bits: origin, destination, promotion, kind.
///
/// Castling is stored as the king taking its own rook, which is unambiguous in
/// Chess960 too; [`crate::Position::uci`] writes whichever convention applies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u16);

const PROMOTION: u16 = 1 << 14;
const EN_PASSANT: u16 = 2 << 14;
const CASTLING: u16 = 3 << 14;
const KIND: u16 = 3 << 14;

impl Move {
    /// A move that is neither a promotion nor an en-passant capture nor castling.
    #[inline]
    pub const fn normal(from: Square, to: Square) -> Move {
        Move(from.index() as u16 | (to.index() as u16) << 6)
    }

    /// A promotion; the role is knight, bishop, rook or queen.
    #[inline]
    pub const fn promoting(from: Square, to: Square, role: Role) -> Move {
        let code = (role as u16).wrapping_sub(Role::Knight as u16) & 3;
        Move(Move::normal(from, to).0 | code << 12 | PROMOTION)
    }

    /// A pawn taking another in passing.
    #[inline]
    pub const fn en_passant(from: Square, to: Square) -> Move {
        Move(Move::normal(from, to).0 | EN_PASSANT)
    }

    /// Castling: the king's square and the rook's.
    #[inline]
    pub const fn castling(king: Square, rook: Square) -> Move {
        Move(Move::normal(king, rook).0 | CASTLING)
    }

    /// The square the piece leaves.
    #[inline]
    pub const fn from(self) -> Square {
        Square::from_index(self.0 as usize & 63)
    }

    /// The square it goes to; for castling, the rook's square.
    #[inline]
    pub const fn to(self) -> Square {
        Square::from_index((self.0 >> 6) as usize & 63)
    }

    /// What the pawn becomes.
    #[inline]
    pub const fn promotion(self) -> Option<Role> {
        if self.0 & KIND == PROMOTION {
            Some(Role::ALL[(self.0 >> 12 & 3) as usize + 1])
        } else {
            None
        }
    }

    /// Whether it is an en-passant capture.
    #[inline]
    pub const fn is_en_passant(self) -> bool {
        self.0 & KIND == EN_PASSANT
    }

    /// Whether it is castling.
    #[inline]
    pub const fn is_castling(self) -> bool {
        self.0 & KIND == CASTLING
    }

    /// Whether it is an ordinary move.
    #[inline]
    pub const fn is_normal(self) -> bool {
        self.0 & KIND == 0
    }

    /// The sixteen bits, for a table.
    #[inline]
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// The move of sixteen bits; nothing says that it is legal anywhere.
    #[inline]
    pub const fn from_bits(bits: u16) -> Move {
        Move(bits)
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        if let Some(role) = self.promotion() {
            write!(f, "{}", role.letter())?;
        }
        Ok(())
    }
}

/// No side has more than sixteen pieces, and none of the fifteen beside the king has more than 27
/// moves; so no position that loads can overflow the list.
pub(crate) const CAPACITY: usize = 15 * 27 + 10;

/// A list of moves on the stack.
#[derive(Clone)]
pub struct MoveList {
    moves: [MaybeUninit<Move>; CAPACITY],
    len: usize,
}

impl MoveList {
    /// An empty list.
    #[inline]
    pub const fn new() -> MoveList {
        // Spelt as a constant, or the compiler clears the whole array.
        MoveList { moves: [const { MaybeUninit::uninit() }; CAPACITY], len: 0 }
    }

    /// Adds a move.
    ///
    /// # Panics
    /// When the list is full, which no list of one position's legal moves can be.
    #[inline]
    pub fn push(&mut self, mv: Move) {
        self.moves[self.len] = MaybeUninit::new(mv);
        self.len += 1;
    }

    /// Leaves only the wanted moves, in their order.
    #[inline]
    pub fn retain(&mut self, wanted: impl Fn(Move) -> bool) {
        let mut kept = 0;
        for index in 0..self.len {
            let mv = self[index];
            if wanted(mv) {
                self.moves[kept] = MaybeUninit::new(mv);
                kept += 1;
            }
        }
        self.len = kept;
    }
}

impl Default for MoveList {
    fn default() -> Self {
        MoveList::new()
    }
}

impl Deref for MoveList {
    type Target = [Move];

    #[inline]
    #[allow(unsafe_code, reason = "clearing 800 bytes a list costs more than generating the moves")]
    fn deref(&self) -> &[Move] {
        // SAFETY: `push` is the only way to grow `len`, and it writes the element first; a
        // `MaybeUninit<Move>` has the layout of a `Move`.
        unsafe { std::slice::from_raw_parts(self.moves.as_ptr().cast::<Move>(), self.len) }
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = Move;
    type IntoIter = std::iter::Copied<std::slice::Iter<'a, Move>>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter().copied()
    }
}

impl IntoIterator for MoveList {
    type Item = Move;
    type IntoIter = MoveListIter;

    fn into_iter(self) -> MoveListIter {
        MoveListIter { list: self, next: 0 }
    }
}

/// The moves of a list, in order.
#[derive(Clone, Debug)]
pub struct MoveListIter {
    list: MoveList,
    next: usize,
}

impl Iterator for MoveListIter {
    type Item = Move;

    fn next(&mut self) -> Option<Move> {
        let mv = self.list.get(self.next).copied();
        self.next += 1;
        mv
    }
}

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
