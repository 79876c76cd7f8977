//! Ctrl-C and SIGTERM end every command, whatever it is doing.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::Folder;
use dyno_testkit::scripted;
use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A second, and as much again as a busy machine may take to notice.
const PROMPT: Duration = Duration::from_secs(4);

/// Commands that are over before anyone can press a key, with the reason.
const INSTANT: [&str; 6] = ["completions", "man", "suites", "report", "history", "help"];

/// Commands whose end is another test's: of servers and workers, which Ctrl-C ends in good order.
const ELSEWHERE: [&str; 3] = ["serve", "worker", "cluster"];

/// What every command does that takes a while; `{silent}` is an engine that never answers, `{hang}`
/// one that does not end a search, `{slow}` one that takes long for each move, `{piston}` Piston
/// with all its parameters. Where a file is `-`, it comes from a pipe that stays open.
const SCENES: &[&str] = &[
    // Counting.
    "perft 30",
    "perft 99 --threads 2",
    "perft 12 --hash 16",
    "perft 9 --detail",
    "perft --suite standard",
    "perft --suite -",
    "perft --bench --rounds 1000",
    "perft 12 --engine builtin",
    "perft 3 --engine {silent}",
    // Waiting for an engine: its first word, a move, its end.
    "check {silent} --startup-timeout 60",
    "check {hang}",
    "check builtin --only stability",
    "suite wac --engine {silent} --startup-timeout 60",
    "suite wac --engine {hang}",
    "suite wac --movetime 60000",
    "mate mate-in-1 --engine {hang}",
    "bench --engine {hang}",
    "bench --engine builtin --depth 40",
    "bench --engine {silent} --own --startup-timeout 60",
    "engine bench 40",
    "engine",
    "init . --engine {silent} --startup-timeout 60",
    "regress --engine {slow}",
    "match -engine cmd={hang} name=A -engine cmd={hang} name=B -each tc=60+1 -rounds 2",
    "match -engine cmd={silent} name=A -engine cmd={silent} name=B -each tc=60+1 -rounds 2",
    "annotate game.pgn --engine {hang}",
    "tune -engine cmd={tunable} -each tc=60+1 --pairs 100 --param Care=0..100",
    "tune texel --engine {piston} --positions labelled.epd --params-from '*'",
    // Reading.
    "suite -",
    "mate -",
    "mate prove -",
    "puzzles run -",
    "puzzles convert - -o out.epd",
    "puzzles mine - -o out.epd --mate 3",
    "bench --epd -",
    "elo --pgn -",
    "ratings -",
    "annotate - --depth 1",
    "sprt status --pgn -",
    // Computing.
    "mate solve startpos 9",
    "sprt plan --runs 100000000",
];

/// A running command; ended, whatever becomes of the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    fn start(folder: &Folder, scene: &str) -> Self {
        let silent = quoted(&scripted::command(&["silent"]));
        let hang = quoted(&scripted::command(&["hang"]));
        let slow = quoted(&scripted::command(&["think=60000"]));
        let piston = quoted(concat!("\"", env!("CARGO_BIN_EXE_dyno"), "\" engine --tunable"));
        let tunable = quoted(&dyno_testkit::tunable::command());
        let line = scene
            .replace("{silent}", &silent)
            .replace("{hang}", &hang)
            .replace("{slow}", &slow)
            .replace("{piston}", &piston)
            .replace("{tunable}", &tunable);
        let words = dyno_words(&line);
        let child = Command::new(env!("CARGO_BIN_EXE_dyno"))
            .args(words)
            .current_dir(&folder.0)
            .env("DYNO_HISTORY", "off")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(folder.0.join("stderr")).unwrap())
            .spawn()
            .unwrap();
        let mut running = Self(child);
        // Something to begin with, for the readers; the pipe stays open.
        let _ = running.0.stdin.as_mut().unwrap().write_all(b"\n");
        running.wait_until_it_listens();
        running
    }

    fn wait_until_it_listens(&mut self) {
        const SIGINT: u64 = 1 << 1;
        let path = format!("/proc/{}/status", self.0.id());
        let until = Instant::now() + Duration::from_secs(20);
        while Instant::now() < until {
            let status = std::fs::read_to_string(&path).unwrap_or_default();
            let caught = status.lines().find_map(|l| l.strip_prefix("SigCgt:")).unwrap_or("0");
            if u64::from_str_radix(caught.trim(), 16).unwrap_or(0) & SIGINT != 0 {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Sends the signal after a while and says how long it took to end, and how it ended.
    fn stop(self, signal: &str, after: Duration) -> (Option<Duration>, Option<i32>) {
        std::thread::sleep(after);
        self.stop_by(signal, 1)
    }

    /// The same with a signal sent several times at once, by one process.
    fn stop_by(mut self, signal: &str, times: usize) -> (Option<Duration>, Option<i32>) {
        let pids = vec![self.0.id().to_string(); times];
        assert!(Command::new("kill").arg(signal).args(pids).status().unwrap().success());
        let sent = Instant::now();
        while sent.elapsed() < PROMPT {
            if let Some(status) = self.0.try_wait().unwrap() {
                return (Some(sent.elapsed()), status.code());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        (None, None)
    }
}

fn quoted(command: &str) -> String {
    format!("'{command}'")
}

/// Words as a shell splits them: quotes hold a word together.
fn dyno_words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut inside = false;
    for letter in line.chars() {
        match letter {
            '\'' => inside = !inside,
            ' ' if !inside => words.push(String::new()),
            letter => words.last_mut().unwrap().push(letter),
        }
    }
    words
}

#[test]
fn every_command_ends_promptly_in_every_phase() {
    let folder = Folder::new("interrupts");
    folder.file("dyno.toml", "[engine]\ncommand = 'builtin'\n[bench]\ndepth = 9\n");
    folder.file("game.pgn", "[Event \"x\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n");
    let labelled = "4k3/8/8/8/8/8/4P3/3QK3 w - - 0 1 [1.0]\n".repeat(20_000);
    folder.file("labelled.epd", labelled);
    let mut wrong = Vec::new();
    for (index, scene) in SCENES.iter().enumerate() {
        let signal = if index % 2 == 0 { "-INT" } else { "-TERM" };
        let after = Duration::from_millis(if index % 3 == 0 { 100 } else { 600 });
        let (took, code) = Running::start(&folder, scene).stop(signal, after);
        if took.is_none() || code != Some(130) {
            let said = folder.read("stderr");
            wrong.push(format!("{scene} ({signal}): {took:?}, exit code {code:?}: {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `timeout -s INT` signals its child, then the child's group: the child hears it twice.
#[test]
fn a_signal_that_comes_twice_at_once_is_one() {
    let folder = Folder::new("interrupts-twice");
    let serving = Running::start(&folder, "serve 0 --history runs.db");
    let until = Instant::now() + Duration::from_secs(20);
    while !folder.read("stderr").contains("Ctrl-C ends it") && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    let (took, code) = serving.stop_by("-INT", 2);
    assert_eq!(code, Some(0), "{took:?}: {}", folder.read("stderr"));
}

#[test]
fn no_command_is_left_out() {
    let help = Command::new(env!("CARGO_BIN_EXE_dyno")).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let listed = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let commands = listed.take_while(|line| !line.is_empty()).filter_map(|line| {
        let indented = line.strip_prefix("  ").filter(|rest| !rest.starts_with(' '))?;
        indented.split_whitespace().next()
    });
    for command in commands {
        let walked = SCENES.iter().any(|scene| scene.split(' ').next() == Some(command));
        let known = INSTANT.contains(&command) || ELSEWHERE.contains(&command);
        assert!(walked || known, "{command} is not interrupted by any test");
    }
}
