//! Piston, the built-in chess engine.
pub mod bench;
pub mod checks;
pub mod engine;
pub mod eval;
pub mod history;
pub mod mate;
pub mod options;
pub mod ordering;
pub mod perft;
pub mod replay;
pub mod score;
pub mod search;
pub mod see;
pub mod show;
pub mod time;
pub mod tt;
pub mod uci_loop;
