//! The hands on a running match: the user's and Ctrl-C's.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Shared between whoever listens to the user and the match.
#[derive(Debug)]
pub struct Control {
    /// Counts Ctrl-C: the first finishes the running games, the second stops now.
    interrupts: Arc<AtomicUsize>,
    concurrency: AtomicUsize,
    paused: AtomicBool,
    stop_after_pair: AtomicBool,
}

impl Control {
    pub fn new(interrupts: Arc<AtomicUsize>, concurrency: u32) -> Self {
        Self {
            interrupts,
            concurrency: AtomicUsize::new(concurrency as usize),
            paused: AtomicBool::new(false),
            stop_after_pair: AtomicBool::new(false),
        }
    }

    /// No new games are to be started.
    pub fn winding_down(&self) -> bool {
        self.interrupts.load(Ordering::Relaxed) >= 1
    }

    /// The running games are not wanted any more.
    pub fn stopping_now(&self) -> bool {
        self.interrupts.load(Ordering::Relaxed) >= 2
    }

    pub fn concurrency(&self) -> usize {
        self.concurrency.load(Ordering::Relaxed)
    }

    /// More or fewer games at once, but never none; says how many now.
    pub fn change_concurrency(&self, by: isize) -> usize {
        let changed = self.concurrency().saturating_add_signed(by).clamp(1, 1024);
        self.concurrency.store(changed, Ordering::Relaxed);
        changed
    }

    pub fn is_paused(&self) -> bool {
        self.paused.load(Ordering::Relaxed)
    }

    /// Pauses or goes on; says which.
    pub fn toggle_pause(&self) -> bool {
        !self.paused.fetch_xor(true, Ordering::Relaxed)
    }

    pub fn is_stopping_after_pair(&self) -> bool {
        self.stop_after_pair.load(Ordering::Relaxed)
    }

    pub fn stop_after_pair(&self) {
        self.stop_after_pair.store(true, Ordering::Relaxed);
        self.paused.store(false, Ordering::Relaxed);
    }
}
