//! The UCI loop of the protocol-faults engine.

use super::fault::ProtocolFault;
use super::think::{MATE, Thinker};
use dyno_chess::{Move, Position};
use dyno_uci::{Command, Go};
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Speaks UCI until `quit` or the end of input; says with which code to end.
pub fn run(input: impl BufRead, fault: Option<ProtocolFault>) -> u8 {
    let mut session = Session::new(fault);
    for line in input.lines() {
        let Ok(line) = line else { break };
        match Command::parse(&line) {
            Ok(Command::Quit) => {
                session.end_search();
                return if session.has(ProtocolFault::ExitCode) { 3 } else { 0 };
            }
            Ok(command) => session.obey(&command),
            Err(_) if session.has(ProtocolFault::AbortsOnUnknown) && !line.trim().is_empty() => {
                std::process::abort()
            }
            Err(_) => {}
        }
    }
    while session.has(ProtocolFault::StaysAtEndOfInput) {
        std::thread::sleep(Duration::from_secs(3600));
    }
    session.end_search();
    0
}

fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    // A closed pipe is followed by the end of input.
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

struct Session {
    fault: Option<ProtocolFault>,
    position: Position,
    chess960: bool,
    lines: usize,
    table: Vec<u8>,
    new_games: u32,
    searches: u64,
    search: Option<Running>,
}

struct Running {
    thread: JoinHandle<()>,
    stop: Arc<AtomicBool>,
    /// Milliseconds since `began` at which the opponent's move came; the clock counts from there.
    hit: Arc<AtomicU64>,
    began: Instant,
}

const NOT_HIT: u64 = u64::MAX;

impl Session {
    fn new(fault: Option<ProtocolFault>) -> Session {
        let mut session = Session {
            fault,
            position: Position::startpos(),
            chess960: false,
            lines: 1,
            table: Vec::new(),
            new_games: 0,
            searches: 0,
            search: None,
        };
        session.resize(1);
        session
    }

    fn has(&self, fault: ProtocolFault) -> bool {
        self.fault == Some(fault)
    }

    /// A table that is really there, byte for byte.
    fn resize(&mut self, megabytes: usize) {
        let megabytes = match self.fault {
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
                if self.has(ProtocolFault::ReadyAfterSearch) {
                    self.wait_for_search();
                }
                say("readyok");
            }
            Command::SetOption { name, value } => self.set_option(name, value.unwrap_or("")),
            Command::NewGame => {
                self.new_games += 1;
                if self.has(ProtocolFault::AbortsOnNewGames) && self.new_games > 1000 {
                    std::process::abort();
                }
            }
            Command::Position { fen, moves } => self.set_position(fen.unwrap_or(""), moves),
            Command::Go(go) => self.go(go),
            Command::Stop => {
                let was_running = self.search.is_some();
                self.end_search();
                if self.has(ProtocolFault::AnswersEveryStop) && !was_running {
                    say("bestmove e2e4");
                }
            }
            Command::PonderHit if !self.has(ProtocolFault::PonderHitIgnored) => {
                if let Some(search) = &self.search {
                    let now = search.began.elapsed().as_millis() as u64;
                    search.hit.store(now, Ordering::Relaxed);
                }
            }
            _ => {}
        }
    }

    fn introduce(&self) {
        let name = self.fault.map_or("sound", ProtocolFault::name);
        say(&format!("id name Protocol Faults ({name})\nid author The Dyno authors"));
        let default = if self.has(ProtocolFault::BadDeclaration) { 5000 } else { 1 };
        say(&format!(
            "option name Hash type spin default {default} min 1 max 1024\n\
             option name MultiPV type spin default 1 min 1 max 8\n\
             option name Ponder type check default false\n\
             option name UCI_Chess960 type check default false\nuciok"
        ));
    }

    fn set_option(&mut self, name: &str, value: &str) {
        let number = value.parse::<usize>().ok();
        match (name.to_ascii_lowercase().as_str(), number) {
            ("hash", Some(megabytes)) if (1..=1024).contains(&megabytes) => self.resize(megabytes),
            ("hash", None) if self.has(ProtocolFault::AbortsOnRubbish) => std::process::abort(),
            ("multipv", Some(lines)) => self.lines = lines.clamp(1, 8),
            ("uci_chess960", _) => self.chess960 = value == "true",
            _ => {}
        }
    }

    fn set_position(&mut self, fen: &str, moves: &str) {
        let root = match fen {
            "" => Ok(Position::startpos()),
            fen => Position::from_fen(fen),
        };
        let Ok(mut position) = root else { return };
        position.set_chess960(self.chess960 || position.needs_chess960());
        for word in moves.split_ascii_whitespace() {
            match position.parse_uci(word) {
                Ok(mv) => position = position.play(mv),
                Err(_) => return,
            }
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
        self.end_search();
        self.searches += 1;
        if self.has(ProtocolFault::LeaksMemory) {
            std::mem::forget(std::hint::black_box(vec![1u8; 128 << 10]));
        }
        let (stop, hit) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(NOT_HIT)));
        let began = Instant::now();
        let search = Search {
            fault: self.fault,
            position: self.position,
            lines: self.lines,
            go: go.clone(),
            began,
            stop: Arc::clone(&stop),
            hit: Arc::clone(&hit),
            number: self.searches,
        };
        let thread = std::thread::spawn(move || search.run());
        self.search = Some(Running { thread, stop, hit, began });
    }
}

/// One search, on its own thread.
struct Search {
    fault: Option<ProtocolFault>,
    position: Position,
    lines: usize,
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
                Some(ProtocolFault::MovetimeUnused) => ms / 5,
                Some(ProtocolFault::MovetimeOverstepped) => ms + 300,
                _ => ms.saturating_sub(3),
            });
        }
        let white = self.position.side_to_move() == dyno_chess::Color::White;
        let (left, more) = if white { (go.wtime, go.winc) } else { (go.btime, go.binc) };
        let (left, more) = (left?.max(1) as u64, more.unwrap_or(0).max(0) as u64);
        if self.has(ProtocolFault::MovesToGoOverstepped) && go.movestogo.is_some() {
            return Some(left + 300);
        }
        let moves = u64::from(go.movestogo.unwrap_or(40)).clamp(2, 40);
        Some((left / moves + more / 2).min(left / 2))
    }

    fn run(self) {
        let mut moves: Vec<Move> = self.position.legal_moves().to_vec();
        let only = &self.go.searchmoves;
        if !only.is_empty() && !self.has(ProtocolFault::SearchMovesIgnored) {
            moves.retain(|mv| only.contains(&self.position.uci(*mv)));
        }
        let best = match moves.first() {
            None if self.has(ProtocolFault::MovesWhenOver) => "a1b1".to_owned(),
            None => "(none)".to_owned(),
            Some(first) => {
                let best = self.deepen(&moves).unwrap_or(*first);
                self.write(&self.position, best)
            }
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
    }

    /// Whether a pondered search has had its time since `ponderhit`.
    fn clock_runs_out(&self) -> bool {
        let hit = self.hit.load(Ordering::Relaxed);
        let used = (self.began.elapsed().as_millis() as u64).saturating_sub(hit);
        hit != NOT_HIT && used >= self.budget().unwrap_or(0)
    }

    fn enough(&self, nodes: u64) -> bool {
        let by_nodes = self.go.nodes.is_some_and(|most| nodes >= most);
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
        for depth in 1..=self.go.depth.unwrap_or(30).min(30) {
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
        let waits = self.go.movetime.is_some() || self.has(ProtocolFault::NodesIgnored);
        while waits && !self.enough(0) {
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
        let time = self.began.elapsed().as_millis();
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
                "info depth {depth} multipv {} score {score} nodes {nodes} time {time} pv {pv}",
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
            _ => position.uci(mv),
        };
        match self.fault {
            Some(ProtocolFault::CapitalMoves) => text.to_uppercase(),
            Some(ProtocolFault::PromotionWithoutPiece) => text.chars().take(4).collect(),
            _ => text,
        }
    }
}
