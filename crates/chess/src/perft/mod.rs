//! Perft: counting the leaves of the move tree.
//!
//! [`perft`] is the plain function; [`count`] adds threads, a shared table, progress and a way to
//! stop; [`detail`] says of what kind the leaves are.

mod answers;
mod chances;
mod count;
mod detail;
mod evasions;
mod family;
mod known;
mod layer;
mod movers;
mod node;
mod pairs;
mod pieces;
mod replies;
mod steps;
mod sums;
mod table;
mod walk;

pub use count::{Counted, CountedMove, Options, Progress, count};
pub use detail::{Detail, detail};
pub use table::{NoMemory, Table};

use crate::{Move, Position};

/// How many move sequences of the given length there are. A count beyond 64 bits, which nobody
/// has the time to wait for, is given as the greatest number of 64 bits; [`count`] knows more.
pub fn perft(position: &Position, depth: u32) -> u64 {
    let counted = count(position, depth, &Options::default());
    u64::try_from(counted.nodes).unwrap_or(u64::MAX)
}

/// The count below each legal move, in order of generation.
pub fn divide(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    let counted = count(position, depth.max(1), &Options::default());
    let clip = |nodes| u64::try_from(nodes).unwrap_or(u64::MAX);
    counted.moves.iter().map(|found| (found.mv, clip(found.nodes))).collect()
}
