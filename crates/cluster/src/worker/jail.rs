//! Engines of strangers: whether a worker may run them, and how.

use super::WorkerNews;
use crate::error::ClusterError;
use dyno_driver::{EngineSpec, jail_gaps};
use std::path::PathBuf;

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
    /// The engine as it may be started here, whatever the coordinator says. It reads the files
    /// that came with it: words of the coordinator may name any file of this machine.
    pub fn apply(self, spec: &mut EngineSpec, shipped: Vec<PathBuf>) {
        spec.jail = self == Confinement::Jail;
        spec.readable = Some(shipped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coordinator_neither_opens_the_jail_nor_a_file() {
        let mut spec = EngineSpec { args: vec!["/etc/passwd".into()], ..EngineSpec::default() };
        Confinement::Jail.apply(&mut spec, vec!["/cache/net".into()]);
        assert!(spec.jail);
        assert_eq!(spec.readable, Some(vec!["/cache/net".into()]));
    }
}
