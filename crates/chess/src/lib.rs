//! The rules of chess, exact and fast: positions, legal moves, hashing, move text, outcomes and perft.
