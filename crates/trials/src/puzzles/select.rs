//! Which puzzles are wanted.

use dyno_formats::lichess::Row;
use serde::Serialize;
use std::str::FromStr;

/// Which puzzles are wanted; an empty selection wants all.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Selection {
    /// Each entry is a list of themes of which the puzzle must have one.
    pub themes: Vec<Vec<String>>,
    /// Puzzles without a rating are outside every range.
    pub rating: Option<RatingRange>,
}

impl Selection {
    /// Whether a row is wanted, as far as it says so itself.
    pub fn wants(&self, row: &Row<'_>) -> bool {
        let rated = match (self.rating, row.rating) {
            (None, _) => true,
            (Some(range), Some(rating)) => range.contains(rating),
            (Some(_), None) => false,
        };
        rated
            && self.themes.iter().all(|any| {
                row.themes().any(|theme| any.iter().any(|one| one.eq_ignore_ascii_case(theme)))
            })
    }
}

/// Ratings from and to, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RatingRange {
    from: u32,
    to: u32,
}

impl RatingRange {
    /// Whether a rating lies in the range.
    pub fn contains(&self, rating: u32) -> bool {
        (self.from..=self.to).contains(&rating)
    }
}

/// The text is not a range of ratings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{text}\" is not a range of ratings; write 1500..2000, 1500.. or ..2000")]
pub struct BadRange {
    text: String,
}

impl FromStr for RatingRange {
    type Err = BadRange;

    fn from_str(text: &str) -> Result<RatingRange, BadRange> {
        let bad = || BadRange { text: text.to_owned() };
        let bound = |part: &str, open: u32| match part.trim() {
            "" => Ok(open),
            number => number.parse().map_err(|_| bad()),
        };
        let (from, to) = text.split_once("..").or_else(|| text.split_once('-')).ok_or_else(bad)?;
        let range =
            RatingRange { from: bound(from, 0)?, to: bound(to.trim_start_matches('='), u32::MAX)? };
        let unbounded = from.trim().is_empty() && to.trim().is_empty();
        if unbounded || range.from > range.to { Err(bad()) } else { Ok(range) }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn ranges_of_ratings() {
        let range = |text: &str| text.parse::<RatingRange>();
        assert!(range("1500..2000").unwrap().contains(2000));
        assert!(!range("1500..2000").unwrap().contains(1499));
        assert!(range("1500..").unwrap().contains(9999) && range("..900").unwrap().contains(0));
        assert_eq!(range("1500-2000"), range("1500..=2000"));
        for text in ["", "..", "x..y", "2000..1500", "1500"] {
            assert!(range(text).is_err(), "{text}");
        }
    }
}
