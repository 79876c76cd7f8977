//! The UCI loop of the protocol-faults engine.

use super::fault::ProtocolFault;
use super::think::{MATE, Thinker};
use dyno_chess::{Move, Position};
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

/// The move of the last search.
static LAST_BEST: Mutex<String> = Mutex::new(String::new());

fn last_best() -> String {
    LAST_BEST.lock().map(|last| last.clone()).unwrap_or_default()
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

fn say(text: &str) {
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

const NOT_HIT: u64 = u64::MAX;

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
            std::thread::sleep(Duration::from_millis(20));
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

/// One search, on its own thread.
struct Search {
    fault: Option<ProtocolFault>,
    position: Position,
    lines: usize,
    threads: usize,
    go: Go,
    began: Instant,
    stop: Arc<AtomicBool>,
    hit: Arc<AtomicU64>,
    number: u64,
}

impl Search {
    fn has(&self, fault: ProtocolFault) -> bool {
        self.fault == Some(fault)
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The milliseconds this search may take from the start of its clock.
    fn budget(&self) -> Option<u64> {
        let go = &self.go;
        if let Some(ms) = go.movetime {
            return Some(match self.fault {
                Some(ProtocolFault::MovetimeIgnored) => return None,
                Some(ProtocolFault::MovetimeUnused) => ms / 5,
                Some(ProtocolFault::MovetimeOverstepped) => ms + 300,
                _ => ms.saturating_sub(3),
            });
        }
        let white = self.position.side_to_move() == dyno_chess::Color::White;
        let own_clock = white != self.has(ProtocolFault::OpponentsClock);
        let is_others = self.has(ProtocolFault::OpponentsIncrement)
            || self.has(ProtocolFault::OpponentsIncrementCapped);
        let own_increment = white != is_others;
        let left = if own_clock { go.wtime } else { go.btime };
        let more = if own_increment { go.winc } else { go.binc };
        if self.has(ProtocolFault::BelowZeroIsEndless) && left? < 0 {
            return None;
        }
        let (left, more) = (left?.max(1) as u64, more.unwrap_or(0).max(0) as u64);
        match self.fault {
            Some(ProtocolFault::SpendsIncrement) => return Some(left / 40 + more / 2),
            Some(ProtocolFault::ClockHardlyUsed) => return Some(left / 40_000),
            Some(ProtocolFault::ClockOverflows) => {
                let counted = i32::try_from(left / 40 * 1000).unwrap_or(0);
                return Some(counted as u64 / 1000);
            }
            Some(ProtocolFault::DividesByMovesToGo) if go.movestogo == Some(0) => {
                std::process::abort()
            }
            _ => {}
        }
        if self.has(ProtocolFault::MovesToGoOverstepped) && go.movestogo.is_some() {
            return Some(left + 300);
        }
        let moves = u64::from(go.movestogo.unwrap_or(40)).clamp(2, 40);
        let budget = left / moves + more / 2;
        // The bound would hide it.
        let is_bounded = !self.has(ProtocolFault::OpponentsIncrement);
        Some(if is_bounded { budget.min(left / 2) } else { budget })
    }

    fn run(self) {
        if self.has(ProtocolFault::LoadsLate) && self.number == 1 {
            std::thread::sleep(Duration::from_secs(6));
        }
        let mut moves: Vec<Move> = self.position.legal_moves().to_vec();
        let only = &self.go.searchmoves;
        if !only.is_empty() && !self.has(ProtocolFault::SearchMovesIgnored) {
            let kept = if self.has(ProtocolFault::FirstSearchMove) { 1 } else { only.len() };
            moves.retain(|mv| only[..kept].contains(&self.position.uci(*mv)));
        }
        if self.has(ProtocolFault::ForgetsCastling) {
            moves.retain(|mv| !mv.is_castling());
        }
        let best = match moves.first() {
            None if self.has(ProtocolFault::MovesWhenOver) => "a1b1".to_owned(),
            None if self.has(ProtocolFault::StaleMove) => last_best(),
            None if self.has(ProtocolFault::NullMoveWhenOver) => "a8a8".to_owned(),
            _ if self.has(ProtocolFault::DrawnIsOver) && self.is_drawn() => "(none)".to_owned(),
            None => "(none)".to_owned(),
            Some(first) => self.answer(&moves, *first),
        };
        let ends = match () {
            () if self.go.infinite => self.has(ProtocolFault::InfiniteEnds),
            () if self.go.ponder => self.has(ProtocolFault::PonderEnds),
            () => true,
        };
        let told = || self.stopped() || (self.go.ponder && self.clock_runs_out());
        while !(ends || told()) {
            std::thread::sleep(Duration::from_millis(1));
        }
        if self.has(ProtocolFault::TableCollides) {
            say("info string illegal table moves 2");
        }
        say(&format!("bestmove {best}"));
        if let Ok(mut last) = LAST_BEST.lock() {
            *last = best;
        }
    }

    fn is_drawn(&self) -> bool {
        self.position.outcome().is_some() || self.position.halfmove_clock() >= 100
    }

    /// The move that is answered, with what is wrong about it.
    fn answer(&self, moves: &[Move], first: Move) -> String {
        let found = self.deepen(moves);
        let best = found.unwrap_or(first);
        let mates = |mv: Move| {
            let next = self.position.play(mv);
            next.is_check() && !next.has_legal_move()
        };
        match self.fault {
            Some(ProtocolFault::NoMoveWhenStopped) if found.is_none() => "0000".to_owned(),
            Some(ProtocolFault::IllegalWithThreads) if self.threads > 1 => "a1h8".to_owned(),
            Some(ProtocolFault::WorseWithThreads) if self.threads > 1 => {
                let other = moves.iter().copied().find(|mv| !mates(*mv));
                self.write(&self.position, other.unwrap_or(first))
            }
            Some(ProtocolFault::OtherMove) => {
                self.write(&self.position, *moves.last().unwrap_or(&first))
            }
            Some(ProtocolFault::MissesMates) => {
                let other = moves.iter().copied().find(|mv| !mates(*mv));
                self.write(&self.position, if mates(best) { other.unwrap_or(best) } else { best })
            }
            Some(ProtocolFault::PonderNone) => {
                format!("{} ponder (none)", self.write(&self.position, best))
            }
            Some(ProtocolFault::IllegalPonder) => {
                format!("{} ponder a1h8", self.write(&self.position, best))
            }
            _ => self.write(&self.position, best),
        }
    }

    /// Whether a pondered search has had its time since `ponderhit`.
    fn clock_runs_out(&self) -> bool {
        let hit = self.hit.load(Ordering::Relaxed);
        let used = (self.began.elapsed().as_millis() as u64).saturating_sub(hit);
        hit != NOT_HIT && used >= self.budget().unwrap_or(0)
    }

    fn enough(&self, nodes: u64) -> bool {
        let by_nodes = self.go.nodes.is_some_and(|most| match self.fault {
            Some(ProtocolFault::NodesLoose) => nodes >= 4 * most + 100_000,
            Some(ProtocolFault::NodesEndAtOnce) => nodes > 0,
            _ => nodes >= most,
        });
        let by_time = match (self.go.ponder, self.go.infinite) {
            (true, _) if !self.has(ProtocolFault::PonderEnds) => self.clock_runs_out(),
            (_, true) => false,
            _ => self.budget().is_some_and(|ms| self.began.elapsed().as_millis() as u64 >= ms),
        };
        self.stopped() || by_time || (by_nodes && !self.has(ProtocolFault::NodesIgnored))
    }

    /// Deeper and deeper, with a line for each depth.
    fn deepen(&self, moves: &[Move]) -> Option<Move> {
        let enough = |nodes| self.enough(nodes);
        let white_bonus = if self.has(ProtocolFault::LovesWhite) { 100 } else { 0 };
        let mut thinker = Thinker { nodes: 0, white_bonus, enough: &enough, stopped: false };
        if self.has(ProtocolFault::NotDeterministic) {
            thinker.nodes = self.number * 7 % 1000;
        }
        let mut best = None;
        // Bare kings leave nothing to search, and this depth is beyond any test.
        let most = match self.fault {
            Some(ProtocolFault::DepthIgnored) => None,
            Some(ProtocolFault::DepthBeyond) => self.go.depth.map(|depth| depth + 3),
            Some(ProtocolFault::DepthLong) => self.go.depth.map(|depth| depth + 1),
            Some(ProtocolFault::DepthShort) => {
                self.go.depth.map(|depth| depth.saturating_sub(1).max(1))
            }
            _ => self.go.depth,
        };
        for depth in 1..=most.unwrap_or(30).min(30) {
            let lines = self.several(&mut thinker, moves, depth);
            if thinker.stopped || lines.is_empty() {
                break;
            }
            best = lines[0].1.first().copied().or(best);
            self.tell(depth, &lines, thinker.nodes);
            let mated = lines[0].0.abs() > MATE - 100;
            if self.enough(thinker.nodes) || (mated && depth as i32 > MATE - lines[0].0.abs()) {
                break;
            }
        }
        // A clock is used, and an unlimited number of nodes waits for `stop`.
        let loops = self.has(ProtocolFault::LoopsAfter32) && self.number == 33;
        let waits = self.go.movetime.is_some()
            || (self.has(ProtocolFault::NodesIgnored) && self.go.nodes.is_some())
            || (self.has(ProtocolFault::DepthIgnored) && self.go.depth.is_some());
        while loops || (waits && !self.enough(0)) {
            std::thread::sleep(Duration::from_millis(1));
        }
        best
    }

    /// The best lines, each without the first moves of those before it.
    fn several(
        &self,
        thinker: &mut Thinker<'_>,
        moves: &[Move],
        depth: u32,
    ) -> Vec<(i32, Vec<Move>)> {
        let mut left = moves.to_vec();
        let mut lines: Vec<(i32, Vec<Move>)> = Vec::new();
        while lines.len() < self.lines && !left.is_empty() {
            let (score, line) = thinker.root(&self.position, &left, depth);
            if thinker.stopped || line.is_empty() {
                break;
            }
            left.retain(|mv| *mv != line[0]);
            lines.push((score, line));
        }
        if self.has(ProtocolFault::LinesAlike) {
            let first = lines.first().cloned();
            lines = lines.iter().filter_map(|_| first.clone()).collect();
        }
        lines
    }

    fn tell(&self, depth: u32, lines: &[(i32, Vec<Move>)], nodes: u64) {
        let elapsed = self.began.elapsed();
        let time = match self.fault {
            Some(ProtocolFault::Microseconds) => elapsed.as_micros(),
            _ => elapsed.as_millis(),
        };
        let more = match self.fault {
            Some(ProtocolFault::SpeedTimesTen) => {
                format!(" nps {}", (nodes as f64 * 10.0 / elapsed.as_secs_f64().max(0.001)) as u64)
            }
            Some(ProtocolFault::HashfullTooLarge) => " hashfull 5000".to_owned(),
            Some(ProtocolFault::ShallowSelectiveDepth) => " seldepth 1".to_owned(),
            Some(ProtocolFault::WrongCurrentMove) => " currmove a1h8".to_owned(),
            _ => String::new(),
        };
        let nodes =
            if self.has(ProtocolFault::NodesFall) { 1_000_000 / u64::from(depth) } else { nodes };
        let depth = if self.has(ProtocolFault::DepthFalls) { 40 - depth } else { depth };
        let mut order: Vec<usize> = (0..lines.len()).collect();
        if self.has(ProtocolFault::LinesOutOfOrder) {
            order.reverse();
        }
        for (number, index) in order.into_iter().enumerate() {
            let (score, line) = &lines[index];
            let (score, pv) = (self.score(*score), self.line(line));
            say(&format!(
                "info depth {depth} multipv {} score {score} nodes {nodes} time {time}{more} pv {pv}",
                number + 1
            ));
        }
    }

    fn score(&self, score: i32) -> String {
        let plies = MATE - score.abs();
        if plies > 100 {
            return format!("cp {score}");
        }
        let moves = if self.has(ProtocolFault::MateInPlies) { plies } else { (plies + 1) / 2 };
        let mine = (score > 0) != self.has(ProtocolFault::MateSignLost);
        format!("mate {}", if mine { moves } else { -moves })
    }

    fn line(&self, line: &[Move]) -> String {
        let mut position = self.position;
        let mut words = Vec::new();
        for mv in line {
            words.push(self.write(&position, *mv));
            position = position.play(*mv);
        }
        if self.has(ProtocolFault::IllegalTail) {
            words.push("a1a8".to_owned());
            words.push("a8a1".to_owned());
            words.push("a1a8".to_owned());
        }
        words.join(" ")
    }

    fn write(&self, position: &Position, mv: Move) -> String {
        let text = match self.fault {
            Some(ProtocolFault::CastlingAsRookTaken) => {
                let mut position = *position;
                position.set_chess960(true);
                position.uci(mv)
            }
            Some(ProtocolFault::CastlingPlainIn960) => {
                let mut position = *position;
                position.set_chess960(false);
                position.uci(mv)
            }
            _ => position.uci(mv),
        };
        match self.fault {
            Some(ProtocolFault::CapitalMoves) => text.to_uppercase(),
            Some(ProtocolFault::PromotionWithoutPiece) => text.chars().take(4).collect(),
            _ => text,
        }
    }
}
