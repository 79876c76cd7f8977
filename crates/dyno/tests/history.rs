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
        let words =
            ["suite", "--epd", "two.epd", "--nodes", nodes, "--report-json", file, "--quiet"];
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
