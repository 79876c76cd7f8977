//! System calls, by seccomp: no network, no other processes.
//!
//! What is not listed is allowed, for engines are written in every language; files are landlock's.

use super::NoJail;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Compare,
    SeccompCondition, SeccompFilter, SeccompRule, TargetArch, sock_filter,
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
    #[cfg(target_arch = "x86_64")]
    libc::SYS_fork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
    // Who gets the processors: an opponent's share is not to be touched, nor its own raised.
    libc::SYS_setpriority,
    libc::SYS_ioprio_set,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    // The group by which Dyno ends an engine.
    libc::SYS_setpgid,
    libc::SYS_setsid,
    // What landlock leaves open about files: owners, permissions, times, attributes, and news of
    // what others do with them.
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    SYS_FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    SYS_SETXATTRAT,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SYS_REMOVEXATTRAT,
    SYS_FILE_SETATTR,
    libc::SYS_inotify_init1,
    libc::SYS_fanotify_init,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_inotify_init,
    // Memory that the limits do not count, and what outlives the process.
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    // The system itself.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    SYS_OPEN_TREE_ATTR,
    libc::SYS_mount_setattr,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fspick,
    libc::SYS_fsmount,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_by_handle_at,
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
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_kexec_file_load,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
];

// Too new for libc, on some processors at least; the same numbers everywhere.
const SYS_FCHMODAT2: i64 = 452;
const SYS_SETXATTRAT: i64 = 463;
const SYS_REMOVEXATTRAT: i64 = 466;
const SYS_OPEN_TREE_ATTR: i64 = 467;
const SYS_FILE_SETATTR: i64 = 469;
/// Not of one type on all systems in libc.
const F_SETOWN_EX: i32 = 15;

/// Restricts this thread, and what it becomes.
pub(super) fn restrict() -> Result<(), NoJail> {
    install(rules().map_err(seccomp_error)?, libc::EPERM)?;
    // Their flags are behind a pointer that a filter cannot follow. Libraries that are told the
    // calls do not exist use `clone` and `openat`, whose flags can be seen.
    let opaque = [libc::SYS_clone3, libc::SYS_openat2].map(|call| (call, Vec::new()));
    install(BTreeMap::from(opaque), libc::ENOSYS)?;
    #[cfg(target_arch = "x86_64")]
    seccompiler::apply_filter(&refuse_x32()).map_err(seccomp_error)?;
    Ok(())
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn rules() -> Result<Rules, seccompiler::BackendError> {
    // Kept by exec, so it will be the engine's.
    let own = u64::from(std::process::id());
    let is_not = |argument, value| (argument, Length::Dword, Compare::Ne, value);
    let is = |argument, value: i32| (argument, Length::Dword, Compare::Eq, value as u64);
    let flag = |argument, flags: i32, value: i32| {
        let masked = Compare::MaskedEq(flags as u64);
        (argument, Length::Dword, masked, value as u64)
    };
    let mut rules: Rules = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    // Signals to itself, as in abort(); 0 would be its group.
    for call in [libc::SYS_kill, libc::SYS_tkill, libc::SYS_tgkill] {
        rules.insert(call, vec![rule([is_not(0, own)])?]);
    }
    // Its own limits, which it can only lower, and its own processors.
    for call in [libc::SYS_prlimit64, libc::SYS_sched_setaffinity] {
        rules.insert(call, vec![rule([is_not(0, own), is_not(0, 0)])?]);
    }
    // News of a pipe can be any signal, to any process.
    let owners = [rule([is(1, libc::F_SETOWN)])?, rule([is(1, F_SETOWN_EX)])?];
    rules.insert(libc::SYS_fcntl, owners.into());
    // Threads, but no processes.
    rules.insert(libc::SYS_clone, vec![rule([flag(0, libc::CLONE_THREAD, 0)])?]);
    // Files without a name take unseen room.
    let nameless = |argument| rule([flag(argument, libc::O_TMPFILE, libc::O_TMPFILE)]);
    rules.insert(libc::SYS_openat, vec![nameless(2)?]);
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_open, vec![nameless(1)?]);
    // Neither shared memory of no file nor what grows like a stack would count.
    let shared = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
    let grows = libc::MAP_GROWSDOWN;
    let uncounted = [rule([flag(3, shared, shared)])?, rule([flag(3, grows, grows)])?];
    rules.insert(libc::SYS_mmap, uncounted.into());
    Ok(rules)
}

/// Some kernels know every call by a second number, with this bit, and count it as the same
/// architecture: none of those passes.
#[cfg(target_arch = "x86_64")]
fn refuse_x32() -> BpfProgram {
    const X32: u32 = 0x4000_0000;
    let step = |code: u32, jf, k| sock_filter { code: code as u16, jt: 0, jf, k };
    let number_at = 0;
    vec![
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, number_at),
        step(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 1, X32),
        step(libc::BPF_RET, 0, libc::SECCOMP_RET_ERRNO | libc::EPERM.unsigned_abs()),
        step(libc::BPF_RET, 0, libc::SECCOMP_RET_ALLOW),
    ]
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
