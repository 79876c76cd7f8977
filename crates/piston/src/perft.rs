//! Perft that can be stopped.

use dyno_chess::Position;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// How many move sequences of the given length there are; `None` when stopped.
pub fn count(pos: &Position, depth: u32, stop: &AtomicBool) -> Option<u64> {
    match depth {
        0 => Some(1),
        1 => Some(pos.legal_moves().len() as u64),
        _ if stop.load(Relaxed) => None,
        _ => pos.legal_moves().into_iter().map(|mv| count(&pos.play(mv), depth - 1, stop)).sum(),
    }
}
