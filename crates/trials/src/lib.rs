//! The experiments: perft, suites, mates, puzzles, tournaments, checks, benches.
