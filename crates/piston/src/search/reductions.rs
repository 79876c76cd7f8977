//! How much less deep late moves are searched, in whole-number arithmetic.

use crate::parameters as p;

/// Reductions and logarithms are in these parts of a ply, or of one.
pub const PLY: i32 = 1024;

/// The natural logarithm of 1 to 63, times [`PLY`], by repeated squaring of a fixed-point number.
const fn logarithms() -> [i32; 64] {
    let mut table = [0; 64];
    let mut n = 1;
    while n < 64 {
        let whole = 63 - (n as u64).leading_zeros() as u64;
        // The mantissa in [1, 2) with 30 binary digits after the point.
        let mut mantissa = (n as u64) << (30 - whole);
        let mut binary = whole << 16;
        let mut bit = 1 << 15;
        while bit > 0 {
            mantissa = (mantissa * mantissa) >> 30;
            if mantissa >= 2 << 30 {
                mantissa >>= 1;
                binary |= bit;
            }
            bit >>= 1;
        }
        // ln 2 is 45426 / 65536.
        table[n] = ((((binary * 45_426) >> 16) * PLY as u64) >> 16) as i32;
        n += 1;
    }
    table
}

static LOGARITHMS: [i32; 64] = logarithms();

/// The reduction for the n-th move at a depth, in 1024ths of a ply.
#[inline]
pub fn base(depth: i32, number: usize) -> i32 {
    let depth = LOGARITHMS[depth.clamp(0, 63) as usize];
    let number = LOGARITHMS[number.min(63)];
    p::lmr_base() + depth * number / p::lmr_divisor()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_right() {
        for (n, log) in LOGARITHMS.iter().enumerate().skip(1) {
            let exact = (n as f64).ln() * f64::from(PLY);
            assert!((f64::from(*log) - exact).abs() < 2.0, "{n}: {log} {exact}");
        }
    }

    #[test]
    fn later_and_deeper_reduces_more() {
        assert!(base(3, 3) < base(3, 20) && base(3, 20) < base(12, 20));
    }
}
