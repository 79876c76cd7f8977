//! The protocols engines speak, behind one trait.

mod capabilities;
mod connect;
mod engine_protocol;
mod uci;
mod xboard;

pub use capabilities::Capabilities;
pub(crate) use connect::connect;
pub(crate) use engine_protocol::{EngineProtocol, LineKind};
pub(crate) use xboard::read_line as read_xboard_line;
