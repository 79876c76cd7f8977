//! Runs a chess engine as a child process and never trusts it.
