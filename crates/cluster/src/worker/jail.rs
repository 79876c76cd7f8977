//! Engines of strangers: whether a worker may run them, and how.

use super::WorkerNews;
use crate::error::ClusterError;
use dyno_driver::{EngineSpec, jail_gaps};

/// What stands between an engine and the worker's machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confinement {
    Jail,
    /// Nothing: the user trusts those who give out the work.
    Trust,
}

/// Decides, before anything is fetched or run: a worker takes work only with a jail or on the
/// user's word. What the jail cannot enforce here is said.
pub fn confinement(trust: bool, tell: &dyn Fn(WorkerNews)) -> Result<Confinement, ClusterError> {
    if trust {
        return Ok(Confinement::Trust);
    }
    let gaps = jail_gaps().map_err(|error| ClusterError::NoJail(error.to_string()))?;
    gaps.into_iter().for_each(|gap| tell(WorkerNews::JailGap(gap)));
    Ok(Confinement::Jail)
}

impl Confinement {
    /// The engine as it may be started here, whatever the coordinator says.
    pub fn apply(self, spec: &mut EngineSpec) {
        spec.jail = self == Confinement::Jail;
    }
}
