//! A middlegame and an endgame value in one word.

use crate::score::Value;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Neg, Sub};

/// Two values added and multiplied at once: the middlegame in the upper half of the word, the
/// endgame in the lower.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packed(i32);

impl Packed {
    /// The two values together.
    pub const fn new(middlegame: Value, endgame: Value) -> Packed {
        Packed((middlegame << 16) + endgame)
    }

    /// Both in one word, for keeping.
    #[inline]
    pub(crate) const fn bits(self) -> i32 {
        self.0
    }

    /// The values of a word.
    #[inline]
    pub(crate) const fn from_bits(bits: i32) -> Packed {
        Packed(bits)
    }

    /// The middlegame value.
    #[inline]
    pub const fn middlegame(self) -> Value {
        // The lower half borrows one from the upper when it is negative.
        (self.0 + 0x8000) >> 16
    }

    /// The endgame value.
    #[inline]
    pub const fn endgame(self) -> Value {
        self.0 as i16 as Value
    }
}

impl Packed {
    /// The sum, for tables made at compile time.
    pub const fn plus(self, other: Packed) -> Packed {
        Packed(self.0 + other.0)
    }
}

impl Add for Packed {
    type Output = Packed;
    #[inline]
    fn add(self, other: Packed) -> Packed {
        self.plus(other)
    }
}

impl AddAssign for Packed {
    #[inline]
    fn add_assign(&mut self, other: Packed) {
        self.0 += other.0;
    }
}

impl Sub for Packed {
    type Output = Packed;
    #[inline]
    fn sub(self, other: Packed) -> Packed {
        Packed(self.0 - other.0)
    }
}

impl Neg for Packed {
    type Output = Packed;
    #[inline]
    fn neg(self) -> Packed {
        Packed(-self.0)
    }
}

impl Mul<i32> for Packed {
    type Output = Packed;
    #[inline]
    fn mul(self, times: i32) -> Packed {
        Packed(self.0 * times)
    }
}

impl Sum for Packed {
    fn sum<I: Iterator<Item = Packed>>(values: I) -> Packed {
        values.fold(Packed::default(), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_survive_arithmetic() {
        for (a, b) in [(3, -4), (-300, 250), (-1, -1), (0, -7), (1200, -1300)] {
            for (c, d) in [(5, 6), (-9, 10), (-700, -800)] {
                let sum = Packed::new(a, b) + Packed::new(c, d) * 3 - Packed::new(d, c);
                assert_eq!(sum.middlegame(), a + 3 * c - d);
                assert_eq!(sum.endgame(), b + 3 * d - c);
                assert_eq!((-sum).endgame(), -sum.endgame());
            }
        }
    }
}
