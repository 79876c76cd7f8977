//! Engines in the jail: what they are refused, and that they play as before.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]

mod common;

use common::Folder;
use dyno_testkit::escapes::{self, ATTEMPTS, RIGHTS};
use std::os::unix::fs::PermissionsExt;
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

/// The attempts of an engine that wants out, by their ends.
fn attempts(name: &str, jail: bool, user: Option<u32>) -> Vec<(&'static str, bool)> {
    let folder = Folder::new(name);
    std::fs::set_permissions(&folder.0, PermissionsExt::from_mode(0o777)).unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let (secret, epd) = (folder.file("secret", "secret"), folder.file("mate.epd", MATE));
    let aims = [
        format!("ESCAPE_READ={secret}"),
        format!("ESCAPE_WRITE={}", folder.0.display()),
        format!("ESCAPE_TCP={}", listener.local_addr().unwrap()),
    ];
    let (engine, log) = (escapes::program(), folder.path("log"));
    let mut command = dyno(&["suite", "--depth", "1", "--protocol", "uci", "--epd", &epd]);
    command.arg("--engine").arg(&engine).args(["--log", &log]).current_dir(&folder.0);
    for aim in &aims {
        command.args(["--engine-env", aim]);
    }
    if jail {
        command.arg("--jail");
    }
    if let Some(user) = user {
        command.uid(user).gid(user);
    }
    let output = command.output().unwrap();
    let log = std::fs::read_to_string(&log).unwrap_or_default();
    let end = |name: &str| {
        let line = log.lines().find(|line| line.contains(&format!("escape {name}: ")));
        line.unwrap_or_else(|| panic!("{name} was not tried: {}", text(&output)))
            .ends_with("through")
    };
    ATTEMPTS.iter().map(|(name, _)| (*name, end(name))).collect()
}

#[test]
fn an_engine_gets_at_nothing_but_its_own() {
    if !has_jail() {
        return;
    }
    let root = rustix::process::geteuid().is_root();
    // As root, and as a user without any rights: neither gets out.
    for (name, user) in [("jail", None), ("jail-nobody", Some(65534))] {
        if user.is_some() && !root {
            continue;
        }
        for (number, (attempt, through)) in attempts(name, true, user).into_iter().enumerate() {
            assert_eq!(through, number < RIGHTS, "{attempt}, user {user:?}");
        }
    }
    let free = attempts("no-jail", false, None);
    assert!(free.iter().all(|(_, through)| *through), "outside everything works: {free:?}");
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
