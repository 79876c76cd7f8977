//! What threads share within a search, and what each keeps from one search to the next.

use super::task::{Signals, Task};
use crate::eval::{Cache, Values};
use crate::history::History;
use crate::tt::Table;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// What all threads of one search share.
pub(super) struct Shared<'a> {
    pub task: &'a Task,
    pub table: &'a Table,
    pub signals: &'a Signals,
    pub threads: usize,
    /// The nodes that the threads have reported so far.
    pub nodes: AtomicU64,
    /// The search is over for all threads, by its own limits.
    pub done: AtomicBool,
}

/// What one thread keeps within a game.
#[derive(Default)]
pub struct ThreadData {
    pub(super) history: History,
    pub(super) cache: Cache,
    pub(super) values: Values,
}
