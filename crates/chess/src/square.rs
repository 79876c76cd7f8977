//! Squares, files and ranks.

use crate::Color;
use std::fmt;
use std::str::FromStr;

macro_rules! line {
    ($(#[$doc:meta])* $name:ident, $first:literal, [$($variant:ident),*]) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        #[allow(missing_docs, reason = "the names say it")]
        pub enum $name { $($variant),* }

        impl $name {
            /// All eight, in order.
            pub const ALL: [$name; 8] = [$($name::$variant),*];

            /// 0 to 7.
            #[inline]
            pub const fn index(self) -> usize {
                self as usize
            }

            /// The line of an index; only its low three bits count.
            #[inline]
            pub const fn new(index: usize) -> $name {
                $name::ALL[index & 7]
            }

            /// The character of chess notation.
            pub const fn letter(self) -> char {
                ($first + self as u8) as char
            }

            /// Reads the character of chess notation (lower case for files).
            pub const fn from_letter(letter: char) -> Option<$name> {
                let index = (letter as u32).wrapping_sub($first as u32);
                if index < 8 { Some($name::ALL[index as usize]) } else { None }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}", self.letter())
            }
        }
    };
}

line!(
    /// A file of the board.
    File, b'a', [A, B, C, D, E, F, G, H]
);
line!(
    /// A rank of the board.
    Rank, b'1', [First, Second, Third, Fourth, Fifth, Sixth, Seventh, Eighth]
);

impl Rank {
    /// The rank as its side counts: Black's first is White's eighth.
    #[inline]
    pub const fn relative_to(self, color: Color) -> Rank {
        match color {
            Color::White => self,
            Color::Black => Rank::new(7 - self.index()),
        }
    }
}

/// A square: a1 is 0, b1 is 1, h8 is 63.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The square of a file and a rank.
    #[inline]
    pub const fn new(file: File, rank: Rank) -> Square {
        Square(rank as u8 * 8 + file as u8)
    }

    /// The square of an index; only its low six bits count.
    #[inline]
    pub const fn from_index(index: usize) -> Square {
        Square(index as u8 & 63)
    }

    /// 0 to 63.
    #[inline]
    pub const fn index(self) -> usize {
        // The mask lets the compiler drop bounds checks on tables of 64.
        (self.0 & 63) as usize
    }

    /// Its file.
    #[inline]
    pub const fn file(self) -> File {
        File::new((self.0 & 7) as usize)
    }

    /// Its rank.
    #[inline]
    pub const fn rank(self) -> Rank {
        Rank::new((self.0 >> 3) as usize)
    }

    /// All 64, from a1 to h8.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> + ExactSizeIterator {
        (0..64u8).map(Square)
    }

    /// The square some files and ranks away, if it is on the board.
    pub const fn offset(self, files: i32, ranks: i32) -> Option<Square> {
        let file = (self.0 & 7) as i32 + files;
        let rank = (self.0 >> 3) as i32 + ranks;
        if 0 <= file && file < 8 && 0 <= rank && rank < 8 {
            Some(Square((rank * 8 + file) as u8))
        } else {
            None
        }
    }

    /// The same file on the mirrored rank: a1 becomes a8.
    #[inline]
    pub const fn flip_rank(self) -> Square {
        Square(self.0 ^ 56)
    }

    /// The same rank on the mirrored file: a1 becomes h1.
    #[inline]
    pub const fn flip_file(self) -> Square {
        Square(self.0 ^ 7)
    }

    /// The square as its side sees it.
    #[inline]
    pub const fn relative_to(self, color: Color) -> Square {
        match color {
            Color::White => self,
            Color::Black => self.flip_rank(),
        }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file(), self.rank())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is not a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotASquare;

impl fmt::Display for NotASquare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a square (a1 to h8)")
    }
}

impl std::error::Error for NotASquare {}

impl FromStr for Square {
    type Err = NotASquare;

    fn from_str(text: &str) -> Result<Square, NotASquare> {
        let mut letters = text.chars();
        match (letters.next(), letters.next(), letters.next()) {
            (Some(file), Some(rank), None) => {
                let file = File::from_letter(file).ok_or(NotASquare)?;
                let rank = Rank::from_letter(rank).ok_or(NotASquare)?;
                Ok(Square::new(file, rank))
            }
            _ => Err(NotASquare),
        }
    }
}
