//! `dyno annotate` from end to end.

#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::Folder;
use dyno_formats::pgn::PgnReader;
use dyno_testkit::scripted;
use std::process::Command;

/// White hangs the queen, Black misses taking it, White mates; then a game that is not one.
const GAMES: &str = "[Event \"t\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n\
    1. e4 {mine} e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n\n\
    [Event \"t\"]\n[White \"B\"]\n[Black \"A\"]\n[Result \"0-1\"]\n\n\
    1. f3 e5 2. g4 Qh4# 0-1\n\n\
    [Event \"bad\"]\n[White \"C\"]\n[Black \"D\"]\n[Result \"1-0\"]\n\n1. e5 Ke7 1-0\n\n";

fn annotate(folder: &Folder, line: &str) -> (String, String, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_dyno"))
        .arg("annotate")
        .args(line.split_whitespace())
        .current_dir(&folder.0)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code())
}

#[test]
fn evaluations_blunders_and_agreement() {
    let folder = Folder::new("annotate");
    folder.file("games.pgn", GAMES);
    let (out, err, code) =
        annotate(&folder, "games.pgn --engine builtin --depth 5 --concurrency 2 -o out.pgn --json");
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(err.contains("games.pgn"), "the bad game is named: {err}");
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&json["games"], &json["bad_games"]), (&2.into(), &1.into()), "{out}");
    assert_eq!(json["players"][1]["name"], "B");
    // 3... Nf6 allows mate, and so does 2. g4.
    assert_eq!(json["players"][1]["blunders"], 2, "{out}");
    assert_eq!(json["slips"].as_array().unwrap().len(), 2, "{out}");
    let text = folder.read("out.pgn");
    let games: Vec<_> =
        PgnReader::new(text.as_bytes()).collect::<Result<Vec<_>, _>>().expect("readable PGN");
    assert_eq!(games.len(), 2);
    let first = &games[0].line.moves;
    assert_eq!(first[0].comments.last().unwrap(), "mine", "what was there stays: {text}");
    assert!(first[0].comments[0].starts_with("[%eval "), "{text}");
    assert_eq!(first[5].nags, [4], "{text}");
    assert!(first[5].comments.iter().any(|c| c.contains("[%eval #1]")), "{text}");
    assert!(first[6].comments.is_empty(), "mate needs no evaluation: {text}");
}

#[test]
fn failures_are_told() {
    let folder = Folder::new("annotate-faults");
    folder.file("games.pgn", GAMES);
    let engine = scripted::binary().display();
    let crashing = format!("games.pgn --engine {engine}@crash --depth 1");
    let (.., code) = annotate(&folder, &crashing);
    assert_eq!(code, Some(3), "no such program");
    let script = format!("#!/bin/sh\nexec '{engine}' crash@2\n");
    let path = folder.file("crashes", script);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let (out, err, code) = annotate(&folder, "games.pgn --engine ./crashes --depth 1 --json");
        assert_eq!(code, Some(3), "{out}{err}");
        let json: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(json["games"], 2, "a crash costs an evaluation, not the game: {out}");
        assert!(json["crashes"].as_u64().unwrap() > 0, "{out}");
    }
    let _ = path;
    for (line, wanted) in [
        ("games.pgn -o games.pgn", "another file"),
        ("games.pgn -o - --json", "standard output"),
        ("nope.pgn", "nope.pgn"),
        ("empty.pgn --depth 1", "no game in it"),
    ] {
        folder.file("empty.pgn", "");
        let (out, err, code) = annotate(&folder, line);
        assert_eq!(code, Some(2), "{line}: {out}{err}");
        assert!(err.contains(wanted), "{line}: {err}");
    }
}
