//! Matches on many machines, over NATS JetStream.
//!
//! The coordinator of a match stays where it was started. [`ClusterPool`] is a
//! [`dyno_tournament::WorkerPool`] whose boards are on workers: it puts pairs of games into a work
//! queue and takes their results from another. [`run_worker`] is the other end. NATS delivers at
//! least once; that a game is counted exactly once is the business of the coordinator and its
//! journal.
//!
//! tokio lives here behind channels: the pool is called by threads, and games are played on threads.

mod address;
mod backoff;
mod cache;
mod error;
mod files;
mod ledger;
mod link;
mod message;
mod pool;
mod runtime;
mod server;
mod ship;
mod signature;
mod status;
mod streams;
#[doc(hidden)]
pub mod subjects;
mod terms;
mod token;
mod worker;

pub use address::{Address, Connection};
pub use cache::{Cache, default_folder as default_cache};
pub use error::ClusterError;
pub use message::{
    MatchInfo, Order, PROTOCOL, PairResult, Score, WorkerBeat, WorkerEvent, decode, encode,
};
pub use pool::{ClusterPool, ClusterScore, PoolSetup};
pub use server::{Server, ServerSetup, Started, default_folder};
pub use ship::platform;
pub use status::{ClusterStatus, MatchState, status};
pub use terms::most_pairs;
pub use worker::{WorkerNews, WorkerSetup, run_worker};
