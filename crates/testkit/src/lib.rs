//! White-box checks for an engine's own tests, and a scripted misbehaving engine.

mod binary;
pub mod kit;
pub mod scripted;
pub mod toy;
