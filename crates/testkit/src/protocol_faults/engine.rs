//! The UCI loop of the protocol-faults engine.

use super::fault::ProtocolFault;
use super::search::{NOT_HIT, Search};
use dyno_chess::Position;
use dyno_uci::{Command, Go};
use std::io::{BufRead, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Speaks UCI until `quit` or the end of input; says with which code to end.
pub fn run(input: impl BufRead, fault: Option<ProtocolFault>) -> u8 {
    let mut session = Session::new(fault);
    if session.has(ProtocolFault::NeverFlushes)
        && let Ok(mut held) = BUFFERED.lock()
    {
        *held = Some(String::new());
    }
    for line in input.lines() {
        let Ok(mut line) = line else { break };
        if session.has(ProtocolFault::CutsLongLines) && line.len() > 2048 {
            line.truncate(2048);
        }
        if session.does_not_read(&line) {
            continue;
        }
        session.out_of_order = session.has(ProtocolFault::WordsInOrder)
            && line.contains("wtime")
            && !line.starts_with("go wtime");
        match Command::parse(&without_unknown_limits(&line)) {
            Ok(Command::Quit) if session.is_deaf_to_quit() => {}
            Ok(Command::Quit) => {
                session.end_search();
                if session.has(ProtocolFault::AbortsOnQuit) {
                    std::process::abort();
                }
                return if session.has(ProtocolFault::ExitCode) { 3 } else { 0 };
            }
            Ok(command) => session.obey(&command),
            Err(_) if session.has(ProtocolFault::AbortsOnUnknown) && !line.trim().is_empty() => {
                std::process::abort()
            }
            Err(_) if session.has(ProtocolFault::AnswersUnknown) => say("bestmove e2e4"),
            Err(_) => {}
        }
    }
    while session.has(ProtocolFault::StaysAtEndOfInput) {
        std::thread::sleep(Duration::from_secs(3600));
    }
    session.end_search();
    flush_at_the_end();
    0
}

/// The words that limit a search.
const LIMITS: [&str; 12] = [
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
];

/// A `go` without the words that are not known, and what follows them.
fn without_unknown_limits(line: &str) -> String {
    let mut words = line.split_whitespace();
    if words.next() != Some("go") {
        return line.to_owned();
    }
    let mut kept = vec!["go"];
    let mut is_known = true;
    for word in words {
        let is_word = word.chars().all(|c| c.is_ascii_alphabetic());
        is_known = if is_word { LIMITS.contains(&word) } else { is_known };
        kept.extend(is_known.then_some(word));
    }
    kept.join(" ")
}

/// Set for an engine that leaves its output in a buffer.
static BUFFERED: Mutex<Option<String>> = Mutex::new(None);

/// Lets out what the buffer holds, as the end of a process does.
fn flush_at_the_end() {
    let held = BUFFERED.lock().map(|mut held| held.take());
    if let Ok(Some(text)) = held {
        say(text.trim_end());
    }
}

pub(super) fn say(text: &str) {
    if let Ok(mut held) = BUFFERED.lock()
        && let Some(held) = held.as_mut()
    {
        held.push_str(text);
        held.push('\n');
        return;
    }
    let mut out = std::io::stdout().lock();
    // A closed pipe is followed by the end of input.
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

struct Session {
    fault: Option<ProtocolFault>,
    position: Position,
    chess960: bool,
    lines: usize,
    threads: usize,
    table: Vec<u8>,
    hash_changes: u32,
    /// The moves that the last `searchmoves` allowed.
    only: Vec<String>,
    /// The last movetime.
    movetime: Option<u64>,
    new_games: u32,
    searches: u64,
    /// The clocks are not where they are expected.
    out_of_order: bool,
    search: Option<Running>,
}

struct Running {
    thread: JoinHandle<()>,
    stop: Arc<AtomicBool>,
    /// Milliseconds since `began` at which the opponent's move came; the clock counts from there.
    hit: Arc<AtomicU64>,
    began: Instant,
    /// It ends only when it is told to.
    goes_on: bool,
}

impl Session {
    fn new(fault: Option<ProtocolFault>) -> Session {
        let mut session = Session {
            fault,
            position: Position::startpos(),
            chess960: false,
            lines: 1,
            threads: 1,
            table: Vec::new(),
            hash_changes: 0,
            only: Vec::new(),
            movetime: None,
            new_games: 0,
            searches: 0,
            out_of_order: false,
            search: None,
        };
        session.resize(1);
        session
    }

    fn has(&self, fault: ProtocolFault) -> bool {
        self.fault == Some(fault)
    }

    fn search_goes_on(&self) -> bool {
        self.search.as_ref().is_some_and(|search| search.goes_on)
    }

    fn is_deaf_to_quit(&self) -> bool {
        self.has(ProtocolFault::QuitIgnoredInSearch) && self.search.is_some()
    }

    /// Lines that a fault keeps from being read as they are meant.
    fn does_not_read(&self, line: &str) -> bool {
        match self.fault {
            Some(ProtocolFault::SplitsAtSpaces) => {
                line.contains("  ") || line.contains(['\t', '\r'])
            }
            Some(ProtocolFault::WantsCounters) => {
                line.starts_with("position fen") && line.split_whitespace().count() == 6
            }
            Some(ProtocolFault::AbortsOnUnknownLimit) if line.contains("xyzzy 7") => {
                std::process::abort()
            }
            _ => false,
        }
    }

    /// A table that is really there, byte for byte.
    fn resize(&mut self, megabytes: usize) {
        if self.has(ProtocolFault::HashSetOnce) && self.searches > 0 {
            return;
        }
        if self.has(ProtocolFault::LeaksTables) {
            std::mem::forget(std::mem::take(&mut self.table));
        }
        let megabytes = match self.fault {
            Some(ProtocolFault::HashCapped) => megabytes.min(16),
            Some(ProtocolFault::IgnoresHash) => 1,
            Some(ProtocolFault::HashTooLarge) => 3 * megabytes,
            _ => megabytes,
        };
        self.table = vec![1; megabytes << 20];
    }

    fn obey(&mut self, command: &Command<'_>) {
        match command {
            Command::Uci => self.introduce(),
            Command::IsReady => {
                if self.has(ProtocolFault::SwallowsIsReady) && self.search_goes_on() {
                    return self.end_search();
                }
                if self.has(ProtocolFault::IgnoresIsReady) && self.search_goes_on() {
                    return;
                }
                match self.fault {
                    Some(ProtocolFault::ReadyAfterSearch) => self.wait_for_search(),
                    Some(ProtocolFault::IsReadyStops) => self.end_search(),
                    Some(ProtocolFault::SlowReady) => {
                        std::thread::sleep(Duration::from_millis(250));
                    }
                    _ => {}
                }
                say("readyok");
                if self.has(ProtocolFault::IsReadyStopsLater) {
                    self.end_search();
                }
            }
            Command::SetOption { name, value } => self.set_option(name, value.unwrap_or("")),
            Command::NewGame => {
                self.new_games += 1;
                if self.has(ProtocolFault::AbortsOnNewGames) && self.new_games > 1000 {
                    std::process::abort();
                }
                if self.has(ProtocolFault::LeaksPerGame) {
                    std::mem::forget(std::hint::black_box(vec![1u8; 128 << 10]));
                }
            }
            Command::Position { fen, moves } => self.set_position(fen.unwrap_or(""), moves),
            Command::Go(go) => self.go(go),
            Command::Stop => {
                let was_running = self.search.is_some();
                if was_running && self.has(ProtocolFault::StopsLate) {
                    std::thread::sleep(Duration::from_millis(600));
                }
                if self.has(ProtocolFault::DeafWithThreads) && self.threads > 1 {
                    return;
                }
                self.end_search();
                if self.has(ProtocolFault::AnswersEveryStop) && !was_running {
                    say("bestmove e2e4");
                }
            }
            Command::PonderHit if !self.has(ProtocolFault::PonderHitIgnored) => {
                if let Some(search) = &self.search {
                    let now = search.began.elapsed().as_millis() as u64;
                    if self.has(ProtocolFault::LosesPonderHit) && now < 100 {
                        return;
                    }
                    search.hit.store(now, Ordering::Relaxed);
                }
            }
            _ => {}
        }
    }

    fn introduce(&self) {
        let name = self.fault.map_or("sound", ProtocolFault::name);
        if !self.has(ProtocolFault::NoName) {
            say(&format!("id name Protocol Faults ({name})"));
        }
        say("id author The Dyno authors");
        let default = if self.has(ProtocolFault::BadDeclaration) { 5000 } else { 1 };
        say(&format!(
            "option name Hash type spin default {default} min 1 max 1024\n\
             option name Threads type spin default 1 min 1 max 8\n\
             option name MultiPV type spin default 1 min 1 max 256\n\
             option name Ponder type check default false\n\
             option name UCI_Chess960 type check default false\nuciok"
        ));
    }

    fn set_option(&mut self, name: &str, value: &str) {
        let number = value.parse::<usize>().ok();
        if self.has(ProtocolFault::AbortsOnOptionInSearch) && self.search_goes_on() {
            std::process::abort();
        }
        if self.has(ProtocolFault::CaseOfOptions) && name == "multipv" {
            return;
        }
        match (name.to_ascii_lowercase().as_str(), number) {
            ("hash", Some(megabytes)) if (1..=1024).contains(&megabytes) => {
                self.hash_changes += 1;
                if self.has(ProtocolFault::AbortsOnHashChange) && self.hash_changes > 1 {
                    std::process::abort();
                }
                self.resize(megabytes);
            }
            ("threads", Some(threads)) => self.threads = threads.clamp(1, 8),
            ("multipv", Some(lines)) if self.has(ProtocolFault::MultiPvSticks) => {
                self.lines = self.lines.max(lines.clamp(1, 256));
            }
            ("hash", None) if self.has(ProtocolFault::AbortsOnRubbish) => std::process::abort(),
            ("multipv", Some(lines)) => self.lines = lines.clamp(1, 256),
            ("uci_chess960", _) => self.chess960 = value == "true",
            _ => {}
        }
    }

    fn set_position(&mut self, fen: &str, moves: &str) {
        let root = match fen {
            "" if self.has(ProtocolFault::KeepsBoard) && !moves.is_empty() => Ok(self.position),
            "" => Ok(Position::startpos()),
            fen => Position::from_fen(fen),
        };
        if root.is_err() && self.has(ProtocolFault::AbortsOnBadFen) {
            std::process::abort();
        }
        let Ok(mut position) = root else { return };
        position.set_chess960(self.chess960 || position.needs_chess960());
        let count = moves.split_ascii_whitespace().count();
        if self.has(ProtocolFault::AbortsOnLongGames) && count > 512 {
            std::process::abort();
        }
        for word in moves.split_ascii_whitespace() {
            match position.parse_uci(word) {
                Ok(mv) => position = position.play(mv),
                // What was cut off is not a move; those before it are played.
                Err(_) if self.has(ProtocolFault::CutsLongLines) => break,
                Err(_) => return,
            }
        }
        let quiet = position.halfmove_clock();
        if self.has(ProtocolFault::AbortsOnQuietGames) && quiet > 300 {
            std::process::abort();
        }
        self.position = position;
    }

    fn end_search(&mut self) {
        if let Some(search) = &self.search {
            search.stop.store(true, Ordering::Relaxed);
        }
        self.wait_for_search();
    }

    fn wait_for_search(&mut self) {
        if let Some(search) = self.search.take() {
            let _ = search.thread.join();
        }
    }

    fn go(&mut self, go: &Go) {
        if self.has(ProtocolFault::AbortsOnSecondGo) {
            // A thread that has answered may not have ended yet.
            std::thread::sleep(Duration::from_millis(250));
            if self.search.as_ref().is_some_and(|search| !search.thread.is_finished()) {
                std::process::abort();
            }
        }
        self.end_search();
        self.searches += 1;
        if self.has(ProtocolFault::LeaksMemory) {
            std::mem::forget(std::hint::black_box(vec![1u8; 128 << 10]));
        }
        let mut go = go.clone();
        if self.out_of_order {
            (go.wtime, go.btime) = (None, None);
        }
        if self.has(ProtocolFault::KeepsSearchMoves) {
            if go.searchmoves.is_empty() {
                go.searchmoves.clone_from(&self.only);
            }
            self.only.clone_from(&go.searchmoves);
        }
        if self.has(ProtocolFault::KeepsMovetime) {
            go.movetime = go.movetime.or(self.movetime);
            self.movetime = go.movetime;
        }
        if self.has(ProtocolFault::AbortsAfter100) && self.searches >= 100 {
            std::process::abort();
        }
        let goes_on = go.infinite;
        let (stop, hit) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(NOT_HIT)));
        let began = Instant::now();
        let search = Search {
            fault: self.fault,
            position: self.position,
            lines: self.lines,
            go,
            threads: self.threads,
            began,
            stop: Arc::clone(&stop),
            hit: Arc::clone(&hit),
            number: self.searches,
        };
        let thread = std::thread::spawn(move || search.run());
        self.search = Some(Running { thread, stop, hit, began, goes_on });
    }
}
