//! What `dyno` actually says to engines: the positions of Chess960, and the openings of a seed.

#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::Folder;
use dyno_testkit::scripted;
use regex::Regex;
use std::process::Command;

fn dyno(folder: &Folder, line: &str) -> (String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_dyno"))
        .args(line.split_whitespace())
        .current_dir(&folder.0)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// Positions of Chess960 as X-FEN has them, which looks like the usual castling.
const XFEN: &str = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w KQkq - 2 9\n\
    2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w KQkq - 1 9\n";

/// Castling rights by the files of the rooks, and never by wing.
fn assert_shredder(transcript: &str, least: usize) {
    let sent = Regex::new(r"> position fen \S+ [wb] (\S+) ").unwrap();
    let rights: Vec<&str> =
        sent.captures_iter(transcript).map(|c| c.get(1).unwrap().as_str()).collect();
    assert!(rights.len() >= least, "{transcript}");
    let is_shredder = |rights: &&str| !rights.contains(['K', 'Q', 'k', 'q']);
    assert!(rights.iter().all(is_shredder), "{rights:?}");
    assert!(transcript.contains("setoption name UCI_Chess960 value true"), "{transcript}");
}

#[test]
fn an_engine_that_reads_only_shredder_fen_plays_chess960() {
    let folder = Folder::new("shredder");
    folder.file("book.epd", XFEN);
    let engine = scripted::binary().display();
    let line = format!(
        "match -engine cmd={engine} arg=shredder-fen-only name=A \
         -engine cmd={engine} arg=shredder-fen-only name=B -each depth=1 -variant fischerandom \
         -openings file=book.epd -rounds 2 -games 2 -maxmoves 20 --no-journal \
         -log file=said.log engine=true"
    );
    let (out, err) = dyno(&folder, &line);
    assert_eq!(out.matches("Finished game").count(), 4, "{out}{err}");
    assert!(!out.contains("makes an illegal move"), "{out}");
    assert_shredder(&folder.read("said.log"), 4);
}

#[test]
fn suites_send_shredder_fen_too() {
    let folder = Folder::new("shredder-suite");
    let lines: String = XFEN.lines().map(|fen| format!("{fen} bm e4;\n")).collect();
    let four = |line: String| {
        // EPD has no counters.
        let words: Vec<&str> = line.split(' ').collect();
        [&words[..4], &words[6..]].concat().join(" ")
    };
    let lines: String = lines.lines().map(|line| four(line.to_owned()) + "\n").collect();
    folder.file("s.epd", lines);
    let engine = scripted::binary().display();
    let (out, err) =
        dyno(&folder, &format!("suite --epd s.epd --engine {engine} --depth 1 --log said.log"));
    assert!(!folder.read("said.log").is_empty(), "{out}{err}");
    assert_shredder(&folder.read("said.log"), 2);
}

/// The start positions of the games, in the order of their numbers.
fn openings(folder: &Folder, pgn: &str) -> Vec<String> {
    let text = folder.read(pgn);
    let fens: Vec<String> =
        text.lines().filter(|line| line.starts_with("[FEN ")).map(str::to_owned).collect();
    let _ = std::fs::remove_file(folder.path(pgn));
    fens
}

#[test]
fn a_fresh_seed_is_told_and_brings_the_same_openings_again() {
    let folder = Folder::new("seed");
    // Each pawn one square ahead.
    let row = |file: usize| {
        let gap = |count: usize| if count > 0 { count.to_string() } else { String::new() };
        let third = format!("{}P{}", gap(file), gap(7 - file));
        let second = format!("{}1{}", "P".repeat(file), "P".repeat(7 - file));
        format!("rnbqkbnr/pppppppp/8/8/8/{third}/{second}/RNBQKBNR b KQkq - 0 1\n")
    };
    let book: String = (0..8).map(row).collect();
    folder.file("book.epd", book);
    let line = |more: &str| {
        format!(
            "match -engine cmd=builtin name=A -engine cmd=builtin name=B -each depth=1 -games 1 \
             -rounds 8 -maxmoves 1 -openings file=book.epd order=random -pgnout g.pgn \
             --journal g{}.journal {more}",
            more.len()
        )
    };
    let (_, err) = dyno(&folder, &line(""));
    let first = openings(&folder, "g.pgn");
    assert_eq!(first.len(), 8, "{err}");
    let seed = Regex::new(r"seed ([0-9]+): -srand").unwrap();
    let seed = seed.captures(&err).map(|c| c[1].to_owned()).unwrap();
    assert!(folder.read("g0.journal").contains(&format!("\"seed\":{seed}")), "in the journal");
    dyno(&folder, &line(&format!("-srand {seed}")));
    assert_eq!(openings(&folder, "g.pgn"), first, "the seed brings them back");
    let mut others = 0;
    for run in 0..3 {
        let (_, err) = dyno(&folder, &(line("") + &format!(" --journal other-{run}.journal")));
        others += u32::from(openings(&folder, "g.pgn") != first);
        assert!(!err.contains(&format!("seed {seed}:")), "{err}");
    }
    assert!(others > 0, "8 openings in the same order four times");
}
