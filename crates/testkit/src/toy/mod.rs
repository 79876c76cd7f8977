//! A small engine of the kind a student writes, complete and correct, that can be given any of
//! the classic bugs: what our own checks are tried on.

mod board;
mod bug;
mod search;
mod uci;

pub use board::{Cell, ToyBoard, ToyMove};
pub use bug::Bug;
pub use search::{MATE, ToySearch, evaluate};
pub use uci::run;
