//! `dyno mate` from the outside.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::PathBuf;
use std::process::{Command, Output};

fn dyno(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dyno")).args(args).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn scratch(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("dyno-mate-{}-{name}", std::process::id()))
}

#[test]
fn solve_proves_and_refutes() {
    let proved = dyno(&["mate", "solve", "8/8/8/8/8/5K2/4Q3/7k w - - 0 1", "3"]);
    assert_eq!(proved.status.code(), Some(0), "{}", stderr(&proved));
    let text = stdout(&proved);
    assert!(text.starts_with("Mate in 1 for White: proved"), "{text}");
    assert!(text.contains("Keys   Qg2#"), "{text}");

    let words = "mate solve 8/8/8/8/8/5K2/4R3/7k w - - 0 1 1 --tree";
    let refuted = dyno(&words.split(' ').collect::<Vec<_>>());
    assert_eq!(refuted.status.code(), Some(1));
    assert!(stdout(&refuted).contains("No mate in 1 for White: refuted"));
    assert!(stdout(&refuted).contains("1. Re1+ Kh2"));

    let mated = dyno(&["mate", "solve", "7k/8/6K1/8/8/8/8/R7 b - - 0 1", "-1", "--json"]);
    assert_eq!(mated.status.code(), Some(0), "{}", stderr(&mated));
    let json: serde_json::Value = serde_json::from_str(&stdout(&mated)).unwrap();
    assert_eq!((json["result"].as_str(), json["mate"].as_i64()), (Some("mate"), Some(-1)));

    let start = ["mate", "solve", "startpos", "9", "--nodes", "20000"];
    assert!(stdout(&dyno(&start)).contains("Not settled"));
    for bad in [&["mate", "solve", "nonsense", "3"][..], &["mate", "solve", "startpos", "x"]] {
        assert_eq!(dyno(bad).status.code(), Some(2), "{bad:?}");
    }
}

#[test]
fn prove_shows_what_is_wrong_with_a_suite() {
    let documents = dyno(&["mate", "prove", "documents"]);
    assert_eq!(documents.status.code(), Some(1));
    let text = stdout(&documents);
    assert!(text.contains("Qe1+ is not a mate in 1: 1. Qe1+ Kh2 escapes; Qg2# mates"), "{text}");
    assert!(text.contains("states mate in 2, but it is mate in 1: 1. Qxf7#"), "{text}");
    assert!(text.contains("states mate in 3, but it is mate in 2: 1. Nf6+ gxf6 2. Bxf7#"));
    assert_eq!(dyno(&["mate", "prove", "mate-in-1"]).status.code(), Some(0));
    let missing = dyno(&["mate", "prove", "no-such-suite"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).contains("mate-in-1"), "{}", stderr(&missing));
}

#[test]
fn an_engine_is_judged_by_what_is_true_and_a_run_goes_on() {
    let csv = scratch("run.csv");
    let json = scratch("run.json");
    let html = scratch("run.html");
    let common = |more: &[&str]| {
        let mut args = vec!["mate", "--epd", "documents", "--depth", "6", "--quiet", "--report"];
        args.push(csv.to_str().unwrap());
        args.extend(more);
        dyno(&args)
    };
    let part = common(&["--limit", "2"]);
    assert_eq!(part.status.code(), Some(0), "{}", stderr(&part));
    let rows = || std::fs::read_to_string(&csv).unwrap().lines().count();
    assert_eq!(rows(), 3);
    let whole = common(&[
        "--resume",
        "--min-score",
        "100",
        "--report-json",
        json.to_str().unwrap(),
        "--report-html",
        html.to_str().unwrap(),
    ]);
    assert_eq!(whole.status.code(), Some(0), "{}{}", stdout(&whole), stderr(&whole));
    assert_eq!(rows(), 5);
    assert!(stdout(&whole).contains("3 defects of the suite"), "{}", stdout(&whole));
    let report: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    let verdicts: Vec<&str> = report["positions"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|p| p["verdict"].as_str())
        .collect();
    assert_eq!(verdicts, ["best", "better", "better", "best"]);
    assert!(std::fs::read_to_string(&html).unwrap().contains("Defects of the suite"));
    let other = common(&["--resume", "--depth", "7"]);
    assert_eq!(other.status.code(), Some(2), "two depths");
    for file in [csv.as_path(), &json, &html] {
        std::fs::remove_file(file).unwrap();
    }
}
