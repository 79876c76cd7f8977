//! Perft: counting the leaves of the move tree.
//!
//! [`perft`] is the plain function; [`count`] adds threads, a shared table, progress and a way to
//! stop; [`detail`] says of what kind the leaves are.
//!
//! Each file uses only those above it:
//!
//! | file | what it holds |
//! |---|---|
//! | `kernel` | hot functions compiled for each kind of processor |
//! | `node` | a board with its key, and how moves lead from one to the next |
//! | `bulk` | the last ply: moves counted, not played |
//! | `piece_replies`, `replies` | what the enemy can reply, and which of our moves change it |
//! | `pairs` | the last two plies at once |
//! | `table` | counts that are kept |
//! | `walk` | the tree above, with a table or without |
//! | `count`, `detail` | a whole count, divided among threads |

mod bulk;
mod count;
mod detail;
mod kernel;
mod node;
mod pairs;
mod piece_replies;
mod replies;
mod table;
mod walk;

pub use count::{Counted, CountedMove, Options, Progress, count, fitting_table};
pub use detail::{Detail, detail};
pub use table::{OutOfMemory, Table};

use crate::{Move, Position};

/// How many move sequences of the given length there are. A count beyond 64 bits, which would
/// take centuries, is given as the greatest number of 64 bits; [`count`] gives it in full.
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
