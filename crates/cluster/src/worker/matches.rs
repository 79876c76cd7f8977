//! The matches that a worker knows: found, prepared, played, forgotten.

use super::prepare::{NotReady, Ready};
use super::schedule::Candidate;
use super::{BEAT, TaskNews, Worker, WorkerNews};
use crate::backoff::{Backoff, jittered};
use crate::cache::FRESH;
use crate::link::{Announced, matches};
use crate::message::{MatchInfo, WorkerEvent};
use crate::ship::platform;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// A match as this worker sees it.
pub struct Known {
    pub info: MatchInfo,
    pub state: State,
    /// Tells the preparations of one match apart.
    attempt: u64,
    /// As the match says, for the boards.
    pub watch: Arc<AtomicU64>,
}

pub enum State {
    Preparing,
    Ready(Box<Ready>),
    Unfit(String),
}

impl Worker<'_> {
    /// Looks which matches there are, when it is time.
    pub(super) fn look(&mut self) {
        if self.is_looking || Instant::now() < self.look_at {
            return;
        }
        self.is_looking = true;
        // News that come meanwhile have it look again sooner.
        self.look_at = Instant::now() + jittered(BEAT);
        let (streams, tasks) = (self.preparation.streams.clone(), self.tasks.clone());
        tokio::spawn(async move {
            // A server that does not answer changes nothing.
            let _ = tasks.send(TaskNews::Looked(matches(&streams).await.ok()));
        });
    }

    pub(super) fn candidates(&self) -> Vec<Candidate> {
        let serves = |known: &&Known| {
            matches!(known.state, State::Ready(_))
                && !known.info.stopped
                && !known.info.excluded.contains(&self.preparation.name)
        };
        let candidate = |known: &Known| Candidate {
            run: known.info.run.clone(),
            priority: known.info.priority,
            share: known.info.share,
        };
        self.matches.values().filter(serves).map(candidate).collect()
    }

    /// Begins with new matches, and ends those that are gone.
    pub(super) fn compare(&mut self, Announced { matches: found, unreadable }: Announced) {
        for reason in &unreadable {
            if !self.unreadable.contains(reason) {
                (self.setup.tell)(WorkerNews::Waiting(reason.clone()));
            }
        }
        self.unreadable = unreadable;
        let there: BTreeSet<String> = found.iter().map(|info| info.run.clone()).collect();
        let gone: Vec<String> =
            self.matches.keys().filter(|run| !there.contains(*run)).cloned().collect();
        for run in gone {
            self.forget(&run);
        }
        for info in found {
            // Stopped and resumed, or changed: what is ready is of no use any more.
            let is_other = |known: &Known| {
                known.info.stopped && !info.stopped || !known.info.needs_the_same(&info)
            };
            if self.matches.get(&info.run).is_some_and(is_other) {
                self.forget(&info.run);
            }
            match self.matches.get_mut(&info.run) {
                Some(known) => {
                    known.watch.store(info.watch, Ordering::Relaxed);
                    if let (true, State::Ready(ready)) = (info.stopped, &known.state) {
                        ready.context.stop();
                    }
                    known.info = info;
                }
                None if !(info.stopped || self.leaving) => self.prepare(info),
                None => {}
            }
        }
    }

    /// Marks the files of the matches at hand as used, for those who prune the cache: this worker for
    /// another match, or another worker of this machine.
    pub(super) fn keep_files(&mut self) {
        if self.kept_at.is_some_and(|at| at.elapsed() < FRESH / 4) {
            return;
        }
        self.kept_at = Some(Instant::now());
        let platform = platform();
        for files in self.matches.values().flat_map(|known| &known.info.files) {
            for file in files.needed(&platform).into_iter().flatten() {
                self.preparation.cache.touch(file);
            }
        }
    }

    fn forget(&mut self, run: &str) {
        let Some(known) = self.matches.remove(run) else { return };
        if let State::Ready(ready) = &known.state {
            ready.context.stop();
            (self.setup.tell)(WorkerNews::MatchOver { run: run.to_owned() });
        }
        self.boards.dismiss(run);
    }

    fn prepare(&mut self, info: MatchInfo) {
        let names: Vec<&str> = info.plan.engines.iter().map(|engine| engine.name()).collect();
        let (run, name) = (info.run.clone(), names.join(" vs "));
        (self.setup.tell)(WorkerNews::Preparing { run: run.clone(), name });
        let (preparation, tasks) = (self.preparation.clone(), self.tasks.clone());
        self.preparations += 1;
        let attempt = self.preparations;
        let watch = Arc::new(AtomicU64::new(info.watch));
        let known = Known { info: info.clone(), state: State::Preparing, attempt, watch };
        self.matches.insert(run.clone(), known);
        tokio::spawn(async move {
            let outcome = preparation.prepare(info).await.map(Box::new);
            let _ = tasks.send(TaskNews::Prepared { run, attempt, outcome });
        });
    }

    pub(super) async fn prepared(
        &mut self,
        run: &str,
        attempt: u64,
        outcome: Result<Box<Ready>, NotReady>,
    ) {
        let known = self.matches.get_mut(run).filter(|known| known.attempt == attempt);
        let Some(known) = known else { return };
        match outcome {
            Ok(ready) => {
                let (factor, nps) = (ready.stamp.time_factor.unwrap_or(1.0), ready.stamp.nps);
                (self.setup.tell)(WorkerNews::Ready { run: run.to_owned(), factor, nps });
                known.state = State::Ready(ready);
                self.prepare_backoff = Backoff::new();
            }
            Err(NotReady::Unfit(reason)) => self.unfit(run, reason).await,
            Err(NotReady::Later(error)) => {
                (self.setup.tell)(WorkerNews::Waiting(error.to_string()));
                // It is found, and prepared, again.
                self.matches.remove(run);
                self.look_at = Instant::now() + self.prepare_backoff.delay();
            }
        }
    }

    pub(super) async fn unfit(&mut self, run: &str, reason: String) {
        let Some(known) = self.matches.get_mut(run) else { return };
        known.state = State::Unfit(reason.clone());
        (self.setup.tell)(WorkerNews::Unfit { run: run.to_owned(), reason: reason.clone() });
        self.tell_coordinator(run, &WorkerEvent::Unfit { reason }).await;
        self.beat(false).await;
    }
}
