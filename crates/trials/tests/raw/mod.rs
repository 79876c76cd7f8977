//! A person at a keyboard: types the lines of a reproduction into the engine itself, without Dyno's
//! driver, and sees whether the finding shows.

use dyno_driver::split_command_line;
use dyno_trials::check::{Confirmation, Ending, Memory, Replay, ReportCard, Said, Speaker};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// As long as anybody waits for an engine.
const PATIENCE: Duration = Duration::from_secs(9);

/// The findings of a card whose printed lines do not show them.
pub fn not_shown(fault: &str, card: &ReportCard) -> String {
    let mut text = String::new();
    for result in &card.checks {
        for finding in &result.outcome.findings {
            if finding.reproduce.is_empty() {
                text += &format!("{fault}: {}: no lines to type: {}\n", result.id, finding.seen);
            }
            let Some(proof) = &finding.proof else { continue };
            if finding.confirmation == Confirmation::NotShown {
                text += &format!("{fault}: {}: {}\n", result.id, finding.seen);
                continue;
            }
            // A race may need another try.
            if !(0..3).any(|_| proof.shows(&type_in(&finding.reproduce)).is_some()) {
                let lines = finding.reproduce.join("\n    ");
                text += &format!("{fault}: {}: not shown by\n    {lines}\n", result.id);
            }
        }
    }
    text
}

/// Types the lines into the program of the first one.
fn type_in(lines: &[String]) -> Replay {
    let command = lines[0].strip_prefix("$ ").unwrap();
    let words = split_command_line(command).unwrap();
    let mut child = Command::new(&words[0])
        .args(&words[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (send, heard) = channel();
    let output = BufReader::new(child.stdout.take().unwrap());
    std::thread::spawn(move || {
        for line in output.lines() {
            let Ok(line) = line else { break };
            let _ = send.send((Instant::now(), line));
        }
    });
    let input = child.stdin.take();
    let mut typist =
        Typist { child, input, heard, began: Instant::now(), replay: Replay::default() };
    // The greeting is over when the engine is ready for the first time.
    let greeting = lines.iter().position(|line| line == "# wait for readyok").unwrap() + 1;
    typist.carry_out(&lines[1..greeting]);
    typist.replay = Replay::default();
    let before = Memory::of(typist.child.id());
    typist.carry_out(&lines[greeting..]);
    typist.pause(Duration::from_millis(100));
    typist.replay.memory = before.zip(Memory::of(typist.child.id()));
    typist.end()
}

struct Typist {
    child: Child,
    input: Option<ChildStdin>,
    heard: Receiver<(Instant, String)>,
    began: Instant,
    replay: Replay,
}

impl Typist {
    fn carry_out(&mut self, lines: &[String]) {
        let mut at = 0;
        while at < lines.len() {
            let words: Vec<&str> = lines[at].split_whitespace().collect();
            at += 1;
            match words[..] {
                ["#", "wait", "for", what] => self.wait_for(what),
                ["#", "wait", ms, "ms"] => self.pause(Duration::from_millis(ms.parse().unwrap())),
                ["#", "the", "next", count, "lines", "in", "one", "write"] => {
                    let count: usize = count.parse().unwrap();
                    self.send(&lines[at..at + count]);
                    at += count;
                }
                ["#", "the", "next", count, "lines", times, "times"] => {
                    let count: usize = count.parse().unwrap();
                    for _ in 0..times.parse().unwrap() {
                        self.carry_out(&lines[at..at + count]);
                    }
                    at += count;
                }
                ["#", "close", ..] => {
                    self.input = None;
                    self.wait_for_the_end();
                }
                // Notes of what cannot be seen in the next line.
                ["#", ..] => {}
                _ => self.send(&lines[at - 1..at]),
            }
        }
    }

    fn send(&mut self, lines: &[String]) {
        let sent = self.began.elapsed();
        if let Some(input) = &mut self.input {
            // A dead engine is seen at the end.
            let _ = input.write_all(format!("{}\n", lines.join("\n")).as_bytes());
            let _ = input.flush();
        }
        self.replay.ending = Ending::Running;
        for line in lines {
            self.note(sent, Speaker::Dyno, line.clone());
        }
    }

    fn note(&mut self, at: Duration, by: Speaker, text: String) {
        self.replay.lines.push(Said { at, by, text });
    }

    fn wait_for(&mut self, what: &str) {
        let end = Instant::now() + PATIENCE;
        while let Ok((at, line)) =
            self.heard.recv_timeout(end.saturating_duration_since(Instant::now()))
        {
            let is_it = line.split_whitespace().next() == Some(what);
            self.note(at - self.began, Speaker::Engine, line);
            if is_it {
                return;
            }
        }
        // A search that has been answered already owes nothing.
        let is_open = self.replay.last_search().is_some_and(|search| search.best.is_empty());
        if what == "bestmove" && !is_open {
            return;
        }
        self.note(self.began.elapsed(), Speaker::Silence, what.to_owned());
        self.replay.ending =
            Ending::Silent(if what == "bestmove" { "bestmove" } else { "readyok" });
    }

    fn pause(&mut self, span: Duration) {
        let end = Instant::now() + span;
        while let Ok((at, line)) =
            self.heard.recv_timeout(end.saturating_duration_since(Instant::now()))
        {
            self.note(at - self.began, Speaker::Engine, line);
        }
        std::thread::sleep(end.saturating_duration_since(Instant::now()));
    }

    fn wait_for_the_end(&mut self) {
        let end = Instant::now() + Duration::from_secs(3);
        while self.child.try_wait().unwrap().is_none() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(10));
        }
        self.replay.ending = Ending::Silent("its end");
    }

    fn end(mut self) -> Replay {
        if let Some(status) = self.child.try_wait().unwrap() {
            let exit = dyno_driver::Exit::from(status);
            self.replay.ending = Ending::Exited(exit.to_string());
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.replay
    }
}
