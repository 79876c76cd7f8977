//! A watchdog for what keeps no deadline of its own: it ends every wait when the check has to end.

use dyno_driver::Interrupt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Watches until it is dropped.
pub(super) struct Watchdog {
    counter: Arc<AtomicUsize>,
    bitten: Arc<AtomicBool>,
    over: Arc<AtomicBool>,
}

impl Watchdog {
    /// Passes on the user's wish to stop, and ends the waits at this time.
    pub fn start(user: Option<Interrupt>, end: Option<Instant>) -> Watchdog {
        let dog =
            Watchdog { counter: Arc::default(), bitten: Arc::default(), over: Arc::default() };
        let (counter, bitten, over) =
            (Arc::clone(&dog.counter), Arc::clone(&dog.bitten), Arc::clone(&dog.over));
        std::thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                let late = end.is_some_and(|end| Instant::now() >= end);
                if late || user.as_ref().is_some_and(Interrupt::requested) {
                    bitten.store(late, Ordering::Relaxed);
                    counter.store(1, Ordering::Relaxed);
                    return;
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        dog
    }

    /// What an engine has to heed.
    pub fn interrupt(&self) -> Interrupt {
        Interrupt::new(Arc::clone(&self.counter), 1)
    }

    /// Whether the time was up.
    pub fn has_bitten(&self) -> bool {
        self.bitten.load(Ordering::Relaxed)
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_bites_when_the_time_is_up() {
        let dog = Watchdog::start(None, Some(Instant::now()));
        let interrupt = dog.interrupt();
        while !interrupt.requested() {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(dog.has_bitten());
    }
}
