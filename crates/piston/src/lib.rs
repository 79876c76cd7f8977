//! Piston, the built-in chess engine.
