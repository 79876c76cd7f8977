//! `dyno history` over results that were saved as JSON.

#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::Folder;
use std::process::Command;

struct Project(Folder);

impl Project {
    fn new(name: &str) -> Self {
        let folder = Folder::new(name);
        folder.file("dyno.toml", "[engine]\ncommand = \"builtin\"\n");
        folder.file(
            "two.epd",
            "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id \"back rank\";\n\
             6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd2; id \"nonsense\";\n",
        );
        Self(folder)
    }

    /// Exit code, standard output, standard error.
    fn dyno(&self, words: &[&str]) -> (Option<i32>, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_dyno"))
            .args(words)
            .current_dir(&self.0.0)
            .env_remove("DYNO_HISTORY")
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    fn suite(&self, nodes: &str, file: &str) {
        let words = [
            "suite",
            "--epd",
            "two.epd",
            "--nodes",
            nodes,
            "--report-json",
            file,
            "--quiet",
            "--no-history",
        ];
        let (code, _, error) = self.dyno(&words);
        assert_eq!(code, Some(0), "{error}");
    }
}

#[test]
fn saved_results_are_imported_listed_compared_and_exported() {
    let project = Project::new("history");
    let (code, _, error) = project.dyno(&["history"]);
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("no history yet"), "{error}");
    project.suite("2000", "a.json");
    project.suite("2000", "b.json");
    project.suite("3000", "c.json");
    let (code, _, error) = project.dyno(&["history", "import", "a.json", "b.json", "c.json"]);
    assert_eq!(code, Some(0), "{error}");
    let (_, _, error) = project.dyno(&["history", "import", "a.json"]);
    assert!(error.contains("0 new, 1 known already"), "{error}");
    assert!(project.0.0.join(".dyno/history.db").is_file());

    let (_, listed, _) = project.dyno(&["history", "--json"]);
    let runs: serde_json::Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(runs.as_array().unwrap().len(), 3);
    assert_eq!(runs[0]["kind"], "suite");
    assert_eq!(runs[0]["measures"][0]["value"], 1.0);
    let (_, table, _) = project.dyno(&["history", "list", "--kind", "suite"]);
    assert_eq!(table.lines().count(), 2 + 3, "{table}");

    let id = |index: usize| runs[index]["id"].as_str().unwrap().to_owned();
    let (code, shown, _) = project.dyno(&["history", "show", &id(2)]);
    assert_eq!(code, Some(0));
    assert!(shown.contains("solved") && shown.contains("plan"), "{shown}");
    let (_, same, _) = project.dyno(&["history", "compare", &id(2), &id(1)]);
    assert!(same.contains("same") && !same.contains("plans differ"), "{same}");
    let (_, other, _) = project.dyno(&["history", "compare", &id(2), &id(0)]);
    assert!(other.contains("plans differ"), "{other}");
    let (_, trend, _) = project.dyno(&["history", "trend", "solved"]);
    assert!(trend.contains("2 runs of suite") && trend.contains("1 run of suite"), "{trend}");

    let (_, exported, _) = project.dyno(&["history", "export"]);
    assert_eq!(exported.lines().count(), 3);
    let copy = Project::new("history-copy");
    copy.0.file("all.jsonl", &exported);
    let (code, _, error) = copy.dyno(&["history", "import", "all.jsonl"]);
    assert_eq!(code, Some(0), "{error}");
    assert_eq!(copy.dyno(&["history", "export"]).1, exported);

    let (code, _, error) = project.dyno(&["history", "prune", "--keep-runs", "1"]);
    assert_eq!(code, Some(0), "{error}");
    let (_, shown, _) = project.dyno(&["history", "show", &id(2)]);
    assert!(shown.contains("details have been pruned"), "{shown}");
}

#[test]
fn mistakes_are_named() {
    let project = Project::new("history-mistakes");
    project.0.file("text.json", "no JSON\n");
    project.0.file("old.json", "{\"schema\": 1, \"version\": \"0.1.0\"}\n");
    for (words, message) in [
        (&["history", "import", "text.json"][..], "text.json:1: not an exported run"),
        (&["history", "import", "old.json"], "it has no \"kind\""),
        (&["history", "import", "missing.json"], "missing.json"),
        (&["history", "show", "0000"], "no run 0000"),
        (&["history", "trend", "elo"], "no run has a figure elo"),
    ] {
        let (code, _, error) = project.dyno(words);
        assert_eq!(code, Some(2), "{words:?}: {error}");
        assert!(error.contains(message), "{words:?}: {error}");
    }
}

/// Every kind of run, as quick as it can be.
const RUNS: &[(&str, &str)] = &[
    ("check", "check --only startup.handshake"),
    ("perft suite", "perft --suite standard --max-nodes 500"),
    ("perft engine", "perft 2 --engine builtin"),
    ("suite", "suite two.epd --nodes 100"),
    ("mate", "mate mate-in-1 --limit 2"),
    ("puzzles run", "puzzles run puzzles.csv --nodes 100"),
    ("bench", "bench --depth 2 --limit 2"),
    (
        "match",
        "match -engine cmd=builtin name=A -engine cmd=builtin name=B -each depth=1 -rounds 1 -maxmoves 3",
    ),
    ("regress", "regress --quiet"),
];

#[test]
fn every_run_is_recorded_after_its_result_and_only_where_wanted() {
    let project = Project::new("history-recorded");
    project.0.file("dyno.toml", "[engine]\ncommand = \"builtin\"\n[bench]\ndepth = 2\n");
    project.0.file(
        "puzzles.csv",
        "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags\n\
         00001,6k1/5ppp/8/8/8/8/1r3PPP/3R2K1 b - - 0 1,b2a2 d1d8,600,80,90,100,mate,https://x,\n",
    );
    for (kind, words) in RUNS {
        let words: Vec<&str> = words.split(' ').collect();
        let (code, _, error) = project.dyno(&words);
        assert!(matches!(code, Some(0 | 1)), "{kind}: {code:?} {error}");
        let unwanted: Vec<&str> = words.iter().copied().chain(["--no-history"]).collect();
        project.dyno(&unwanted);
    }
    let (_, listed, _) = project.dyno(&["history", "--json", "--limit", "0"]);
    let runs: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let mut kinds: Vec<&str> =
        runs.as_array().unwrap().iter().map(|run| run["kind"].as_str().unwrap()).collect();
    kinds.reverse();
    let wanted: Vec<&str> = RUNS.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, wanted);
    assert!(runs[0]["machine"]["cores"].as_u64().unwrap() > 0);
    assert_eq!(project.0.read(".dyno/.gitignore"), "*\n");
    let bench = runs.as_array().unwrap().iter().find(|run| run["kind"] == "bench").unwrap();
    assert!(bench["builds"][0]["build"]["signature"].as_u64().unwrap() > 0, "{bench}");
    assert!(!bench["builds"][0]["build"]["file_hash"].as_str().unwrap().is_empty());
    // The battery that was recorded is what the next one is held against.
    let (code, _, error) = project.dyno(&["regress", "--baseline", "last-pass"]);
    assert_eq!(code, Some(0), "{error}");
    assert!(error.contains("held against run"), "{error}");
    let (code, _, error) = project.dyno(&["regress", "--baseline", "v9"]);
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("no battery of that commit"), "{error}");
}

#[test]
fn a_broken_or_newer_history_is_one_warning() {
    let project = Project::new("history-broken");
    let words = ["suite", "two.epd", "--nodes", "100", "--quiet"];
    std::fs::create_dir_all(project.0.0.join(".dyno")).unwrap();
    project.0.file(".dyno/history.db", "this is not a database, but long enough to be read as one");
    let (code, _, error) = project.dyno(&words);
    assert_eq!(code, Some(0), "{error}");
    assert_eq!(error.matches("this run is not in the history").count(), 1, "{error}");
    std::fs::remove_file(project.0.0.join(".dyno/history.db")).unwrap();
    std::fs::create_dir(project.0.0.join(".dyno/history.db")).unwrap();
    let (code, _, error) = project.dyno(&words);
    assert_eq!(code, Some(0), "{error}");
    assert!(error.contains("this run is not in the history"), "{error}");
}
