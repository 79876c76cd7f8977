//! Those who are told what happens in a match, and how they are told.

use super::error::OutputError;
use super::event::{Envelope, MatchEvent};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Hears what happens in a match. The journal is not a listener: when an event is told, what it
/// says is already written down.
pub trait Listener {
    /// An error ends the match: results that cannot be written must not be played on.
    fn hear(&mut self, envelope: &Envelope) -> Result<(), OutputError>;

    /// Whether moves are of interest, and not only results.
    fn wants_moves(&self) -> bool {
        false
    }

    /// Says at any time whether someone looks at the moves; without it someone always does.
    fn interest(&self) -> Option<Interest> {
        None
    }

    /// Called several times a second while nothing happens, for listeners that want moves.
    fn idle(&mut self) {}

    /// The match is over.
    fn close(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}

/// Whether someone looks at the moment.
pub type Interest = Box<dyn Fn() -> bool>;

impl<F: FnMut(&Envelope)> Listener for F {
    fn hear(&mut self, envelope: &Envelope) -> Result<(), OutputError> {
        self(envelope);
        Ok(())
    }
}

/// All listeners of a match.
///
/// Some are called at once, in their order: those whose work is quick and must not lag behind, such
/// as the PGN. The others have a thread each and may be as slow as they like: no game and no clock
/// waits for them. One that falls behind misses moves, but never a result; when even results pile
/// up, new games wait.
#[derive(Default)]
pub struct Fanout<'a> {
    direct: Vec<Box<dyn Listener + 'a>>,
    stations: Vec<Station>,
    seq: u64,
}

/// Events that may wait for a listener before it misses moves.
const MOVES_KEPT: usize = 256;
/// Events that may wait for a listener before new games wait for it.
const RESULTS_KEPT: usize = 4096;
/// How often a listener that wants moves is called while nothing happens.
const IDLE: Duration = Duration::from_millis(100);

impl<'a> Fanout<'a> {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a listener that is called at once.
    #[must_use]
    pub fn direct(mut self, listener: impl Listener + 'a) -> Self {
        self.direct.push(Box::new(listener));
        self
    }

    /// Adds a listener in front of all that are called at once.
    pub(crate) fn first(&mut self, listener: impl Listener + 'a) {
        self.direct.insert(0, Box::new(listener));
    }

    /// Adds a listener with a thread of its own.
    #[must_use]
    pub fn threaded(mut self, listener: impl Listener + Send + 'static) -> Self {
        self.stations.push(Station::start(listener));
        self
    }

    /// Whether a listener wants to hear of moves.
    pub fn wants_moves(&self) -> bool {
        self.direct.iter().any(|l| l.wants_moves()) || self.stations.iter().any(|s| s.wants_moves)
    }

    /// Whether someone looks at what those who want moves make of them.
    pub fn is_looked_at(&self) -> bool {
        let looks = |interest: Option<&Interest>| interest.is_none_or(|looks| looks());
        self.direct.iter().any(|l| l.wants_moves() && looks(l.interest().as_ref()))
            || self.stations.iter().any(|s| s.wants_moves && looks(s.interest.as_ref()))
    }

    /// Tells all of them. The first failure is reported once all have been told.
    pub fn tell(&mut self, run: &str, event: MatchEvent) -> Result<(), OutputError> {
        if self.direct.is_empty() && self.stations.is_empty() {
            return Ok(());
        }
        let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let envelope =
            Envelope { run: run.to_owned(), seq: self.seq, at: at.as_millis() as u64, event };
        self.seq += 1;
        let is_move = envelope.event.is_droppable();
        let mut outcome = Ok(());
        for listener in self.direct.iter_mut().filter(|l| !is_move || l.wants_moves()) {
            outcome = outcome.and(listener.hear(&envelope));
        }
        let envelope = Arc::new(envelope);
        for station in self.stations.iter().filter(|s| !is_move || s.wants_moves) {
            outcome = outcome.and(station.queue.push(&envelope));
        }
        outcome
    }

    /// Ends the match for all of them and waits until each has heard everything.
    pub fn close(mut self) -> Result<(), OutputError> {
        let mut outcome = Ok(());
        for listener in &mut self.direct {
            outcome = outcome.and(listener.close());
        }
        for station in &mut self.stations {
            outcome = outcome.and(station.finish());
        }
        outcome
    }
}

/// A listener on a thread of its own, and what waits for it.
struct Station {
    queue: Arc<Queue>,
    wants_moves: bool,
    interest: Option<Interest>,
    thread: Option<JoinHandle<()>>,
}

impl Station {
    fn start(mut listener: impl Listener + Send + 'static) -> Self {
        let queue = Arc::new(Queue::default());
        let (wants_moves, interest) = (listener.wants_moves(), listener.interest());
        let theirs = Arc::clone(&queue);
        let thread = std::thread::spawn(move || theirs.serve(&mut listener, wants_moves));
        Self { queue, wants_moves, interest, thread: Some(thread) }
    }

    fn finish(&mut self) -> Result<(), OutputError> {
        self.queue.lock().closed = true;
        self.queue.changed.notify_all();
        // A listener that panicked has said so itself.
        let _ = self.thread.take().map(JoinHandle::join);
        self.queue.lock().failure.take().map_or(Ok(()), Err)
    }
}

impl Drop for Station {
    fn drop(&mut self) {
        let _ = self.finish();
    }
}

#[derive(Default)]
struct Queue {
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Default)]
struct QueueState {
    waiting: VecDeque<Arc<Envelope>>,
    closed: bool,
    failure: Option<OutputError>,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, envelope: &Arc<Envelope>) -> Result<(), OutputError> {
        let mut state = self.lock();
        if let Some(failure) = state.failure.take() {
            return Err(failure);
        }
        if envelope.event.is_droppable() && state.waiting.len() >= MOVES_KEPT {
            return Ok(());
        }
        while state.waiting.len() >= RESULTS_KEPT && !state.closed {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting.push_back(Arc::clone(envelope));
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    /// The listener's thread, until the match is over and everything has been heard.
    fn serve(&self, listener: &mut impl Listener, wants_idle: bool) {
        let _leave = CloseOnDrop(self);
        loop {
            let mut state = self.lock();
            let envelope = state.waiting.pop_front();
            let outcome = match envelope {
                Some(envelope) => {
                    drop(state);
                    self.changed.notify_all();
                    listener.hear(&envelope)
                }
                None if state.closed => {
                    drop(state);
                    if let Err(failure) = listener.close() {
                        self.lock().failure.get_or_insert(failure);
                    }
                    return;
                }
                None if wants_idle => {
                    let waited = self.changed.wait_timeout(state, IDLE);
                    if waited.unwrap_or_else(PoisonError::into_inner).1.timed_out() {
                        listener.idle();
                    }
                    Ok(())
                }
                None => {
                    drop(self.changed.wait(state).unwrap_or_else(PoisonError::into_inner));
                    Ok(())
                }
            };
            if let Err(failure) = outcome {
                self.lock().failure.get_or_insert(failure);
            }
        }
    }
}

/// A listener that panics must not keep the match waiting.
struct CloseOnDrop<'q>(&'q Queue);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.closed = true;
        state.waiting.clear();
        drop(state);
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::event::MoveMade;
    use std::sync::mpsc;

    /// Hears nothing before it is let go.
    struct Slow {
        go: Option<mpsc::Receiver<()>>,
        heard: Arc<Mutex<Vec<Envelope>>>,
    }

    impl Listener for Slow {
        fn hear(&mut self, envelope: &Envelope) -> Result<(), OutputError> {
            if let Some(go) = self.go.take() {
                go.recv().unwrap();
            }
            self.heard.lock().unwrap().push(envelope.clone());
            Ok(())
        }

        fn wants_moves(&self) -> bool {
            true
        }
    }

    #[test]
    fn a_slow_listener_misses_moves_and_no_result() {
        let (go, gate) = mpsc::channel();
        let heard: Arc<Mutex<Vec<Envelope>>> = Arc::default();
        let mut fanout = Fanout::new().threaded(Slow { go: Some(gate), heard: Arc::clone(&heard) });
        assert!(fanout.wants_moves());
        let games = 100u64;
        for number in 0..games {
            for ply in 0..20 {
                let made = MoveMade { number, ply, ..MoveMade::default() };
                fanout.tell("run", MatchEvent::MoveMade(made)).unwrap();
            }
            let ended = MatchEvent::MatchEnded { games: number, ending: Default::default() };
            fanout.tell("run", ended).unwrap();
        }
        go.send(()).unwrap();
        fanout.close().unwrap();
        let heard = heard.lock().unwrap();
        let results = heard.iter().filter(|e| !e.event.is_droppable()).count() as u64;
        assert_eq!(results, games);
        assert!(heard.len() < 1000, "moves were dropped: {}", heard.len());
        assert!(heard.windows(2).all(|w| w[0].seq < w[1].seq), "in the order of happening");
    }

    #[test]
    fn failures_are_reported_and_others_still_hear() {
        struct Broken;
        impl Listener for Broken {
            fn hear(&mut self, _: &Envelope) -> Result<(), OutputError> {
                let source = std::io::ErrorKind::StorageFull.into();
                Err(OutputError { path: "x.pgn".into(), source })
            }
        }
        let mut heard = 0;
        let mut fanout = Fanout::new().direct(Broken).direct(|_: &Envelope| heard += 1);
        assert!(!fanout.wants_moves());
        let event = || MatchEvent::WindingDown { running: 1 };
        assert!(fanout.tell("run", event()).is_err());
        fanout.close().unwrap();
        assert_eq!(heard, 1);
        let mut fanout = Fanout::new().threaded(Broken);
        let told = fanout.tell("run", event());
        assert!(told.and(fanout.close()).is_err());
    }
}
