//! `dyno match` under the tuners that drive a runner: their command lines and what they read from
//! its output, held here as data. Each fault must be booked as they book it for the other tools.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::Folder;
use dyno_testkit::scripted;
use regex::Regex;
use std::process::Command;

const BOOK: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n\
    rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1\n\
    rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq - 0 1\n\
    rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 0 1\n";

/// What the first engine does wrong, and the words for it in the line of a finished game.
const FAULTS: [(&str, &str); 5] = [
    ("", ""),
    ("crash@6", "disconnects}"),
    ("late=4000@6", "loses on time}"),
    ("illegal-move@6", "makes an illegal move"),
    ("hang@6", "loses on time}"),
];

fn pattern(text: &str) -> Regex {
    Regex::new(text).unwrap()
}

/// Runs the words of a line; standard output alone, and with standard error mixed in.
fn run(folder: &Folder, line: &str) -> (String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_dyno"))
        .arg("match")
        .args(line.split_whitespace())
        .current_dir(&folder.0)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let out = String::from_utf8(output.stdout).unwrap();
    let both = out.clone() + &String::from_utf8_lossy(&output.stderr);
    (out, both)
}

/// The scripted engine under a name of the folder, with words of its own where it misbehaves.
fn engine(folder: &Folder, name: &str, tricks: &str) {
    let path = folder.path(name);
    let script = format!("#!/bin/sh\nexec '{}' {tricks}\n", scripted::binary().display());
    std::fs::write(&path, script).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// Games that ended so.
fn faults(out: &str, words: &str) -> u64 {
    let ended = |line: &&str| line.starts_with("Finished game") && line.contains(words);
    if words.is_empty() { 0 } else { out.lines().filter(ended).count() as u64 }
}

/// weather-factory, `cutechess.py`: both engines have one name; it reads ASCII up to a blank line.
const WEATHER_FACTORY: &str = "-engine cmd=./tuner/engine name=engine proto=uci option.Hash=8 \
    -engine cmd=./tuner/other name=engine proto=uci option.Hash=8 \
    -resign movecount=3 score=400 -draw movenumber=40 movecount=8 score=10 -repeat -recover \
    -concurrency 2 -each tc=1+0.01 -openings file=tuner/book.epd format=epd order=random plies=16 \
    -games 8 -pgnout tuner/games.pgn";

/// Wins, losses and draws, and the Elo difference.
fn weather_factory(out: &str) -> ([u64; 3], f64) {
    assert!(out.is_ascii());
    let (mut score, mut elo) = ([0; 3], 0.0);
    for line in out.lines().map(str::trim).take_while(|line| !line.is_empty()) {
        let after = |line: &str| line.find(':').map_or(0, |at| at + 1);
        if line.starts_with("Score of") {
            let numbers = &line[after(line)..line.find('[').unwrap()];
            let read: Vec<u64> =
                numbers.split(" - ").map(|number| number.trim().parse().unwrap()).collect();
            score = read.try_into().unwrap();
        }
        if line.starts_with("Elo difference") {
            elo = line[after(line)..line.find('+').unwrap()].trim().parse().unwrap();
        }
    }
    (score, elo)
}

#[test]
fn weather_factory_books_every_fault() {
    for (tricks, words) in FAULTS {
        let folder = Folder::new(&format!("weather-{}", tricks.len()));
        std::fs::create_dir_all(folder.path("tuner")).unwrap();
        folder.file("tuner/book.epd", BOOK);
        engine(&folder, "tuner/engine", tricks);
        engine(&folder, "tuner/other", "");
        let (out, all) = run(&folder, WEATHER_FACTORY);
        let ([wins, losses, draws], elo) = weather_factory(&out);
        assert_eq!(wins + losses + draws, 8, "{tricks}: {all}");
        let lost = faults(&out, words);
        assert_eq!(lost > 0, !words.is_empty(), "{tricks}: {all}");
        assert!(losses >= lost, "{tricks}: {losses} losses, {lost} faults: {all}");
        assert_eq!(elo < 0.0, losses > wins, "{tricks}: {all}");
        // No -srand: two runs must not play the same openings; the seed is told.
        assert!(pattern(r"seed [0-9]+: -srand").is_match(&all), "{all}");
    }
}

/// chess-tuning-tools, `local.py`: engines by name from `engines.json`, everything said in between.
const TUNING_TOOLS: &str = "-concurrency 2 -engine conf=engine1 restart=auto timemargin=50 tc=1+0.01 \
    -engine conf=engine2 restart=auto timemargin=50 tc=1+0.01 \
    -openings file=book.epd format=epd order=random -draw movenumber=1 movecount=10 score=8 \
    -resign movecount=3 score=550 twosided=false -rounds 4 -games 2 -repeat -recover -debug \
    -pgnout out.pgn";

/// Its patterns: for the score, for what it passes over, and for what it warns about.
const SCORE: &str = r"Score of.*:\s*([0-9]+\s-\s[0-9]+\s-\s[0-9]+)";
const FINISHED: &str = r"Finished game ([0-9]+)";
const DEBUG_LINE: &str = r"^[0-9]+ [<>]";
const ON_TIME: &str =
    r"Finished game [0-9]+ \((.+) vs (.+)\): [0-9]-[0-9] \{(\S+) (?:loses on time)\}";

#[test]
fn chess_tuning_tools_reads_scores_among_debug_lines() {
    for (tricks, words) in FAULTS {
        let folder = Folder::new(&format!("tuning-tools-{}", tricks.len()));
        folder.file("book.epd", BOOK);
        engine(&folder, "one", tricks);
        engine(&folder, "two", "");
        let conf = |number: u32, command: &str| {
            format!(
                r#"{{"command": "./{command}", "name": "engine{number}", "protocol": "uci",
                    "initStrings": ["uci", "setoption name Hash value 8"]}}"#
            )
        };
        folder.file("engines.json", format!("[{},{}]", conf(1, "one"), conf(2, "two")));
        let (out, all) = run(&folder, TUNING_TOOLS);
        let debug = pattern(DEBUG_LINE);
        assert!(all.lines().filter(|line| debug.is_match(line)).count() > 100, "{all}");
        let kept: Vec<&str> = all.lines().filter(|line| !debug.is_match(line)).collect();
        let said = |line: &&str| line.starts_with("info ") || line.starts_with("bestmove");
        assert!(
            !kept.iter().any(said),
            "what engines say is in the lines it passes over: {kept:?}"
        );
        let kept = kept.join("\n");
        let scores: Vec<Vec<i64>> = pattern(SCORE)
            .captures_iter(&kept)
            .map(|c| c[1].split(" - ").map(|n| n.trim().parse().unwrap()).collect())
            .collect();
        let games = pattern(FINISHED).captures_iter(&kept).count();
        assert_eq!(games, 8, "{kept}");
        // It takes the score after each game from the one before.
        assert!(scores.len() >= games, "{kept}");
        for pair in scores[..games].windows(2) {
            let step: i64 = pair[1].iter().zip(&pair[0]).map(|(b, a)| b - a).sum();
            assert_eq!(step, 1, "{kept}");
        }
        let lost = faults(&out, words);
        assert_eq!(lost > 0, !words.is_empty(), "{tricks}: {out}");
        assert!(scores[games - 1][1] >= lost as i64, "{tricks}: {out}");
        for captures in pattern(ON_TIME).captures_iter(&out) {
            let loser = if &captures[3] == "White" { &captures[1] } else { &captures[2] };
            assert_eq!(loser, "engine1", "{out}");
        }
    }
}

/// The Optuna tuner, `tuner.py`: its line for cutechess-cli, and the one for fastchess.
const OPTUNA: [&str; 2] = [
    "-concurrency 2 -engine cmd=./one name=test option.Hash=8 proto=uci \
     -engine cmd=./two name=base option.Hash=8 proto=uci -wait 100 -tournament round-robin -recover \
     -rounds 4 -games 2 -repeat 2 -each tc=0/0:1+0.01 \
     -openings file=book.epd order=random format=epd -draw movenumber=30 movecount=6 score=1 \
     -resign movecount=6 score=500 twosided=true -pgnout games.pgn",
    "-concurrency 2 -engine cmd=./one name=test option.Hash=8 proto=uci \
     -engine cmd=./two name=base option.Hash=8 proto=uci -tournament roundrobin -recover \
     -rounds 4 -games 2 -repeat 2 -each tc=0/0:1+0.01 \
     -openings file=book.epd order=random format=epd -draw movenumber=30 movecount=6 score=1 \
     -resign movecount=6 score=500 twosided=true -pgnout file=games.pgn -output format=cutechess",
];

/// Wins, losses, draws and games of the last score line.
fn optuna(out: &str) -> Option<[u64; 4]> {
    let line = out.lines().rfind(|line| line.starts_with("Score of test vs base"))?;
    let after = line.split(": ").nth(1)?;
    let number = |text: &str| text.trim().parse().unwrap();
    Some([
        number(after.split(" -").next()?),
        number(after.split(" -").nth(1)?),
        number(after.split('-').nth(2)?.split_whitespace().next()?),
        number(line.split("] ").nth(1)?),
    ])
}

#[test]
fn the_optuna_tuner_books_every_fault() {
    for line in OPTUNA {
        for (tricks, words) in FAULTS {
            let folder = Folder::new(&format!("optuna-{}", tricks.len()));
            folder.file("book.epd", BOOK);
            engine(&folder, "one", tricks);
            engine(&folder, "two", "");
            let (out, all) = run(&folder, line);
            let [wins, losses, draws, games] = optuna(&out).unwrap();
            assert_eq!((wins + losses + draws, games), (8, 8), "{tricks}: {all}");
            let lost = faults(&out, words);
            assert_eq!(lost > 0, !words.is_empty(), "{tricks}: {all}");
            assert!(losses >= lost, "{tricks}: {all}");
        }
    }
}
