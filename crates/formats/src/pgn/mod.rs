//! PGN: games as text.

mod write;

pub use write::PgnText;
