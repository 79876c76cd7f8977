//! The mate solver: proves the shortest forced mate in at most N moves, or refutes it.
//!
//! Exact and deterministic: the same calls on a fresh [`Solver`] give the same answers, lines and
//! node counts on every machine. As in mate problems, only the board counts: the fifty-move rule
//! and repetitions are not applied. (A shortest mate never repeats a position, so repetition could
//! not prolong it; a mate that would need more than the clock allows is for the caller to see.)
//!
//! ```
//! use dyno_chess::Position;
//! use dyno_solver::{Budget, Solver};
//!
//! let position = Position::from_fen("8/8/8/8/8/5K2/4Q3/7k w - - 0 1").unwrap();
//! let mut solver = Solver::default();
//! assert_eq!(solver.shortest(&position, 5, &Budget::NONE), Ok(Some(1)));
//! let keys = solver.keys(&position, 1, &Budget::NONE).unwrap();
//! let keys: Vec<String> = keys.into_iter().map(|mv| position.san(mv)).collect();
//! assert_eq!(keys, ["Qg2#"]);
//! ```

mod budget;
mod checks;
mod search;
mod solver;
mod table;
mod tree;

pub use budget::Budget;
pub use solver::{Settled, Solver, Unsettled};
pub use tree::{Branch, ProofError, Tree};
