//! The UCI protocol as text and types; every deviation becomes a finding.
//!
//! Two directions, two types: [`Command`] is what a GUI sends, [`EngineMessage`] what an engine sends.
//! Reading is tolerant, because engines are sloppy in many harmless ways, but nothing sloppy
//! passes unnoticed: readers hand every [`Deviation`] to the caller. No I/O happens here, and
//! reading an `info` line allocates nothing unless the line is at fault.

#![deny(missing_docs)]

mod command;
mod finding;
mod info;
mod message;
mod option;
mod score;
mod tokens;

pub use command::{Command, CommandError, Go};
pub use finding::{Deviation, Finding, Findings};
pub use info::{ILLEGAL_TABLE_MOVES, Info, InfoBuf};
pub use message::{BestMove, EngineMessage};
pub use option::{EngineOption, OptionKind, OptionValueError, nearest_name};
pub use score::{Bound, Score};
