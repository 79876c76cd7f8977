//! Files, by landlock, and from version 6 on signals to others as well, which seccomp refuses too.

use super::{NoJail, Policy};
use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, LandlockStatus, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

/// What programs of all languages need in order to start, and what they ask about the machine.
const SYSTEM: [&str; 22] = [
    "/usr",
    "/bin",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/dev/null",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/sys/vm/overcommit_memory",
    "/sys/devices/system",
    "/sys/kernel/mm/transparent_hugepage",
];

/// The rights that this was written for and tried with; older kernels know fewer.
const KNOWN: ABI = ABI::V6;

/// Restricts this thread, and what it becomes; says what the kernel is too old to enforce.
pub(super) fn restrict(policy: &Policy) -> Result<Vec<String>, NoJail> {
    let status = ruleset(policy).map_err(|error| NoJail::Other(error.to_string()))?;
    let version = match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => effective_abi,
        _ => return Err(NoJail::Landlock),
    };
    if status.ruleset == RulesetStatus::NotEnforced {
        return Err(NoJail::Landlock);
    }
    let gaps = [
        (ABI::V3, "files outside can be truncated, though neither read nor written"),
        (ABI::V5, "devices that can be opened can be sent control requests (ioctl)"),
    ];
    let old = |gap: &&(ABI, &str)| version < gap.0;
    Ok(gaps.iter().filter(old).map(|gap| format!("landlock {version}: {}", gap.1)).collect())
}

fn ruleset(policy: &Policy) -> Result<landlock::RestrictionStatus, RulesetError> {
    let (read, all) = (AccessFs::from_read(KNOWN), AccessFs::from_all(KNOWN));
    // Root could make a device of its own, and read the disk through it. A file that is removed
    // while it is open would take unseen room.
    let never = AccessFs::Execute | AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::MakeSock;
    let never = never | AccessFs::RemoveFile | AccessFs::RemoveDir;
    Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .scope(Scope::from_all(KNOWN))?
        .create()?
        .add_rules(path_beneath_rules(SYSTEM, read))?
        .add_rules(path_beneath_rules(&policy.read, read))?
        .add_rules(path_beneath_rules(["/dev/null"], AccessFs::from_file(KNOWN)))?
        .add_rules(path_beneath_rules([&policy.scratch], all & !never))?
        .restrict_self()
}
