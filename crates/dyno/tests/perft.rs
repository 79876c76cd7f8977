//! `dyno perft` and `dyno suites` as a user meets them.

#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::print_stderr, reason = "says why it skips")]

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn dyno(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dyno")).args(args).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A file with the given text, in a folder of its own.
fn file(name: &str, text: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("dyno-perft-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn counts_the_start_position() {
    let output = dyno(&["perft", "5"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("4,865,609") && text.contains("the published count"), "{text}");
}

#[test]
fn divide_is_sorted_and_adds_up() {
    let output = dyno(&["perft", "3", "--position", "kiwipete", "--divide"]);
    let text = stdout(&output);
    let moves: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).collect();
    assert_eq!(moves.len(), 48);
    assert!(moves.is_sorted() && moves.contains(&"e1g1: 2059"), "{text}");
    assert!(text.ends_with("\n\nNodes searched: 97862\n"), "{text}");
    let rooks = dyno(&["perft", "1", "--position", "kiwipete", "--divide", "--chess960"]);
    assert!(stdout(&rooks).contains("e1h1: 1\n"), "{}", stdout(&rooks));
}

#[test]
fn divide_reads_like_stockfish() {
    let Ok(mut engine) =
        Command::new("stockfish").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().or_else(
            |_| {
                Command::new("/usr/games/stockfish")
                    .stdin(Stdio::piped())
                    .stdout(Stdio::piped())
                    .spawn()
            },
        )
    else {
        eprintln!("skipped: no stockfish");
        return;
    };
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    std::io::Write::write_all(
        engine.stdin.as_mut().unwrap(),
        format!("position fen {fen}\ngo perft 3\nquit\n").as_bytes(),
    )
    .unwrap();
    let theirs = stdout(&engine.wait_with_output().unwrap());
    let mut theirs: Vec<&str> = theirs.lines().filter(|line| line.contains(": ")).collect();
    theirs.sort_unstable();
    let ours = stdout(&dyno(&["perft", "3", "--fen", fen, "--divide"]));
    let mut ours: Vec<&str> = ours.lines().filter(|line| line.contains(": ")).collect();
    ours.sort_unstable();
    assert_eq!(ours, theirs);
}

#[test]
fn json_and_detail() {
    let output = dyno(&["perft", "4", "--position", "kiwipete", "--detail", "--json"]);
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["nodes"], 4_085_603);
    assert_eq!(value["published"]["nodes"], 4_085_603);
    assert_eq!(value["detail"][3]["discovered_checks"], 42);
    assert_eq!(value["moves"].as_array().unwrap().len(), 48);
    let table = stdout(&dyno(&["perft", "3", "--detail"]));
    assert!(table.contains("8,902") && table.contains("captures"), "{table}");
}

#[test]
fn bad_positions_are_refused_by_name() {
    for (args, message) in [
        (["--fen", "8/P7/8/8/8/8/p7/8 w - - 0 1"], "White has no king"),
        (["--fen", "rubbish"], "1 of the 4 needed fields"),
        (["--position", "kiwi"], "no position is called \"kiwi\""),
        (["--position", "chess960-960"], "no position is called"),
    ] {
        let output = dyno(&["perft", "3", args[0], args[1]]);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
    assert_eq!(dyno(&["perft"]).status.code(), Some(2));
    assert_eq!(dyno(&["perft", "-1"]).status.code(), Some(2));
    assert_eq!(dyno(&["perft", "3", "--threads", "0"]).status.code(), Some(2));
}

#[test]
fn a_wrong_count_is_named_and_fails() {
    let path = file(
        "wrong.epd",
        "# two right, one wrong, one unreadable\r\n\
         rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 401\r\n\
         8/P7/8/8/8/8/p7/8 w - - 0 1 ;D1 2\r\n\
         id block\r\nepd 4k3/8/8/8/8/8/8/4K2R w K -\r\nperft 1 15\r\n",
    );
    let output = dyno(&["perft", "--suite", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    assert!(text.contains(".epd:2: ") && text.contains("expected 401, found 400"), "{text}");
    assert!(text.contains("2 of 3 counts right in 2 positions"), "{text}");
    assert!(stderr(&output).contains("wrong.epd:3: White has no king"), "{}", stderr(&output));
}

#[test]
fn suites_by_name_with_limits() {
    let output = dyno(&[
        "perft",
        "--suite",
        "standard",
        "--max-nodes",
        "20000",
        "--threads",
        "2",
        "--hash",
        "8",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert!(stdout(&output).contains("left out by the limits"));
    let none = dyno(&["perft", "--suite", "chess960", "--max-depth", "2"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(stderr(&none).contains("--max-depth"), "{}", stderr(&none));
    let missing = dyno(&["perft", "--suite", "no-such-file.epd"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).contains("no-such-file.epd: no such file"), "{}", stderr(&missing));
}

/// Waits until the process has worked for a fifth of a second of processor time, and so is counting,
/// however long it had to wait for a processor.
#[cfg(target_os = "linux")]
fn wait_for_work(id: u32) {
    const TICKS: u64 = 20;
    loop {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
        let after_name = stat.rsplit(')').next().unwrap();
        let used: u64 = after_name.split_whitespace().nth(11).unwrap().parse().unwrap();
        if used >= TICKS {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_prints_what_is_known() {
    let child = Command::new(env!("CARGO_BIN_EXE_dyno"))
        .args(["perft", "12", "--divide"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for_work(child.id());
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(stdout(&output).contains("Nodes searched so far: "), "{}", stdout(&output));
    assert!(stderr(&output).contains("interrupted: "), "{}", stderr(&output));
}

#[test]
fn suites_are_listed_printed_and_exported() {
    let listing = stdout(&dyno(&["suites"]));
    assert!(listing.contains("chess960") && listing.contains("960"), "{listing}");
    assert!(stdout(&dyno(&["suites", "standard"])).contains(";id \"kiwipete\""));
    let unknown = dyno(&["suites", "nothing"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("there are standard"), "{}", stderr(&unknown));
    let folder = file("marker", "").parent().unwrap().join("exported");
    let _ = std::fs::remove_dir_all(&folder);
    let path = folder.to_str().unwrap();
    assert_eq!(dyno(&["suites", "--export", path]).status.code(), Some(0));
    assert!(folder.join("perft-standard.epd").is_file());
    let again = dyno(&["suites", "standard", "--export", path]);
    assert_eq!(again.status.code(), Some(2));
    assert!(stderr(&again).contains("--force"), "{}", stderr(&again));
}
