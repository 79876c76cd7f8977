//! Perft: counting the leaves of the move tree.

use crate::{Move, Position};

/// How many move sequences of the given length there are.
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.legal_moves().len() as u64,
        _ => {
            position.legal_moves().into_iter().map(|mv| perft(&position.play(mv), depth - 1)).sum()
        }
    }
}

/// The count below each legal move, in order of generation.
pub fn divide(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    let below = depth.saturating_sub(1);
    position.legal_moves().into_iter().map(|mv| (mv, perft(&position.play(mv), below))).collect()
}
