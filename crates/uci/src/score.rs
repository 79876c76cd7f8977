//! Scores as an engine states them, from the point of view of the side to move.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;

/// A score from the point of view of the side to move.
///
/// Scores are ordered from the worst to the best for that side: being mated now, being mated
/// later, any evaluation, a distant mate, a quick mate.
///
/// ```
/// use dyno_uci::Score::{Cp, Mate};
/// assert!(Mate(1) > Mate(9) && Mate(9) > Cp(30_000));
/// assert!(Cp(-30_000) > Mate(-9) && Mate(-9) > Mate(-1) && Mate(-1) > Mate(0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Score {
    /// Centipawns.
    Cp(i32),
    /// Mate in this number of the winner's moves; negative when the side to move is mated, 0 when
    /// it already is.
    Mate(i32),
}

impl Score {
    fn rank(self) -> (i8, i64) {
        match self {
            Score::Mate(moves) if moves > 0 => (1, -i64::from(moves)),
            Score::Mate(moves) => (-1, -i64::from(moves)),
            Score::Cp(value) => (0, i64::from(value)),
        }
    }

    /// The same score seen by the opponent. A mate on the board (`Mate(0)`) has no mirror image
    /// in UCI and stays as it is.
    #[must_use]
    pub fn flipped(self) -> Self {
        match self {
            Score::Cp(value) => Score::Cp(value.saturating_neg()),
            Score::Mate(moves) => Score::Mate(moves.saturating_neg()),
        }
    }

    /// Centipawns, with mates far beyond any evaluation; for averages, plots and resign rules.
    #[must_use]
    pub fn centipawns(self) -> i32 {
        match self {
            Score::Cp(value) => value,
            Score::Mate(moves) if moves > 0 => 32_000 - moves.min(1_000),
            Score::Mate(moves) => -32_000 - moves.max(-1_000),
        }
    }
}

impl Ord for Score {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Score {
    /// The way people write scores: `+0.31`, `-2.05`, `#3`, `#-2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Score::Cp(value) => {
                let sign = if value < 0 { '-' } else { '+' };
                let value = value.unsigned_abs();
                write!(f, "{sign}{}.{:02}", value / 100, value % 100)
            }
            Score::Mate(moves) => write!(f, "#{moves}"),
        }
    }
}

/// Whether a score is exact or only known to be at least or at most that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// The score itself.
    #[default]
    Exact,
    /// At least the score.
    Lower,
    /// At most the score.
    Upper,
}

#[cfg(test)]
mod tests {
    use super::Score::{Cp, Mate};

    #[test]
    fn total_order() {
        let ascending = [Mate(0), Mate(-1), Mate(-5), Cp(-900), Cp(0), Cp(12), Mate(7), Mate(1)];
        for (i, a) in ascending.iter().enumerate() {
            for (j, b) in ascending.iter().enumerate() {
                assert_eq!(a.cmp(b), i.cmp(&j), "{a} {b}");
            }
        }
    }

    #[test]
    fn people_read_them() {
        let shown: Vec<String> =
            [Cp(31), Cp(-205), Cp(-5), Mate(3), Mate(-2)].iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["+0.31", "-2.05", "-0.05", "#3", "#-2"]);
        assert_eq!(Cp(i32::MIN).flipped(), Cp(i32::MAX));
        assert!(Mate(2).centipawns() > Mate(3).centipawns());
        assert!(Mate(-2).centipawns() > Mate(-1).centipawns());
    }
}
