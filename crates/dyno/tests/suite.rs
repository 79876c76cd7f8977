//! `dyno suite` from the outside, with the scripted engine in every role.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::Folder;
use dyno_testkit::scripted;
#[cfg(unix)]
use std::path::Path;
use std::process::{Command, Output, Stdio};
#[cfg(unix)]
use std::time::{Duration, Instant};

fn dyno(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dyno"));
    command.arg("suite").args(args).stdin(Stdio::null());
    command
}

fn run(args: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = dyno(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

/// Positions after 1.e4, 1.d4 and so on: as many as wanted up to twenty.
fn positions(count: usize) -> String {
    let start = dyno_chess::Position::startpos();
    let moves = start.legal_moves();
    moves
        .iter()
        .take(count)
        .enumerate()
        .map(|(n, mv)| {
            let epd = start.play(*mv).epd();
            format!("{epd} bm e5; id \"T.{:03}\";\n", n + 1)
        })
        .collect()
}

/// An engine that answers every one of these lines (`position = move`).
fn book_engine(folder: &Folder, lines: &str) -> String {
    let book = folder.file("book.txt", lines);
    scripted::command(&[&format!("book={book}")])
}

const MATE: &str = "6k1/5ppp/8/8/8/8/8/K2R4 w - -";
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

#[test]
fn scoring_by_the_rules() {
    let folder = Folder::new("suite-scoring");
    let engine = book_engine(&folder, &format!("{MATE} = d1d8\n{START} = e2e4\n"));
    let epd = folder.file(
        "rules.epd",
        format!(
            "{START} bm e4; id \"right\";\n\
             {START} bm Nf3 d4; id \"wrong\";\n\
             {START} bm e4; am e4; id \"both\";\n\
             {START} am e4; id \"avoid\";\n\
             {START} id \"none\";\n\
             {MATE} dm 1; id \"mate\";\n\
             {MATE} dm 1; bm Kb1; id \"move before mate\";\n\
             {START} bm d4; c0 \"d4=10, e4=7, e4=3\"; id \"points\";\n\
             {START} id \"lists\"; c7 \"Nf3 e4\"; c8 \"10 4\"; c9 \"g1f3 e2e4\";\n"
        ),
    );
    let (code, csv, summary) = run(&["--engine", &engine, "--epd", &epd, "--depth", "1"]);
    assert_eq!(code, 0, "{summary}");
    let verdicts: Vec<(&str, &str)> = csv
        .lines()
        .skip(1)
        .map(|row| {
            let mut cells = row.split(',');
            (cells.next().unwrap(), cells.nth(1).unwrap())
        })
        .collect();
    assert_eq!(
        verdicts,
        [
            ("right", "true"),
            ("wrong", "false"),
            ("both", "false"),
            ("avoid", ""),
            ("none", ""),
            ("mate", "true"),
            ("move before mate", "false"),
            ("points", "false"),
            ("lists", "false"),
        ]
    );
    assert!(summary.contains("Correct 2 / 7 (28.6%)"), "{summary}");
    assert!(summary.contains("Points  11 / 20 (55.0%)"), "{summary}");
    assert!(
        summary.contains("2 not scored (no solution; 1 of them with only moves to avoid"),
        "{summary}"
    );
    let (_, _, summary) = run(&["--engine", &engine, "--epd", &epd, "--depth", "1", "--score-am"]);
    assert!(summary.contains("Correct 2 / 8 "), "{summary}");
    let (_, _, summary) = run(&["--engine", &engine, "--epd", &epd, "--depth", "1", "--strict"]);
    assert!(summary.contains("Correct 2 / 9 "), "{summary}");
}

#[test]
fn strict_wants_the_exact_text() {
    let folder = Folder::new("suite-strict");
    let epd = folder.file("one.epd", format!("{MATE} bm Rd8#; id \"m\";\n"));
    let engine = scripted::command(&[
        "capitals",
        &format!("book={}", folder.file("b", format!("{MATE} = d1d8\n"))),
    ]);
    let (_, csv, summary) = run(&["--engine", &engine, "--epd", &epd, "--nodes", "1"]);
    assert!(
        summary.contains("Correct 1 / 1 (100.0%)") && csv.contains(",d1d8,d1d8,"),
        "{summary}{csv}"
    );
    let (_, csv, summary) = run(&["--engine", &engine, "--epd", &epd, "--nodes", "1", "--strict"]);
    assert!(
        summary.contains("Correct 0 / 1 (0.0%)") && csv.contains(",D1D8,d1d8,"),
        "{summary}{csv}"
    );
}

#[test]
fn bad_lines_are_listed_and_the_rest_runs() {
    let folder = Folder::new("suite-defects");
    let mut text =
        format!("\u{feff}# comment\r\n; another\r\n\r\n{START} bm e4; id \"ok\";\r\n").into_bytes();
    text.extend(format!("{START} bm Qh9; id \"no move\";\n").bytes());
    text.extend(format!("{START} bm e5; id \"illegal\";\n").bytes());
    text.extend(b"8/8/8/8/8/8/8/8 w - - bm e4;\n");
    text.extend(b"rubbish \xff\xfe\x00 line\n");
    text.extend(
        format!("{START} bm e4 d4 id \"no semicolon, caf\u{e9}\"\n").chars().map(|c| c as u8),
    );
    let epd = folder.file("bad.epd", text);
    let engine = scripted::command(&[]);
    let (code, csv, told) = run(&["--engine", &engine, "--epd", &epd, "--depth", "1"]);
    assert_eq!(code, 0, "{told}");
    assert_eq!(csv.lines().count(), 3, "{csv}");
    for part in [
        "bad.epd:5 (no move): skipped: bm: not a move: \"Qh9\"",
        "bad.epd:6 (illegal): skipped: bm: not legal in the position: \"e5\"",
        "bad.epd:7: skipped:",
        "bad.epd:8: skipped:",
        "4 lines of the suite could not be used",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
}

/// A field that does not matter costs itself, not the position.
#[test]
fn one_bad_field_does_not_discard_a_position() {
    let folder = Folder::new("suite-fields");
    let lines = [
        "bm e4; id \"url\"; c0 \"http://x.org/topic_show.pl?tid=18253\";",
        "bm e4; id \"typo\"; c0 \"e4=10, d44=3\";",
        "bm e4; id \"avoid\"; am Qh5;",
        "bm e4; id \"ambiguous\"; am Nc3 N3;",
        "bm e4; id \"clock\"; hmvc x;",
        "bm e4 +; id \"sign\"; \"a string\";",
    ];
    let text: String = lines.iter().map(|line| format!("{START} {line}\n")).collect();
    let odds = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w KQkq - bm e4; id \"odds\";\n";
    let epd = folder.file("fields.epd", text + odds);
    let engine = scripted::command(&[]);
    let (code, csv, told) = run(&["--engine", &engine, "--epd", &epd, "--depth", "1"]);
    assert_eq!((code, csv.lines().count()), (0, 7), "{told}");
    for part in [
        "fields.epd:2 (typo): ignored: c0: not a move: \"d44\"",
        "fields.epd:3 (avoid): ignored: am: not legal in the position: \"Qh5\"",
        "fields.epd:4 (ambiguous): ignored: am:",
        "fields.epd:5 (clock): ignored: hmvc: not a number: \"x\"",
        "fields.epd:7: skipped: castling right 'Q': White has no such rook",
        "1 line of the suite could not be used",
        "4 parts of lines ignored; the positions count.",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
    assert!(!told.contains("fields.epd:1"), "{told}");
    let (_, csv, told) = run(&["--engine", &engine, "--epd", &epd, "--depth", "1", "--repair"]);
    assert_eq!(csv.lines().count(), 8, "{told}");
    assert!(told.contains("fields.epd:7 (odds): ignored: castling: castling right 'Q'"), "{told}");
}

#[test]
fn an_estimate_from_sts_or_why_there_is_none() {
    let folder = Folder::new("suite-sts");
    let engine = scripted::command(&[]);
    let told = |name: &str, line: &str, count: usize| {
        let lines =
            (0..count).map(|n| format!("{START} bm e4; {}\n", line.replace('N', &n.to_string())));
        let epd = folder.file(name, lines.collect::<String>());
        run(&["--engine", &engine, "--epd", &epd, "--depth", "1", "--quiet"]).2
    };
    let few = told("few.epd", "id \"Undermine.N\"; c0 \"e4=10, d4=3\";", 5);
    assert!(few.contains("No STS rating estimate: 5 of the 1,500 positions are too few"), "{few}");
    let bare = told("bare.epd", "id \"STS: King Activity.N\";", 5);
    assert!(bare.contains("No STS rating estimate: 5 of the 5 positions give no points"), "{bare}");
    let none = told("other.epd", "id \"mine.N\";", 5);
    assert!(!none.contains("STS"), "{none}");
    let whole = told("whole.epd", "id \"STS(v2.2) Open Files.N\"; c0 \"e4=10\";", 1000);
    assert!(whole.contains("STS rating estimate: "), "{whole}");
}

#[test]
fn concurrency_changes_nothing() {
    let folder = Folder::new("suite-concurrency");
    let epd = folder.file("t.epd", positions(20));
    let engine = scripted::command(&["infos=3"]);
    let rows = |concurrency: &str| {
        let (code, csv, _) = run(&[
            "--engine",
            &engine,
            "--epd",
            &epd,
            "--depth",
            "3",
            "--concurrency",
            concurrency,
        ]);
        assert_eq!(code, 0);
        // Times differ; everything else must not.
        csv.lines()
            .map(|row| {
                let cells: Vec<&str> = row.split(',').collect();
                [&cells[..6], &cells[7..16], &cells[17..]].concat().join(",")
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(rows("1"), rows("5"));
}

#[test]
fn a_crash_is_a_result_and_the_engine_starts_anew() {
    let folder = Folder::new("suite-crash");
    let epd = folder.file("t.epd", positions(6));
    let report = folder.path("r.csv");
    for (fault, status) in [
        ("crash@3", "crash"),
        ("exit=1@3", "crash"),
        ("hang@3", "timeout"),
        ("close-stdout@3", "crash"),
    ] {
        let engine = scripted::command(&[fault]);
        let (code, out, told) = run(&[
            "--engine",
            &engine,
            "--epd",
            &epd,
            "--depth",
            "1",
            "--timeout",
            "0.5",
            "--report",
            &report,
        ]);
        assert_eq!(code, 3, "{fault}: {out}{told}");
        let statuses: Vec<String> = folder
            .read("r.csv")
            .lines()
            .skip(1)
            .map(|row| row.split(',').nth(12).unwrap().to_owned())
            .collect();
        // The third search of each process fails: positions 3 and 6.
        let mut expected = ["answered"; 6];
        (expected[2], expected[5]) = (status, status);
        assert_eq!(statuses, expected, "{fault}");
        assert!(out.contains("of 6 misses") || out.contains("Misses"), "{out}");
    }
    for (fault, status) in
        [("illegal-move", "illegal"), ("null-move", "no_move"), ("empty-move", "no_move")]
    {
        let engine = scripted::command(&[fault]);
        let (code, csv, _) = run(&["--engine", &engine, "--epd", &epd, "--depth", "1"]);
        assert_eq!(code, 0);
        assert!(
            csv.lines()
                .skip(1)
                .all(|row| row.contains(",false,") && row.contains(&format!(",{status},"))),
            "{csv}"
        );
    }
}

#[test]
fn exit_codes() {
    let folder = Folder::new("suite-codes");
    let epd = folder.file("t.epd", positions(2));
    let good = scripted::command(&[]);
    let code = |args: &[&str]| {
        let (code, _, told) = run(args);
        (code, told)
    };
    let (bar, told) =
        code(&["--engine", &good, "--epd", &epd, "--depth", "1", "--min-score", "100"]);
    assert_eq!(bar, 1, "{told}");
    assert!(told.contains("below --min-score 100"), "{told}");
    assert_eq!(code(&["--engine", &good, "--epd", &epd, "--depth", "1", "--min-score", "0"]).0, 0);
    let (missing, told) = code(&["--engine", &good, "--epd", "no-such-file.epd"]);
    assert_eq!(missing, 2);
    assert!(told.contains("no such file") && told.contains("wac"), "{told}");
    assert_eq!(code(&["--engine", &good, "--epd", &epd, "--depth", "1", "--nodes", "1"]).0, 2);
    assert_eq!(code(&["--engine", &good, "--epd", &epd, "--id", "nothing"]).0, 2);
    assert_eq!(code(&["--engine", "no-such-engine", "--epd", &epd]).0, 3);
    assert_eq!(code(&["--engine", &scripted::command(&["exit-at-start=1"]), "--epd", &epd]).0, 3);
    let (bad_option, told) = code(&["--engine", &good, "--epd", &epd, "--hash", "999999"]);
    assert_eq!(bad_option, 2, "{told}");
    let (unknown, told) =
        code(&["--engine", &good, "--epd", &epd, "--depth", "1", "--engine-option", "Hsah=3"]);
    assert_eq!(unknown, 0);
    assert!(told.contains("did you mean \"Hash\"?"), "{told}");
}

#[test]
fn several_engines_suites_filters_and_order() {
    let folder = Folder::new("suite-several");
    let epd = folder.file("t.epd", positions(20));
    let (a, b) = (scripted::command(&["name=A"]), scripted::command(&["name=B"]));
    let (code, csv, told) =
        run(&["--engine", &a, "--engine", &b, "--epd", &epd, "--depth", "1", "--limit", "3"]);
    assert_eq!(code, 0);
    let who: Vec<&str> = csv.lines().skip(1).map(|row| row.split(',').nth(9).unwrap()).collect();
    assert_eq!(who, ["A", "B", "A", "B", "A", "B"], "{told}");
    let ids = |args: &[&str]| {
        let all = [&["--engine", a.as_str(), "--epd", &epd, "--depth", "1"], args].concat();
        let (_, csv, _) = run(&all);
        csv.lines().skip(1).map(|row| row.split(',').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&["--id", "t.00", "--limit", "9"]).len(), 9);
    let shuffled = ids(&["--randomize", "--seed", "7"]);
    assert_eq!(shuffled, ids(&["--randomize", "--seed", "7", "--concurrency", "3"]));
    assert_ne!(shuffled, ids(&[]));
    assert_eq!(ids(&["--epd", "bk", "--theme", "BK"]).len(), 24);
}

#[test]
fn resuming_does_the_rest_and_no_more() {
    let folder = Folder::new("suite-resume");
    let epd = folder.file("t.epd", positions(20));
    let engine = scripted::command(&[]);
    let report = folder.path("r.csv");
    let args = ["--engine", &engine, "--epd", &epd, "--depth", "1", "--report", &report];
    assert_eq!(run(&args).0, 0);
    let whole = folder.read("r.csv");
    // Cut in the middle of a row, as a sudden end would.
    let cut = whole.match_indices('\n').nth(7).unwrap().0 + 30;
    std::fs::write(&report, &whole[..cut]).unwrap();
    let log = folder.path("log");
    let (code, out, told) = run(&[&args[..], &["--resume", "--log", &log]].concat());
    assert_eq!(code, 0, "{told}");
    assert!(out.contains(" / 20 "), "{out}");
    let ids = |text: &str| {
        text.lines().map(|r| r.split(',').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&folder.read("r.csv")), ids(&whole));
    assert_eq!(folder.read("log").matches("> go depth 1").count(), 20 - 7);
    let (code, _, told) =
        run(&["--engine", &engine, "--epd", &epd, "--depth", "2", "--report", &report, "--resume"]);
    assert_eq!(code, 2);
    assert!(told.contains("row 2 was made with \"depth 1\""), "{told}");
    let other = folder.file("other.epd", positions(3));
    let (code, _, told) = run(&[
        "--engine", &engine, "--epd", &other, "--depth", "1", "--report", &report, "--resume",
    ]);
    assert_eq!(code, 2);
    assert!(told.contains("do not belong to this run"), "{told}");
}

#[test]
fn every_report_is_written() {
    let folder = Folder::new("suite-reports");
    let epd = folder.file("t.epd", positions(5));
    let engine = scripted::command(&["name=<b>Bold</b>"]);
    let (json, html, log) = (folder.path("r.json"), folder.path("r.html"), folder.path("log"));
    let (code, csv, _) = run(&[
        "--engine",
        &engine,
        "--epd",
        &epd,
        "--depth",
        "1",
        "--report-json",
        &json,
        "--report-html",
        &html,
        "--log",
        &log,
    ]);
    assert_eq!(code, 0);
    assert!(csv.starts_with("id,line_no,correct,engine_move,solutions,fen,time_ms,depth,nodes,"));
    let value: serde_json::Value = serde_json::from_str(&folder.read("r.json")).unwrap();
    assert_eq!(value["schema"], 2);
    assert_eq!(value["positions"].as_array().unwrap().len(), 5);
    assert_eq!(value["engines"][0]["totals"]["run"], 5);
    assert!(value["engines"][0]["engine"]["file_hash"].is_string());
    let page = folder.read("r.html");
    assert!(page.contains("<svg") && page.contains("&lt;b&gt;Bold") && !page.contains("<b>Bold"));
    let log = folder.read("log");
    assert!(log.lines().any(|l| l.ends_with(" > uci")) && log.contains(" < bestmove "), "{log}");
    let (code, out, _) = run(&["--engine", &engine, "--epd", &epd, "--depth", "1", "--json"]);
    assert_eq!(code, 0);
    assert!(serde_json::from_str::<serde_json::Value>(&out).is_ok());
}

#[test]
fn early_stop_ends_the_search() {
    let folder = Folder::new("suite-early");
    let epd = folder.file("t.epd", format!("{START} bm e4; id \"x\";\n"));
    let book = folder.file("b", format!("{START} = e2e4\n"));
    let engine = scripted::command(&[&format!("book={book}"), "infos=9"]);
    let log = folder.path("log");
    let (code, csv, _) = run(&[
        "--engine",
        &engine,
        "--epd",
        &epd,
        "--movetime",
        "9999",
        "--early-stop",
        "2",
        "--log",
        &log,
    ]);
    assert_eq!(code, 0);
    assert!(folder.read("log").contains(" > stop"), "{}", folder.read("log"));
    assert!(csv.contains(",true,e2e4,e2e4,"), "{csv}");
}

#[cfg(unix)]
fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    let patience = Instant::now() + Duration::from_secs(60);
    while !condition() {
        assert!(Instant::now() < patience, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(unix)]
fn signal(pid: u32, name: &str) {
    assert!(Command::new("kill").args([name, &pid.to_string()]).status().unwrap().success());
}

#[test]
#[cfg(unix)]
fn ctrl_c_writes_every_report() {
    let folder = Folder::new("suite-interrupt");
    let epd = folder.file("t.epd", positions(20));
    // The third position is never answered.
    let engine = scripted::command(&["hang@3"]);
    let (report, json, html) = (folder.path("r.csv"), folder.path("r.json"), folder.path("r.html"));
    let child = dyno(&[
        "--engine",
        &engine,
        "--epd",
        &epd,
        "--depth",
        "1",
        "--report",
        &report,
        "--report-json",
        &json,
        "--report-html",
        &html,
    ])
    .stdout(Stdio::piped())
    .stderr(Stdio::piped())
    .spawn()
    .unwrap();
    wait_for("two rows", || {
        Path::new(&report).is_file() && folder.read("r.csv").lines().count() == 3
    });
    signal(child.id(), "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(" / 2 ") && text.contains("Interrupted"), "{text}");
    let value: serde_json::Value = serde_json::from_str(&folder.read("r.json")).unwrap();
    assert_eq!(value["interrupted"], true);
    assert!(folder.read("r.html").contains("Interrupted"));
}

#[test]
#[cfg(target_os = "linux")]
fn engines_die_with_dyno_even_when_it_is_killed() {
    let folder = Folder::new("suite-killed");
    let epd = folder.file("t.epd", positions(3));
    let log = folder.path("log");
    // It does not listen, does not mind the end of its input, and has started a child.
    let engine = scripted::command(&["spawn-child", "hang"]);
    let mut child = dyno(&["--engine", &engine, "--epd", &epd, "--depth", "1", "--log", &log])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for("a search", || {
        Path::new(&log).is_file() && folder.read("log").contains("> go depth 1")
    });
    let text = folder.read("log");
    let grandchild: u32 = text
        .split("scripted: child ")
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .parse()
        .unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{grandchild}/stat")).unwrap();
    let engine_pid: u32 =
        stat.rsplit(')').next().unwrap().split_whitespace().nth(1).unwrap().parse().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let gone = |pid: u32| {
        std::fs::read_to_string(format!("/proc/{pid}/stat"))
            .map_or(true, |stat| stat.contains(") Z "))
    };
    wait_for("the engine's end", || gone(engine_pid));
    wait_for("the end of what it started", || gone(grandchild));
}
