//! `dyno bench` from the outside, with the kit's engines.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::print_stderr, reason = "says why it skips")]

use dyno_testkit::{scripted, toy};
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A file that is removed afterwards.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("dyno-bench-{}-{name}", std::process::id())))
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn bench(args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_dyno"))
        .arg("bench")
        .args(args)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn json(args: &[&str]) -> Value {
    let (_, out, error) = bench(&[args, &["--json"]].concat());
    serde_json::from_str(&out).unwrap_or_else(|e| panic!("{args:?}: {e}: {error}"))
}

#[test]
fn a_signature_is_the_sum_of_nodes_and_the_same_in_every_run() {
    let toy = toy::command(None);
    let args = ["--engine", &toy, "--depth", "2", "--limit", "6", "--runs", "2"];
    let value = json(&args);
    let engine = &value["engines"][0];
    let nodes = |run: u64| -> u64 {
        let of_run = engine["measures"].as_array().unwrap().iter().filter(|m| m["run"] == run);
        of_run.map(|m| m["nodes"].as_u64().unwrap()).sum()
    };
    assert_eq!(engine["signature"].as_u64(), Some(nodes(0)));
    assert_eq!((nodes(0), engine["reproducible"].as_bool()), (nodes(1), Some(true)));
    assert!(nodes(0) > 100, "{engine}");
    let signature = nodes(0).to_string();
    let wanted = [&args[..], &["--signature", &signature]].concat();
    assert_eq!(bench(&wanted).0, 0);
    let (code, out, error) = bench(&[&args[..], &["--signature", "17"]].concat());
    assert_eq!(code, 1, "{out}{error}");
    assert!(error.contains("17") && error.contains(&signature), "{error}");
    assert!(out.contains(&format!("Signature {signature} (the same in all 2 runs)")), "{out}");
}

#[test]
fn other_limits_have_no_signature() {
    let toy = toy::command(None);
    let value = json(&["--engine", &toy, "--nodes", "500", "--limit", "2"]);
    assert!(value["engines"][0]["signature"].is_null());
    assert_eq!(value["limit"]["nodes"], 500);
}

#[test]
fn engines_take_turns_and_the_ratio_has_an_interval() {
    // Each search takes long enough to be measured; how long does not matter.
    let slow = scripted::command(&["think=6", "infos=5", "name=slow"]);
    let fast = scripted::command(&["think=3", "infos=5", "name=fast"]);
    let value = json(&["--engine", &slow, "--engine", &fast, "--limit", "5", "--runs", "1"]);
    let ratio = &value["ratios"][0];
    assert_eq!((&ratio["base"], &ratio["engine"]), (&0.into(), &1.into()), "{value}");
    let [low, mean, high] =
        ["low", "mean", "high"].map(|end| ratio["ratio"][end].as_f64().unwrap());
    assert!(low <= mean && mean <= high, "{ratio}");
    assert_eq!(value["engines"][0]["measures"].as_array().unwrap().len(), 5);
    let (_, text, _) =
        bench(&["--engine", &slow, "--engine", &fast, "--limit", "3", "--max-time", "2"]);
    assert!(text.contains("fast against slow:") && text.contains("95 % interval"), "{text}");
}

#[test]
fn a_history_grows_and_is_compared_with() {
    let (toy, history) = (toy::command(None), Scratch::new("history.jsonl"));
    let args = ["--engine", &toy, "--depth", "2", "--limit", "3", "--save", history.path()];
    assert_eq!(bench(&args).0, 0);
    assert_eq!(bench(&args).0, 0);
    assert_eq!(std::fs::read_to_string(&history.0).unwrap().lines().count(), 2);
    let compare = ["--engine", &toy, "--depth", "2", "--limit", "3", "--compare", history.path()];
    let (code, text, error) = bench(&compare);
    assert_eq!(code, 0, "{error}");
    assert!(text.contains("unchanged") && text.contains("the very same program"), "{text}");
    let value = json(&compare);
    assert_eq!(value["comparisons"][0]["signature"], value["engines"][0]["signature"]);
    // Another limit cannot be compared, and says which is which.
    let deeper = ["--engine", &toy, "--depth", "3", "--limit", "3", "--compare", history.path()];
    let (code, _, error) = bench(&deeper);
    assert_eq!(code, 2);
    assert!(error.contains("depth 2") && error.contains("depth 3"), "{error}");
    std::fs::write(&history.0, "{}\n").unwrap();
    let (code, _, error) = bench(&compare);
    assert!(code == 2 && error.contains(":1: not a bench"), "{error}");
}

#[test]
fn a_functional_change_is_told() {
    let (toy, report) = (toy::command(None), Scratch::new("old.json"));
    let args = ["--engine", &toy, "--depth", "3", "--limit", "6"];
    bench(&[&args[..], &["--report-json", report.path(), "--quiet"]].concat());
    let broken = toy::command(Some(toy::Bug::NoUnderpromotion));
    let args = ["--engine", &broken, "--depth", "3", "--limit", "6", "--compare", report.path()];
    let (code, text, error) = bench(&args);
    assert_eq!(code, 0, "{error}");
    assert!(text.contains("a functional change"), "{text}");
}

#[test]
fn misbehaviour_is_handled_and_said() {
    // Stops long before the depth.
    let toy = toy::command(None);
    let value = json(&["--engine", &toy, "--depth", "9", "--limit", "2"]);
    let warnings = value["warnings"].to_string();
    assert!(warnings.contains("stops before depth 9 in 2 of 2"), "{warnings}");
    // Searches on beyond the depth: its count at the depth is used.
    let eager = scripted::command(&["infos=9", "name=eager"]);
    let value = json(&["--engine", &eager, "--depth", "4", "--limit", "2"]);
    let measure = &value["engines"][0]["measures"][0];
    assert_eq!((&measure["status"], &measure["nodes"]), (&"ran_on".into(), &4000.into()));
    // Crashes once, goes on with a new process, and the exit code tells.
    let crash = scripted::command(&["crash@2", "name=weak"]);
    let (code, text, _) = bench(&["--engine", &crash, "--limit", "3", "--depth", "1"]);
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("crashed") && text.contains("SIGABRT"), "{text}");
    // Always crashes: given up after three, not after all.
    let dead = scripted::command(&["crash"]);
    let value = json(&["--engine", &dead, "--depth", "1"]);
    assert_eq!(value["engines"][0]["measures"].as_array().unwrap().len(), 3);
    assert!(value["engines"][0]["trouble"].as_str().unwrap().contains("given up after 3"));
    // Knows no depth: stopped, and the way out is named.
    let endless = scripted::command(&["info-forever"]);
    let (code, text, _) = bench(&["--engine", &endless, "--limit", "1", "--timeout", "0.2"]);
    assert_eq!(code, 3);
    assert!(text.contains("hung"), "{text}");
    let (code, _, error) = bench(&["--engine", "./no-such-engine"]);
    assert!(code == 3 && error.contains("no-such-engine"), "{error}");
}

#[test]
fn an_engines_own_bench_is_read() {
    let value = json(&["--own=bench 3", "--runs", "2"]);
    let engine = &value["engines"][0];
    let (signature, steady) = (engine["signature"].as_u64().unwrap(), &engine["reproducible"]);
    assert!(signature > 1000 && steady == true, "{value}");
    let output =
        Command::new(env!("CARGO_BIN_EXE_dyno")).args(["engine", "bench", "3"]).output().unwrap();
    let direct = String::from_utf8(output.stdout).unwrap();
    assert!(direct.contains(&format!("Nodes searched  : {signature}")), "{direct}");
    let toy = toy::command(None);
    let (code, text, _) = bench(&["--engine", &toy, "--own"]);
    assert!(code == 3 && text.contains("no bench of its own"), "{text}");
}

#[test]
fn stockfish_has_the_signature_its_authors_publish() {
    if dyno_driver::find_program(std::path::Path::new("stockfish")).is_none() {
        eprintln!("skipped: stockfish is not installed");
        return;
    }
    // Depth 5, to be quick; the counts of the program itself are the truth.
    let value = json(&["--engine", "stockfish", "--own=bench 16 1 5"]);
    let signature = value["engines"][0]["signature"].as_u64().unwrap();
    let program = dyno_driver::find_program(std::path::Path::new("stockfish")).unwrap();
    let output = Command::new(program).args(["bench", "16", "1", "5"]).output().unwrap();
    let summary = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(summary.contains(&format!("Nodes searched  : {signature}")), "{summary}");
}

#[test]
fn positions_come_from_files_too() {
    let epd = Scratch::new("mine.epd");
    std::fs::write(&epd.0, "4k3/8/8/8/8/8/8/4K2R w K - id \"mine\";\nrubbish\n").unwrap();
    let toy = toy::command(None);
    let (code, text, _) = bench(&["--engine", &toy, "--depth", "2", "--epd", epd.path()]);
    assert_eq!(code, 0);
    assert!(text.contains("mine") && text.contains(":2: left out"), "{text}");
    std::fs::write(&epd.0, "rubbish\n").unwrap();
    let (code, _, error) = bench(&["--engine", &toy, "--epd", epd.path()]);
    assert!(code == 2 && error.contains("no position to search"), "{error}");
    for (args, part) in [
        (&["--depth", "0"][..], "0"),
        (&["--runs", "0"], "0"),
        (&["--depth", "3", "--own"], "cannot be used with"),
        (&["--max-slowdown", "5"], "--compare"),
        (&["--compare", "no-such.json"], "no-such.json"),
        (&["--save", "/no/such/folder/x"], "cannot write"),
    ] {
        let (code, _, error) = bench(args);
        assert!(code == 2 && error.contains(part), "{args:?}: {error}");
    }
}
