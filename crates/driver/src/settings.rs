//! Timeouts, records and defaults, the same for all engines of a run.

use crate::transcript::Log;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How engines are run: how long they are waited for, what is recorded, where they run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// From the start of the process to `uciok`.
    pub handshake: Duration,
    /// From `isready` to `readyok`, and for the engine to read what it is sent.
    pub ready: Duration,
    /// From `stop` to `bestmove`.
    pub grace: Duration,
    /// From `quit` to the end of the process, before it is terminated and then killed.
    pub quit: Duration,
    /// Transcript of everything said, on request.
    pub log: Option<Log>,
    /// What the engine is called in the transcript, for example `stockfish#2`.
    pub label: Option<String>,
    /// Ends every wait early when requested.
    pub interrupt: Option<Interrupt>,
    /// The CPUs the engine may run on; all of them when empty.
    pub cpus: Vec<usize>,
    /// Options set where the engine has them and the user did not ask otherwise: a test wants the
    /// engine's own play, the same every time.
    pub defaults: Vec<(String, String)>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            handshake: Duration::from_secs(5),
            ready: Duration::from_secs(10),
            grace: Duration::from_secs(1),
            quit: Duration::from_secs(1),
            log: None,
            label: None,
            interrupt: None,
            cpus: Vec::new(),
            defaults: [("OwnBook", "false"), ("Ponder", "false"), ("Threads", "1")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
        }
    }
}

/// The user's request to stop, shared by every wait.
#[derive(Clone, Debug)]
pub struct Interrupt {
    counter: Arc<AtomicUsize>,
    at: usize,
}

impl Interrupt {
    /// Interrupts once the counter has reached `at` (1: at the first Ctrl-C).
    #[must_use]
    pub fn new(counter: Arc<AtomicUsize>, at: usize) -> Self {
        Self { counter, at }
    }

    /// The counter it watches.
    #[must_use]
    pub fn counter(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.counter)
    }

    /// Whether to stop now.
    #[must_use]
    pub fn requested(&self) -> bool {
        self.counter.load(Ordering::Relaxed) >= self.at
    }
}
