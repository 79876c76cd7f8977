//! How a worker gets into a cluster, however long that takes.

use super::{TICK, WorkerNews, WorkerSetup};
use crate::address::{Connection, LinkState};
use crate::backoff::Backoff;
use crate::error::ClusterError;
use crate::streams::Streams;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedReceiver;

pub type Connected = (Connection, UnboundedReceiver<LinkState>);

/// Connects, however long it takes; `None` when the user ends it. What waiting cannot mend is an
/// error.
pub async fn connect(setup: &WorkerSetup) -> Result<Option<Connected>, ClusterError> {
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
pub async fn find_streams(
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
