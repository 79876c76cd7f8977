//! The coordinator's end of the wire: tasks that carry orders out and everything else in.

use super::address::{Connection, LinkState, chain};
use super::backoff::{Backoff, jittered};
use super::error::ClusterError;
use super::message::{MatchInfo, Order, PairResult, WorkerBeat, WorkerEvent, decode, encode};
use super::streams::{self, Streams};
use super::subjects;
use super::token::ordered;
use async_nats::jetstream::message::Acker;
use crossbeam_channel::Sender;
use futures_util::{StreamExt as _, TryStreamExt as _};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, Semaphore, mpsc};

/// How often the queue is compared with what should be there.
const AUDIT: Duration = Duration::from_secs(15);
/// Orders on their way at once.
const AT_ONCE: usize = 256;
/// What may wait for the coordinator before moves are left out, and before all is that may get lost.
const MOVES_HEARD: usize = 1 << 12;
const MOST_HEARD: usize = 1 << 16;
/// Results asked for at once.
const BATCH: usize = 256;

/// What comes in.
pub enum Heard {
    Result {
        worker: String,
        result: Result<PairResult, ClusterError>,
        acker: Acker,
    },
    Event {
        worker: String,
        event: WorkerEvent,
    },
    Beat(WorkerBeat),
    /// A worker that cannot be understood, and why.
    Strange {
        worker: String,
        reason: String,
    },
    /// The server gave up on a pair.
    Parked(u64),
    /// The pairs that are in the queue, and whether all of them have been given out.
    Present {
        pairs: HashSet<u64>,
        drained: bool,
    },
    State(LinkState),
}

/// The wire of one match.
#[derive(Clone)]
pub struct Link {
    pub connection: Connection,
    pub streams: Streams,
    slots: Arc<Semaphore>,
    look: Arc<Notify>,
}

impl Link {
    pub fn new(connection: Connection, streams: Streams) -> Self {
        let (slots, look) = (Arc::new(Semaphore::new(AT_ONCE)), Arc::default());
        Self { connection, streams, slots, look }
    }

    /// Announces a match, and again when it has changed.
    pub async fn announce(&self, info: &MatchInfo) -> Result<(), ClusterError> {
        let put = self.streams.matches.put(&info.run, encode(info)?).await;
        put.map_err(|e| ClusterError::jetstream("the match cannot be announced", chain(&e)))?;
        self.news().await;
        Ok(())
    }

    /// Announces a match without waking the workers.
    pub async fn announce_quietly(&self, info: &MatchInfo) {
        if let Ok(bytes) = encode(info) {
            let _ = self.streams.matches.put(&info.run, bytes).await;
        }
    }

    async fn news(&self) {
        let _ = self.connection.client.publish(subjects::NEWS, "".into()).await;
        let _ = self.connection.client.flush().await;
    }

    /// Starts to carry in what comes for a match.
    pub async fn listen(
        &self,
        info: &MatchInfo,
        states: mpsc::UnboundedReceiver<LinkState>,
        tell: Sender<Heard>,
    ) -> Result<(), ClusterError> {
        let run = info.run.clone();
        self.streams.work_of(&run).await?;
        self.streams.results_of(&run).await?;
        tokio::spawn(self.clone().hear_results(run.clone(), tell.clone()));
        let subscribe = |subject: String| async move {
            let subscribed = self.connection.client.subscribe(subject).await;
            subscribed.map_err(|e| ClusterError::jetstream("workers cannot be heard", e))
        };
        let mut events = subscribe(subjects::events_of(&run)).await?;
        let mut beats = subscribe(subjects::kv(subjects::WORKERS, "*")).await?;
        let advisory = "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES";
        let mut parked = subscribe(format!("{advisory}.{}.{run}", subjects::WORK)).await?;
        let (link, heard) = (self.clone(), tell.clone());
        tokio::spawn(async move {
            loop {
                let news = tokio::select! {
                    Some(message) = events.next() => {
                        let worker = subjects::part(&message.subject, 2).unwrap_or("?").to_owned();
                        let event = decode(&message.payload).ok();
                        // Moves come last when there is too much to hear.
                        let is_welcome = |event: &WorkerEvent| match event {
                            WorkerEvent::Move { .. } => heard.len() < MOVES_HEARD,
                            _ => heard.len() < MOST_HEARD,
                        };
                        event.filter(is_welcome).map(|event| Heard::Event { worker, event })
                    }
                    Some(message) = beats.next() => {
                        beat(&message).filter(|_| heard.len() < MOST_HEARD)
                    }
                    Some(message) = parked.next() => link.parked(&message.payload).await,
                    else => return,
                };
                if news.is_some_and(|news| heard.send(news).is_err()) {
                    return;
                }
            }
        });
        tokio::spawn(self.clone().watch_queue(run.clone(), tell.clone()));
        tokio::spawn(self.clone().watch_connection(run, states, tell));
        Ok(())
    }

    async fn hear_results(self, run: String, tell: Sender<Heard>) {
        let mut backoff = Backoff::new();
        loop {
            match self.next_results(&run, &tell).await {
                Ok(true) => backoff = Backoff::new(),
                Ok(false) => return,
                Err(_) => backoff.wait().await,
            }
        }
    }

    /// One request for results; `false` when the coordinator is not there any more.
    async fn next_results(&self, run: &str, tell: &Sender<Heard>) -> Result<bool, ClusterError> {
        let fault = |e: &dyn std::fmt::Display| ClusterError::jetstream("no results", e);
        let consumer = self.streams.results_of(run).await?;
        let batch = consumer.batch().max_messages(BATCH).expires(Duration::from_secs(5));
        let mut messages = batch.messages().await.map_err(|e| fault(&e))?;
        while let Some(message) = messages.next().await {
            let (message, acker) = message.map_err(|e| fault(&e))?.split();
            let worker = subjects::part(&message.subject, 2).unwrap_or("?").to_owned();
            let result = decode(&message.payload);
            if tell.send(Heard::Result { worker, result, acker }).is_err() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Which pair the server gave up on.
    async fn parked(&self, advisory: &[u8]) -> Option<Heard> {
        let advisory: serde_json::Value = serde_json::from_slice(advisory).ok()?;
        let message = self.streams.work.get_raw_message(advisory["stream_seq"].as_u64()?).await;
        pair_of_subject(&message.ok()?.subject).map(Heard::Parked)
    }

    /// Compares the queue now and then with what should be there.
    async fn watch_queue(self, run: String, tell: Sender<Heard>) {
        loop {
            tokio::select! {
                () = tokio::time::sleep(jittered(AUDIT)) => {}
                () = self.look.notified() => {}
            }
            if let Ok(present) = self.queue(&run).await
                && tell.send(present).is_err()
            {
                return;
            }
        }
    }

    async fn queue(&self, run: &str) -> Result<Heard, ClusterError> {
        let fault = |e: &dyn std::fmt::Display| ClusterError::jetstream("no queue", e);
        let found = self.streams.work.info_with_subjects(subjects::work_of(run)).await;
        let found = found.map_err(|e| fault(&e))?;
        let found: Vec<(String, usize)> = found.try_collect().await.map_err(|e| fault(&e))?;
        let pairs = found.iter().filter_map(|(subject, _)| pair_of_subject(subject)).collect();
        let info = self.streams.work.consumer_info(run).await.map_err(|e| fault(&e))?;
        Ok(Heard::Present { pairs, drained: info.num_pending == 0 })
    }

    /// After a loss of the server everything is made again that it may have lost.
    async fn watch_connection(
        self,
        run: String,
        mut states: mpsc::UnboundedReceiver<LinkState>,
        tell: Sender<Heard>,
    ) {
        while let Some(state) = states.recv().await {
            if state == LinkState::Back {
                let mut backoff = Backoff::new();
                while self.restore(&run).await.is_err() {
                    backoff.wait().await;
                }
                // Twice, for a pair must be missed twice.
                self.look.notify_one();
                tokio::time::sleep(Duration::from_secs(2)).await;
                self.look.notify_one();
            }
            if tell.send(Heard::State(state)).is_err() {
                return;
            }
        }
    }

    async fn restore(&self, run: &str) -> Result<(), ClusterError> {
        Streams::ensure(&self.connection.jetstream).await?;
        self.streams.work_of(run).await?;
        self.streams.results_of(run).await?;
        Ok(())
    }

    /// Puts an order into the queue, however long it takes. One that is there already, and perhaps on a
    /// board, is as good if it is of the same games.
    pub async fn publish(self, order: Order) {
        let Ok(payload) = encode(&order) else { return };
        let subject = subjects::work(&order.run, order.pair);
        let mut backoff = Backoff::new();
        loop {
            let Ok(_slot) = self.slots.acquire().await else { return };
            match put_once(&self.connection.jetstream, &subject, &payload).await {
                Put::Done => return,
                Put::There => match self.is_queued(&subject, &order).await {
                    Ok(true) => return,
                    Ok(false) => self.withdraw(&order.run, order.pair).await,
                    Err(_) => {}
                },
                Put::Failed => {}
            }
            drop(_slot);
            backoff.wait().await;
        }
    }

    /// Whether the order in the queue is of the games of this one.
    async fn is_queued(&self, subject: &str, order: &Order) -> Result<bool, ClusterError> {
        let found = self.streams.work.get_last_raw_message_by_subject(subject).await;
        let found = found.map_err(|e| ClusterError::jetstream("an order cannot be read", e))?;
        // One that cannot be read is not of these games.
        Ok(decode(&found.payload).is_ok_and(|found: Order| {
            found.games.iter().map(ordered).eq(order.games.iter().map(ordered))
        }))
    }

    /// Takes a pair out of the queue.
    pub async fn withdraw(&self, run: &str, pair: u64) {
        let _ = self.streams.work.purge().filter(subjects::work(run, pair)).await;
    }

    pub async fn withdraw_all(&self, run: &str) {
        let _ = self.streams.work.purge().filter(subjects::work_of(run)).await;
    }

    /// Ends a match: workers are told, its queue is gone. Results that may still come wait for a
    /// coordinator that resumes it, unless there is nothing to resume.
    pub async fn end(&self, run: &str, is_complete: bool) {
        let key = subjects::kv(subjects::MATCHES, run);
        let _ = self.streams.matches.stream.purge().filter(key).await;
        self.news().await;
        self.withdraw_all(run).await;
        let _ = self.streams.work.delete_consumer(run).await;
        let _ = self.streams.results.delete_consumer(run).await;
        if is_complete {
            let _ = self.streams.results.purge().filter(subjects::results_of(run)).await;
        }
    }

    /// All matches of the cluster.
    pub async fn matches(&self) -> Vec<MatchInfo> {
        matches(&self.streams).await.unwrap_or_default().matches
    }
}

/// The matches that are announced.
#[derive(Debug, Default)]
pub struct Announced {
    pub matches: Vec<MatchInfo>,
    /// Why others cannot be read: they are of another version.
    pub unreadable: Vec<String>,
}

pub async fn matches(streams: &Streams) -> Result<Announced, ClusterError> {
    let mut found = Announced::default();
    for key in streams::keys(&streams.matches).await? {
        // A match that cannot be read now is not a match that is gone.
        let bytes = streams.matches.get(&key).await;
        let bytes = bytes.map_err(|e| ClusterError::jetstream("a match cannot be read", e))?;
        match bytes.map(|bytes| decode(&bytes)) {
            Some(Ok(info)) => found.matches.push(info),
            Some(Err(error)) => found.unreadable.push(format!("match {key}: {error}")),
            None => {}
        }
    }
    Ok(found)
}

/// What came of putting a message into a queue.
pub enum Put {
    Done,
    /// There is one of that subject.
    There,
    Failed,
}

pub async fn put_once(
    jetstream: &async_nats::jetstream::Context,
    subject: &str,
    payload: &bytes::Bytes,
) -> Put {
    let sent = jetstream.publish(subject.to_owned(), payload.clone()).await;
    let error = match sent {
        Ok(acknowledged) => match acknowledged.await {
            Ok(_) => return Put::Done,
            Err(error) => chain(&error),
        },
        Err(error) => chain(&error),
    };
    if error.contains("maximum messages per subject") { Put::There } else { Put::Failed }
}

fn pair_of_subject(subject: &str) -> Option<u64> {
    subjects::part(subject, 3)?.parse().ok()
}

/// A beat that is what it says: a worker can only write under its own name.
fn beat(message: &async_nats::Message) -> Option<Heard> {
    let worker = subjects::part(&message.subject, 2)?;
    match decode::<WorkerBeat>(&message.payload) {
        Ok(beat) => (beat.name == worker).then_some(Heard::Beat(beat)),
        Err(error) => Some(Heard::Strange { worker: worker.to_owned(), reason: error.to_string() }),
    }
}
