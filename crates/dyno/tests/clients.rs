//! `dyno match` inside the programs that drive such a runner: their command lines and what they
//! read from its output, held here as data.

#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::Folder;
use dyno_testkit::scripted;
use regex::Regex;
use std::process::Command;

/// Runs the words of a line, in which `{engine}` is the scripted engine; `{a}` stands for what the
/// first engine does. Standard output, standard error, exit code.
fn run(folder: &Folder, line: &str, tricks: &str) -> (String, String, Option<i32>) {
    let engine = scripted::binary().display().to_string();
    let tricks: String = tricks.split_whitespace().map(|t| format!("arg={t} ")).collect();
    let line = line.replace("{a}", &tricks).replace("{engine}", &engine);
    let output = Command::new(env!("CARGO_BIN_EXE_dyno"))
        .arg("match")
        .args(line.split_whitespace())
        .current_dir(&folder.0)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code())
}

/// fishtest's worker, `games.py`: the line it builds, with its own order of options.
const FISHTEST: &str = "-testEnv -recover -repeat -games 2 -rounds 4 -ratinginterval 1 \
    -scoreinterval 1 -autosaveinterval 0 -report penta=true -pgnout file=out.pgn append=true \
    -crc32 pgn=true -site https://example.org/tests/view/1 -event Batch -srand 7 \
    -resign movecount=3 score=600 -draw movenumber=34 movecount=8 score=20 -variant standard \
    -concurrency 3 -openings file=book.epd format=epd order=random plies=16 -check-mate-pvs \
    -engine name=New-0123456789 tc=10+0.1 cmd={engine} dir=. {a} option.Hash=16 \
    -engine name=Base-9876543210 tc=10+0.1 cmd={engine} dir=. option.Hash=16 \
    -each proto=uci option.Threads=1";

const BOOK: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n\
    rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1\n\
    rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq - 0 1\n\
    rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 0 1\n";

/// Its patterns for the figures, and for what makes it give a test up.
const WLD: &str =
    r"Games: ([0-9]+), Wins: ([0-9]+), Losses: ([0-9]+), Draws: ([0-9]+), Points: ([0-9.]+) \(";
const PTNML: &str = r"Ptnml\(0-2\): \[([0-9]+), ([0-9]+), ([0-9]+), ([0-9]+), ([0-9]+)\]";
const ERRORS: [&str; 17] = [
    r"Warning;.*doesn't have option",
    r"Warning; Invalid value for option",
    r"Warning; Failed to set.*option",
    r"Warning; No info line available to extract score from engine",
    r"Warning; Illegal move",
    r"Warning; Could not extract score from engine",
    r"Warning; Illegal PV move",
    r"Warning; Move does not match uci move format",
    r"Warning; PV continues after checkmate",
    r"Warning; PV continues after stalemate",
    r"Warning; PV continues after threefold",
    r"Warning; PV continues after fifty-move rule",
    r"Warning; Incomplete mating PV",
    r"Warning; Too long mating PV",
    r"Warning; Mating PV does not end with checkmate",
    r"Warning; Bestmove does not match beginning of last PV",
    r"Warning; Sign mismatch in mate scores",
];

/// What it tells its server about, once for each engine: perhaps the machine is broken.
const UNRESPONSIVE: &str = r"Warning; Engine .* is not responsive";

/// What fishtest's worker makes of the output.
#[derive(Debug, Default, PartialEq)]
struct Fishtest {
    games: u64,
    crashes: u64,
    time_losses: u64,
    crc: Option<String>,
    finished: bool,
    error: Option<String>,
}

impl Fishtest {
    fn read(output: &str) -> Self {
        let (wld, ptnml) = (Regex::new(WLD).unwrap(), Regex::new(PTNML).unwrap());
        let errors: Vec<Regex> = ERRORS.iter().map(|e| Regex::new(e).unwrap()).collect();
        let numbers = |captures: regex::Captures<'_>, count: usize| -> Vec<u64> {
            (1..=count).map(|i| captures[i].parse().unwrap()).collect()
        };
        let mut all = Self::default();
        let (mut games, mut pairs) = (None, None);
        for line in output.lines().map(str::trim) {
            if line.contains("has CRC32:") {
                all.crc = line.split_whitespace().last().map(str::to_owned);
            }
            all.finished |= line.contains("Finished match");
            if errors.iter().any(|e| e.is_match(line)) {
                all.error.get_or_insert(line.to_owned());
            }
            all.crashes += u64::from(line.contains("disconnect") || line.contains("stall"));
            all.time_losses += u64::from(line.contains("on time") || line.contains("timeout"));
            games = wld.captures(line).map(|c| numbers(c, 4)).or(games);
            pairs = ptnml.captures(line).map(|c| numbers(c, 5)).or(pairs);
            if let (Some(g), Some(p)) = (&games, &pairs) {
                assert_eq!(g[0], 2 * p.iter().sum::<u64>(), "its assertion: {line}");
                assert_eq!(g[0], g[1] + g[2] + g[3]);
                all.games = g[0];
                (games, pairs) = (None, None);
            }
        }
        all
    }
}

#[test]
fn fishtest_counts_whole_pairs_and_every_fault_once() {
    let illegal = "Warning; Illegal move a1h7 played by New-0123456789";
    let unresponsive = Regex::new(UNRESPONSIVE).unwrap();
    for (tricks, fault, error) in [
        ("", "", None),
        ("crash@8", "disconnects}", None),
        ("illegal-move@8", "makes an illegal move", Some(illegal)),
        ("late=4000@8", "loses on time}", None),
        ("hang@8", "loses on time}", None),
    ] {
        let folder = Folder::new("fishtest");
        folder.file("book.epd", BOOK);
        // The worker scales the time control by the speed of its machine.
        let (out, err, code) = run(&folder, &FISHTEST.replace("tc=10+0.1", "tc=1+0.1"), tricks);
        assert_eq!(code, Some(0), "{tricks}: {out}{err}");
        let read = Fishtest::read(&(out.clone() + &err));
        assert!(read.finished && read.games == 8, "{tricks}: {read:?}\n{out}{err}");
        assert!(read.crc.as_deref().is_some_and(|crc| crc.starts_with("0x")), "{out}");
        assert_eq!(read.error.as_deref(), error, "{out}{err}");
        // Every process of the first engine fails once; each failure is a game, and booked once.
        let failed = |words: &str| {
            let ended = |line: &&str| line.starts_with("Finished game") && line.contains(words);
            out.lines().filter(ended).count() as u64
        };
        assert!(fault.is_empty() || failed(fault) > 0, "{tricks}: {out}");
        assert_eq!(read.crashes, failed("disconnects}"), "{tricks}: {out}{err}");
        assert_eq!(read.time_losses, failed("loses on time}"), "{tricks}: {out}{err}");
        let unresponsive = unresponsive.is_match(&out);
        // One that is late does not answer either, or just in time.
        let expected = ["crash@8", "hang@8"].contains(&tricks);
        assert!(unresponsive == expected || tricks.starts_with("late"), "{tricks}: {out}{err}");
        assert!(out.contains("WL/DD Ratio: ") && out.is_ascii() && !out.contains("\n\n"), "{out}");
        let _ = std::fs::remove_file(folder.path("out.pgn"));
    }
}

#[test]
fn fishtest_hears_of_options_that_are_not_there() {
    let folder = Folder::new("fishtest-option");
    folder.file("book.epd", BOOK);
    let line = FISHTEST.replacen("option.Hash=16", "option.ThreatBySafePawn=3", 1);
    let (out, err, _) = run(&folder, &line, "");
    let read = Fishtest::read(&(out.clone() + &err));
    let wanted = "Warning; New-0123456789 doesn't have option ThreatBySafePawn";
    assert_eq!(read.error.as_deref(), Some(wanted), "{out}{err}");
}

/// OpenBench's client, `worker.py`: engines in a folder of their own, a pattern for PGN comments.
#[cfg(unix)]
const OPENBENCH: &str = "-recover -variant standard -testEnv -concurrency 2 -rounds 4 -games 2 \
    -resign movecount=3 score=400 -draw movenumber=40 movecount=8 score=10 \
    -engine dir=Engines/ cmd=./one proto=uci tc=10.00+0.10 option.Threads=1 option.Hash=8 {a} \
    name=Engine-dev -engine dir=Engines/ cmd=./two proto=uci tc=10.00+0.10 option.Threads=1 \
    option.Hash=8 name=Engine-base -openings file=book.epd format=epd order=random start=1 \
    -srand 42 -pgnout file=out.pgn seldepth=true nodes=true match_line=^info.string.pgncomment.*";

#[test]
#[cfg(unix)]
fn openbench_reads_every_game_and_its_reason() {
    let folder = Folder::new("openbench");
    folder.file("book.epd", BOOK);
    std::fs::create_dir_all(folder.path("Engines")).unwrap();
    for name in ["Engines/one", "Engines/two"] {
        std::fs::copy(scripted::binary(), folder.path(name)).unwrap();
    }
    // What it looks for in the reason of a finished game: crashes, losses on time, illegal moves.
    for (tricks, booked) in [
        ("illegal-move@7", "illegal"),
        ("crash@7", "disconnect"),
        ("late=4000@7", "on time"),
        ("hang@7", "on time"),
    ] {
        let line = OPENBENCH.replace("tc=10.00+0.10", "tc=1.00+0.10");
        let (out, err, code) = run(&folder, &line, tricks);
        assert_eq!(code, Some(0), "{out}{err}");
        // It decodes ASCII and stops at the first blank line.
        assert!(out.is_ascii(), "{out}");
        let (mut results, mut faults) = (Vec::new(), 0);
        for line in out.lines().take_while(|line| !line.trim().is_empty()) {
            if !line.contains("Finished game") {
                continue;
            }
            let tokens: Vec<&str> = line.split_whitespace().collect();
            let reason = line.split(':').nth(1).unwrap();
            let others = ["illegal", "disconnect", "on time", "stalls"];
            faults += usize::from(reason.contains(booked));
            assert!(!others.iter().any(|o| *o != booked && reason.contains(o)), "{line}");
            assert!(["1-0", "0-1", "1/2-1/2"].contains(&tokens[6]), "{line}");
            results.push(tokens[2].parse::<u32>().unwrap());
        }
        results.sort_unstable();
        assert_eq!(results, (1..=8).collect::<Vec<_>>(), "{out}");
        assert!(faults > 0, "{tricks}: {out}");
    }
}
