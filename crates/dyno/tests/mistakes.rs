//! A walk through the mistakes people make: each is answered in one line that says what is wrong
//! and where, with a non-zero exit code, and never with a panic.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A command line, its exit code, and words that the one line of the answer must have.
type Mistake = (&'static str, i32, &'static [&'static str]);

const WRONG_FILES: &[Mistake] = &[
    ("suite --epd nope.epd", 2, &["nope.epd: no such file", "wac"]),
    ("suite --epd ./folder", 2, &["folder", "a file is wanted"]),
    ("suite --epd empty.epd --nodes 1", 2, &["empty.epd: no position in it"]),
    ("suite --epd program.epd --nodes 1", 2, &["program.epd: a binary file"]),
    ("mate --epd program.epd --nodes 1", 2, &["program.epd: a binary file"]),
    ("mate prove nope.epd", 2, &["nope.epd: no such file", "mate-in-1"]),
    ("perft --suite empty.epd", 2, &["empty.epd: no counts in it"]),
    ("perft --suite folder", 2, &["folder", "a file is wanted"]),
    ("bench --depth 1 --epd empty.epd", 2, &["empty.epd: no position to search"]),
    ("elo nope.pgn", 2, &["cannot open nope.pgn"]),
    ("elo no-games.pgn", 2, &["no game with a result in no-games.pgn"]),
    ("ratings no-games.pgn", 2, &["no game with a result in no-games.pgn"]),
    ("elo torn.pgn.gz", 2, &["torn.pgn.gz: cannot read", "incomplete"]),
    ("elo torn.pgn.zst", 2, &["torn.pgn.zst: cannot read", "incomplete"]),
    ("puzzles mine no-games.pgn -o x.epd", 2, &["no-games.pgn: no game in it"]),
    ("puzzles convert note.txt -o x.epd", 2, &["note.txt", "none of its 1 rows is a puzzle"]),
    ("engine --replay note.txt", 2, &["note.txt:1: unknown command"]),
    ("bench --depth 1 --compare torn.json", 2, &["torn.json:1: not a bench"]),
    ("regress --config nope.toml", 2, &["no nope.toml", "--init"]),
    ("regress --config torn.toml", 2, &["torn.toml:2:"]),
    (
        "regress --config keys.toml",
        2,
        &["keys.toml:4: unknown key \"deph\"", "did you mean \"depth\"?"],
    ),
    ("match --plan torn.toml", 2, &["torn.toml:2:"]),
    ("match --resume note.txt", 2, &["note.txt: not a journal of a match"]),
    ("match --resume nope.journal", 2, &["nope.journal: no such file"]),
    (
        "suite --epd wac --nodes 5 --limit 1 --report note.txt --resume",
        2,
        &["note.txt: not a report of dyno suite"],
    ),
];

const WRONG_PLACES: &[Mistake] = &[
    ("suite --epd wac --nodes 5 --limit 1 --report /proc/x.csv", 2, &["cannot write /proc/x.csv"]),
    (
        "suite --epd wac --nodes 5 --limit 1 --report folder",
        2,
        &["cannot write folder", "directory"],
    ),
    ("suite --epd wac --nodes 5 --limit 1 --report-json no/x.json", 2, &["cannot write no/x.json"]),
    ("bench --depth 1 --limit 1 --save /proc/x", 2, &["cannot write /proc/x"]),
    ("puzzles convert note.txt -o /proc/x.epd", 2, &["cannot write /proc/x.epd"]),
    ("suites --export /proc/x", 2, &["cannot make the folder /proc/x"]),
    ("man --out note.txt/x", 2, &["cannot make the folder note.txt/x"]),
    ("init nowhere", 2, &["nowhere is not a folder"]),
];

const WRONG_ENGINES: &[Mistake] = &[
    ("check --engine ./nope", 3, &["no executable file \"./nope\": no such file"]),
    ("check --engine ./folder", 3, &["./folder"]),
    ("check --engine ./note.txt", 3, &["./note.txt", "not executable", "chmod +x"]),
    ("check --engine stockfis", 3, &["\"stockfis\": not on the PATH", "./NAME"]),
    (
        "bench --depth 1 --engine cat --startup-timeout 0.5",
        3,
        &["cat: no uciok", "is it a UCI or XBoard engine?"],
    ),
    ("bench --depth 1 --engine yes --startup-timeout 0.5", 3, &["yes: no uciok", "it said: y"]),
    ("bench --depth 1 --engine true", 3, &["true: exited with code 0 during the handshake"]),
    ("suite --epd wac --nodes 5 --engine 'sh \"-c'", 2, &["--engine: unclosed quote"]),
    ("suite --epd wac --nodes 5 --hash 999999999", 2, &["option Hash wants 1 to", "999999999"]),
    ("suite --epd wac --nodes 5 --threads 0", 2, &["option Threads wants 1 to"]),
    (
        "suite --epd wac --nodes 5 --engine-option Hash=lots",
        2,
        &["option Hash wants a whole number", "lots"],
    ),
    ("suite --epd wac --nodes 5 --engine-option Hash", 2, &["NAME=VALUE"]),
    (
        "match -engine cmd=builtin -engine cmd=./nope -each depth=1 -games 2",
        3,
        &["no executable file \"./nope\""],
    ),
    ("init folder", 3, &["no engine in folder", "Build the engine first"]),
];

const WRONG_WORDS: &[Mistake] = &[
    ("siute", 2, &["unrecognized subcommand 'siute'", "'suite'"]),
    (
        "suite --epd wac --nodez 5",
        2,
        &["unexpected argument '--nodez'", "'--nodes'", "dyno suite --help"],
    ),
    ("suite --epd wacc", 2, &["no built-in suite", "did you mean wac?"]),
    ("mate --epd mate-in-33", 2, &["no built-in suite", "did you mean mate-in-3?"]),
    ("perft --suite standart", 2, &["did you mean standard?"]),
    ("suites wacc", 2, &["no suite is called", "did you mean wac?"]),
    ("./engine", 2, &["unrecognized subcommand", "write dyno check ./engine"]),
    ("wac", 2, &["write dyno suite wac"]),
    ("mate-in-3", 2, &["write dyno mate mate-in-3"]),
    ("games.pgn", 2, &["write dyno elo games.pgn"]),
    ("bench ./engine", 2, &["write dyno bench --engine ./engine"]),
    ("bench wac", 2, &["write dyno bench --epd wac"]),
    ("perft 4 ./engine", 2, &["write dyno perft --engine ./engine"]),
    (
        "perft kiwipete",
        2,
        &["a whole number is wanted", "write dyno perft DEPTH --position kiwipete"],
    ),
    ("suite -epd wac", 2, &["write --epd, with two dashes"]),
    ("match ./a ./b", 2, &["an engine is given by --engine ./a"]),
    ("perft 3 --position kiwipet", 2, &["no position is called", "did you mean kiwipete?"]),
    ("check --only hash.by-move", 2, &["did you mean hash.by-moves?", "dyno check --list"]),
    ("check --profile fast", 2, &["'fast'", "quick, standard, thorough"]),
    ("regress --only prft", 2, &["unknown section \"prft\"", "perft"]),
    (
        "match -engine cmd=builtin cmd.windows=e.exe -engine cmd=builtin -each depth=1",
        2,
        &["cmd.windows", "such as x86_64-windows"],
    ),
    ("match -engine cmd=builtin -engine cmd=builtin -gamez 4", 2, &["did you mean -games?"]),
    ("match -engine cmd=builtin -engine cmd=builtin -each depht=1", 2, &["did you mean depth?"]),
    ("match -tournament swis", 2, &["\"swis\" is not one of", "gauntlet"]),
    ("elo cup.pgn --player Alfill", 2, &["did you mean \"Alfil\"?"]),
    ("suite --epd wac --protocol ucy", 2, &["unknown protocol \"ucy\": uci, xboard or auto"]),
    ("suite --epd wac --nodes 5 --id nothing-of-the-kind", 2, &["no position matches --id"]),
];

const WRONG_NUMBERS: &[Mistake] = &[
    ("suite --epd wac --depth 0", 2, &["'0' for '--depth <N>': it must be 1 or more"]),
    ("suite --epd wac --movetime -5", 2, &["'-5' for '--movetime <MS>'"]),
    ("suite --epd wac --nodes many", 2, &["'many' for '--nodes <N>': a whole number is wanted"]),
    ("suite --epd wac --nodes 5 --concurrency 0", 2, &["it must be from 1 to"]),
    (
        "suite --epd wac --nodes 5 --startup-timeout -1",
        2,
        &["--startup-timeout wants a number of seconds"],
    ),
    ("suite --epd wac --nodes 5 --min-score 101", 2, &["--min-score wants a number from 0 to 100"]),
    (
        "suite --epd wac --nodes 5 --depth 2",
        2,
        &["'--nodes <N>' cannot be used with '--depth <N>'"],
    ),
    ("perft -1", 2, &["'-1' for '[DEPTH]'"]),
    ("perft 300", 2, &["it must be from 0 to 100"]),
    ("perft 3 --threads 0", 2, &["it must be from 1 to"]),
    ("perft 3 --hash 99999999", 2, &["'99999999' for '--hash <MB>'"]),
    ("perft", 2, &["<DEPTH>", "dyno perft --help"]),
    ("perft 3 --fen 'hello'", 2, &["hello", "1 of the 4 needed fields"]),
    (
        "perft 3 --fen '8/8/8/8/8/5K2/4Q3/7k w - - bm Qe1#; id \"x\";'",
        2,
        &["looks like a line of an EPD file"],
    ),
    ("mate --mate 0", 2, &["it must be 1 or more"]),
    ("mate solve '8/8/8/8/8/5K2/4Q3/7k w - - 0 1'", 2, &["then the number of moves"]),
    ("mate solve '8/8/8/8/8/5K2/4Q3/7k w - - 0 1' 0", 2, &["mate in 0 moves is not a question"]),
    ("bench --runs 0", 2, &["it must be 1 or more"]),
    ("bench --depth 1 --max-slowdown 5", 2, &["--compare"]),
    ("elo 1 2", 2, &["2 numbers where three are wanted"]),
    ("elo -1 2 3", 2, &["-1"]),
    ("elo 0 0 0", 2, &["no games at all"]),
    ("elo --penta 1,2,3", 2, &["--penta wants five numbers"]),
    ("sprt plan --elo0 5 --elo1 0", 2, &["elo0 must be less than elo1"]),
    ("sprt plan --elo0 0 --elo1 5 --alpha 0.6", 2, &["alpha must lie between 0 and 0.5"]),
    ("ratings cup.pgn --anchor X=abc", 2, &["--anchor wants NAME=ELO"]),
    (
        "puzzles convert note.txt -o x.epd --rating 2000..1000",
        2,
        &["not a range of ratings", "1500..2000"],
    ),
    ("match -engine cmd=builtin -each tc=1+0.1", 2, &["a match needs two engines at least"]),
    (
        "match -engine cmd=builtin -engine cmd=builtin -each tc=banana",
        2,
        &["not a time control: \"banana\"", "10+0.1"],
    ),
    (
        "match -engine cmd=builtin -engine cmd=builtin -each tc=-1",
        2,
        &["not a time control: \"-1\""],
    ),
    ("match -engine cmd=builtin -engine cmd=builtin", 2, &["no limit on its thinking"]),
    (
        "match -engine cmd=builtin -engine cmd=builtin -each depth=0",
        2,
        &["depth must be greater than 0"],
    ),
    (
        "match -engine cmd=builtin -engine cmd=builtin -each depth=1 -games 0",
        2,
        &["-games must be 1 at least"],
    ),
    (
        "match -engine cmd=builtin -engine cmd=builtin -each depth=1 -concurrency 0",
        2,
        &["-concurrency must be 1 at least"],
    ),
    (
        "match -engine cmd=builtin -engine cmd=builtin -each depth=1 -sprt elo0=5 elo1=0",
        2,
        &["elo0 must be less than elo1"],
    ),
    (
        "match -engine cmd=builtin -engine cmd=builtin -each depth=1 -sprt elo0=0 elo1=5 alpha=0.7",
        2,
        &["alpha must lie"],
    ),
];

/// Mistakes that show only when something was done; what is known by then stands before the error.
const LATE: &[Mistake] = &[
    ("suite --epd fens.epd --nodes 1", 2, &["fens.epd: no line states a solution", "bm"]),
    ("puzzles run note.txt --nodes 5 --quiet", 2, &["note.txt"]),
    ("suite --epd wac --nodes 5 --limit 1 --report /dev/full", 6, &["No space left on device"]),
    (
        "suite --epd wac --nodes 5 --limit 1 --report-html /dev/full",
        6,
        &["cannot write /dev/full", "No space left"],
    ),
    (
        "match -engine cmd=builtin -engine cmd=builtin -each depth=1 -games 2 -openings file=nope.pgn",
        2,
        &["-openings: cannot open nope.pgn"],
    ),
    (
        "match -engine cmd=builtin -engine cmd=builtin -each depth=1 -games 2 -openings file=no-games.pgn format=pgn",
        2,
        &["no-games.pgn: no usable opening in it"],
    ),
    (
        "match -engine cmd=builtin -engine cmd=builtin -each depth=1 -games 2 -pgnout folder",
        2,
        &["folder", "directory"],
    ),
    (
        "match -engine cmd=builtin -engine cmd=builtin -each depth=1 -games 2 -pgnout /dev/full --no-journal",
        6,
        &["/dev/full: No space left", "make room"],
    ),
    (
        "match -engine cmd=builtin -engine cmd=builtin -each depth=1 -games 2 -journal /dev/full",
        2,
        &["/dev/full"],
    ),
];

#[test]
fn wrong_files() {
    walk("files", WRONG_FILES, false);
}

#[test]
fn wrong_places() {
    walk("places", WRONG_PLACES, false);
}

#[test]
fn wrong_engines() {
    walk("engines", WRONG_ENGINES, false);
}

#[test]
fn wrong_words() {
    walk("words", WRONG_WORDS, false);
}

#[test]
fn wrong_numbers() {
    walk("numbers", WRONG_NUMBERS, false);
}

#[test]
fn late_mistakes() {
    walk("late", LATE, true);
}

fn walk(name: &str, mistakes: &[Mistake], with_notes: bool) {
    let folder = lay_out(name);
    let next = AtomicUsize::new(0);
    let faults = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(mistake) = mistakes.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(fault) = make(mistake, &folder, with_notes) {
                        faults.lock().unwrap().push(fault);
                    }
                }
            });
        }
    });
    std::fs::remove_dir_all(&folder).unwrap();
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// What is wrong with the answer to a mistake.
fn make(&(line, code, words): &Mistake, folder: &Path, with_notes: bool) -> Option<String> {
    let output = Command::new("sh")
        .args(["-c", &format!("exec \"$DYNO\" {line}")])
        .env("DYNO", env!("CARGO_BIN_EXE_dyno"))
        .env("HOME", folder)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines: Vec<&str> = said.lines().collect();
    let answer = if with_notes { &lines[lines.len().saturating_sub(1)..] } else { &lines[..] };
    let is_clear = matches!(answer, [one] if one.starts_with("error: "))
        && words.iter().all(|word| said.contains(word))
        && !said.contains('\u{1b}');
    let fits = is_clear && output.status.code() == Some(code);
    (!fits)
        .then(|| format!("dyno {line}\n  {}, wanted {code} and {words:?}:\n{said}", output.status))
}

fn lay_out(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("dyno-mistakes-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("folder")).unwrap();
    let game = "[White \"Alfil\"]\n[Black \"Castle\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n";
    let program = std::fs::read(env!("CARGO_BIN_EXE_dyno")).unwrap();
    let files: [(&str, &[u8]); 11] = [
        ("empty.epd", b""),
        ("no-games.pgn", b"\n"),
        ("fens.epd", b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n"),
        ("program.epd", &program[..5000]),
        ("note.txt", b"hello\n"),
        ("torn.json", b"{\"schema\": 1"),
        ("torn.toml", b"[engine]\ncommand =\n"),
        ("keys.toml", b"[engine]\ncommand = \"builtin\"\n[perft]\ndeph = 3\n"),
        ("cup.pgn", game.as_bytes()),
        ("torn.pgn.gz", &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x8b, 0x76]),
        ("torn.pgn.zst", &[0x28, 0xb5, 0x2f, 0xfd, 0x24, 0x2c, 0x61, 0x01, 0x00]),
    ];
    for (name, content) in files {
        std::fs::write(folder.join(name), content).unwrap();
    }
    folder
}
