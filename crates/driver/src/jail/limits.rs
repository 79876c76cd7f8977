//! Memory, threads and file sizes, by resource limits.

use super::{NoJail, Policy};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What an engine may write into its scratch folder, a file.
const FILE_SIZE: u64 = 1 << 30;
/// The stack of the first thread, which does not count as memory.
const STACK: u64 = 64 << 20;
/// All threads of the user, for the system counts no others: far more than engines need, far fewer
/// than the system has.
const THREADS: u64 = 1 << 14;

pub(super) fn restrict(policy: &Policy) -> Result<(), NoJail> {
    // Memory that is written, not address space: runtimes of some languages reserve more of that
    // than any machine has.
    limit(Resource::Data, policy.memory)?;
    limit(Resource::Stack, STACK)?;
    limit(Resource::Nproc, THREADS)?;
    limit(Resource::Fsize, FILE_SIZE)?;
    limit(Resource::Core, 0)
}

/// Lowers a limit for good.
fn limit(resource: Resource, value: u64) -> Result<(), NoJail> {
    let now = getrlimit(resource);
    let lower = |limit: Option<u64>| Some(limit.map_or(value, |limit| limit.min(value)));
    let limit = Rlimit { current: lower(now.current), maximum: lower(now.maximum) };
    setrlimit(resource, limit).map_err(|error| NoJail::Other(format!("{resource:?}: {error}")))
}

/// Where the limits do not hold.
pub(super) fn gaps() -> Vec<String> {
    const IN_MEMORY: u64 = 0x0102_1994; // tmpfs
    let folder = std::env::temp_dir();
    let in_memory = rustix::fs::statfs(&folder).is_ok_and(|fs| fs.f_type as u64 == IN_MEMORY);
    let scratch = in_memory.then(|| {
        format!(
            "scratch folders in {} are in memory, up to {} GB an engine: let TMPDIR name a folder \
             on a disk",
            folder.display(),
            super::quota::MOST_BYTES >> 30
        )
    });
    let root = rustix::process::geteuid().is_root().then(|| {
        "root can lift the limits on memory, threads and file sizes: start Dyno as another user"
            .to_owned()
    });
    scratch.into_iter().chain(root).collect()
}
