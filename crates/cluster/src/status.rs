//! What a cluster is doing.

use super::address::{Address, Connection};
use super::error::ClusterError;
use super::link::{Announced, matches};
use super::message::{Score, WorkerBeat, decode, now_ms};
use super::runtime::runtime;
use super::streams::{Streams, keys};
use serde::Serialize;

/// Workers that have not spoken for longer are not shown.
const FORGOTTEN_MS: u64 = 600_000;
/// Workers and coordinators that have not spoken for this long are marked.
const SILENT_MS: u64 = 20_000;

/// A cluster at a moment.
#[derive(Clone, Debug, Serialize)]
pub struct ClusterStatus {
    pub server: String,
    /// The version of nats-server.
    pub server_version: String,
    pub workers: Vec<WorkerState>,
    pub matches: Vec<MatchState>,
    /// Workers and matches that cannot be read, and why: they are of another version.
    pub unreadable: Vec<String>,
    /// Results that wait for their coordinators.
    pub waiting_results: u64,
    /// Pairs that wait for a worker or are being played.
    pub queue: u64,
    /// Bytes of engines, nets and books.
    pub stored_bytes: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct WorkerState {
    #[serde(flatten)]
    pub beat: WorkerBeat,
    pub is_silent: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct MatchState {
    pub run: String,
    pub engines: Vec<String>,
    pub share: f64,
    pub priority: i32,
    /// Its coordinator has not been heard of for a while.
    pub is_silent: bool,
    pub score: Score,
    pub excluded: Vec<String>,
}

/// Whether a worker has not left, nor been silent for too long.
fn is_there(beat: &WorkerBeat, now: u64) -> bool {
    now.saturating_sub(beat.at) < FORGOTTEN_MS && !(beat.leaving && beat.boards == 0)
}

/// Asks the server.
pub fn status(address: &Address, insecure: bool) -> Result<ClusterStatus, ClusterError> {
    runtime()?.block_on(async {
        let (connection, _states) = Connection::open(address, "dyno cluster", insecure).await?;
        let streams = Streams::ensure(&connection.jetstream).await?;
        let now = now_ms();
        let mut workers = Vec::new();
        let Announced { matches, mut unreadable } = matches(&streams).await?;
        for key in keys(&streams.workers).await? {
            let Ok(Some(bytes)) = streams.workers.get(&key).await else { continue };
            match decode::<WorkerBeat>(&bytes) {
                Ok(beat) if is_there(&beat, now) => {
                    let is_silent = now.saturating_sub(beat.at) > SILENT_MS;
                    workers.push(WorkerState { beat, is_silent });
                }
                Ok(_) => {}
                Err(error) => unreadable.push(format!("worker {key}: {error}")),
            }
        }
        let state = |info: super::message::MatchInfo| MatchState {
            engines: info.plan.engines.iter().map(|engine| engine.name().to_owned()).collect(),
            is_silent: now.saturating_sub(info.score.at) > SILENT_MS,
            run: info.run,
            share: info.share,
            priority: info.priority,
            score: info.score,
            excluded: info.excluded,
        };
        let matches = matches.into_iter().map(state).collect();
        let state_of = |stream: async_nats::jetstream::stream::Stream| async move {
            stream.get_info().await.map(|info| (info.state.messages, info.state.bytes))
        };
        let fault = |e| ClusterError::jetstream("a stream cannot be read", e);
        let files = connection.jetstream.get_stream("OBJ_dyno-files").await;
        let stored_bytes = files.map(|stream| stream.cached_info().state.bytes).unwrap_or(0);
        Ok(ClusterStatus {
            server: address.url.clone(),
            server_version: connection.client.server_info().version,
            workers,
            matches,
            unreadable,
            waiting_results: state_of(streams.results.clone()).await.map_err(fault)?.0,
            queue: state_of(streams.work.clone()).await.map_err(fault)?.0,
            stored_bytes,
        })
    })
}
