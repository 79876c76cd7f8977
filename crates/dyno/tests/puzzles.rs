//! `dyno puzzles` from the outside.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]

mod common;

use common::Folder;
use dyno_testkit::scripted;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
#[cfg(unix)]
use std::time::{Duration, Instant};

fn names(folder: &Folder, below: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder.0.join(below)).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn dyno(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dyno"));
    command.arg("puzzles").args(args).stdin(Stdio::null());
    command
}

fn told(output: Output) -> (i32, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn run(args: &[&str]) -> (i32, String, String) {
    told(dyno(args).output().unwrap())
}

/// With these bytes on standard input.
fn fed(args: &[&str], input: &[u8]) -> (i32, String, String) {
    let mut command = dyno(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || pipe.write_all(&input));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    told(output)
}

const HEADER: &str = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,\
    OpeningTags,DailyDate";

/// A mate in 2, a mate in 1 with two mating moves, a fork, and three rows that are no puzzles.
fn database() -> String {
    let two = "q3k1nr/1pp1nQpp/3p4/1P2p3/4P3/B1PP1b2/B5PP/5K2 b k - 0 17";
    let one = "7k/p1p3pp/4N3/1p6/2q1r1n1/2B5/PP4PP/3R1R1K b - - 0 1";
    [
        HEADER.to_owned(),
        format!("two,{two},e8d7 a2e6 d7d8 f7f8,1760,80,83,72,mate mateIn5 short,url,,"),
        format!("\"one\",\"{one}\",\"h8g8 f1f8\",658,75,1,2,\"mate mateIn1\",url,,2024-01-01"),
        "fork,4k3/8/8/8/8/8/4q3/N3K2R w K - 0 1,e1e2 e8e7,900,1,1,1,crushing,url,,".to_owned(),
        "bad,9/8 w - - 0 1,e2e4 e7e5,1,1,1,1,mate,url,,".to_owned(),
        format!("odd,{two},e8d7 a2e6 d7d8,1,1,1,1,mate,url,,"),
        format!("none,{two},e8d7 a2e6,1,1,1,1,mate mateIn1,url,,"),
        format!(",{two},e8d7 a2e6 d7d8 f7f8,1500,80,83,72,mate mateIn2,url,,"),
    ]
    .join("\r\n")
}

const TWO: &str = "q5nr/1ppknQpp/3p4/1P2p3/4P3/B1PP1b2/B5PP/5K2 w - - bm Be6+; pv Be6+ Kd8 Qf8#; \
    dm 2;";
const ONE: &str = "6k1/p1p3pp/4N3/1p6/2q1r1n1/2B5/PP4PP/3R1R1K w - -";

#[test]
fn rows_become_epd_and_bad_ones_are_listed() {
    let folder = Folder::new("puzzles-convert");
    let csv = folder.file("db.csv", database());
    let (epd, rejects) = (folder.path("out.epd"), folder.path("rejects.csv"));
    let (code, out, err) = run(&["convert", &csv, "-o", &epd, "--rejects", &rejects]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("mate in 1: 1, mate in 2: 2"), "{out}");
    let text = folder.read("out.epd");
    let lines: Vec<&str> = text.lines().collect();
    let two =
        format!("{TWO} id \"two\"; c0 \"rating 1760\"; c1 \"mate mateIn5 short\"; c2 \"url\";");
    assert_eq!(lines[0], two);
    assert!(lines[1].starts_with(ONE) && lines[1].contains("dm 1; id \"one\""), "{text}");
    // A row without a name is named by its line.
    assert!(lines[2].contains("id \"line 8\";"), "{text}");
    let listed = folder.read("rejects.csv");
    let reasons: Vec<&str> =
        listed.lines().skip(1).map(|row| row.split(',').nth(1).unwrap()).collect();
    assert_eq!(reasons, ["bad FEN", "odd number of moves", "mate that is not a mate"], "{listed}");
}

#[test]
fn every_way_in_gives_the_same() {
    let folder = Folder::new("puzzles-inputs");
    let csv = database();
    let plain = folder.file("db.csv", &csv);
    let packed = zstd::encode_all(csv.as_bytes(), 3).unwrap();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(csv.as_bytes()).unwrap();
    let gz = gz.finish().unwrap();
    let expected = run(&["convert", &plain, "-o", "-", "-q"]).1;
    assert_eq!(expected.lines().count(), 3);
    for (name, bytes) in [("db.csv.zst", &packed), ("db.csv.gz", &gz)] {
        let file = folder.file(name, bytes);
        assert_eq!(run(&["convert", &file, "-o", "-", "-q"]).1, expected, "{name}");
        assert_eq!(fed(&["convert", "-", "-o", "-", "-q"], bytes).1, expected, "{name} piped");
    }
    assert_eq!(fed(&["convert", "-", "-o", "-", "-q"], csv.as_bytes()).1, expected);
    // Without the header the columns have their usual order.
    let headless = csv.split_once("\r\n").unwrap().1;
    let headless = fed(&["convert", "-", "-o", "-", "-q"], headless.as_bytes()).1;
    assert_eq!(headless, expected.replace("line 8", "line 7"));
    let (code, _, err) = fed(&["convert", "-", "-o", "-", "-q"], &packed[..packed.len() / 2]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("cannot read standard input"), "{err}");
    for (input, complaint) in [
        ("PuzzleId,Rating\nx,1\n", "no column \"FEN\""),
        ("", "no puzzle in it"),
        ("a,b,c\n1,2,3\n", "none of its 2 rows is a puzzle"),
    ] {
        let (code, _, err) = fed(&["convert", "-", "-o", "-"], input.as_bytes());
        assert!(code == 2 && err.contains(complaint), "{code} {err}");
    }
}

#[test]
fn a_folder_gets_a_file_a_depth_and_keeps_no_old_ones() {
    let folder = Folder::new("puzzles-folder");
    let csv = folder.file("db.csv", database());
    let out = folder.path("mates/");
    assert_eq!(run(&["convert", &csv, "-o", &out, "--all", "-q"]).0, 0);
    assert_eq!(names(&folder, "mates"), ["mate_in_1.epd", "mate_in_2.epd", "no_mate.epd"]);
    assert_eq!(folder.read("mates/mate_in_2.epd").lines().count(), 2);
    for (name, text) in [("mate_in_9.epd", "old"), ("mate_in_x.epd", "mine"), ("notes", "mine")] {
        folder.file(&format!("mates/{name}"), text);
    }
    // A file that is not a database costs nothing.
    let broken = folder.file("broken.csv", "PuzzleId,Rating\n");
    assert_eq!(run(&["convert", &broken, "-o", &out]).0, 2);
    assert_eq!(names(&folder, "mates").len(), 6);
    let (code, _, err) = run(&["convert", &csv, "-o", &out, "--themes", "mateIn1"]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(names(&folder, "mates"), ["mate_in_1.epd", "mate_in_x.epd", "notes"]);
    let removed = "removed from an earlier conversion: mate_in_2.epd, mate_in_9.epd, no_mate.epd";
    assert!(err.contains(removed), "{err}");
}

#[test]
fn rows_are_selected_by_rating_theme_and_number() {
    let folder = Folder::new("puzzles-select");
    let csv = folder.file("db.csv", database());
    let ids = |more: &[&str]| {
        let (code, out, err) = run(&[&["convert", &csv, "-o", "-", "-q"], more].concat());
        assert_eq!(code, 0, "{err}");
        let id = |line: &str| line.split("id \"").nth(1).unwrap().split('"').next().unwrap().into();
        out.lines().map(id).collect::<Vec<String>>()
    };
    assert_eq!(ids(&["--rating", "1500..1760"]), ["two", "line 8"]);
    assert_eq!(ids(&["--rating", "..700"]), ["one"]);
    assert_eq!(ids(&["--themes", "mateIn1,mateIn2"]), ["one", "line 8"]);
    assert_eq!(ids(&["--themes", "mate", "--themes", "short"]), ["two"]);
    assert_eq!(ids(&["--limit", "1"]), ["two"]);
    assert_eq!(ids(&["--all", "--rating", "900.."]), ["two", "fork", "line 8"]);
    let (code, _, err) = run(&["convert", &csv, "-o", "-", "--rating", "5"]);
    assert!(code == 2 && err.contains("1500..2000"), "{err}");
}

fn stockfish() -> Option<&'static str> {
    let path = "/usr/games/stockfish";
    let there = Path::new(path).exists();
    if !there {
        eprintln!("skipped: {path} is not installed");
    }
    there.then_some(path)
}

#[test]
fn all_mating_moves_by_ourselves_and_by_an_engine() {
    let folder = Folder::new("puzzles-keys");
    // Two rooks mate in three by many moves.
    let keys = "7k/p7/8/8/8/8/R7/1R4K1 b - - 0 1,a7a6 a2a6 h8g7 b1b7 g7f8 a6a8";
    let csv = format!("{}\nthree,{keys},1,1,1,1,mate,u,,\n", database());
    let csv = folder.file("db.csv", csv);
    let (code, own, err) = run(&["convert", &csv, "-o", "-", "-q"]);
    assert_eq!(code, 0, "{err}");
    let one = own.lines().find(|line| line.starts_with(ONE)).unwrap();
    let best = one.split("bm ").nth(1).unwrap().split(';').next().unwrap();
    let mut best: Vec<&str> = best.split(' ').collect();
    assert_eq!(best[0], "Rf8#", "the row's own move comes first");
    best.sort_unstable();
    assert_eq!(best, ["Rd8#", "Rf8#"]);
    let (code, all, err) = run(&["convert", &csv, "-o", "-", "-q", "--all-keys"]);
    assert_eq!(code, 0, "{err}");
    let three = all.lines().find(|line| line.contains("id \"three\"")).unwrap();
    let best = three.split("bm ").nth(1).unwrap().split(';').next().unwrap();
    assert!(best.split(' ').count() > 1, "{three}");
    if let Some(stockfish) = stockfish() {
        let args = ["convert", &csv, "-o", "-", "-q", "--stockfish", stockfish];
        assert_eq!(run(&args).1, own);
    }
    let (code, _, err) = run(&["convert", &csv, "-o", "-", "--stockfish", "no-such-engine"]);
    assert!(code == 3 && err.contains("no-such-engine"), "{err}");
    let single = scripted::command(&[]);
    let (code, _, err) = run(&["convert", &csv, "-o", "-", "--stockfish", &single]);
    assert!(code == 2 && err.contains("no option MultiPV"), "{code} {err}");
}

#[test]
fn an_engine_is_put_to_puzzles() {
    let folder = Folder::new("puzzles-run");
    let csv = folder.file("db.csv", database());
    // It finds the mate in 2 by the book and the other mate of the mate in 1, and misses the last.
    let book = folder.file(
        "book",
        format!(
            "{} = a2e6\nq2k2nr/1pp1nQpp/3pB3/1P2p3/4P3/B1PP1b2/6PP/5K2 w - - = f7f8\n{ONE} = d1d8\n\
             4k3/8/8/8/8/8/4K3/N6R b - - = e8d8\n",
            TWO.split(" bm").next().unwrap()
        ),
    );
    let engine = scripted::command(&[&format!("book={book}"), "name=Bookworm"]);
    let json = folder.path("r.json");
    let (rows, page) = (folder.path("r.csv"), folder.path("r.html"));
    let args = ["run", &csv, "--engine", &engine, "--depth", "1", "--report-json", &json];
    let reports = ["--report", &rows, "--report-html", &page];
    let (code, out, err) = run(&[&args[..], &reports[..]].concat());
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("solved 3 of 4 puzzles (75.0 %)"), "{out}");
    assert!(out.contains("performance rating"), "{out}");
    assert!(out.contains("fork (900): move 1: played"), "{out}");
    let report: serde_json::Value = serde_json::from_str(&folder.read("r.json")).unwrap();
    assert_eq!(report["by_rating"]["1600"]["solved"], 1);
    assert_eq!(report["by_theme"]["mateIn1"]["solved"], 1);
    assert_eq!(report["puzzles"].as_array().unwrap().len(), 4);
    let rows = folder.read("r.csv");
    assert!(rows.starts_with("id,line,rating,verdict,found,wrong,solution,fen,time_ms,"), "{rows}");
    assert_eq!(rows.lines().filter(|row| row.contains(",solved,")).count(), 3, "{rows}");
    let page = folder.read("r.html");
    assert!(page.contains("3 / 4") && page.contains("Misses (1)"), "{page}");
    let (code, out, err) = run(&[&args[..], &["--report", "-"]].concat());
    assert!(code == 0 && out.lines().count() == 5 && err.contains("solved 3 of 4"), "{out}{err}");
    let code = |more: &[&str]| run(&[&args[..], more].concat()).0;
    assert_eq!(code(&["--min-score", "80"]), 1);
    assert_eq!(code(&["--min-score", "70", "--concurrency", "3"]), 0);
    assert_eq!(code(&["--rating", "3000.."]), 2);
    let crashing = scripted::command(&["crash@2"]);
    let (code, out, _) = run(&["run", &csv, "--engine", &crashing, "--depth", "1"]);
    assert!(code == 3 && out.contains("the engine failed on"), "{out}");
}

const GAMES: &str = "[White \"Morphy\"]\n[Black \"Allies\"]\n[Event \"Opera\"]\n\n\
1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 \
10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 \
17. Rd8# 1-0\n\n[White \"Bad\"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qh8 1-0\n";

#[test]
fn suites_are_mined_from_games() {
    let folder = Folder::new("puzzles-mine");
    let pgn = folder.file("games.pgn", GAMES);
    let mined = folder.path("mined.epd");
    let (code, out, err) = run(&["mine", &pgn, "-o", &mined, "--mate", "2"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("mates              3  proved"), "{out}");
    assert!(err.contains("game 2, line 9: move 3.: \"Qh8\""), "{err}");
    let text = folder.read("mined.epd");
    let source = "id \"games.pgn:1.16w\"; c0 \"Morphy - Allies, Opera, move 16.\";";
    assert!(text.contains("bm Qb8+; pv Qb8+ Nxb8 Rd8#; dm 2;") && text.contains(source), "{text}");
    let single = scripted::command(&[]);
    let (code, _, err) = run(&["mine", &pgn, "-o", &mined, "--engine", &single]);
    assert!(code == 2 && err.contains("no option MultiPV"), "{code} {err}");
    assert_eq!(run(&["mine", &pgn, "-o", &mined, "--mate", "0"]).0, 2);
    let Some(stockfish) = stockfish() else { return };
    let tactics = ["mine", &pgn, "-o", "-", "--engine", stockfish, "--mate", "0", "--depth", "10"];
    let (code, out, err) = run(&tactics);
    assert_eq!(code, 0, "{err}");
    // The move before the end mates in 2: 32767 less three half-moves.
    let mate = out.lines().find(|line| line.contains("games.pgn:1.16w")).unwrap();
    assert!(mate.contains("bm Qb8+;") && mate.contains("ce 32764; acd 14;"), "{mate}");
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
#[test]
fn ctrl_c_keeps_what_is_done() {
    let folder = Folder::new("puzzles-interrupt");
    let csv = folder.file("db.csv", database());
    let (json, log) = (folder.path("r.json"), folder.path("log"));
    // The second puzzle is never answered.
    let engine = scripted::command(&["hang@2"]);
    let child = dyno(&["run", &csv, "--engine", &engine, "--depth", "1"])
        .args(["--report-json", &json, "--log", &log])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for("the second search", || {
        Path::new(&log).is_file() && folder.read("log").matches("> go depth 1").count() == 2
    });
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let (code, out, _) = told(child.wait_with_output().unwrap());
    assert_eq!(code, 130);
    assert!(out.contains("of 1 puzzles") && out.contains("interrupted"), "{out}");
    let report: serde_json::Value = serde_json::from_str(&folder.read("r.json")).unwrap();
    assert_eq!((&report["interrupted"], &report["total"]["tried"]), (&true.into(), &1.into()));
}
