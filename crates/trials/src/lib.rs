//! The experiments: perft, suites, mates, puzzles, tournaments, checks, benches.

pub mod annotate;
pub mod bench;
pub mod check;
pub mod cpu_time;
mod in_order;
pub mod mate;
pub mod perft;
pub mod perft_bisect;
pub mod position_test;
pub mod puzzles;
pub mod regress;
pub mod suite;
pub mod texel;
mod verdict;

pub use dyno_driver::{EngineIdentity, Machine, RunHeader, SCHEMA};
pub use dyno_suites::{
    BALANCED_OPENINGS, BUILTIN_SUITES, BuiltinSuite, Kind, builtin_suite, builtins,
};
pub use in_order::in_order;
pub use verdict::Verdict;
