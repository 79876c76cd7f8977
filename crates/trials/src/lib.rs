//! The experiments: perft, suites, mates, puzzles, tournaments, checks, benches.

mod in_order;
pub mod records;
pub mod suite;
pub mod tournament;

pub use in_order::in_order;
