//! One search of the protocol-faults engine, with whatever is wrong about it.

use super::engine::say;
use super::fault::ProtocolFault;
use super::think::{MATE, Thinker};
use dyno_chess::{Move, Position};
use dyno_uci::Go;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// No `ponderhit` has come.
pub(super) const NOT_HIT: u64 = u64::MAX;

/// The move of the last search.
static LAST_BEST: Mutex<String> = Mutex::new(String::new());

fn last_best() -> String {
    LAST_BEST.lock().map(|last| last.clone()).unwrap_or_default()
}

/// One search, on its own thread.
pub(super) struct Search {
    pub fault: Option<ProtocolFault>,
    pub position: Position,
    pub lines: usize,
    pub threads: usize,
    pub go: Go,
    pub began: Instant,
    pub stop: Arc<AtomicBool>,
    pub hit: Arc<AtomicU64>,
    pub number: u64,
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
            Some(ProtocolFault::IncrementUnread) => return Some(left / 40),
            Some(ProtocolFault::MovesToGoUnread) => {
                return Some((left / 40 + more / 2).min(left / 2));
            }
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

    pub fn run(self) {
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
        if self.has(ProtocolFault::DepthUnread) && self.go.depth.is_some() {
            return self.write(&self.position, first);
        }
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
            let breaks_off = self.has(ProtocolFault::LinesBreakOff) && depth % 2 == 0;
            let line = if breaks_off { &line[..1] } else { line };
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
