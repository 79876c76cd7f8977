//! System calls, by seccomp: no network, no other processes.
//!
//! What is not listed is allowed, for engines are written in every language; files are landlock's.

use super::NoJail;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Compare,
    SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};
use std::collections::BTreeMap;

/// Refused, whatever the arguments.
const REFUSED: &[i64] = &[
    // Network, and io_uring, which can do the same behind the filter's back.
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_process_madvise,
    libc::SYS_kcmp,
    libc::SYS_ioprio_set,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_fork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
    // Memory that the limits do not count.
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_shmget,
    libc::SYS_shmat,
    // The system itself.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_acct,
    libc::SYS_quotactl,
];

/// Restricts this thread, and what it becomes.
pub(super) fn restrict() -> Result<(), NoJail> {
    install(and_x32(rules().map_err(seccomp_error)?), libc::EPERM)?;
    // Its flags are behind a pointer that a filter cannot follow. Libraries that are told the
    // call does not exist use `clone`, whose flags can be seen.
    install(and_x32(BTreeMap::from([(libc::SYS_clone3, Vec::new())])), libc::ENOSYS)
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn rules() -> Result<Rules, seccompiler::BackendError> {
    // Kept by exec, so it will be the engine's.
    let own = u64::from(std::process::id());
    let is_not = |argument, value| (argument, Length::Dword, Compare::Ne, value);
    let is = |argument, value: i32| (argument, Length::Dword, Compare::Eq, value as u64);
    let others = |argument| rule([is_not(argument, own), is_not(argument, 0)]);
    let flag = |argument, flags: i32, value: i32| {
        let masked = Compare::MaskedEq(flags as u64);
        (argument, Length::Dword, masked, value as u64)
    };
    let mut rules: Rules = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    // Signals to itself, as in abort(); 0 would be a group of processes.
    for call in [libc::SYS_kill, libc::SYS_tkill, libc::SYS_tgkill] {
        rules.insert(call, vec![rule([is_not(0, own)])?]);
    }
    // Its own limits and its own place on the processors: an opponent's are not to be touched.
    for call in [
        libc::SYS_prlimit64,
        libc::SYS_sched_setaffinity,
        libc::SYS_sched_setattr,
        libc::SYS_sched_setparam,
        libc::SYS_sched_setscheduler,
    ] {
        rules.insert(call, vec![others(0)?]);
    }
    let not_a_process = rule([is_not(0, PRIO_PROCESS)])?;
    rules.insert(libc::SYS_setpriority, vec![not_a_process, others(1)?]);
    // Signals about a file to whom it belongs would be signals to others.
    let owners = [libc::F_SETOWN, F_SETOWN_EX].map(|command| rule([is(1, command)]));
    rules.insert(libc::SYS_fcntl, owners.into_iter().collect::<Result<_, _>>()?);
    // Threads, but no processes.
    rules.insert(libc::SYS_clone, vec![rule([flag(0, libc::CLONE_THREAD, 0)])?]);
    // Shared memory of no file would not count.
    let shared = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
    rules.insert(libc::SYS_mmap, vec![rule([flag(3, shared, shared)])?]);
    Ok(rules)
}

/// What libc does not name, or not with the same type everywhere.
const F_SETOWN_EX: i32 = 15;
const PRIO_PROCESS: u64 = 0;

/// The same calls by the numbers of x32, which some kernels know and which pass for x86-64; the
/// numbers that x32 alone has are refused.
#[cfg(target_arch = "x86_64")]
fn and_x32(rules: Rules) -> Rules {
    const X32: i64 = 0x4000_0000;
    let again = rules.clone().into_iter().map(|(call, rules)| (call | X32, rules));
    let own = (512..=547).map(|call| (call | X32, Vec::new()));
    rules.into_iter().chain(again).chain(own).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn and_x32(rules: Rules) -> Rules {
    rules
}

fn rule<const N: usize>(
    conditions: [(u8, Length, Compare, u64); N],
) -> Result<SeccompRule, seccompiler::BackendError> {
    let condition = |(argument, length, compare, value)| {
        SeccompCondition::new(argument, length, compare, value)
    };
    SeccompRule::new(conditions.map(condition).into_iter().collect::<Result<_, _>>()?)
}

fn install(rules: Rules, errno: i32) -> Result<(), NoJail> {
    let machine = TargetArch::try_from(std::env::consts::ARCH).map_err(seccomp_error)?;
    let refuse = SeccompAction::Errno(errno.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, machine);
    let program = filter.and_then(BpfProgram::try_from).map_err(seccomp_error)?;
    seccompiler::apply_filter(&program).map_err(seccomp_error)
}

fn seccomp_error(error: impl std::fmt::Display) -> NoJail {
    NoJail::Seccomp(error.to_string())
}
