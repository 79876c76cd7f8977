//! The engine under examination: patient where it must be, and with everything said to it kept, so
//! that it can be said again to a fresh process.

use super::script::{Awaited, History, Mark, Step};
use super::stop::Stop;
use dyno_driver::{Engine, EngineError, EngineSpec, Settings};
use std::collections::HashMap;
use std::ffi::OsString;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What the session and every engine it has started share.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared(Arc<Mutex<SharedState>>);

#[derive(Debug, Default)]
struct SharedState {
    limits: Limits,
    /// Beyond which nothing is put off.
    hard_end: Option<Instant>,
    /// How much more it may be given for what a busy machine has kept it waiting.
    allowance: Duration,
    /// How long the starts of engines have put off its end.
    starting: Duration,
    /// The conversation that was the last to go on.
    latest: History,
    /// How long a search takes that is asked for no more than a move.
    least: Duration,
    /// Whether `stop` has been seen to end a search.
    heeds_stop: bool,
}

/// How much longer a check may take for the starts of its engines.
const MOST_STARTING: Duration = Duration::from_secs(5);

/// The time of the running check.
#[derive(Clone, Copy, Debug, Default)]
struct Limits {
    /// When it has to end.
    deadline: Option<Instant>,
    /// Until when it is to look at more samples.
    until: Option<Instant>,
}

impl Limits {
    /// The same later, but not beyond the end of everything.
    fn later(self, span: Duration, hard_end: Option<Instant>) -> Limits {
        let later = |at: Instant| hard_end.map_or(at + span, |end| (at + span).min(end));
        Limits { deadline: self.deadline.map(later), until: self.until.map(later) }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, SharedState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.lock().limits.deadline
    }

    /// When everything has to end, whatever is put off.
    pub fn hard_end(&self) -> Option<Instant> {
        self.lock().hard_end
    }

    /// Whether the running check has to end now.
    pub fn is_over(&self) -> bool {
        self.deadline().is_some_and(|end| end <= Instant::now())
    }

    /// A check begins: until when it is to look at more samples, when it has to end, and the end
    /// of everything.
    pub fn begin(
        &self,
        until: Instant,
        deadline: Option<Instant>,
        hard_end: Option<Instant>,
        allowance: Duration,
    ) {
        let mut state = self.lock();
        state.limits = Limits { deadline, until: Some(until) };
        (state.hard_end, state.allowance) = (hard_end, allowance);
        state.starting = Duration::ZERO;
    }

    /// Findings are shown again until the first of these times; starting up may put it off to the
    /// second.
    pub fn confirm(&self, deadline: Instant, hard_end: Option<Instant>) {
        let mut state = self.lock();
        (state.limits.deadline, state.hard_end) = (Some(deadline), hard_end);
    }

    /// From now on nothing puts the deadline off.
    pub fn freeze(&self) {
        let mut state = self.lock();
        state.hard_end = state.limits.deadline;
    }

    pub fn left(&self) -> Duration {
        let until = self.lock().limits.until;
        until.map_or(Duration::MAX, |until| until.saturating_duration_since(Instant::now()))
    }

    /// Does something with a deadline of its own, outside the time of the running check.
    pub fn aside<T>(&self, most: Duration, work: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let (limits, hard_end) = {
            let mut state = self.lock();
            let (limits, hard_end) = (state.limits, state.hard_end);
            let own = Limits { deadline: Some(began), ..limits };
            state.limits.deadline = own.later(most, hard_end).deadline;
            (limits, hard_end)
        };
        let done = work();
        let mut state = self.lock();
        (state.limits, state.hard_end) = (limits.later(began.elapsed(), hard_end), hard_end);
        done
    }

    /// Starts an engine aside, as long as the starts of this check have not taken too long in all.
    pub fn starting<T>(&self, most: Duration, start: impl FnOnce() -> T) -> T {
        if self.lock().starting > MOST_STARTING {
            return start();
        }
        let began = Instant::now();
        let started = self.aside(most, start);
        self.lock().starting += began.elapsed();
        started
    }

    /// Puts the end off by what a busy machine has kept the check waiting, as far as that goes.
    fn give_back(&self, span: Duration) {
        let mut state = self.lock();
        let span = span.min(state.allowance);
        state.allowance -= span;
        state.limits = state.limits.later(span, state.hard_end);
    }

    /// How long a search takes that is asked for no more than a move.
    pub fn set_least(&self, least: Duration) {
        self.lock().least = least;
    }

    /// `stop` has ended a search: where it does not, the engine hangs.
    pub fn heeds_stop(&self) {
        self.lock().heeds_stop = true;
    }

    /// The conversation that was the last to go on, up to now.
    pub fn latest(&self) -> Mark {
        self.lock().latest.mark()
    }
}

/// How long each thread of a process has been ready to run and did not, and the thread that
/// listens to it. Nothing where the system does not say.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    threads: HashMap<OsString, (Duration, u64)>,
    listener: Duration,
}

impl Waiting {
    fn of(pid: u32) -> Waiting {
        let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten();
        let read = |folder: &Path| -> Option<(Duration, u64)> {
            let text = std::fs::read_to_string(folder.join("schedstat")).ok()?;
            let mut words = text.split_whitespace().skip(1);
            let waited = Duration::from_nanos(words.next()?.parse().ok()?);
            Some((waited, words.next()?.parse().ok()?))
        };
        let threads = threads.flatten();
        Waiting {
            threads: threads.filter_map(|t| Some((t.file_name(), read(&t.path())?))).collect(),
            listener: read(Path::new("/proc/thread-self")).unwrap_or_default().0,
        }
    }

    /// The longest that one thread has waited since the process began.
    pub fn since_start(&self) -> Duration {
        self.threads.values().map(|(waited, _)| *waited).max().unwrap_or_default()
    }

    /// The longest that one thread has waited since then, and the listener after it.
    pub fn since(&self, before: &Waiting) -> Duration {
        let known = |thread| before.threads.get(thread).copied().unwrap_or_default().0;
        let waits = self.threads.iter().map(|(thread, (now, _))| now.saturating_sub(known(thread)));
        let listened = self.listener.saturating_sub(before.listener);
        waits.max().unwrap_or_default() + listened
    }

    /// How often a thread has been given a processor since then.
    pub fn turns_since(&self, before: &Waiting) -> u64 {
        let known = |thread| before.threads.get(thread).copied().unwrap_or_default().1;
        let turns = self.threads.iter().map(|(thread, (_, now))| now.saturating_sub(known(thread)));
        turns.max().unwrap_or_default()
    }
}

/// The memory of a process, in megabytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    /// What it holds.
    pub resident: f64,
    /// What it has asked for.
    pub mapped: f64,
    /// What of that it may write to: a heap that is reserved in advance is in it from the start.
    pub writable: f64,
}

impl Memory {
    /// That of a process, where the system tells it.
    #[must_use]
    pub fn of(pid: u32) -> Option<Memory> {
        let text = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let megabytes = |name: &str| -> Option<f64> {
            let line = text.lines().find(|line| line.starts_with(name))?;
            Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
        };
        Some(Memory {
            resident: megabytes("VmRSS:")?,
            mapped: megabytes("VmSize:")?,
            writable: megabytes("VmData:")?,
        })
    }
}

/// No engine takes longer for depth 1, unless it always does.
const HANGS: Duration = Duration::from_millis(2500);

/// A running engine that may be slow for a reason, for example because it runs under valgrind.
pub(super) struct TestedEngine {
    engine: Engine,
    slowness: f64,
    history: History,
    shared: Shared,
    /// It has been told to look at some moves only.
    is_restricted: bool,
}

impl TestedEngine {
    pub fn start(
        spec: &EngineSpec,
        settings: &Settings,
        slowness: f64,
        shared: Shared,
    ) -> Result<TestedEngine, EngineError> {
        let mut settings = settings.clone();
        for span in
            [&mut settings.handshake, &mut settings.ready, &mut settings.grace, &mut settings.quit]
        {
            *span = span.mul_f64(slowness);
        }
        let history = History::default();
        shared.lock().latest = history.clone();
        let engine = Engine::start(spec, &settings)?;
        Ok(TestedEngine { engine, slowness, history, shared, is_restricted: false })
    }

    /// A span in which an ordinary engine is done, for this one.
    pub fn patience(&self, span: Duration) -> Duration {
        span.mul_f64(self.slowness)
    }

    /// The same, but not beyond the end of the check: until when, and whether the check ends first.
    pub fn until(&self, began: Instant, span: Duration) -> Result<(Instant, bool), Stop> {
        let own = began + self.patience(span);
        match self.shared.deadline() {
            Some(end) if end <= Instant::now() => Err(Stop::OutOfTime),
            Some(end) if end < own => Ok((end, true)),
            _ => Ok((own, false)),
        }
    }

    /// How long a search for no more than a move is waited for, even when the check has to end: an
    /// engine that hangs is not one that was out of time.
    pub fn hangs_after(&self) -> Duration {
        self.patience(HANGS.max(20 * self.shared.lock().least))
    }

    /// Whether `stop` ends a search of this engine otherwise.
    pub fn heeds_stop(&self) -> bool {
        self.shared.lock().heeds_stop
    }

    /// A time, but not beyond the end of the whole examination, and whether that comes first.
    pub fn not_beyond_all(&self, at: Instant) -> (Instant, bool) {
        match self.shared.hard_end() {
            Some(end) if end < at => (end, true),
            _ => (at, false),
        }
    }

    /// Sends one or more lines in a single write.
    pub fn send_line(&mut self, text: &str) -> Result<Instant, EngineError> {
        self.is_restricted |= text.contains(" searchmoves ");
        // Not `lines()`: an empty line is one, too.
        self.record(text.split('\n').map(str::to_owned).collect());
        self.engine.send_line(text)
    }

    /// Whether it has been told to look at some moves only, once.
    pub fn is_restricted(&self) -> bool {
        self.is_restricted
    }

    fn record(&self, lines: Vec<String>) {
        self.history.push(Step::Send(lines));
        self.shared.lock().latest = self.history.clone();
    }

    /// Keeps for the record what is waited for.
    pub fn note_wait(&self, what: Awaited, patience: Duration) {
        self.history.push(Step::Await(what, patience));
    }

    pub fn note_pause(&self, span: Duration) {
        self.history.push(Step::Pause(span));
    }

    /// Everything said to this process so far.
    pub fn mark(&self) -> Mark {
        self.history.mark()
    }

    pub fn new_game(&mut self) -> Result<(), EngineError> {
        if self.engine.capabilities().uci_commands {
            self.send_line("ucinewgame").map(drop)
        } else {
            self.engine.new_game()
        }
    }

    /// Waits for the answer to `isready` as long as an ordinary engine would deserve.
    pub fn is_ready(&mut self, span: Duration) -> Result<(), Stop> {
        let (end, cut) = self.until(Instant::now(), span)?;
        self.record(vec!["isready".to_owned()]);
        self.note_wait(Awaited::ReadyOk, self.patience(span));
        let left = end.saturating_duration_since(Instant::now());
        match self.engine.is_ready(left) {
            Err(EngineError::NotReady { .. }) if cut => Err(Stop::OutOfTime),
            other => Ok(other?),
        }
    }

    /// How long each thread has waited for a processor so far: on a busy machine this is not the
    /// engine's fault.
    pub fn waiting(&self) -> Waiting {
        Waiting::of(self.engine.pid())
    }

    /// Gives the running check the time in which the engine had no processor.
    pub fn give_back(&self, span: Duration) {
        self.shared.give_back(span);
    }

    /// The memory it holds now.
    pub fn memory(&self) -> Option<Memory> {
        Memory::of(self.engine.pid())
    }

    /// The engine itself, for its last words.
    pub fn into_engine(self) -> Engine {
        self.engine
    }
}

impl Deref for TestedEngine {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        &self.engine
    }
}

impl DerefMut for TestedEngine {
    fn deref_mut(&mut self) -> &mut Engine {
        &mut self.engine
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn nothing_is_put_off_beyond_the_end() {
        let (shared, now) = (Shared::default(), Instant::now());
        let end = now + 100 * SECOND;
        shared.begin(now + 90 * SECOND, Some(now + 95 * SECOND), Some(end), 1000 * SECOND);
        shared.aside(1000 * SECOND, || assert_eq!(shared.deadline(), Some(end)));
        shared.give_back(500 * SECOND);
        assert_eq!(shared.deadline(), Some(end));
        assert!(shared.left() <= 100 * SECOND);
        // Nor while a history is made smaller.
        let soon = now + 50 * SECOND;
        shared.confirm(soon, Some(end));
        shared.freeze();
        shared.give_back(500 * SECOND);
        assert_eq!(shared.deadline(), Some(soon));
    }

    #[test]
    fn what_is_done_aside_counts_once() {
        let (shared, now) = (Shared::default(), Instant::now());
        shared.begin(now + SECOND, Some(now + 2 * SECOND), None, Duration::ZERO);
        shared.aside(9 * SECOND, || {
            shared.aside(9 * SECOND, || std::thread::sleep(Duration::from_millis(20)));
        });
        let passed = now.elapsed();
        assert!(shared.deadline() <= Some(now + 2 * SECOND + passed));
        assert!(shared.left() <= SECOND, "{:?}", shared.left());
    }
}
