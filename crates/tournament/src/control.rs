//! What the user can change while a match runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The switches of a match, shared between those who listen to the user and those who play. Clones
/// are the same switches.
#[derive(Clone, Debug)]
pub struct Control(Arc<Switches>);

#[derive(Debug)]
struct Switches {
    /// Counts Ctrl-C: the first finishes the running games, the second stops now.
    interrupts: Arc<AtomicUsize>,
    concurrency: AtomicUsize,
    paused: AtomicBool,
    stop_after_pair: AtomicBool,
}

impl Control {
    pub fn new(interrupts: Arc<AtomicUsize>, concurrency: u32) -> Self {
        Self(Arc::new(Switches {
            interrupts,
            concurrency: AtomicUsize::new(concurrency as usize),
            paused: AtomicBool::new(false),
            stop_after_pair: AtomicBool::new(false),
        }))
    }

    /// No new games are to be started.
    pub fn winding_down(&self) -> bool {
        self.0.interrupts.load(Ordering::Relaxed) >= 1
    }

    /// The running games are to be broken off.
    pub fn stopping_now(&self) -> bool {
        self.0.interrupts.load(Ordering::Relaxed) >= 2
    }

    /// Finishes the running games and stops, as the first Ctrl-C does.
    pub fn wind_down(&self) {
        self.0.interrupts.fetch_max(1, Ordering::Relaxed);
    }

    /// Breaks off the running games, as the second Ctrl-C does.
    pub fn stop_now(&self) {
        self.0.interrupts.fetch_max(2, Ordering::Relaxed);
    }

    pub fn concurrency(&self) -> usize {
        self.0.concurrency.load(Ordering::Relaxed)
    }

    /// Changes the number of games at once, which stays 1 at least; returns the new one.
    pub fn change_concurrency(&self, by: isize) -> usize {
        let changed = self.concurrency().saturating_add_signed(by).clamp(1, 1024);
        self.0.concurrency.store(changed, Ordering::Relaxed);
        changed
    }

    pub fn is_paused(&self) -> bool {
        self.0.paused.load(Ordering::Relaxed)
    }

    /// Pauses or continues; returns whether it is paused now.
    pub fn toggle_pause(&self) -> bool {
        !self.0.paused.fetch_xor(true, Ordering::Relaxed)
    }

    pub fn is_stopping_after_pair(&self) -> bool {
        self.0.stop_after_pair.load(Ordering::Relaxed)
    }

    pub fn stop_after_pair(&self) {
        self.0.stop_after_pair.store(true, Ordering::Relaxed);
        self.0.paused.store(false, Ordering::Relaxed);
    }
}
