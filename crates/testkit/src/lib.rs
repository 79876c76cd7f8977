//! White-box checks for an engine's own tests, and engines that misbehave as they are told.

mod binary;
pub mod kit;
pub mod manners;
pub mod scripted;
pub mod toy;
