//! `dyno tune` from end to end, on an engine whose best setting is known.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::Folder;
use dyno_chess::Position;
use std::io::Write as _;
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
    for kills in 1..=20 {
        while games("cut.journal") < 11 * kills && running.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        running.kill().unwrap();
        running.wait().unwrap();
        let resume = format!("--resume cut.journal --no-verify -concurrency {}", 1 + kills % 3);
        running = tune(&folder, &resume).stderr(Stdio::null()).spawn().unwrap();
    }
    running.kill().unwrap();
    running.wait().unwrap();
    let last =
        tune(&folder, "--resume cut.journal --no-verify --out-csv cut.csv").output().unwrap();
    assert!(last.status.success(), "{}", said(&last));
    assert_eq!(folder.read("cut.csv"), folder.read("whole.csv"));
}

/// A proof that was killed is not lost with its tuning: it goes on to the same verdict.
#[test]
fn a_killed_proof_goes_on() {
    let folder = Folder::new("tune-proof-killed");
    let words = |name: &str| {
        let engine = engine(&folder);
        format!("{engine} --param Care=0..100 --pairs 40 --journal {name}.journal")
    };
    let whole = tune(&folder, &format!("{} --report-json whole.json", words("whole"))).output();
    let code = whole.unwrap().status.code();
    let mut running = tune(&folder, &words("cut")).stderr(Stdio::null()).spawn().unwrap();
    let proof = || std::fs::read_to_string(folder.path("cut.proof.journal")).unwrap_or_default();
    while proof().lines().count() < 5 && running.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    running.kill().unwrap();
    running.wait().unwrap();
    let last = tune(&folder, "--resume cut.journal --report-json cut.json").output().unwrap();
    assert_eq!(last.status.code(), code, "{}", said(&last));
    let proof = |file: &str| {
        let result: serde_json::Value = serde_json::from_str(&folder.read(file)).unwrap();
        assert!(result["proof"]["tally"].is_object(), "{file}: {}", result["proof"]);
        result["proof"].clone()
    };
    assert_eq!(proof("cut.json"), proof("whole.json"));
    assert!(folder.read("cut.journal").contains("\"options\":{\"white\":[[\"Care\","));
}

/// The program in quotes, for a command line: its path may hold spaces.
const PISTON: &str = concat!("\"", env!("CARGO_BIN_EXE_dyno"), "\"");

fn texel(folder: &Folder, engine: &str, words: &str) -> Output {
    let words = ["texel", "--engine", engine].into_iter().chain(words.split_whitespace());
    let mut command = Command::new(env!("CARGO_BIN_EXE_dyno"));
    command.current_dir(&folder.0).arg("tune").args(words).stdin(Stdio::null()).output().unwrap()
}

/// Positions of random games, each with the score that Piston's own evaluation expects.
fn labelled_positions() -> String {
    let mut chosen = 1u64;
    let mut choose = |of: usize| {
        chosen =
            chosen.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (chosen >> 33) as usize % of
    };
    let mut fens = Vec::new();
    while fens.len() < 600 {
        let mut position = Position::startpos();
        for _ in 0..12 + choose(60) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position = position.play(moves[choose(moves.len())]);
        }
        if !position.is_check() && position.has_legal_move() {
            fens.push(position.fen());
        }
    }
    let mut piston = Command::new(env!("CARGO_BIN_EXE_dyno"))
        .arg("engine")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let asked: String = fens.iter().map(|fen| format!("position fen {fen}\neval\n")).collect();
    let mut input = piston.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(asked.as_bytes()));
    let said = String::from_utf8(piston.wait_with_output().unwrap().stdout).unwrap();
    writer.join().unwrap().unwrap();
    let evals = said.lines().filter_map(|line| {
        line.strip_prefix("Evaluation: ")?.split(' ').next()?.parse::<f64>().ok()
    });
    let line = |(fen, pawns): (&String, f64)| {
        format!("{fen} [{:.6}]\n", 1.0 / (1.0 + 10f64.powf(-pawns / 4.0)))
    };
    fens.iter().zip(evals).map(line).collect()
}

/// Every value of the result is within 5 % of the shipped one.
fn assert_fitted(folder: &Folder, shipped: &[f64], text: &str) {
    let result: serde_json::Value = serde_json::from_str(&folder.read("r.json")).unwrap();
    for (i, shipped) in shipped.iter().enumerate() {
        let found = result["parameters"][i]["value"].as_f64().unwrap();
        assert!((found - shipped).abs() <= 0.05 * shipped, "{found} {shipped}: {text}");
    }
}

#[test]
fn spoiled_material_values_are_fitted_back() {
    let folder = Folder::new("texel-material");
    folder.file("quiet.epd", labelled_positions());
    let engine = format!("{PISTON} engine --tunable");
    let output = texel(
        &folder,
        &engine,
        "--positions quiet.epd --param material_knight_eg=200@0..600 \
         --param material_rook_mg=400@0..480 --param material_queen_eg=500@0..1500 \
         --report-json r.json --report-html r.html --out-toml fitted.toml --out-csv fitted.csv",
    );
    let text = said(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert_fitted(&folder, &[302.0, 240.0, 793.0], &text);
    assert!(text.contains("setoption name material_rook_mg value "), "{text}");
    assert!(folder.read("r.html").contains("held out the values are better"));
    assert_eq!(folder.read("fitted.csv").lines().count(), 4);
    assert!(folder.read("fitted.toml").contains("name = \"material_queen_eg\""));
}

/// Values that stand in for one another: what a knight is worth in both phases, and the pieces that it
/// is exchanged for.
#[test]
fn four_entangled_values_are_fitted_back() {
    let folder = Folder::new("texel-entangled");
    folder.file("quiet.epd", labelled_positions());
    let engine = format!("{PISTON} engine --tunable");
    let output = texel(
        &folder,
        &engine,
        "--positions quiet.epd --param material_knight_eg=200@0..600 \
         --param material_knight_mg=100@0..300 --param material_rook_eg=300@0..1100 \
         --param material_bishop_eg=200@0..690 --report-json r.json",
    );
    let text = said(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert_fitted(&folder, &[302.0, 157.0, 584.0, 345.0], &text);
}

#[test]
fn what_cannot_be_fitted_is_said_before_any_work() {
    let folder = Folder::new("texel-mistakes");
    let position = "4k3/8/8/8/8/8/4P3/3QK3 w - - 0 1";
    folder.file("few.epd", format!("{position} [1.0]\n{position}\n"));
    folder.file("many.epd", format!("{position} [1.0]\n").repeat(200));
    let tunable = dyno_testkit::tunable::command();
    let piston = format!("{PISTON} engine");
    for (engine, words, code, message) in [
        (&tunable, "--positions many.epd --param Care=0..100", 3, "\"eval\""),
        (&tunable, "--positions many.epd --param Cart=0..100", 2, "no option Cart"),
        (&tunable, "--positions many.epd --param Care=500@0..100", 2, "starts at 500"),
        (&tunable, "--positions many.epd", 2, "no parameter to tune"),
        (&tunable, "--positions few.epd --param Care=0..100", 2, "1 usable positions"),
        (&tunable, "--positions none.epd --param Care=0..100", 2, "none.epd"),
        (&tunable, "--positions many.epd --param Care=0..100 --out-csv no/x.csv", 2, "no/x.csv"),
        (&tunable, "--param Care=0..100", 2, "see dyno tune texel --help"),
        (&piston, "--positions many.epd --params-from material*", 2, "spin options fits"),
    ] {
        let output = texel(&folder, engine, words);
        let text = said(&output);
        assert_eq!(output.status.code(), Some(code), "{words}: {text}");
        assert!(text.contains(message), "{words}: {text}");
    }
}

#[test]
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
        ("--param Care=0..100 -rounds 5", "--pairs says how long a tuning is"),
        ("--param Care=0..100 --report-html none/x.html", "cannot write none/x.html"),
        ("--param Care=0..100 --journal bad.txt", "bad.txt is there already"),
    ] {
        let output = tune(&folder, &format!("{engine} {words}")).output().unwrap();
        let text = said(&output);
        assert_eq!(output.status.code(), Some(2), "{words}: {text}");
        assert!(text.contains(message), "{words}: {text}");
    }
    let none = tune(&folder, "--resume missing.journal").output().unwrap();
    assert_eq!(none.status.code(), Some(2), "{}", said(&none));
}
