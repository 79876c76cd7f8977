//! Search scores: centipawns of the side to move, with mates at the far ends.

use dyno_uci::Score;

/// A score in centipawns, from the point of view of the side to move.
pub type Value = i32;

/// The deepest the search can look, in half-moves.
pub const MAX_PLY: usize = 200;

/// Being able to give mate on the spot would score this; each half-move costs one.
pub const MATE: Value = 32_000;
/// Beyond every score.
pub const INFINITE: Value = 32_001;
/// A draw.
pub const DRAW: Value = 0;
/// Scores beyond this say mate.
pub const MATE_BOUND: Value = MATE - MAX_PLY as Value - 1;
/// No evaluation goes beyond this.
pub const EVAL_LIMIT: Value = 20_000;

/// The score of being mated after this many half-moves.
#[inline]
pub const fn mated_in(ply: usize) -> Value {
    ply as Value - MATE
}

/// The score of giving mate after this many half-moves.
#[inline]
pub const fn mate_in(ply: usize) -> Value {
    MATE - ply as Value
}

/// Whether the score says that one side is mated.
#[inline]
pub const fn is_mate(value: Value) -> bool {
    value > MATE_BOUND || value < -MATE_BOUND
}

/// A score counted from the root becomes one counted from the node, as the table keeps it.
#[inline]
pub fn to_table(value: Value, ply: usize) -> Value {
    if value > MATE_BOUND {
        value + ply as Value
    } else if value < -MATE_BOUND {
        value - ply as Value
    } else {
        value
    }
}

/// The reverse of [`to_table`]; `None` for a mate that the fifty-move rule would forestall here.
#[inline]
pub fn from_table(value: Value, ply: usize, halfmove_clock: u32) -> Option<Value> {
    let left = 100 - halfmove_clock.min(100) as Value;
    if value > MATE_BOUND {
        (MATE - value <= left).then_some(value - ply as Value)
    } else if value < -MATE_BOUND {
        (MATE + value <= left).then_some(value + ply as Value)
    } else {
        Some(value)
    }
}

/// The score as UCI speaks it.
pub fn to_uci(value: Value) -> Score {
    if value > MATE_BOUND {
        Score::Mate((MATE - value + 1) / 2)
    } else if value < -MATE_BOUND {
        Score::Mate(-(MATE + value) / 2)
    } else {
        Score::Cp(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_counted_in_moves_of_the_winner() {
        assert_eq!(to_uci(mate_in(1)), Score::Mate(1));
        assert_eq!(to_uci(mate_in(3)), Score::Mate(2));
        assert_eq!(to_uci(mated_in(0)), Score::Mate(0));
        assert_eq!(to_uci(mated_in(2)), Score::Mate(-1));
        assert_eq!(to_uci(mated_in(4)), Score::Mate(-2));
        assert_eq!(to_uci(-31), Score::Cp(-31));
    }

    #[test]
    fn the_table_keeps_mates_relative_to_the_node() {
        for value in [mate_in(7), mated_in(9), 13] {
            assert_eq!(from_table(to_table(value, 5), 5, 0), Some(value));
        }
        assert_eq!(from_table(mate_in(30), 2, 80), None);
        assert_eq!(from_table(mated_in(30), 2, 80), None);
    }
}
