//! Whole conversations, in process.

#![allow(clippy::unwrap_used, reason = "tests")]

use dyno_piston::replay::{Log, replay};
use dyno_piston::uci_loop;
use std::io::{self, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// The engine's end of a pipe: lines go in one by one, as a GUI sends them.
struct Wire {
    lines: Receiver<String>,
    rest: Vec<u8>,
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.rest.is_empty() {
            match self.lines.recv() {
                Ok(line) => self.rest = line.into_bytes(),
                Err(_) => return Ok(0),
            }
        }
        let count = self.rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.rest[..count]);
        self.rest.drain(..count);
        Ok(count)
    }
}

struct Speaker {
    out: Sender<String>,
    part: String,
}

impl Write for Speaker {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.part.push_str(&String::from_utf8_lossy(bytes));
        while let Some(end) = self.part.find('\n') {
            let line: String = self.part.drain(..=end).collect();
            let _ = self.out.send(line.trim_end().to_owned());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file in memory.
#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Gui {
    to: Option<Sender<String>>,
    from: Receiver<String>,
    engine: Option<JoinHandle<()>>,
}

impl Gui {
    fn new(log: Option<Log>) -> Gui {
        let (to, lines) = channel();
        let (out, from) = channel();
        let input = BufReader::new(Wire { lines, rest: Vec::new() });
        let output = Speaker { out, part: String::new() };
        let engine = std::thread::spawn(move || uci_loop::run(input, output, log, false).unwrap());
        Gui { to: Some(to), from, engine: Some(engine) }
    }

    fn say(&self, line: &str) {
        self.to.as_ref().unwrap().send(format!("{line}\n")).unwrap();
    }

    /// All lines up to the first that starts so.
    fn until(&self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.from.recv_timeout(Duration::from_secs(60)).expect(start);
            let found = line.starts_with(start);
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    /// Closes the input and waits for the engine to end; returns what it still said.
    fn close(mut self) -> Vec<String> {
        self.to = None;
        self.engine.take().unwrap().join().unwrap();
        self.from.iter().collect()
    }
}

#[test]
fn the_handshake_declares_every_option() {
    let gui = Gui::new(None);
    gui.say("uci");
    let lines = gui.until("uciok");
    for name in
        ["Hash", "Clear Hash", "Threads", "MultiPV", "Ponder", "UCI_Chess960", "Move Overhead"]
    {
        let start = format!("option name {name} type ");
        assert!(lines.iter().any(|line| line.starts_with(&start)), "{name}");
    }
    assert!(lines.iter().any(|line| line.starts_with("id name Piston")));
    gui.say("quit");
    gui.engine.unwrap().join().unwrap();
}

#[test]
fn it_answers_while_it_searches_and_waits_for_stop() {
    let gui = Gui::new(None);
    gui.say("go infinite");
    gui.until("info depth 3");
    gui.say("isready");
    gui.until("readyok");
    // What would disturb the search waits for its end.
    gui.say("setoption name Hash value 1");
    gui.until("info string after this search");
    gui.say("stop");
    gui.until("bestmove ");
    gui.say("isready");
    gui.until("readyok");
    assert!(gui.close().iter().all(|line| !line.starts_with("bestmove")), "a second answer");
}

#[test]
fn pondering_ends_by_ponderhit_or_stop() {
    let gui = Gui::new(None);
    for end in ["ponderhit", "stop"] {
        gui.say("position startpos moves e2e4 e7e5");
        gui.say("go ponder wtime 100 btime 100");
        gui.until("info depth 5");
        gui.say(end);
        gui.until("bestmove ");
    }
    gui.close();
}

#[test]
fn wrong_input_gets_a_remark_and_does_no_harm() {
    let gui = Gui::new(None);
    for line in [
        "xyzzy",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position nonsense",
        "position startpos moves e2e5",
        "setoption name Nonsense value 3",
        "setoption name Hash value lots",
        "setoption name Threads",
        "setoption",
        "go depth many",
        "debug perhaps",
        "bench deep",
        "\u{fffd}\u{0}\u{7}",
    ] {
        gui.say(line);
        gui.until("info string ");
    }
    gui.say("position startpos moves e2e4 e7e5");
    gui.say("go depth 3 nonsense");
    gui.until("info string ");
    let lines = gui.until("bestmove ");
    assert!(lines.last().unwrap().split(' ').nth(1).unwrap().len() == 4);
    gui.close();
}

#[test]
fn the_end_of_input_ends_it() {
    let gui = Gui::new(None);
    gui.say("go infinite");
    gui.until("info depth 2");
    assert!(gui.close().iter().any(|line| line.starts_with("bestmove ")));
    let gui = Gui::new(None);
    gui.say("go depth 4");
    let lines = gui.close();
    assert!(lines.iter().any(|line| line.starts_with("info depth 4 ")), "a limited search ends");
}

#[test]
fn mate_and_stalemate_at_the_root() {
    let gui = Gui::new(None);
    for (fen, score) in [
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "score mate 0"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "score cp 0"),
    ] {
        gui.say(&format!("position fen {fen}"));
        gui.say("go depth 5");
        let lines = gui.until("bestmove (none)");
        assert!(lines.iter().any(|line| line.contains(score)), "{lines:?}");
    }
    gui.close();
}

#[test]
fn castling_is_written_as_asked_for() {
    let gui = Gui::new(None);
    let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    for (chess960, castling) in [("false", "e1g1"), ("true", "e1h1")] {
        gui.say(&format!("setoption name UCI_Chess960 value {chess960}"));
        gui.say(&format!("position fen {fen}"));
        gui.say(&format!("go depth 1 searchmoves {castling}"));
        let lines = gui.until("bestmove ");
        assert!(lines.last().unwrap().starts_with(&format!("bestmove {castling}")), "{lines:?}");
    }
    gui.close();
}

#[test]
fn several_lines_are_told_in_order() {
    let gui = Gui::new(None);
    gui.say("setoption name MultiPV value 3");
    gui.say("go depth 5");
    let lines = gui.until("bestmove ");
    let last: Vec<&String> = lines.iter().filter(|l| l.starts_with("info depth 5 ")).collect();
    let score = |line: &str| -> i32 {
        line.split(" cp ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap()
    };
    assert_eq!(last.len(), 3);
    assert!(last[0].contains("multipv 1") && last[2].contains("multipv 3"));
    assert!(score(last[0]) >= score(last[1]) && score(last[1]) >= score(last[2]));
    gui.close();
}

#[test]
fn perft_board_and_evaluation() {
    let gui = Gui::new(None);
    gui.say("go perft 3");
    assert!(gui.until("Nodes searched").last().unwrap().ends_with(": 8902"));
    gui.say("d");
    gui.until("Fen: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    gui.until("Key: ");
    gui.until("Checkers:");
    gui.say("eval");
    gui.until("Evaluation: ");
    gui.close();
}

#[test]
fn what_follows_does_not_cut_a_count_short() {
    let gui = Gui::new(None);
    gui.say("go perft 4");
    gui.say("go perft 2");
    gui.say("bench 4");
    gui.say("go perft 3");
    gui.say("quit");
    let lines = gui.close();
    let sums: Vec<&str> =
        lines.iter().filter_map(|line| line.strip_prefix("Nodes searched: ")).collect();
    assert_eq!(sums, ["197281", "400", "8902"]);
    assert!(lines.iter().any(|line| line.starts_with("Nodes searched  :")), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("stopped")), "{lines:?}");
}

#[test]
fn a_log_replays_to_the_same_answers() {
    let paper = Paper::default();
    let gui = Gui::new(Some(Log::new(paper.clone())));
    gui.say("setoption name Hash value 2");
    for (position, go) in [
        ("position startpos moves e2e4", "go depth 6"),
        ("position startpos moves e2e4 c7c5 g1f3", "go nodes 7000"),
        ("position startpos moves e2e4 c7c5 g1f3 d7d6 d2d4", "go wtime 600 btime 600"),
        ("position startpos moves e2e4 c7c5", "go movetime 30"),
        ("position fen kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "go mate 3"),
        ("position fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "go depth 3"),
    ] {
        gui.say(position);
        gui.say(go);
        gui.until("bestmove ");
    }
    gui.say("ucinewgame");
    gui.say("position startpos");
    gui.say("go infinite");
    gui.until("info depth 6");
    gui.say("stop");
    gui.until("bestmove ");
    gui.close();

    let text = String::from_utf8(paper.0.lock().unwrap().clone()).unwrap();
    let mut searches = Vec::new();
    replay(&text, |replayed| searches.push(replayed)).unwrap();
    assert_eq!(searches.len(), 7);
    for replayed in &searches {
        assert!(replayed.comparable && !replayed.differs(), "{replayed:#?}");
    }
    // A changed log is noticed, and a broken one is an error that says where.
    let changed = text.replacen("score cp ", "score cp 9", 1);
    let mut differing = 0;
    replay(&changed, |replayed| differing += usize::from(replayed.differs())).unwrap();
    assert_eq!(differing, 1);
    let broken = format!("{text}position fen nonsense\n");
    assert_eq!(replay(&broken, |_| {}).unwrap_err().line, text.lines().count() + 1);
}

#[test]
fn a_bench_that_was_stopped_states_no_signature() {
    let gui = Gui::new(None);
    gui.say("bench 60");
    gui.say("stop");
    let lines = gui.until("info string the bench was stopped");
    assert!(!lines.iter().any(|line| line.starts_with("Nodes searched")), "{lines:?}");
    // The end of the input lets a bench come to its end.
    gui.say("bench 5");
    assert!(gui.close().iter().any(|line| line.starts_with("Nodes searched")));
}
