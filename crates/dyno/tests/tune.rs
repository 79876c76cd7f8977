//! `dyno tune` from end to end, on an engine whose best setting is known.

#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::Folder;
use std::process::{Command, Output, Stdio};

const GAMES: &str = "-each depth=1 -resign movecount=2 score=400 -draw movenumber=30 movecount=4 score=50 \
     -maxmoves 80 -srand 7 -concurrency 2";

fn tune(folder: &Folder, words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dyno"));
    command.current_dir(&folder.0).arg("tune").args(words.split_whitespace());
    command.stdin(Stdio::null());
    command
}

fn engine(folder: &Folder) -> String {
    let path = dyno_testkit::tunable::command();
    // The words of a test hold no spaces, the path of a build may.
    let script = folder.file("tunable.sh", format!("#!/bin/sh\nexec {path}\n"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    format!("-engine cmd={script} name=Mine {GAMES}")
}

fn said(output: &Output) -> String {
    let text = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
#[cfg(unix)]
fn a_wrong_setting_is_mended_and_proved() {
    let folder = Folder::new("tune-mended");
    let words = format!(
        "{} --param Care=0..100 --param Nothing=0..100 --pairs 300 --report-json r.json \
         --report-html r.html --out-toml next.toml --out-openbench ob.txt --out-csv path.csv",
        engine(&folder)
    );
    let output = tune(&folder, &words).output().unwrap();
    let text = said(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("PROVED: the tuned values are stronger"), "{text}");
    let result: serde_json::Value = serde_json::from_str(&folder.read("r.json")).unwrap();
    let care = result["parameters"][0]["late_mean"].as_f64().unwrap();
    assert!((50.0..=90.0).contains(&care), "{care}");
    assert_eq!(result["parameters"][1]["signal"], "none");
    assert!(text.contains(&format!("setoption name Care value {}", care.round())), "{text}");
    assert!(folder.read("r.html").contains("PROVED"));
    assert!(folder.read("ob.txt").starts_with("Care, int, "));
    assert_eq!(folder.read("path.csv").lines().count(), 302);
    // What was written can be tuned on.
    let again = format!("{} --params next.toml --pairs 5 --no-verify", engine(&folder));
    let output = tune(&folder, &again).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

#[test]
#[cfg(unix)]
fn a_killed_tuning_goes_on_along_the_same_path() {
    let folder = Folder::new("tune-killed");
    let words = |journal: &str| {
        format!(
            "{} --param Care=0..100 --pairs 120 --no-verify --journal {journal}",
            engine(&folder)
        )
    };
    let whole = format!("{} --out-csv whole.csv", words("whole.journal"));
    assert!(tune(&folder, &whole).output().unwrap().status.success());
    let games = |journal: &str| {
        let text = std::fs::read_to_string(folder.path(journal)).unwrap_or_default();
        text.lines().count()
    };
    let mut running = tune(&folder, &words("cut.journal")).stderr(Stdio::null()).spawn().unwrap();
    for kills in 1..6 {
        while games("cut.journal") < 25 * kills && running.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        running.kill().unwrap();
        running.wait().unwrap();
        let resume = format!("--resume cut.journal --no-verify -concurrency {kills}");
        running = tune(&folder, &resume).stderr(Stdio::null()).spawn().unwrap();
    }
    running.kill().unwrap();
    running.wait().unwrap();
    let last =
        tune(&folder, "--resume cut.journal --no-verify --out-csv cut.csv").output().unwrap();
    assert!(last.status.success(), "{}", said(&last));
    assert_eq!(folder.read("cut.csv"), folder.read("whole.csv"));
}

#[test]
#[cfg(unix)]
fn what_cannot_be_tuned_is_said_before_the_first_game() {
    let folder = Folder::new("tune-mistakes");
    let engine = engine(&folder);
    folder.file("bad.txt", "Care, int, 30, 0, 100, 20, 0.002\nNothing, int, 5\n");
    for (words, message) in [
        ("--param Cart=0..100", "no option Cart"),
        ("--param Care=120@0..100", "starts at 120, outside of 0..100"),
        ("--param Care=0..1000", "beyond the option's own 0..100"),
        ("--param Care=5", "expected NAME=MIN..MAX"),
        ("--params bad.txt", "bad.txt:2: 3 fields instead of 7"),
        ("--params missing.txt", "cannot read missing.txt"),
        ("--params-from Tune*", "spin options fits"),
        ("", "no parameter to tune"),
        ("--param Care=0..100 --pairs 0", "--pairs 0"),
        ("--param Care=0..100 --param care=0..50", "given twice"),
        ("--param Care=0..100 -engine cmd=x", "one engine is tuned against itself"),
    ] {
        let output = tune(&folder, &format!("{engine} {words}")).output().unwrap();
        let text = said(&output);
        assert_eq!(output.status.code(), Some(2), "{words}: {text}");
        assert!(text.contains(message), "{words}: {text}");
    }
    let none = tune(&folder, "--resume missing.journal").output().unwrap();
    assert_eq!(none.status.code(), Some(2), "{}", said(&none));
}
