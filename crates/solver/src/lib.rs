//! The mate solver: proves or refutes a forced mate in N.
