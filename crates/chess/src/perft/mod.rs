//! Perft: counting the leaves of the move tree.

mod node;
mod pairs;
mod replies;
mod walk;

use crate::{Move, Position};
use node::Node;

/// How many move sequences of the given length there are.
pub fn perft(position: &Position, depth: u32) -> u64 {
    walk::count(&Node::new(position), position.side, depth)
}

/// The count below each legal move, in order of generation.
pub fn divide(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    let below = depth.saturating_sub(1);
    position.legal_moves().into_iter().map(|mv| (mv, perft(&position.play(mv), below))).collect()
}
