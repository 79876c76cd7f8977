//! The threads on which tokio lives here.

use super::error::ClusterError;
use tokio::runtime::{Builder, Runtime};

/// A small runtime: the work is done elsewhere.
pub fn runtime() -> Result<Runtime, ClusterError> {
    let built = Builder::new_multi_thread().worker_threads(1).enable_all().build();
    built.map_err(|e| ClusterError::Server(e.to_string()))
}
