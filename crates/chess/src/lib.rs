//! The rules of chess, exact and fast: positions, legal moves, hashing, move text, outcomes and
//! perft, for standard chess, Chess960 and double Chess960.
//!
//! ```
//! use dyno_chess::{Position, perft::perft};
//! assert_eq!(perft(&Position::startpos(), 3), 8902);
//! ```
//!
//! Code is `unsafe` where a measurement justifies it, each place with its reason and a `SAFETY`
//! comment: slider tables, lists on the stack, code compiled for a kind of processor, large tables.

#![deny(missing_docs)]

pub mod attacks;
mod bitboard;
mod board;
mod chess960;
mod color;
pub mod diagnose;
mod fen;
mod game;
mod legal;
mod magics;
mod make;
pub mod memory;
mod movegen;
mod moves;
mod outcome;
pub mod perft;
mod piece;
mod polyglot;
mod polyglot_numbers;
mod position;
mod random;
mod san;
mod sliders;
mod square;
mod uci_move;
mod verify;
mod zobrist;

pub use bitboard::{Bitboard, Squares};
pub use color::Color;
pub use fen::{CastlingStyle, EnPassantStyle, FenError};
pub use game::Game;
pub use movegen::GenKind;
pub use moves::{Move, MoveList, MoveListIter};
pub use outcome::Outcome;
pub use piece::{Piece, Role};
pub use position::{Position, STARTPOS, Wing};
pub use random::SplitMix64;
pub use square::{File, NotASquare, Rank, Square};
pub use uci_move::MoveTextError;
pub use verify::PositionFault;
