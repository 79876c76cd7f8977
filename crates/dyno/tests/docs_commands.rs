//! Every command of the README and the guide is run, so that none goes stale.
//!
//! A page has a folder of its own with everything its reader would have: engines, openings,
//! games, suites. All engines, those of the distribution too, are Piston under another name, so
//! that the result does not depend on what is installed. Commands that take a reader minutes are
//! made quick by the table [`QUICKER`], which only adds limits or lowers numbers.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::print_stderr, reason = "says what it leaves out")]

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// What stands in the guide, and what is run in its place.
const QUICKER: &[(&str, &str)] = &[
    // The engine at hand has other options, and a tuning takes hours.
    (
        "--param RazorMargin=100..600 --param FutilityBase=50..250 --pairs 20000",
        "--param Hash=1..32 --pairs 1 --no-verify",
    ),
    // A fit needs more positions than the games at hand have.
    ("--positions games.pgn --params-from 'material*'", "--help"),
    ("-each tc=2+0.02 -concurrency 8 ", "-each nodes=20 -concurrency 2 "),
    ("dyno regress --junit dyno.xml --markdown summary.md", "dyno regress --config small.toml"),
    (
        "dyno check --engine ./my-engine --report-html",
        "dyno check --only startup.handshake --engine ./my-engine --report-html",
    ),
    ("dyno check --engine", "dyno check --only startup.handshake --engine"),
    ("dyno check", "dyno check --only startup.handshake"),
    ("dyno init", "dyno init --no-check"),
    // It serves until it is stopped.
    ("dyno serve --open", "timeout --foreground --preserve-status -s INT 2 dyno serve"),
    ("dyno engine bench 13", "dyno engine bench 2"),
    ("dyno engine bench", "dyno engine bench 1"),
    ("dyno perft --bench", "dyno perft --bench --rounds 1"),
    ("--max-nodes 20000000", "--max-nodes 20000"),
    ("--suite chess960", "--suite chess960 --max-nodes 17040200"),
    (
        "dyno perft --suite standard --engine ./my-engine --max-nodes 10000",
        "dyno perft --suite standard --engine ./my-engine --max-nodes 1000",
    ),
    (
        "dyno perft --suite standard --engine",
        "dyno perft --suite standard --max-nodes 1000 --engine",
    ),
    ("dyno mate --", "dyno mate --limit 3 --"),
    ("dyno mate  ", "dyno mate --epd mate-in-1 --limit 3  "),
    ("--nodes 100000 --concurrency", "--nodes 100 --concurrency"),
    ("--nodes 100000", "--nodes 100 --limit 4"),
    ("--nodes 50000", "--nodes 50 --limit 4"),
    ("--nodes 20000", "--nodes 200"),
    ("--epd sts.epd --report", "--epd sts.epd --movetime 5 --report"),
    ("-each tc=10+0.1", "-each tc=10+0.1 depth=1"),
    ("-each tc=1+0.1", "-each tc=1+0.1 depth=1"),
    ("-games 1000", "-games 2"),
    ("-games 400", "-games 2"),
    ("-games 100 ", "-games 2 "),
    ("nodes=6000", "nodes=60"),
    ("nodes=2000", "nodes=20"),
    ("--depth 12 --runs", "--depth 1 --limit 3 --runs"),
    ("mined.epd --engine stockfish --depth 12", "mined.epd --engine stockfish --depth 2"),
    ("stockfish --runs 3 --compare", "stockfish --depth 1 --limit 3 --runs 3 --compare"),
    ("--depth 10 --limit 8", "--depth 1 --limit 3"),
    ("dyno bench --engine ./new", "dyno bench --depth 1 --limit 3 --engine ./new"),
    ("dyno regress --quiet", "dyno regress --quiet --config small.toml"),
    ("dyno regress  ", "dyno regress --only perft  "),
    ("dyno sprt plan", "dyno sprt plan --runs 10"),
];

/// A command of the guide.
#[derive(Clone, Debug)]
struct Documented {
    page: String,
    line: usize,
    /// Which block of the page it is in: every block starts in the page's own folder.
    block: usize,
    text: String,
    /// What the page shows below it.
    shown: String,
    /// The fields of its JSON in the table below it, and whether they are always there.
    fields: Vec<(String, bool)>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pages() -> Vec<PathBuf> {
    let docs = std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> =
        docs.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect();
    pages.push(root().join("README.md"));
    pages.sort();
    pages
}

/// The commands of a page: all lines of `sh` blocks, and those behind `$` in `console` blocks.
fn commands(page: &Path) -> Vec<Documented> {
    let name = page.file_name().unwrap().to_string_lossy().into_owned();
    let text = std::fs::read_to_string(page).unwrap();
    let mut found: Vec<Documented> = Vec::new();
    let (mut fence, mut goes_on, mut block) = (None, false, 0);
    // The fields that every result has, in the table before the first command.
    let mut header: Vec<(String, bool)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if let Some(info) = line.trim_start().strip_prefix("```") {
            fence = if fence.is_none() { Some(info.to_owned()) } else { None };
            (goes_on, block) = (false, block + 1);
            continue;
        }
        if fence.is_none() && name == "json.md" {
            let row = line.strip_prefix("| `").and_then(|row| row.split_once("` | "));
            let row = row.map(|(field, holds)| (field.to_owned(), !holds.starts_with("only ")));
            match found.last_mut() {
                None => header.extend(row),
                Some(last) if line.starts_with("| *header* |") => {
                    last.fields.extend(header.clone());
                }
                Some(last) => last.fields.extend(row),
            }
        }
        let command = match fence.as_deref() {
            Some("sh") => line.trim().strip_prefix("$ ").or(Some(line.trim())),
            Some("console") => line.strip_prefix("$ "),
            Some(_) | None => continue,
        };
        let part = line.trim().trim_end_matches('\\');
        match (goes_on, command, found.last_mut()) {
            (true, _, Some(last)) => last.text = format!("{} {part}", last.text),
            (false, Some(command), _) if !command.is_empty() && !command.starts_with('#') => {
                let text = command.trim_end_matches('\\').trim_end().to_owned();
                let (page, line, shown, fields) =
                    (name.clone(), number + 1, String::new(), Vec::new());
                found.push(Documented { page, line, block, text, shown, fields });
            }
            (_, None, Some(last)) => last.shown += &format!("{line}\n"),
            _ => {}
        }
        goes_on = (command.is_some() || goes_on) && line.ends_with('\\');
    }
    found
}

/// Commands that are about building Dyno itself, as cargo is not run inside of cargo, and those that
/// take a server or another machine, whose tests are in `cluster.rs` and `live`.
fn is_run_elsewhere(text: &str) -> bool {
    let others =
        ["dyno cluster ", "dyno worker ", "dyno serve 0.", "dyno serve --behind", "export "];
    ["cargo ", "RUSTFLAGS=", "./test", "rustup "]
        .iter()
        .chain(&others)
        .any(|word| text.starts_with(word))
}

/// Lays out what the reader of a page would have, and returns its folder.
fn lay_out(page: &str, text: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("dyno-docs-{}-{page}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let bin = folder.join("path");
    std::fs::create_dir_all(&bin).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_dyno"), bin.join("dyno")).unwrap();
    for name in ["stockfish", "fairy-stockfish", "glaurung"] {
        engine(&bin.join(name));
    }
    match text.contains("cd my-engine") || text.contains("bin/my-engine") {
        true => {
            // Only native programs are looked for in an engine's folder.
            let native = dyno_testkit::toy::command(None).trim_matches(['"', '\'']).to_owned();
            for home in [folder.join("my-engine"), folder.clone()] {
                std::fs::create_dir_all(home.join("bin")).unwrap();
                std::fs::copy(&native, home.join("bin/my-engine")).unwrap();
            }
        }
        false => engine(&folder.join("my-engine")),
    }
    std::fs::create_dir_all(folder.join("build")).unwrap();
    std::fs::create_dir_all(folder.join("new-folder")).unwrap();
    for name in ["new", "old", "mine", "engine", "build/engine"] {
        engine(&folder.join(name));
    }
    for (name, content) in files() {
        std::fs::write(folder.join(name), content).unwrap();
    }
    folder
}

/// Piston as a program of another name; its own bench is kept short.
fn engine(path: &Path) {
    let dyno = env!("CARGO_BIN_EXE_dyno");
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = bench ] && exec '{dyno}' engine bench 1\nexec '{dyno}' engine\n"
    );
    std::fs::write(path, script).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn files() -> Vec<(&'static str, String)> {
    let mate = "2b3rk/1q3p1p/p1p1pPpQ/4N3/2pP4/2P1p1P1/1P4PK/5R2 w - - bm Rh1; dm 3; id \"m\";\n";
    let sts = "1kr5/3n4/q3p2p/p2n2p1/PppB1P2/5BP1/1P2Q2P/3R2K1 w - - bm f5; \
               id \"STS(v1.0) Undermining.001\"; c0 \"f5=10, Be5+=2, Bf2=3, Bg4=2\";\n";
    let bad = "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id \"good\";\n\
               2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qh9; id \"no move\";\n";
    let perft = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400\n";
    let puzzle = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl\n\
                  000rZ,2kr1b1r/p1p2pp1/2pqb3/7p/3N2n1/2NPB3/PPP2PPP/R2Q1RK1 w - - 2 13,\
                  d4e6 d6h2,822,83,99,99,kingsideAttack mate mateIn1 oneMove opening short,\
                  https://lichess.org/seIMDWkD#25\n";
    let game = |round: usize, white: &str, black: &str, result: &str| {
        format!(
            "[Event \"Cup\"]\n[Site \"?\"]\n[Date \"2026.01.01\"]\n[Round \"{round}\"]\n\
             [White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n\
             1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# {result}\n\n"
        )
    };
    let players = ["Alfil", "Bishop 2", "Castle", "Donkey"];
    let results = ["1-0", "1/2-1/2", "0-1", "1-0", "1/2-1/2"];
    let mut cup = String::new();
    for (number, (white, black)) in (0..4)
        .flat_map(|a| (0..4).filter(move |b| a != *b).map(move |b| (a, b)))
        .cycle()
        .take(48)
        .enumerate()
    {
        cup += &game(number, players[white], players[black], results[number % 5]);
    }
    vec![
        ("my-mates.epd", mate.to_owned()),
        ("sts.epd", sts.to_owned()),
        ("bad.epd", bad.to_owned()),
        ("my.epd", perft.to_owned()),
        ("lichess_db_puzzle.csv.zst", puzzle.to_owned()),
        ("games.pgn", game(1, "A", "B", "1-0")),
        ("openings.pgn", game(1, "A", "B", "1-0").replace("4. Qxf7#", "")),
        ("cup.pgn", cup),
        ("small.toml", "[engine]\ncommand = \"builtin\"\n[perft]\ndepth = 2\n".to_owned()),
    ]
}

fn quicker(text: &str, used: &Mutex<BTreeSet<usize>>) -> String {
    let mut text = format!("{text} ");
    let mut done: Vec<&str> = Vec::new();
    for (number, (shown, run)) in QUICKER.iter().enumerate() {
        // The longest entry for a command comes first and wins.
        let again = done.iter().any(|earlier| earlier.starts_with(shown));
        if text.contains(shown) && !again {
            text = text.replace(shown, run);
            done.push(shown);
            used.lock().unwrap_or_else(PoisonError::into_inner).insert(number);
        }
    }
    text
}

/// Runs the commands of a page in their order and returns what is wrong with them.
fn run_page(page: &Path, used: &Mutex<BTreeSet<usize>>) -> (usize, Vec<String>) {
    // The guide and the repository have a README each, and pages run side by side.
    let folder = page.parent().and_then(Path::file_name).unwrap_or_default();
    let name = format!("{}-{}", folder.display(), page.file_stem().unwrap().display());
    let commands = commands(page);
    if commands.iter().all(|command| is_run_elsewhere(&command.text)) {
        return (0, Vec::new());
    }
    let home = lay_out(&name, &std::fs::read_to_string(page).unwrap());
    let (mut here, mut block, mut count, mut faults) = (home.clone(), 0, 0, Vec::new());
    for command in &commands {
        if command.block != block {
            (here, block) = (home.clone(), command.block);
        }
        if is_run_elsewhere(&command.text) {
            eprintln!("not run: {}:{}: {}", command.page, command.line, command.text);
            continue;
        }
        if let Some(folder) = command.text.strip_prefix("cd ") {
            here = here.join(folder.trim());
            continue;
        }
        count += 1;
        faults.extend(run(command, &quicker(&command.text, used), &home, &here));
    }
    let _ = std::fs::remove_dir_all(&home);
    (count, faults)
}

/// What is wrong with a command: it ends as no documented command may, or not as shown.
fn run(command: &Documented, text: &str, home: &Path, here: &Path) -> Option<String> {
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("bash")
        .args(["-o", "pipefail", "-c", text])
        .current_dir(here)
        .env("PATH", format!("{}:{path}", home.join("path").display()))
        .env("HOME", home)
        .env_remove("XDG_DATA_HOME")
        .env_remove("DYNO_HISTORY")
        .env("FEN", "4k3/8/8/8/8/8/6b1/4K2R b K - 0 1")
        .env_remove("GITHUB_STEP_SUMMARY")
        .stdin(Stdio::null())
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            return Some(format!("{}: {text}: {}: {error}", command.page, here.display()));
        }
    };
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let wants_error = command.shown.starts_with("error:");
    let fits = match output.status.code() {
        // A bar may be missed by an engine that is not the author's; a test may be undecided.
        Some(0 | 1 | 5) => !wants_error,
        Some(2) => wants_error && said.trim() == command.shown.trim(),
        _ => false,
    };
    let Documented { page, line, fields, .. } = command;
    if let Some(fault) =
        (!fields.is_empty()).then(|| wrong_fields(fields, &output.stdout)).flatten()
    {
        return Some(format!("{page}:{line}: {text}\n  {fault}\n{said}"));
    }
    let status = output.status;
    (!fits || said.contains("panicked"))
        .then(|| format!("{page}:{line}: {text}\n  {status}: {said}"))
}

/// The fields of a JSON value that are not documented, or documented and not there.
fn wrong_fields(documented: &[(String, bool)], printed: &[u8]) -> Option<String> {
    let value: serde_json::Value = match serde_json::from_slice(printed) {
        Ok(value) => value,
        Err(error) => return Some(format!("not JSON: {error}")),
    };
    let Some(object) = value.as_object() else { return Some("not a JSON object".to_owned()) };
    let known = |field: &str| documented.iter().any(|(name, _)| name == field);
    let surplus: Vec<&String> = object.keys().filter(|field| !known(field)).collect();
    let missing = documented.iter().filter(|(name, always)| *always && !object.contains_key(name));
    let missing: Vec<&String> = missing.map(|(name, _)| name).collect();
    (!surplus.is_empty() || !missing.is_empty())
        .then(|| format!("not documented: {surplus:?}; documented but missing: {missing:?}"))
}

#[test]
fn every_documented_command_runs() {
    let pages = Mutex::new(pages());
    let used = Mutex::new(BTreeSet::new());
    let results = Mutex::new((0, Vec::new()));
    let next = || pages.lock().unwrap_or_else(PoisonError::into_inner).pop();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(page) = next() {
                    let (count, faults) = run_page(&page, &used);
                    let mut all = results.lock().unwrap_or_else(PoisonError::into_inner);
                    all.0 += count;
                    all.1.extend(faults);
                }
            });
        }
    });
    let (count, faults) = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    assert!(faults.is_empty(), "{} commands fail:\n{}", faults.len(), faults.join("\n"));
    assert!(count >= 50, "only {count} commands were found");
    let used = used.into_inner().unwrap_or_else(PoisonError::into_inner);
    let unused: Vec<_> =
        QUICKER.iter().enumerate().filter(|(number, _)| !used.contains(number)).collect();
    assert!(unused.is_empty(), "no longer in the guide: {unused:?}");
}

#[test]
fn examples_stand_in_marked_blocks() {
    let mut bare = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        let mut inside = false;
        for (number, line) in text.lines().enumerate() {
            if let Some(info) = line.trim_start().strip_prefix("```") {
                inside = !inside && !matches!(info, "sh" | "console" | "yaml");
            } else if inside && line.trim_start().trim_start_matches("$ ").starts_with("dyno ") {
                bare.push(format!("{}:{}: {line}", page.display(), number + 1));
            }
        }
    }
    assert!(bare.is_empty(), "mark these blocks as sh or console:\n{}", bare.join("\n"));
}
