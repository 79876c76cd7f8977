//! The experiments: perft, suites, mates, puzzles, tournaments, checks, benches.

mod in_order;
pub mod suite;
pub mod records;

pub use in_order::in_order;
