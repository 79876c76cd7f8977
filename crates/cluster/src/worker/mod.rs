//! The worker: takes pairs from the queue, plays them on its boards, brings their results.

mod boards;
mod connect;
mod jail;
mod matches;
mod news;
mod pairs;
mod prepare;
mod schedule;

pub use news::WorkerNews;

use super::address::{Address, Connection, LinkState};
use super::backoff::{Backoff, jittered};
use super::cache::Cache;
use super::error::ClusterError;
use super::link::Announced;
use super::message::{WorkerBeat, WorkerEvent, encode, now_ms};
use super::runtime::runtime;
use super::ship::platform;
use super::subjects;
use async_nats::jetstream::message::Acker;
use async_nats::jetstream::{AckKind, Message};
use boards::{BoardNews, Boards};
use connect::{connect, find_streams};
use dyno_driver::Machine;
use futures_util::StreamExt as _;
use matches::{Known, State};
use pairs::Playing;
use prepare::{NotReady, Preparation, Ready};
use schedule::Schedule;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

/// How often the user's wishes are looked at.
const TICK: Duration = Duration::from_millis(100);
/// How often the worker tells of itself, and looks for new matches.
const BEAT: Duration = Duration::from_secs(5);
/// How long the last messages may take once the worker is to end at once.
const FAREWELL: Duration = Duration::from_secs(2);

/// What a worker is started with.
pub struct WorkerSetup {
    pub address: Address,
    pub insecure: bool,
    /// What it is called; a key has a name of its own.
    pub name: String,
    pub boards: usize,
    pub cache: PathBuf,
    pub cache_bytes: u64,
    /// Folders with Syzygy tables of this machine.
    pub tablebases: Option<String>,
    /// Run engines without a jail.
    pub trust: bool,
    /// Counts Ctrl-C: the first finishes the running pairs, the second gives them back.
    pub interrupts: Arc<AtomicUsize>,
    pub tell: Box<dyn Fn(WorkerNews)>,
}

/// Runs a worker until the user ends it.
pub fn run_worker(setup: WorkerSetup) -> Result<(), ClusterError> {
    let confinement = jail::confinement(setup.trust, &*setup.tell)?;
    let cache = Cache::open(&setup.cache, setup.cache_bytes)?;
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        let Some((connection, states)) = connect(&setup).await? else { return Ok(()) };
        let Some(streams) = find_streams(&setup, &connection).await? else { return Ok(()) };
        let name = setup.address.worker().map(str::to_owned);
        let name = name.unwrap_or_else(|| subjects::safe(&setup.name));
        let (boards, server) = (setup.boards, setup.address.url.clone());
        (setup.tell)(WorkerNews::Connected { server, name: name.clone(), boards });
        let preparation = Preparation {
            name,
            boards: setup.boards,
            streams,
            cache,
            tablebases: setup.tablebases.clone(),
            confinement,
            interrupts: Arc::clone(&setup.interrupts),
            measuring: Arc::new(Semaphore::new(1)),
        };
        let worker = Worker::new(&setup, connection, preparation);
        worker.run(states).await
    });
    // A task that waits for a server that is gone is not waited for.
    runtime.shutdown_timeout(Duration::from_millis(500));
    ended
}

/// What tasks of the worker report.
enum TaskNews {
    Prepared {
        run: String,
        attempt: u64,
        outcome: Result<Box<Ready>, NotReady>,
    },
    Pulled(String, Box<Message>),
    /// The request for work is over, or could not be made.
    PullEnded(Result<(), async_nats::Error>),
    /// The matches that there are, unless the server does not say.
    Looked(Option<Announced>),
    /// A result is with the server.
    Delivered,
    /// A result that no server would take.
    Undeliverable {
        run: String,
        pair: u64,
    },
}

struct Worker<'s> {
    setup: &'s WorkerSetup,
    connection: Connection,
    preparation: Preparation,
    machine: Machine,
    boards: Boards,
    board_news: UnboundedReceiver<BoardNews>,
    tasks: UnboundedSender<TaskNews>,
    task_news: UnboundedReceiver<TaskNews>,
    matches: BTreeMap<String, Known>,
    /// Those that cannot be read, and why.
    unreadable: Vec<String>,
    /// How many have been begun.
    preparations: u64,
    playing: BTreeMap<(String, u64), Playing>,
    schedule: Schedule,
    is_pulling: bool,
    pull_at: Instant,
    /// Grows while requests for work fail, and while matches cannot be prepared.
    pull_backoff: Backoff,
    prepare_backoff: Backoff,
    is_looking: bool,
    /// Results on their way to the server.
    delivering: usize,
    finished: u64,
    leaving: bool,
    beat_at: Instant,
    look_at: Instant,
    /// When the files of the matches at hand were last marked as used.
    kept_at: Option<Instant>,
}

impl<'s> Worker<'s> {
    fn new(setup: &'s WorkerSetup, connection: Connection, preparation: Preparation) -> Self {
        let (report, board_news) = mpsc::unbounded_channel();
        let (tasks, task_news) = mpsc::unbounded_channel();
        Self {
            boards: Boards::start(setup.boards, &report),
            setup,
            connection,
            preparation,
            machine: Machine::this(),
            board_news,
            tasks,
            task_news,
            matches: BTreeMap::new(),
            unreadable: Vec::new(),
            preparations: 0,
            playing: BTreeMap::new(),
            schedule: Schedule::default(),
            is_pulling: false,
            pull_at: Instant::now(),
            pull_backoff: Backoff::new(),
            prepare_backoff: Backoff::new(),
            is_looking: false,
            delivering: 0,
            finished: 0,
            leaving: false,
            beat_at: Instant::now(),
            look_at: Instant::now(),
            kept_at: None,
        }
    }

    async fn run(mut self, mut states: UnboundedReceiver<LinkState>) -> Result<(), ClusterError> {
        let news = self.connection.client.subscribe(subjects::NEWS).await;
        let mut news = news.map_err(|e| ClusterError::jetstream("no news", e))?;
        let mut was_lost = false;
        loop {
            tokio::select! {
                Some(told) = self.board_news.recv() => self.hear_board(told).await,
                Some(told) = self.task_news.recv() => self.hear_task(told).await,
                // All workers hear it at once, and should not all ask at once.
                Some(_) = news.next() => {
                    self.look_at = Instant::now() + jittered(Duration::from_millis(100));
                }
                Some(state) = states.recv() => match state {
                    LinkState::Lost => {
                        if !std::mem::replace(&mut was_lost, true) {
                            (self.setup.tell)(WorkerNews::Lost);
                        }
                    }
                    LinkState::Back if std::mem::replace(&mut was_lost, false) => {
                        (self.setup.tell)(WorkerNews::Back);
                        // A server that started anew knows no workers.
                        self.beat_at = Instant::now();
                    }
                    LinkState::Back => {}
                },
                () = tokio::time::sleep(TICK) => {}
            }
            if self.obey().await {
                break;
            }
            self.look();
            self.pull();
        }
        self.beat(true).await;
        let _ = tokio::time::timeout(FAREWELL, self.connection.client.flush()).await;
        self.boards.close();
        Ok(())
    }

    /// Does what the user wants, and what is due by time; `true` when it is time to go.
    async fn obey(&mut self) -> bool {
        let interrupts = self.setup.interrupts.load(Ordering::Relaxed);
        if interrupts >= 1 && !std::mem::replace(&mut self.leaving, true) {
            (self.setup.tell)(WorkerNews::Leaving { pairs: self.playing.len() });
            self.beat(false).await;
        }
        if interrupts >= 2 {
            self.give_everything_back().await;
            return true;
        }
        if Instant::now() >= self.beat_at {
            self.beat(false).await;
            self.renew().await;
            self.keep_files();
        }
        self.leaving && self.playing.is_empty() && self.delivering == 0 && !self.is_pulling
    }

    /// Breaks off all games; their pairs are another's at once.
    async fn give_everything_back(&mut self) {
        for known in self.matches.values() {
            if let State::Ready(ready) = &known.state {
                ready.context.stop();
            }
        }
        for ((run, pair), playing) in std::mem::take(&mut self.playing) {
            self.give_back(&run, pair, &playing.acker).await;
        }
        let until = Instant::now() + FAREWELL;
        while self.delivering > 0 && Instant::now() < until {
            let left = until - Instant::now();
            match tokio::time::timeout(left, self.task_news.recv()).await {
                Ok(Some(TaskNews::Delivered)) => self.delivering -= 1,
                Ok(Some(TaskNews::Pulled(_, message))) => {
                    let _ = message.ack_with(AckKind::Nak(None)).await;
                }
                Ok(Some(_)) => {}
                _ => break,
            }
        }
    }

    async fn give_back(&self, run: &str, pair: u64, acker: &Acker) {
        let _ = acker.ack_with(AckKind::Nak(None)).await;
        self.tell_coordinator(run, &WorkerEvent::Returned { pair }).await;
    }

    /// Tells the coordinator of a match; a message that is lost does no harm.
    async fn tell_coordinator(&self, run: &str, event: &WorkerEvent) {
        if let Ok(payload) = encode(event) {
            let subject = subjects::event(&self.preparation.name, run);
            let _ = self.connection.client.publish(subject, payload).await;
        }
    }

    async fn beat(&mut self, is_last: bool) {
        self.beat_at = Instant::now() + jittered(BEAT);
        let unfit = self.matches.iter().filter_map(|(run, known)| match &known.state {
            State::Unfit(reason) => Some((run.clone(), reason.clone())),
            _ => None,
        });
        let factors = self.matches.iter().filter_map(|(run, known)| match &known.state {
            State::Ready(ready) => Some((run.clone(), ready.stamp.time_factor?)),
            _ => None,
        });
        let longest_moves = self.matches.iter().filter_map(|(run, known)| match &known.state {
            State::Ready(ready) => Some((run.clone(), ready.longest_move.as_secs())),
            _ => None,
        });
        let pairs = self.playing.iter().map(|((run, pair), playing)| playing.progress(run, *pair));
        let beat = WorkerBeat {
            name: self.preparation.name.clone(),
            at: now_ms(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            platform: platform(),
            machine: self.machine.clone(),
            boards: if is_last { 0 } else { self.setup.boards },
            pairs: pairs.collect(),
            finished: self.finished,
            leaving: self.leaving || is_last,
            unfit: unfit.collect(),
            factors: factors.collect(),
            longest_moves: longest_moves.collect(),
        };
        if let Ok(payload) = encode(&beat) {
            let subject = subjects::kv(subjects::WORKERS, &self.preparation.name);
            let _ = self.connection.client.publish(subject, payload).await;
        }
    }

    async fn hear_task(&mut self, news: TaskNews) {
        match news {
            TaskNews::PullEnded(ended) => {
                self.is_pulling = false;
                match ended {
                    Ok(()) => self.pull_backoff = Backoff::new(),
                    Err(_) => self.pull_at = Instant::now() + self.pull_backoff.delay(),
                }
            }
            TaskNews::Delivered => self.delivering = self.delivering.saturating_sub(1),
            TaskNews::Undeliverable { run, pair } => {
                self.delivering = self.delivering.saturating_sub(1);
                let reason = format!(
                    "the result of game {} is larger than the server takes (max_payload)",
                    pair + 1
                );
                self.unfit(&run, reason).await;
            }
            TaskNews::Pulled(run, message) => self.begin(&run, *message).await,
            TaskNews::Looked(found) => {
                self.is_looking = false;
                found.into_iter().for_each(|found| self.compare(found));
            }
            TaskNews::Prepared { run, attempt, outcome } => {
                self.prepared(&run, attempt, outcome).await;
            }
        }
    }
}
