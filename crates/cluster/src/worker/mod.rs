//! The worker: takes pairs from the queue, plays them on its boards, brings their results.

mod boards;
mod jail;
mod prepare;
mod schedule;

use super::address::{Address, Connection, LinkState};
use super::backoff::{Backoff, jittered};
use super::cache::Cache;
use super::error::ClusterError;
use super::link::{Put, matches, put_once};
use super::message::{
    MatchInfo, Order, PairProgress, PairResult, WorkerBeat, WorkerEvent, decode, encode, now_ms,
};
use super::pool::runtime;
use super::ship::platform;
use super::streams::Streams;
use super::subjects;
use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::message::Acker;
use async_nats::jetstream::{AckKind, Message};
use boards::{BoardNews, Boards, Failure, Job, What};
use bytes::Bytes;
use dyno_driver::Machine;
use dyno_tournament::GameRecord;
use futures_util::StreamExt as _;
use prepare::{NotReady, Preparation, Ready};
use schedule::{Candidate, Schedule};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

/// How often the user's wishes are looked at.
const TICK: Duration = Duration::from_millis(100);
/// How often the worker tells of itself, and looks for new matches.
const BEAT: Duration = Duration::from_secs(5);
/// How long a request for work waits at the server.
const PULL_WAITS: Duration = Duration::from_secs(3);
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

/// What a worker has to say to its user.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkerNews {
    Connected {
        server: String,
        name: String,
        boards: usize,
    },
    /// There is nothing to connect to, or nothing to do there yet.
    Waiting(String),
    /// What the jail of engines cannot enforce here.
    JailGap(String),
    Lost,
    Back,
    Preparing {
        run: String,
        name: String,
    },
    Ready {
        run: String,
        factor: f64,
        nps: Option<u64>,
    },
    Unfit {
        run: String,
        reason: String,
    },
    Finished {
        run: String,
        pair: u64,
        results: Vec<String>,
    },
    MatchOver {
        run: String,
    },
    /// The running pairs are being finished.
    Leaving {
        pairs: usize,
    },
}

/// Runs a worker until the user ends it.
pub fn run_worker(setup: WorkerSetup) -> Result<(), ClusterError> {
    let confinement = jail::confinement(setup.trust, &*setup.tell)?;
    let cache = Cache::open(&setup.cache, setup.cache_bytes)?;
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        let Some((connection, states)) = connect(&setup).await? else { return Ok(()) };
        let Some(streams) = find_streams(&setup, &connection).await? else { return Ok(()) };
        let name = setup.address.name.clone().unwrap_or_else(|| subjects::safe(&setup.name));
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
        };
        let worker = Worker::new(&setup, connection, preparation);
        worker.run(states).await
    });
    // A task that waits for a server that is gone is not waited for.
    runtime.shutdown_timeout(Duration::from_millis(500));
    ended
}

type Connected = (Connection, UnboundedReceiver<LinkState>);

/// Connects, however long it takes; `None` when the user ends it. What waiting cannot mend is an
/// error.
async fn connect(setup: &WorkerSetup) -> Result<Option<Connected>, ClusterError> {
    let mut backoff = Backoff::new();
    let mut told = String::new();
    loop {
        match Connection::open(&setup.address, "dyno worker", setup.insecure).await {
            Err(error @ ClusterError::Unreachable { .. }) => {
                let words = error.to_string();
                if told != words {
                    (setup.tell)(WorkerNews::Waiting(words.clone()));
                    told = words;
                }
            }
            other => return other.map(Some),
        }
        if !wait(setup, backoff.delay()).await {
            return Ok(None);
        }
    }
}

/// The first coordinator makes the streams.
async fn find_streams(
    setup: &WorkerSetup,
    connection: &Connection,
) -> Result<Option<Streams>, ClusterError> {
    let mut backoff = Backoff::new();
    let mut told = false;
    loop {
        match Streams::open(&connection.jetstream).await {
            Ok(streams) => return Ok(Some(streams)),
            Err(_) if !told => {
                let words = "no match has been started on this server yet";
                (setup.tell)(WorkerNews::Waiting(words.to_owned()));
                told = true;
            }
            Err(_) => {}
        }
        if !wait(setup, backoff.delay()).await {
            return Ok(None);
        }
    }
}

/// Waits; `false` when the user wants to end.
async fn wait(setup: &WorkerSetup, delay: Duration) -> bool {
    let until = Instant::now() + delay;
    while Instant::now() < until {
        if setup.interrupts.load(Ordering::Relaxed) > 0 {
            return false;
        }
        tokio::time::sleep(TICK.min(until - Instant::now())).await;
    }
    true
}

/// A match as this worker sees it.
struct Known {
    info: MatchInfo,
    state: State,
}

enum State {
    Preparing,
    Ready(Box<Ready>),
    Unfit(String),
}

/// A pair on the boards.
struct Playing {
    order: Order,
    acker: Acker,
    moves: Arc<AtomicU64>,
    /// Boards that are still at it.
    boards: usize,
    games: Vec<GameRecord>,
    failure: Option<Failure>,
}

/// What tasks of the worker report.
enum TaskNews {
    Prepared(String, Result<Box<Ready>, NotReady>),
    Pulled(String, Box<Message>),
    PullEnded,
    Matches(Vec<MatchInfo>),
    /// A result is with the server.
    Delivered,
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
    playing: BTreeMap<(String, u64), Playing>,
    schedule: Schedule,
    is_pulling: bool,
    is_looking: bool,
    /// Results on their way to the server.
    delivering: usize,
    finished: u64,
    leaving: bool,
    beat_at: Instant,
    look_at: Instant,
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
            playing: BTreeMap::new(),
            schedule: Schedule::default(),
            is_pulling: false,
            is_looking: false,
            delivering: 0,
            finished: 0,
            leaving: false,
            beat_at: Instant::now(),
            look_at: Instant::now(),
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
        let pairs = self.playing.iter().map(|((run, pair), playing)| PairProgress {
            run: run.clone(),
            pair: *pair,
            moves: playing.moves.load(Ordering::Relaxed),
        });
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
        };
        if let Ok(payload) = encode(&beat) {
            let subject = subjects::kv(subjects::WORKERS, &self.preparation.name);
            let _ = self.connection.client.publish(subject, payload).await;
        }
    }

    /// Looks which matches there are, when it is time.
    fn look(&mut self) {
        if self.is_looking || Instant::now() < self.look_at {
            return;
        }
        self.is_looking = true;
        let (streams, tasks) = (self.preparation.streams.clone(), self.tasks.clone());
        let known: Vec<MatchInfo> = self.matches.values().map(|known| known.info.clone()).collect();
        tokio::spawn(async move {
            // A server that does not answer changes nothing.
            let found = matches(&streams).await.unwrap_or(known);
            let _ = tasks.send(TaskNews::Matches(found));
        });
    }

    /// Asks for as many pairs as there are free boards: one request for all of them.
    fn pull(&mut self) {
        let free = self.boards.free();
        if self.is_pulling || self.leaving || free == 0 {
            return;
        }
        let order = self.schedule.order(&self.candidates());
        let consumers: Vec<(String, Consumer<pull::Config>)> = order
            .into_iter()
            .filter_map(|run| match &self.matches.get(&run)?.state {
                State::Ready(ready) => Some((run, ready.consumer.clone())),
                _ => None,
            })
            .collect();
        if consumers.is_empty() {
            return;
        }
        // Where the games of a pair go side by side it takes two boards.
        let first = self.matches.get(&consumers[0].0);
        let wide = first.is_some_and(|known| known.info.plan.machine.concurrency > 1);
        let pairs = if wide { (free / 2).max(1) } else { free };
        self.is_pulling = true;
        let tasks = self.tasks.clone();
        tokio::spawn(async move {
            if ask_for_work(&consumers, pairs, &tasks).await.is_err() {
                Backoff::new().wait().await;
            }
            let _ = tasks.send(TaskNews::PullEnded);
        });
    }

    fn candidates(&self) -> Vec<Candidate> {
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

    async fn hear_task(&mut self, news: TaskNews) {
        match news {
            TaskNews::PullEnded => self.is_pulling = false,
            TaskNews::Delivered => self.delivering = self.delivering.saturating_sub(1),
            TaskNews::Pulled(run, message) => self.begin(&run, *message).await,
            TaskNews::Matches(found) => {
                self.is_looking = false;
                self.look_at = Instant::now() + jittered(BEAT);
                self.compare(found);
            }
            TaskNews::Prepared(run, outcome) => self.prepared(&run, outcome).await,
        }
    }

    /// Begins with new matches, and ends those that are gone.
    fn compare(&mut self, found: Vec<MatchInfo>) {
        let there: BTreeSet<String> = found.iter().map(|info| info.run.clone()).collect();
        let gone: Vec<String> =
            self.matches.keys().filter(|run| !there.contains(*run)).cloned().collect();
        for run in gone {
            self.forget(&run);
        }
        for info in found {
            match self.matches.get_mut(&info.run) {
                Some(known) => {
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
        self.matches.insert(run.clone(), Known { info: info.clone(), state: State::Preparing });
        tokio::spawn(async move {
            let outcome = preparation.prepare(info).await.map(Box::new);
            let _ = tasks.send(TaskNews::Prepared(run, outcome));
        });
    }

    async fn prepared(&mut self, run: &str, outcome: Result<Box<Ready>, NotReady>) {
        let Some(known) = self.matches.get_mut(run) else { return };
        match outcome {
            Ok(ready) => {
                let (factor, nps) = (ready.stamp.time_factor.unwrap_or(1.0), ready.stamp.nps);
                (self.setup.tell)(WorkerNews::Ready { run: run.to_owned(), factor, nps });
                known.state = State::Ready(ready);
            }
            Err(NotReady::Unfit(reason)) => self.unfit(run, reason).await,
            Err(NotReady::Later(error)) => {
                (self.setup.tell)(WorkerNews::Waiting(error.to_string()));
                // It is found, and prepared, again.
                self.matches.remove(run);
                self.look_at = Instant::now() + Backoff::new().delay();
            }
        }
    }

    async fn unfit(&mut self, run: &str, reason: String) {
        let Some(known) = self.matches.get_mut(run) else { return };
        known.state = State::Unfit(reason.clone());
        (self.setup.tell)(WorkerNews::Unfit { run: run.to_owned(), reason: reason.clone() });
        self.tell_coordinator(run, &WorkerEvent::Unfit { reason }).await;
        self.beat(false).await;
    }

    /// Puts a pair on the boards.
    async fn begin(&mut self, run: &str, message: Message) {
        let (message, acker) = message.split();
        let order: Order = match decode(&message.payload) {
            Ok(order) => order,
            Err(error) => {
                // It will be parked, and shown, for all workers of this version do the same.
                let _ = acker.ack_with(AckKind::Nak(Some(Duration::from_secs(1)))).await;
                return (self.setup.tell)(WorkerNews::Waiting(error.to_string()));
            }
        };
        let key = (run.to_owned(), order.pair);
        if let Some(playing) = self.playing.get_mut(&key) {
            // Its lease had ended, and it came to us again.
            (playing.acker, playing.order) = (acker, order);
            return;
        }
        let Some(Known { info, state: State::Ready(ready) }) = self.matches.get(run) else {
            return self.give_back(run, order.pair, &acker).await;
        };
        let moves = Arc::<AtomicU64>::default();
        let job = |games| Job {
            run: run.to_owned(),
            pair: order.pair,
            games,
            context: Arc::clone(&ready.context),
            stamp: ready.stamp.clone(),
            moves: Arc::clone(&moves),
            watch: info.watch,
        };
        let side_by_side = order.side_by_side && self.boards.free() >= order.games.len();
        let jobs: Vec<Job> = if side_by_side {
            order.games.iter().map(|game| job(vec![game.clone()])).collect()
        } else {
            vec![job(order.games.clone())]
        };
        let candidate =
            Candidate { run: run.to_owned(), priority: info.priority, share: info.share };
        let boards =
            jobs.into_iter().map(|job| self.boards.play(job)).filter(|begun| *begun).count();
        if boards == 0 || self.leaving && self.setup.interrupts.load(Ordering::Relaxed) > 1 {
            return self.give_back(run, order.pair, &acker).await;
        }
        self.schedule.serve(&candidate);
        let playing = Playing { order, acker, moves, boards, games: Vec::new(), failure: None };
        self.playing.insert(key, playing);
    }

    async fn hear_board(&mut self, BoardNews { run, pair, what }: BoardNews) {
        let key = (run, pair);
        if let What::Left { board, .. } = &what {
            self.boards.left(*board);
        }
        let Some(playing) = self.playing.get_mut(&key) else { return };
        match what {
            What::Started(game) => {
                let _ = playing.acker.ack_with(AckKind::Progress).await;
                self.tell_coordinator(&key.0, &WorkerEvent::Started { pair, game }).await;
            }
            What::Alive => drop(playing.acker.ack_with(AckKind::Progress).await),
            What::Moved(made) => {
                self.tell_coordinator(&key.0, &WorkerEvent::Move { pair, made }).await;
            }
            What::Finished(record) => playing.games.push(*record),
            What::Left { failure, .. } => {
                playing.boards -= 1;
                playing.failure = playing.failure.take().or(failure);
                if playing.boards == 0
                    && let Some(playing) = self.playing.remove(&key)
                {
                    self.end_pair(key.0, pair, playing).await;
                }
            }
        }
    }

    async fn end_pair(&mut self, run: String, pair: u64, playing: Playing) {
        match playing.failure {
            None => self.deliver(run, pair, playing),
            Some(failure) => {
                self.give_back(&run, pair, &playing.acker).await;
                if let Failure::Engine(reason) = failure {
                    self.unfit(&run, reason).await;
                }
            }
        }
    }

    /// Brings a result to the server, however long it takes.
    fn deliver(&mut self, run: String, pair: u64, playing: Playing) {
        let Playing { order, acker, mut games, .. } = playing;
        games.sort_by_key(|game| game.slot.number);
        let results = games.iter().map(|game| game.result.points.text().to_owned()).collect();
        (self.setup.tell)(WorkerNews::Finished { run: run.clone(), pair, results });
        self.finished += 1;
        self.delivering += 1;
        let subject = subjects::result(&self.preparation.name, &run, pair, order.issue);
        let result = PairResult { run, pair, issue: order.issue, token: order.token, games };
        let (jetstream, tasks) = (self.connection.jetstream.clone(), self.tasks.clone());
        let most = self.connection.client.max_payload().saturating_sub(1024);
        tokio::spawn(async move {
            if let Some(payload) = fitting(result, most) {
                let mut backoff = Backoff::new();
                while let Put::Failed = put_once(&jetstream, &subject, &payload).await {
                    backoff.wait().await;
                }
                // Only now: a result that is not with the server has not happened.
                let _ = acker.ack().await;
            }
            let _ = tasks.send(TaskNews::Delivered);
        });
    }
}

/// Asks one match after the other, and waits at the first where none has work.
async fn ask_for_work(
    consumers: &[(String, Consumer<pull::Config>)],
    pairs: usize,
    tasks: &UnboundedSender<TaskNews>,
) -> Result<(), async_nats::Error> {
    if consumers.len() > 1 {
        for (run, consumer) in consumers {
            let mut found = consumer.fetch().max_messages(pairs).messages().await?;
            let mut some = false;
            while let Some(message) = found.next().await {
                some = true;
                let _ = tasks.send(TaskNews::Pulled(run.clone(), Box::new(message?)));
            }
            if some {
                return Ok(());
            }
        }
    }
    let Some((run, consumer)) = consumers.first() else { return Ok(()) };
    let batch = consumer.batch().max_messages(pairs).expires(jittered(PULL_WAITS));
    let mut found = batch.messages().await?;
    while let Some(message) = found.next().await {
        let _ = tasks.send(TaskNews::Pulled(run.clone(), Box::new(message?)));
    }
    Ok(())
}

/// A result that the server takes: where it is too long, what matters least is left out.
fn fitting(mut result: PairResult, most: usize) -> Option<Bytes> {
    type Cut = fn(&mut GameRecord);
    let cuts: [Cut; 3] = [
        |_| {},
        |game| game.moves.iter_mut().for_each(|made| made.pv.clear()),
        |game| game.faults.iter_mut().for_each(|fault| fault.transcript = None),
    ];
    for cut in cuts {
        result.games.iter_mut().for_each(cut);
        let payload = encode(&result).ok()?;
        if payload.len() <= most {
            return Some(payload);
        }
    }
    None
}
