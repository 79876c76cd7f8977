//! The files people exchange: EPD, PGN, Polyglot books, lichess puzzles.
//!
//! Readers stream from any [`std::io::BufRead`] in bounded memory, take what real files contain,
//! and turn what they cannot take into typed errors with a line number, after which reading goes
//! on. Writers are exact.

#![deny(missing_docs)]

mod digits;
pub mod epd;
pub mod lichess;
mod lines;
mod move_text;
mod open;
pub mod pgn;
pub mod polyglot;
mod repair;

pub use digits::Digits;
pub use lines::{Line, LineError, Lines};
pub use move_text::read_move;
pub use open::{OpenError, Opened, Progress, open, open_text, pack};
pub use repair::{Repair, repaired};
