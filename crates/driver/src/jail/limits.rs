//! Memory and file sizes, by resource limits.

use super::{NoJail, Policy};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What an engine may write into its scratch folder, a file.
const FILE_SIZE: u64 = 1 << 30;

pub(super) fn restrict(policy: &Policy) -> Result<(), NoJail> {
    // Memory that is written, not address space: runtimes of some languages reserve more of that
    // than any machine has.
    limit(Resource::Data, policy.memory)?;
    limit(Resource::Fsize, FILE_SIZE)?;
    limit(Resource::Core, 0)
}

/// Lowers a limit for good.
fn limit(resource: Resource, value: u64) -> Result<(), NoJail> {
    let most = getrlimit(resource).maximum.map_or(value, |most| most.min(value));
    let limit = Rlimit { current: Some(most), maximum: Some(most) };
    setrlimit(resource, limit).map_err(|error| NoJail::Other(format!("{resource:?}: {error}")))
}
