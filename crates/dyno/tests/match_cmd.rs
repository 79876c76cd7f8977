//! `dyno match` as a user runs it, against engines that behave and engines that do not.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]

mod oracle;

use dyno_testkit::scripted;
use oracle::{Told, check_results, games};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// A folder of its own that is gone after the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("dyno-match-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dyno"));
        command.arg("match").args(args).current_dir(&self.0);
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn engine(name: &str, tricks: &[&str]) -> Vec<String> {
    let mut words = vec!["-engine".to_owned(), format!("name={name}")];
    words.push(format!("cmd={}", scripted::binary().display()));
    words.extend(tricks.iter().map(|trick| format!("arg={trick}")));
    words
}

/// Two scripted engines, the first with tricks, and the rest of the line.
fn line(tricks: &[&str], rest: &str) -> Vec<String> {
    let mut words = engine("A", tricks);
    words.extend(engine("B", &[]));
    words.extend(rest.split_ascii_whitespace().map(str::to_owned));
    words
}

fn run(scratch: &Scratch, tricks: &[&str], rest: &str) -> (String, String, Option<i32>) {
    let words = line(tricks, rest);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let output = scratch.run(&words);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code())
}

#[test]
fn a_match_is_played_and_told_as_users_know_it() {
    let scratch = Scratch::new("plain");
    let rest = "-each tc=10+0.1 proto=uci hash=16 -games 20 -concurrency 2 -pgnout out.pgn \
                --events events.jsonl --report-json report.json --report-html report.html";
    let (out, err, code) = run(&scratch, &[], rest);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("Started game 1 of 20 (A vs B)\n"), "{out}");
    assert!(out.contains("Started game 2 of 20 (B vs A)\n"));
    assert!(out.contains("Finished game 20 (B vs A): "));
    assert!(out.contains("Score of A vs B: ") && out.contains("Elo difference: "));
    assert!(out.contains("Finished match: 20 games"));
    assert!(err.contains("no openings given"), "{err}");
    let pgn = scratch.read("out.pgn");
    assert_eq!(check_results(&pgn), 20);
    let openings: BTreeSet<String> = games(&pgn).iter().map(|g| g.moves[..10].join(" ")).collect();
    assert_eq!(openings.len(), 10, "an opening a pair, none twice");
    let events = scratch.read("events.jsonl");
    assert_eq!(events.matches("\"event\":\"game_finished\"").count(), 20);
    let report: serde_json::Value = serde_json::from_str(&scratch.read("report.json")).unwrap();
    assert_eq!((report["games"].as_u64(), report["schema"].as_u64()), (Some(20), Some(2)));
    assert!(scratch.read("report.html").contains("How the games ended"));
}

#[test]
fn every_fault_costs_its_engine_the_game() {
    for (trick, words, termination) in [
        ("hang@2", "loses on time", "time forfeit"),
        ("info-forever@2", "loses on time", "time forfeit"),
        ("flood-lines@2", "loses on time", "time forfeit"),
        ("flood-bytes@2", "loses on time", "time forfeit"),
        ("deaf@2", "loses on time", "time forfeit"),
        ("crash@2", "disconnects", "abandoned"),
        ("close-stdout@2", "disconnects", "abandoned"),
        ("null-move", "makes an illegal move: 0000", "illegal move"),
        ("illegal-move", "makes an illegal move: a1h7", "illegal move"),
        ("empty-move", "makes an illegal move: (none)", "illegal move"),
    ] {
        let scratch = Scratch::new(trick.split('@').next().unwrap());
        // An opening from which neither side is mated before the fault shows.
        std::fs::write(scratch.0.join("o.epd"), "4k3/pppp4/8/8/8/8/PPPP4/4K3 w - -\n").unwrap();
        let rest = "-each tc=1+0.01 -games 2 -pgnout x.pgn -openings file=o.epd format=epd";
        let (out, err, code) = run(&scratch, &[trick], rest);
        assert_eq!(code, Some(0), "{trick}: {err}");
        let first = format!("Finished game 1 (A vs B): 0-1 {{White {words}}}");
        assert!(out.contains(&first), "{trick}: {out}");
        // The process is replaced, so the second game is played, and fails alike.
        let second = format!("Finished game 2 (B vs A): 1-0 {{Black {words}}}");
        assert!(out.contains(&second), "{trick}: {out}");
        assert!(out.contains("evidence: x.faults/game-1-A.txt"), "{trick}: {out}");
        let table = out.lines().skip_while(|line| *line != "Engines:").take(12);
        assert!(table.clone().count() > 5 && table.clone().all(|line| line.len() <= 80), "{out}");
        assert!(scratch.read("x.faults/game-1-A.txt").contains("FEN: "), "{trick}");
        let pgn = scratch.read("x.pgn");
        assert_eq!(pgn.matches(&format!("[Termination \"{termination}\"]")).count(), 2, "{trick}");
        assert_eq!(check_results(&pgn), 2);
    }
}

#[test]
fn a_stall_without_a_clock_ends_too() {
    let scratch = Scratch::new("stall");
    let (out, err, _) = run(&scratch, &["hang@2"], "-each nodes=100 patience=0.5 -games 1");
    assert!(out.contains("0-1 {White's connection stalls}"), "{out}{err}");
}

#[test]
fn harmless_oddities_cost_nothing() {
    for trick in ["garbage", "twice", "unasked-bestmove", "chatter", "capitals", "crlf", "banner"] {
        let scratch = Scratch::new(trick);
        let (out, err, code) = run(&scratch, &[trick], "-each tc=10+1 -games 2 -pgnout x.pgn");
        assert_eq!(code, Some(0), "{trick}: {err}");
        let pgn = scratch.read("x.pgn");
        assert_eq!(pgn.matches("[Termination \"normal\"]").count(), 2, "{trick}: {out}");
        assert_eq!(check_results(&pgn), 2);
    }
}

#[test]
fn stop_on_fault_stops() {
    let scratch = Scratch::new("stop");
    let (out, _, code) =
        run(&scratch, &["crash@2"], "-each tc=10+1 -games 10 -stop-on-fault --journal j.journal");
    assert_eq!(code, Some(3), "{out}");
    assert!(out.contains("dyno match --resume j.journal"), "{out}");
}

#[test]
fn an_engine_that_cannot_run_is_named() {
    let scratch = Scratch::new("absent");
    let args = ["-engine", "cmd=./no-such-engine", "-engine", "cmd=builtin", "-each", "tc=1+1"];
    let output = scratch.run(&args);
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{err}");
    assert!(err.contains("no-such-engine"), "{err}");
    let output = scratch.run(&["-conkurrency", "3"]);
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert!(err.contains("did you mean -concurrency?"), "{err}");
}

#[test]
fn adjudication_and_tables_end_games() {
    let scratch = Scratch::new("ends");
    let rest = "-each tc=10+1 -games 2 -draw movenumber=10 movecount=3 score=5 -pgnout x.pgn";
    let (out, _, _) = run(&scratch, &[], rest);
    assert_eq!(out.matches("{Draw by adjudication}").count(), 2, "{out}");
    let (out, _, _) = run(&scratch, &[], "-each tc=10+1 -games 2 -maxmoves 8 --no-journal");
    assert_eq!(out.matches("maximum length reached}").count(), 2, "{out}");
}

/// The parts of a match line that a killed and resumed run must keep.
fn identities(pgn: &str) -> Vec<(String, String, String, String)> {
    let identity = |g: &Told| {
        let tag = |name| g.tag(name).to_owned();
        let opening = g.moves[..6.min(g.moves.len())].join(" ");
        (tag("GameNumber"), tag("White"), tag("Black"), opening)
    };
    games(pgn).iter().map(identity).collect()
}

fn wait_for_games(scratch: &Scratch, count: usize, child: &mut Child) {
    for _ in 0..20_000 {
        let journal = std::fs::read_to_string(scratch.0.join("m.journal")).unwrap_or_default();
        if journal.lines().count() > count || child.try_wait().unwrap().is_some() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("no progress");
}

#[test]
fn killed_again_and_again_it_plays_exactly_the_planned_games() {
    const GAMES: usize = 60;
    let rest = format!(
        "-each tc=10+0.1 -games {GAMES} -concurrency 3 -openings order=random -srand 5 -pgnout m.pgn --journal m.journal"
    );
    let whole = Scratch::new("whole");
    let (_, err, code) = run(&whole, &[], &rest);
    assert_eq!(code, Some(0), "{err}");
    let mut wanted = identities(&whole.read("m.pgn"));
    wanted.sort();

    let scratch = Scratch::new("killed");
    std::fs::write(scratch.0.join("m.pgn"), "[Event \"mine\"]\n\n1. e4 *\n\n").unwrap();
    let words = line(&["think=1"], &rest);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut child =
        scratch.command(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    for kill in 1..=6 {
        wait_for_games(&scratch, kill * 7, &mut child);
        child.kill().unwrap();
        child.wait().unwrap();
        let resume = ["--resume", "m.journal"];
        child =
            scratch.command(&resume).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    }
    assert!(child.wait().unwrap().success());

    let pgn = scratch.read("m.pgn");
    let own = pgn.strip_prefix("[Event \"mine\"]\n\n1. e4 *\n\n").expect("others' games are kept");
    let mut played = identities(own);
    played.sort();
    assert_eq!(played, wanted, "the same games, openings and colours; none lost, none twice");
    assert_eq!(check_results(own), GAMES);
    let journal = scratch.read("m.journal");
    let results = |text: &str, pattern: &str| text.matches(pattern).count();
    assert_eq!(results(&journal, "{\"game\":{"), GAMES);
    for result in ["1-0", "0-1", "1/2-1/2"] {
        let in_pgn = results(own, &format!("[Result \"{result}\"]"));
        assert_eq!(results(&journal, &format!("\"points\":\"{result}\"")), in_pgn);
    }
}

#[test]
fn sixty_four_games_at_once() {
    let scratch = Scratch::new("many");
    let rest = "-each tc=60+1 -games 128 -concurrency 64 -pgnout x.pgn";
    let (out, err, code) = run(&scratch, &[], rest);
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("games at once on"), "{err}");
    assert_eq!(check_results(&scratch.read("x.pgn")), 128);
    assert!(out.contains("no crash, hang, time loss, illegal move or illegal PV"), "{out}");
}

#[test]
fn tournaments_of_several_engines() {
    let scratch = Scratch::new("several");
    let mut words: Vec<String> = ["A", "B", "C"].iter().flat_map(|n| engine(n, &[])).collect();
    let each = "-each tc=10+1 -tournament gauntlet -games 2 -concurrency 2 -pgnout x.pgn";
    words.extend(each.split(' ').map(str::to_owned));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let output = scratch.run(&words);
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && out.contains("Started game 4 of 4 (C vs A)"), "{out}");
    let mut knockout = words.clone();
    let at = knockout.iter().position(|w| *w == "gauntlet").unwrap();
    knockout[at] = "knockout";
    let output = scratch.run(&knockout);
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && out.contains("Winner: "), "{out}");
}
