//! Engines in the jail: what they are refused, and that they play as before.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]

mod common;

use common::Folder;
use dyno_testkit::escapes::{self, ATTEMPTS, DEVICE, RIGHTS};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output};

const MATE: &str = "6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#;\n";

/// Whether the kernel has what the jail needs; says so where it has not.
fn has_jail() -> bool {
    let gaps = dyno_driver::jail_gaps();
    if let Err(reason) = &gaps {
        eprintln!("skipped: {reason}");
    }
    gaps.is_ok()
}

fn dyno(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dyno"));
    command.args(words).env("DYNO_HISTORY", "off");
    command
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// A position for an engine that a user owns with everything around it, where one is named.
fn suite(folder: &Folder, engine: &str, jail: bool, user: Option<u32>) -> Command {
    let epd = folder.file("mate.epd", MATE);
    let mut command = dyno(&["suite", "--depth", "1", "--protocol", "uci", "--epd", &epd]);
    command.args(["--engine", engine, "--log", &folder.path("log")]).current_dir(&folder.0);
    if jail {
        command.arg("--jail");
    }
    if let Some(user) = user {
        command.uid(user).gid(user);
    }
    let owned = std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().path());
    for path in owned.chain([folder.0.clone()]) {
        chown(path, user, user).unwrap();
    }
    command
}

/// What the engine said of each of these attempts: whether it got through.
fn ends<'a>(folder: &Folder, output: &Output, names: &[&'a str]) -> Vec<(&'a str, bool)> {
    let log = std::fs::read_to_string(folder.path("log")).unwrap_or_default();
    let end = |name: &&'a str| {
        let line = log.lines().find(|line| line.contains(&format!("escape {name}: ")));
        let line = line.unwrap_or_else(|| panic!("{name} was not tried: {}", text(output)));
        (*name, line.ends_with("through"))
    };
    names.iter().map(end).collect()
}

/// As root, and as a user without any rights, where the test can become one.
fn users() -> Vec<Option<u32>> {
    let root = rustix::process::geteuid().is_root();
    if root { vec![None, Some(65534)] } else { vec![None] }
}

fn attempts(name: &str, jail: bool, user: Option<u32>) -> Vec<(&'static str, bool)> {
    let folder = Folder::new(name);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let aims = [
        format!("ESCAPE_READ={}", folder.file("secret", "secret")),
        format!("ESCAPE_WRITE={}", folder.0.display()),
        format!("ESCAPE_TCP={}", listener.local_addr().unwrap()),
    ];
    let mut command = suite(&folder, escapes::program().to_str().unwrap(), jail, user);
    let output = command.args(aims.iter().flat_map(|aim| ["--engine-env", aim])).output().unwrap();
    let names: Vec<&str> = ATTEMPTS.iter().map(|(name, _)| *name).collect();
    ends(&folder, &output, &names)
}

#[test]
fn an_engine_gets_at_nothing_but_its_own() {
    if !has_jail() {
        return;
    }
    for user in users() {
        let inside = attempts("jail", true, user);
        for (number, (attempt, through)) in inside.into_iter().enumerate() {
            assert_eq!(through, number < RIGHTS, "{attempt}, user {user:?}");
        }
        let mut outside = attempts("no-jail", false, user);
        let is_root = rustix::process::geteuid().is_root() && user.is_none();
        outside.retain(|(name, _)| is_root || *name != DEVICE);
        assert!(outside.iter().all(|(_, through)| *through), "{user:?} outside: {outside:?}");
    }
}

/// System calls with arguments that do no harm, as Perl writes them; there is nothing of that `$name`.
#[cfg(target_arch = "x86_64")]
fn calls() -> Vec<(&'static str, i64, &'static str)> {
    const X32: i64 = 0x4000_0000;
    vec![
        ("ptrace", libc::SYS_ptrace, "16, 0x7fffffff, 0, 0"),
        ("process_vm_readv", libc::SYS_process_vm_readv, "getppid(), 0, 0, 0, 0, 0"),
        ("process_vm_writev", libc::SYS_process_vm_writev, "getppid(), 0, 0, 0, 0, 0"),
        ("pidfd_open", libc::SYS_pidfd_open, "getppid(), 0"),
        ("kill of all", libc::SYS_kill, "-1, 0"),
        ("tgkill", libc::SYS_tgkill, "getppid(), getppid(), 0"),
        ("owner of a pipe", libc::SYS_fcntl, "0, 8, getppid()"),
        ("io_uring_setup", libc::SYS_io_uring_setup, "0, 0"),
        ("x32", libc::SYS_getpid | X32, ""),
        ("x32 socket", libc::SYS_socket | X32, "2, 1, 0"),
        ("setpriority", libc::SYS_setpriority, "9, 0, 0"),
        ("ioprio_set", libc::SYS_ioprio_set, "9, 0, 0"),
        ("sched_setscheduler", libc::SYS_sched_setscheduler, "getppid(), 0, 0"),
        ("sched_setattr", libc::SYS_sched_setattr, "getppid(), 0, 0"),
        ("memory that grows", libc::SYS_mmap, "0, 4096, 3, 0x122, -1, 0"),
        ("memory that is shared", libc::SYS_mmap, "0, 4096, 3, 0x21, -1, 0"),
        ("memfd_create", libc::SYS_memfd_create, "$name, 0"),
        ("shmget", libc::SYS_shmget, "0, 0, 0"),
        ("msgget", libc::SYS_msgget, "7654321, 0"),
        ("semget", libc::SYS_semget, "7654321, 0, 0"),
        ("mq_open", libc::SYS_mq_open, "$name, 0"),
        ("unshare", libc::SYS_unshare, "0"),
        ("fchmod", libc::SYS_fchmod, "-1, 0"),
        ("fchown", libc::SYS_fchown, "-1, 0, 0"),
        ("utime", libc::SYS_utime, "$name, 0"),
        ("removexattr", libc::SYS_removexattr, "$name, $name"),
    ]
}

#[test]
#[cfg(target_arch = "x86_64")]
fn system_calls_that_lead_out_are_refused() {
    if !has_jail() || dyno_driver::find_program("perl".as_ref()).is_none() {
        eprintln!("skipped: it takes a jail, and Perl for bare system calls");
        return;
    }
    let names: Vec<&str> = calls().iter().map(|(name, _, _)| *name).collect();
    let engine: String = calls().iter().fold(String::new(), |script, (name, call, arguments)| {
        let call = format!("syscall({call}, {arguments}) == -1 && $! == {}", libc::EPERM);
        script + &format!("say 'info string escape {name}: ', {call} ? 'refused' : 'through';\n")
    });
    let engine = format!(
        "use feature 'say'; $| = 1; my $name = 'dyno-none'; while (<STDIN>) {{ if (/^uci$/) {{ {engine} say 'uciok' }}\n\
         say 'readyok' if /^isready/; say 'bestmove a1a8' if /^go/; last if /^quit/ }}"
    );
    let tried = |jail: bool, user| {
        let folder = Folder::new("jail-calls");
        let script = folder.file("engine.pl", &engine);
        let output = suite(&folder, &format!("perl {script}"), jail, user).output().unwrap();
        ends(&folder, &output, &names)
    };
    for user in users() {
        assert!(tried(true, user).iter().all(|(_, through)| !through), "{:?}", tried(true, user));
        let outside = tried(false, user);
        let refused = outside.iter().filter(|(_, through)| !through);
        refused.for_each(|(name, _)| eprintln!("skipped: {name} is refused here in any case"));
        assert!(outside.iter().any(|(_, through)| *through), "{outside:?}");
    }
}

/// The helper is not in the jail yet: what the engine's variables have it load would run outside.
#[test]
#[cfg(target_env = "gnu")]
fn variables_reach_the_engine_alone() {
    if !has_jail() {
        return;
    }
    let folder = Folder::new("jail-env");
    let engine = escapes::program();
    let mut command = suite(&folder, engine.to_str().unwrap(), true, None);
    let output = command.args(["--engine-env", "LD_PRELOAD=/no/such.so"]).output().unwrap();
    // The loader complains once in each program that it starts.
    let complaints = folder.read("log").matches("/no/such.so").count();
    assert_eq!(complaints, 1, "{}", text(&output));
}

/// The shell makes files without any other process. It does so in a search, which has no time limit.
const FILLER: &str = "while read line; do case $line in uci) echo uciok ;; isready) echo readyok ;;
    go*) i=0; while [ $i -le 1000 ]; do : > $i; i=$((i + 1)); done ;; quit) exit ;; esac; done";

#[test]
fn an_engine_that_fills_its_folder_is_killed() {
    if !has_jail() {
        return;
    }
    let folder = Folder::new("jail-full");
    let script = folder.file("engine.sh", FILLER);
    let output = suite(&folder, &format!("sh {script}"), true, None).output().unwrap();
    assert!(text(&output).contains("1000 files in all"), "{}", text(&output));
}

#[test]
fn engines_play_as_before() {
    if !has_jail() {
        return;
    }
    let folder = Folder::new("jail-engines");
    let epd = folder.file("mate.epd", MATE);
    let engines =
        ["builtin", "stockfish", "fairy-stockfish", "ethereal-chess", "glaurung", "toga2"];
    // Not sjeng: it looks its home up in the password file, and gives up without it.
    let others = ["gnuchess --uci", "phalanx", "hoichess", "fairymax"];
    for engine in engines.into_iter().chain(others) {
        let program = engine.split(' ').next().unwrap();
        if program != "builtin" && dyno_driver::find_program(program.as_ref()).is_none() {
            eprintln!("skipped: {program} is not installed");
            continue;
        }
        let rows = |jail: &[&str]| {
            let words = ["suite", "--epd", &epd, "--engine", engine, "--depth", "6", "--json"];
            let output = dyno(&words).args(jail).output().unwrap();
            let json: serde_json::Value = serde_json::from_slice(&output.stdout)
                .unwrap_or_else(|error| panic!("{engine} {jail:?}: {error}: {}", text(&output)));
            let row = &json["positions"][0];
            (row["correct"].clone(), row["nodes"].clone())
        };
        assert_eq!(rows(&["--jail"]), rows(&[]), "{engine}");
        assert_eq!(rows(&["--jail"]).0, true, "{engine}");
    }
}

#[test]
fn the_helper_is_not_for_people() {
    let output = dyno(&["jailed-engine"]).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output).contains("use --jail"), "{}", text(&output));
}
