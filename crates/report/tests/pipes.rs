//! What the terminal kit writes into pipes: no colours, no progress. The test runs itself as
//! a child, so that standard output and error surely are pipes.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::process::{Command, Output};

use dyno_report::Verdict;
use dyno_report::terminal::{Progress, eprintln, println, verdict};

const SPEAK: &str = "DYNO_TEST_SPEAK";

/// The child's part; nothing at all in an ordinary run.
#[test]
fn speak() {
    if std::env::var_os(SPEAK).is_none() {
        return;
    }
    let progress = Progress::new("positions", Some(10), false);
    progress.set(5);
    progress.note("half way");
    progress.line("a warning that must not be lost");
    progress.finish();
    println!("said: {}", verdict(Verdict::Fail));
    eprintln!("said: {}", verdict(Verdict::Pass));
}

fn spoken(variables: &[(&str, &str)]) -> Output {
    Command::new(std::env::current_exe().unwrap())
        .args(["speak", "--exact", "--nocapture"])
        .env(SPEAK, "1")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

#[test]
fn pipes_get_neither_colours_nor_progress() {
    let output = spoken(&[]);
    let (out, err) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(out.contains("said: ✗ fail"), "{out}");
    assert_eq!(err, "a warning that must not be lost\nsaid: ✓ pass\n");
}

#[test]
fn colours_can_be_forced_and_no_color_is_honoured() {
    let forced = String::from_utf8(spoken(&[("CLICOLOR_FORCE", "1")]).stdout).unwrap();
    assert!(forced.contains("said: \u{1b}["), "{forced:?}");
    let plain =
        String::from_utf8(spoken(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]).stdout).unwrap();
    assert!(plain.contains("said: ✗ fail"), "{plain:?}");
}
