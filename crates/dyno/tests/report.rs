//! `dyno report`: what is made again is what the run itself wrote.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::Folder;
use dyno_testkit::scripted;
use std::process::Command;

fn dyno(folder: &Folder, args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_dyno"))
        .current_dir(&folder.0)
        .args(args)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

const EPD: &str = "\
6k1/5ppp/8/8/8/8/8/K2R4 w - - bm Rd8#; dm 1; id \"one\";
7k/8/6K1/8/8/8/8/R7 w - - bm Ra8#; dm 1; id \"two\";
";

#[test]
fn pages_and_rows_of_positions_come_again() {
    let folder = Folder::new("report-positions");
    folder.file("t.epd", EPD);
    let engine = scripted::command(&[]);
    for command in ["suite", "mate"] {
        let (code, _, err) = dyno(
            &folder,
            &[
                command,
                "--engine",
                &engine,
                "--epd",
                "t.epd",
                "--depth",
                "1",
                "--report",
                "a.csv",
                "--report-json",
                "a.json",
                "--report-html",
                "a.html",
            ],
        );
        assert_eq!(code, 0, "{command}: {err}");
        let (code, _, err) =
            dyno(&folder, &["report", "a.json", "--csv", "b.csv", "--html", "b.html"]);
        assert_eq!(code, 0, "{command}: {err}");
        assert_eq!(folder.read("a.csv"), folder.read("b.csv"), "{command}");
        assert!(folder.read("a.html") == folder.read("b.html"), "{command}: the pages differ");
        let (code, xml, err) = dyno(&folder, &["report", "a.json", "--junit", "-"]);
        assert!(code == 0 && xml.contains("name=\"one\""), "{command}: {xml}{err}");
    }
}

#[test]
fn a_match_and_a_bench_come_again() {
    let folder = Folder::new("report-match");
    let cmd = format!("cmd={}", scripted::command(&[]));
    let (code, json, err) = dyno(
        &folder,
        &[
            "match",
            "-engine",
            &cmd,
            "name=a",
            "-engine",
            &cmd,
            "name=b",
            "-each",
            "depth=1",
            "-games",
            "2",
            "-maxmoves",
            "5",
            "--report-html",
            "a.html",
            "--json",
        ],
    );
    assert_eq!(code, 0, "{err}");
    folder.file("match.json", json);
    let (code, text, err) =
        dyno(&folder, &["report", "match.json", "--html", "b.html", "--csv", "-"]);
    assert_eq!(code, 0, "{err}");
    assert!(folder.read("a.html") == folder.read("b.html"), "the pages differ");
    assert!(text.starts_with("rank,engine,games") && text.lines().count() == 3, "{text}");
    let (code, _, err) = dyno(&folder, &["report", "match.json", "--junit", "x.xml"]);
    assert_eq!(code, 2);
    assert!(err.contains("a result of dyno match has no junit report"), "{err}");

    let engine = scripted::command(&[]);
    folder.file("t.epd", EPD);
    let (code, json, err) = dyno(
        &folder,
        &[
            "bench",
            "--engine",
            &engine,
            "--epd",
            "t.epd",
            "--depth",
            "1",
            "--report-html",
            "c.html",
            "--json",
        ],
    );
    assert_eq!(code, 0, "{err}");
    folder.file("bench.json", json);
    let (code, _, err) = dyno(&folder, &["report", "bench.json", "--html", "d.html"]);
    assert_eq!(code, 0, "{err}");
    assert!(folder.read("c.html") == folder.read("d.html"), "the pages differ");
}

#[test]
fn a_card_and_counts_come_again() {
    let folder = Folder::new("report-card");
    let engine = scripted::command(&[]);
    let (_, _, err) = dyno(
        &folder,
        &[
            "check",
            "--engine",
            &engine,
            "--only",
            "startup",
            "--report-json",
            "a.json",
            "--report-html",
            "a.html",
            "--junit",
            "a.xml",
            "--quiet",
        ],
    );
    let (code, _, again) =
        dyno(&folder, &["report", "a.json", "--html", "b.html", "--junit", "b.xml"]);
    assert_eq!(code, 0, "{err}{again}");
    assert!(folder.read("a.html") == folder.read("b.html"), "the pages differ");
    assert_eq!(folder.read("a.xml"), folder.read("b.xml"));

    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 401\n";
    folder.file("counts.epd", start);
    let (code, json, _) = dyno(&folder, &["perft", "--suite", "counts.epd", "--json"]);
    assert_eq!(code, 1);
    folder.file("counts.json", json);
    let (code, csv, err) = dyno(&folder, &["report", "counts.json", "--csv", "-"]);
    assert_eq!(code, 0, "{err}");
    assert!(csv.contains(",2,401,400,false,"), "{csv}");
    let (code, _, err) = dyno(&folder, &["report", "counts.json", "--html", "x.html"]);
    assert_eq!(code, 0, "{err}");
    assert!(folder.read("x.html").contains("401"), "a page with the counts");
}

#[test]
fn what_is_not_a_result_is_refused() {
    let folder = Folder::new("report-refused");
    for (name, text, words) in [
        ("a.json", "{}", "no \"kind\""),
        ("b.json", "nonsense", "not a saved result"),
        ("c.json", "{\"schema\":99,\"kind\":\"suite\"}", "later version"),
        ("d.json", "{\"schema\":2,\"kind\":\"mate solve\"}", "dyno mate solve has no reports"),
    ] {
        folder.file(name, text);
        let (code, _, err) = dyno(&folder, &["report", name, "--csv", "-"]);
        assert_eq!(code, 2, "{name}: {err}");
        assert!(err.contains(words) && err.contains(name), "{name}: {err}");
    }
    let (code, _, err) = dyno(&folder, &["report", "a.json"]);
    assert!(code == 2 && err.contains("nothing to write"), "{err}");
}
