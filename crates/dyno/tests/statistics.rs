//! `dyno elo`, `dyno sprt` and `dyno ratings` as their users meet them.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

fn dyno(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dyno")).args(args).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[track_caller]
fn json(args: &[&str]) -> Value {
    let output = dyno(args);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{args:?}: {e}: {}", String::from_utf8_lossy(&output.stderr)))
}

#[track_caller]
fn refused(args: &[&str], reason: &str) {
    let output = dyno(args);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {text}");
    assert!(text.contains(reason), "{args:?}: {text}");
}

/// A file of games, removed afterwards.
struct Pgn(PathBuf);

impl Pgn {
    /// `games` are White, Black, Round, opening and result.
    fn new(name: &str, games: &[(&str, &str, usize, &str, &str)]) -> Pgn {
        let mut text = String::new();
        for (white, black, round, opening, result) in games {
            write!(
                text,
                "[Event \"t\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Round \"{round}\"]\n\
                 [FEN \"{opening}\"]\n[Result \"{result}\"]\n\n{result}\n\n"
            )
            .unwrap();
        }
        let path = std::env::temp_dir().join(format!("dyno-{}-{name}.pgn", std::process::id()));
        std::fs::write(&path, text).unwrap();
        Pgn(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Pgn {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

const FEN: &str = "4k3/8/8/8/8/8/8/4K2R w - - 0 1";

/// A wins with White and draws with Black, `pairs` times, and one game has no partner.
fn lopsided(name: &str, pairs: usize) -> Pgn {
    let mut games = Vec::new();
    for round in 1..=pairs {
        games.push(("A", "B", round, FEN, if round % 3 == 0 { "1/2-1/2" } else { "1-0" }));
        games.push(("B", "A", round, FEN, "1/2-1/2"));
    }
    games.push(("A", "B", pairs + 1, FEN, "0-1"));
    games.push(("B", "A", pairs + 1, FEN, "*"));
    Pgn::new(name, &games)
}

#[test]
fn elo_from_counts_and_pairs() {
    let text = stdout(&dyno(&["elo", "136", "96", "111"]));
    assert!(text.contains("+40.7 ± 30.4") && text.contains("99.6 %"), "{text}");
    let value = json(&["elo", "633", "501", "1148", "--penta", "16,244,519,316,46", "--json"]);
    assert!((value["estimate"]["elo_error"].as_f64().unwrap() - 8.4316).abs() < 1e-3, "{value}");
    assert!((value["single_games"]["elo_error"].as_f64().unwrap() - 10.05).abs() < 1e-2);
    assert_eq!(value["schema"], 1);
    let text = stdout(&dyno(&["elo", "0", "0", "1"]));
    assert!(text.contains("Few games") && !text.contains("NaN"), "{text}");
    assert!(text.contains("no variance"), "{text}");
}

#[test]
fn elo_from_a_file_counts_no_half_pair() {
    let pgn = lopsided("elo", 30);
    let value = json(&["elo", pgn.path(), "--json"]);
    assert_eq!(value["results"]["pentanomial"], serde_json::json!([0, 0, 10, 20, 0]));
    assert_eq!((&value["player"], &value["unfinished"]), (&"A".into(), &1.into()));
    assert_eq!(value["tally"]["losses"], 1);
    let singles = json(&["elo", "--pgn", pgn.path(), "--no-pairs", "--player", "b", "--json"]);
    assert_eq!(singles["results"]["trinomial"], serde_json::json!([20, 40, 1]));
}

#[test]
fn bad_input_is_answered() {
    refused(&["elo"], "no results");
    refused(&["elo", "1", "2"], "three are wanted");
    refused(&["elo", "0", "0", "0"], "no games at all");
    refused(&["elo", "1", "2", "99999999999999999999"], "draws must be a whole number");
    refused(&["elo", "--penta", "1,2,3"], "five numbers");
    refused(&["elo", "--penta", "1,2,3,x,5"], "WD must be a whole number");
    refused(&["elo", "1", "1", "0", "--penta", "1,0,0,0,0"], "not of one match");
    refused(&["elo", "1", "1", "1", "--penta", "1,0,0,0,0"], "do not make");
    refused(&["elo", "no-such-file.pgn"], "no-such-file.pgn");
    refused(&["sprt", "plan", "--elo0", "5", "--elo1", "0"], "elo0 must be less than elo1");
    refused(&["sprt", "plan", "--alpha", "-1"], "alpha must lie between 0 and 0.5");
    refused(&["sprt", "plan", "--draw-ratio", "0.9", "--bias", "200"], "impossible");
    refused(&["sprt", "status", "--penta", "1,1,1,1,1", "--model", "bayeselo"], "single games");
    refused(&["sprt", "status", "1", "1", "1", "--model", "normalised"], "'normalized'");
    refused(&["ratings"], "FILE");
    let pgn = lopsided("bad", 2);
    refused(&["elo", pgn.path(), "--player", "C"], "there are \"A\", \"B\"");
    refused(&["elo", "1", pgn.path()], "neither a number nor");
    refused(&["ratings", pgn.path(), "--anchor", "A"], "NAME=ELO");
    let named = Pgn::new("near", &[("Stockfish 15", "Toga II", 1, FEN, "1-0")]);
    refused(&["elo", named.path(), "--player", "Stokfish 15"], "did you mean \"Stockfish 15\"?");
    let empty = Pgn::new("empty", &[("A", "B", 1, FEN, "*")]);
    refused(&["elo", empty.path()], "1 unfinished");
}

#[test]
fn a_test_ends_in_three_ways() {
    let code = |args: &[&str]| dyno(args).status.code();
    assert_eq!(code(&["sprt", "status", "--penta", "16,244,519,316,46"]), Some(0));
    let lost = ["sprt", "status", "--penta", "144,3,1,0,0", "--elo0", "-1500", "--elo1", "-500"];
    assert_eq!(code(&lost), Some(1));
    assert!(stdout(&dyno(&lost)).contains("-6.72"));
    assert_eq!(code(&["sprt", "status", "136", "96", "111"]), Some(5));
    let bayes = json(&["sprt", "status", "716", "591", "2163", "--model", "bayeselo", "--json"]);
    assert!((bayes["llr"].as_f64().unwrap() - 2.566865).abs() < 1e-5, "{bayes}");
    assert_eq!(bayes["verdict"], "continue");
}

#[test]
fn a_test_on_a_file_stops_where_it_stopped() {
    let pgn = lopsided("status", 400);
    let output = dyno(&["sprt", "status", pgn.path(), "--elo0", "0", "--elo1", "20"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("The test ended after") && text.contains("corrected for overshoot"));
    assert!(text.contains("SPRT Elo") && text.contains("as if the number of games had been fixed"));
}

#[test]
fn a_plan_agrees_with_its_dice_and_draws_itself() {
    let svg = std::env::temp_dir().join(format!("dyno-plan-{}.svg", std::process::id()));
    let args = ["sprt", "plan", "--elo1", "40", "--model", "logistic", "--runs", "300", "--json"];
    let value = json(&[&args[..], &["--svg", svg.to_str().unwrap()]].concat());
    let strengths = value["strengths"].as_array().unwrap();
    assert_eq!(strengths.len(), 7);
    for strength in strengths.iter().filter(|s| !s["simulated"].is_null()) {
        let expected = strength["pass"].as_f64().unwrap();
        let passed = strength["simulated"]["passed"].as_f64().unwrap() / 300.0;
        assert!((passed - expected).abs() < 0.1, "{strength}");
    }
    let picture = std::fs::read_to_string(&svg).unwrap();
    assert!(picture.starts_with("<svg") && picture.contains("simulated"), "{picture}");
    std::fs::remove_file(&svg).unwrap();
    assert_eq!(json(&args), json(&args));
    let text = stdout(&dyno(&["sprt", "plan", "--runs", "0"]));
    assert!(text.contains("How often it passes") && !text.contains("Simulated"), "{text}");
}

#[test]
fn a_list_of_three_and_of_strangers() {
    let mut games = Vec::new();
    for round in 1..=10 {
        let result = ["1-0", "1-0", "1/2-1/2", "0-1"][round % 4];
        games.push(("Top", "Mid", round, FEN, result));
        games.push(("Mid", "Top", round, FEN, "1/2-1/2"));
        games.push(("Mid", "Low", round, FEN, result));
        games.push(("Low", "Mid", round, FEN, "0-1"));
    }
    let pgn = Pgn::new("list", &games);
    let text = stdout(&dyno(&["ratings", pgn.path(), "--anchor", "mid=2000"]));
    let place = |name: &str| text.find(name).unwrap();
    assert!(place("Top") < place("Mid") && place("Mid") < place("Low"), "{text}");
    assert!(text.contains("2,000.0") && text.contains("White's advantage"), "{text}");
    assert!(text.contains("Cross table") && text.contains("LOS (%)"), "{text}");
    games.push(("X", "Y", 1, FEN, "1-0"));
    let strangers = Pgn::new("strangers", &games);
    let value = json(&["ratings", strangers.path(), "--json"]);
    assert_eq!(value["groups"].as_array().unwrap().len(), 2);
    assert_eq!(value["groups"][1]["placings"][0]["held_by_prior"], true);
    let text = stdout(&dyno(&["ratings", strangers.path()]));
    assert!(text.contains("do not connect all players") && !text.contains("NaN"), "{text}");
}

/// The journal of a match knows its pairs and its test.
#[test]
fn a_journal_is_read_like_its_games() {
    let folder = std::env::temp_dir().join(format!("dyno-journal-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let played = Command::new(env!("CARGO_BIN_EXE_dyno"))
        .current_dir(&folder)
        .args(["match", "-engine", "name=One", "cmd=builtin", "-engine", "name=Two", "cmd=builtin"])
        .args([
            "-each",
            "depth=1",
            "-games",
            "8",
            "-maxmoves",
            "10",
            "-pgnout",
            "g.pgn",
            "--journal",
            "g.journal",
        ])
        .args(["-sprt", "elo0=0", "elo1=7", "alpha=0.05", "beta=0.05"])
        .output()
        .unwrap();
    let journal = folder.join("g.journal");
    let pgn = folder.join("g.pgn");
    let said = String::from_utf8_lossy(&played.stderr).into_owned();
    assert!(journal.is_file(), "{said}");
    let of = |path: &PathBuf| json(&["sprt", "status", path.to_str().unwrap(), "--json"]);
    let (by_journal, by_pgn) = (of(&journal), of(&pgn));
    assert_eq!(by_journal["results"], by_pgn["results"]);
    assert_eq!(by_journal["tally"], by_pgn["tally"]);
    assert_eq!((&by_journal["test"]["elo1"], &by_pgn["test"]["elo1"]), (&7.0.into(), &5.0.into()));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn two_players_have_one_difference_everywhere() {
    let games = [("New", "Old", 1, "a", "1-0"), ("Old", "New", 1, "a", "0-1")];
    let more = [("New", "Old", 2, "b", "1/2-1/2"), ("Old", "New", 2, "b", "1-0")];
    let swept = Pgn::new("swept", &games);
    let mixed = Pgn::new("mixed", &[games, more].concat());
    let said = |command: &str, file: &Pgn| stdout(&dyno(&[command, file.path()]));
    assert!(said("elo", &swept).contains("inf ± inf (every game won)"), "{}", said("elo", &swept));
    let list = said("ratings", &swept);
    assert!(list.contains("Elo difference: inf +/- inf (every game won)"), "{list}");
    let elo = json(&["elo", mixed.path(), "--json"]);
    let estimate = |name: &str| elo["estimate"][name].as_f64().unwrap();
    let line = format!("Elo difference: {:.1} +/- {:.1}", estimate("elo"), estimate("elo_error"));
    let list = said("ratings", &mixed);
    assert!(list.contains(&line), "{line}\n{list}");
}
