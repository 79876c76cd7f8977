//! The queues and tables on the server, made where they are missing.
//!
//! Everything here works on nats-server 2.9: one filter a consumer, no time to live of single
//! messages, no compression by the server, and buckets made as the streams that they are.

use super::error::ClusterError;
use super::subjects;
use super::terms::LEASE;
use async_nats::jetstream::consumer::{AckPolicy, Consumer, DeliverPolicy, pull};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType, Stream};
use async_nats::jetstream::{Context, kv, object_store};
use std::time::Duration;

/// How long results, pairs and matches wait for a coordinator that was stopped.
const KEPT: Duration = Duration::from_secs(14 * 24 * 3600);
/// How long a worker is known that does not speak any more.
const SILENT_FOR: Duration = Duration::from_secs(3600);
/// A pair that this many workers in a row did not finish is parked.
pub const MAX_DELIVER: i64 = 5;

/// All of them.
#[derive(Clone)]
pub struct Streams {
    pub work: Stream,
    pub results: Stream,
    pub matches: kv::Store,
    pub workers: kv::Store,
    pub files: object_store::ObjectStore,
}

/// A queue in which every subject has one message at most: putting the same again is refused, and
/// what is acknowledged is gone.
fn queue(name: &str, subject: &str) -> Config {
    Config {
        name: name.to_owned(),
        subjects: vec![subject.to_owned()],
        retention: RetentionPolicy::WorkQueue,
        discard: DiscardPolicy::New,
        discard_new_per_subject: true,
        max_messages_per_subject: 1,
        max_age: KEPT,
        storage: StorageType::File,
        num_replicas: 1,
        ..Config::default()
    }
}

fn bucket(name: &str, storage: StorageType, max_age: Duration) -> Config {
    Config {
        name: subjects::kv_stream(name),
        subjects: vec![format!("$KV.{name}.>")],
        max_messages_per_subject: 1,
        discard: DiscardPolicy::New,
        allow_rollup: true,
        allow_direct: true,
        max_age,
        storage,
        num_replicas: 1,
        ..Config::default()
    }
}

fn store(name: &str) -> Config {
    Config {
        name: format!("OBJ_{name}"),
        subjects: vec![format!("$O.{name}.C.>"), format!("$O.{name}.M.>")],
        discard: DiscardPolicy::New,
        allow_rollup: true,
        allow_direct: true,
        storage: StorageType::File,
        num_replicas: 1,
        ..Config::default()
    }
}

impl Streams {
    /// Makes what is missing: for coordinators.
    pub async fn ensure(jetstream: &Context) -> Result<Self, ClusterError> {
        let fault = |e| ClusterError::jetstream("the streams of the cluster cannot be made", e);
        for config in [
            queue(subjects::WORK, "dyno.work.>"),
            queue(subjects::RESULTS, "dyno.result.>"),
            bucket(subjects::MATCHES, StorageType::File, KEPT),
            // Told again every few seconds, so not worth a disk.
            bucket(subjects::WORKERS, StorageType::Memory, SILENT_FOR),
            store(subjects::FILES),
        ] {
            jetstream.get_or_create_stream(config).await.map_err(fault)?;
        }
        Self::open(jetstream).await
    }

    /// What others have made.
    pub async fn open(jetstream: &Context) -> Result<Self, ClusterError> {
        let what = "the streams of the cluster are not there";
        let stream = |name| async move {
            jetstream.get_stream(name).await.map_err(|e| ClusterError::jetstream(what, e))
        };
        let bucket = |name| async move {
            jetstream.get_key_value(name).await.map_err(|e| ClusterError::jetstream(what, e))
        };
        Ok(Self {
            work: stream(subjects::WORK).await?,
            results: stream(subjects::RESULTS).await?,
            matches: bucket(subjects::MATCHES).await?,
            workers: bucket(subjects::WORKERS).await?,
            files: jetstream
                .get_object_store(subjects::FILES)
                .await
                .map_err(|e| ClusterError::jetstream(what, e))?,
        })
    }

    /// The consumer from which workers take the pairs of a match.
    pub async fn work_of(&self, run: &str) -> Result<Consumer<pull::Config>, ClusterError> {
        let config = pull::Config {
            ack_wait: LEASE,
            max_deliver: MAX_DELIVER,
            ..consumer(run, subjects::work_of(run))
        };
        let made = self.work.get_or_create_consumer(run, config).await;
        made.map_err(|e| ClusterError::jetstream("the queue of the match cannot be made", e))
    }

    /// The consumer from which the coordinator takes the results of a match.
    pub async fn results_of(&self, run: &str) -> Result<Consumer<pull::Config>, ClusterError> {
        let config = consumer(run, subjects::results_of(run));
        let made = self.results.get_or_create_consumer(run, config).await;
        made.map_err(|e| ClusterError::jetstream("the results of the match cannot be read", e))
    }
}

fn consumer(run: &str, filter_subject: String) -> pull::Config {
    pull::Config {
        durable_name: Some(run.to_owned()),
        filter_subject,
        deliver_policy: DeliverPolicy::All,
        ack_policy: AckPolicy::Explicit,
        ack_wait: Duration::from_secs(60),
        max_deliver: -1,
        // One waiting request a worker, and every pair on a board.
        max_waiting: 1 << 14,
        max_ack_pending: 1 << 17,
        ..pull::Config::default()
    }
}

/// The keys of a bucket.
pub async fn keys(bucket: &kv::Store) -> Result<Vec<String>, ClusterError> {
    use futures_util::TryStreamExt as _;
    let fault = |e: &dyn std::fmt::Display| ClusterError::jetstream("a bucket cannot be read", e);
    let filter = format!("$KV.{}.>", bucket.name);
    let found = bucket.stream.info_with_subjects(filter).await.map_err(|e| fault(&e))?;
    let subjects: Vec<(String, usize)> = found.try_collect().await.map_err(|e| fault(&e))?;
    let prefix = format!("$KV.{}.", bucket.name);
    let key = |(subject, _): (String, usize)| subject.strip_prefix(&prefix).map(str::to_owned);
    Ok(subjects.into_iter().filter_map(key).collect())
}
