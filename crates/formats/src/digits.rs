//! Numbers as text without the machinery of `format!`, for what is written a hundred times a game.

/// The decimal digits of a number.
///
/// ```
/// use dyno_formats::Digits;
/// assert_eq!(Digits::of(1234).as_str(), "1234");
/// assert_eq!(Digits::padded(7, 3).as_str(), "007");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Digits {
    bytes: [u8; 20],
    start: usize,
}

impl Digits {
    /// As many digits as the number has.
    #[must_use]
    pub fn of(number: u64) -> Digits {
        Digits::padded(number, 1)
    }

    /// At least this many digits, with zeros in front.
    #[must_use]
    pub fn padded(mut number: u64, least: usize) -> Digits {
        let mut bytes = [b'0'; 20];
        let mut start = bytes.len();
        while number > 0 {
            start -= 1;
            bytes[start] = b'0' + (number % 10) as u8;
            number /= 10;
        }
        Digits { bytes, start: start.min(bytes.len().saturating_sub(least)) }
    }

    /// The digits as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // Digits are text.
        std::str::from_utf8(&self.bytes[self.start..]).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_what_format_writes() {
        for number in [0, 1, 9, 10, 99, 100, 65_535, 1_000_000_007, u64::MAX] {
            assert_eq!(Digits::of(number).as_str(), number.to_string());
            assert_eq!(Digits::padded(number, 3).as_str(), format!("{number:03}"));
        }
    }
}
