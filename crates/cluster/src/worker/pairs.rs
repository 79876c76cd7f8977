//! The pairs that a worker has: taken, played, delivered or given back.

use super::boards::{BoardNews, Failure, Job, What};
use super::matches::{Known, State};
use super::schedule::Candidate;
use super::{TaskNews, Worker, WorkerNews};
use crate::backoff::{Backoff, jittered};
use crate::link::{Put, put_once};
use crate::message::{Order, PairProgress, PairResult, WorkerEvent, decode, encode};
use crate::subjects;
use crate::terms::LEASE;
use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::message::Acker;
use async_nats::jetstream::{AckKind, Message};
use bytes::Bytes;
use dyno_tournament::GameRecord;
use futures_util::StreamExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;

/// How long a request for work waits at the server.
const PULL_WAITS: Duration = Duration::from_secs(3);

/// A pair on the boards.
pub struct Playing {
    order: Order,
    pub acker: Acker,
    pub moves: Arc<AtomicU64>,
    /// Boards that are still at it.
    boards: usize,
    games: Vec<GameRecord>,
    failure: Option<Failure>,
    /// The moves made when it was last looked at, and when there were fewer.
    moves_seen: u64,
    moved: Instant,
}

impl Playing {
    pub fn progress(&self, run: &str, pair: u64) -> PairProgress {
        PairProgress {
            run: run.to_owned(),
            pair,
            issue: self.order.issue,
            token: self.order.token.clone(),
            moves: self.moves.load(Ordering::Relaxed),
        }
    }
}

impl Worker<'_> {
    /// Where a move may take longer than a lease lasts, the lease is renewed without one, as long as
    /// it then ends no later than the move must. Elsewhere only moves renew it.
    pub(super) async fn renew(&mut self) {
        for ((run, _), playing) in &mut self.playing {
            let moves = playing.moves.load(Ordering::Relaxed);
            if std::mem::replace(&mut playing.moves_seen, moves) != moves {
                playing.moved = Instant::now();
            }
            if let Some(Known { state: State::Ready(ready), .. }) = self.matches.get(run)
                && playing.moved.elapsed() + LEASE < ready.longest_move
            {
                let _ = playing.acker.ack_with(AckKind::Progress).await;
            }
        }
    }

    /// Asks for as many pairs as there are free boards: one request for all of them.
    pub(super) fn pull(&mut self) {
        let free = self.boards.free();
        if self.is_pulling || self.leaving || free == 0 || Instant::now() < self.pull_at {
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
            let ended = ask_for_work(&consumers, pairs, &tasks).await;
            let _ = tasks.send(TaskNews::PullEnded(ended));
        });
    }

    /// Puts a pair on the boards.
    pub(super) async fn begin(&mut self, run: &str, message: Message) {
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
        let Some(Known { info, state: State::Ready(ready), watch, .. }) =
            self.matches.get(run).filter(|_| !self.leaving)
        else {
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
            watch: Arc::clone(watch),
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
        if boards == 0 {
            return self.give_back(run, order.pair, &acker).await;
        }
        self.schedule.serve(&candidate);
        let playing = Playing {
            order,
            acker,
            moves,
            boards,
            games: Vec::new(),
            failure: None,
            moves_seen: 0,
            moved: Instant::now(),
        };
        self.playing.insert(key, playing);
    }

    pub(super) async fn hear_board(&mut self, BoardNews { run, pair, what }: BoardNews) {
        let key = (run, pair);
        if let What::Left { board, .. } = &what {
            self.boards.left(*board);
        }
        let Some(playing) = self.playing.get_mut(&key) else { return };
        match what {
            What::Started(game) => {
                let _ = playing.acker.ack_with(AckKind::Progress).await;
                let (issue, token) = (playing.order.issue, playing.order.token.clone());
                let started = WorkerEvent::Started { pair, issue, token, game };
                self.tell_coordinator(&key.0, &started).await;
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
            let run = result.run.clone();
            let Some(payload) = fitting(result, most) else {
                let _ = acker.ack_with(AckKind::Nak(None)).await;
                let _ = tasks.send(TaskNews::Undeliverable { run, pair });
                return;
            };
            let mut backoff = Backoff::new();
            while let Put::Failed = put_once(&jetstream, &subject, &payload).await {
                backoff.wait().await;
            }
            // Only now: a result that is not with the server has not happened.
            let _ = acker.ack().await;
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
