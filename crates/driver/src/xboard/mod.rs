//! The XBoard side of a conversation (CECP, versions 1 and 2), answering to the same calls as UCI.

mod claims;
mod features;
mod setup;
mod thinking;

use crate::channel::Channel;
use crate::engine::{Heard, Identity};
use crate::error::{EngineError, Phase};
use crate::search::ResultClaim;
use claims::Word;
use dyno_chess::{Color, Position};
use dyno_uci::{BestMove, Deviation, EngineOption, Go, Info};
use features::{CHESS960, Features};
use setup::{Board, SetupFault};
use std::fmt::Write;
use std::time::{Duration, Instant};
use thinking::Thought;

/// An engine that says nothing about features within this time has none to tell.
const FEATURE_WAIT: Duration = Duration::from_secs(2);
/// `done=0` asks for patience; this is how much there is.
const LONG_WAIT: Duration = Duration::from_secs(60);

/// The state of an XBoard conversation.
#[derive(Debug, Default)]
pub(crate) struct Xboard {
    features: Features,
    pings: u32,
    /// Where the engine stands; unknown before the first search of a game.
    board: Option<Board>,
    /// The clock setting the engine was told last.
    level: String,
    /// When and at which depth the engine is told to move, whether it keeps its limits or not.
    move_now_at: Option<Instant>,
    most_depth: Option<u32>,
    thought: Option<Heeded>,
    line: String,
    best: String,
    command: String,
    /// What it said of the game while nobody listened to a search of its.
    claim: Option<ResultClaim>,
    offers_draw: bool,
    /// It is to think on its opponent's time.
    ponders: bool,
    /// It answers each move with one of its own, until it is told `force`.
    plays: bool,
}

/// The numbers of the last thought.
#[derive(Clone, Copy, Debug)]
struct Heeded {
    depth: u32,
    score: dyno_uci::Score,
    time_ms: u64,
    nodes: u64,
}

impl Xboard {
    /// Sends `xboard` and `protover 2` and listens for features. Engines of the first version
    /// declare none, and then it is tried what they know; they are accepted without any sign of
    /// life only when `silence_is_fine`.
    pub(crate) fn handshake(
        channel: &mut Channel,
        patience: Duration,
        silence_is_fine: bool,
    ) -> Result<(Self, Identity, Vec<EngineOption>), EngineError> {
        channel.phase = Phase::Handshake;
        let began = channel.send("xboard\nprotover 2")?;
        let mut xboard = Self::default();
        let declared = xboard.read_features(channel, began + FEATURE_WAIT.min(patience))?;
        if !declared && !xboard.try_out(channel, began + patience)? && !silence_is_fine {
            return Err(EngineError::NoHandshake {
                engine: channel.name.clone(),
                asked: "xboard",
                wanted: "feature",
                after: patience,
                heard: String::new(),
            });
        }
        let identity = Identity { name: xboard.features.name.clone(), author: None };
        let options = xboard.features.engine_options();
        Ok((xboard, identity, options))
    }

    /// Reads features until `done=1`; false when none came by the deadline.
    fn read_features(
        &mut self,
        channel: &mut Channel,
        mut deadline: Instant,
    ) -> Result<bool, EngineError> {
        let mut declared = false;
        while !self.features.done && channel.read_line(Some(deadline))? {
            let line = channel.line.trim();
            if !line.starts_with("feature ") {
                continue;
            }
            declared = true;
            let accepted: Vec<String> = self
                .features
                .read(line)
                .into_iter()
                .filter(|name| name != "done")
                .map(|name| format!("accepted {name}"))
                .collect();
            if self.features.needs_time {
                deadline = Instant::now() + LONG_WAIT;
            }
            if !accepted.is_empty() {
                channel.send(&accepted.join("\n"))?;
            }
        }
        Ok(declared)
    }

    /// Finds out what an engine without features can do: whether it answers `ping`, and whether
    /// it complains about `setboard`. Features that come late are welcome.
    fn try_out(&mut self, channel: &mut Channel, deadline: Instant) -> Result<bool, EngineError> {
        let mut complained = false;
        for question in ["", "force\nsetboard 4k3/8/8/8/8/8/8/4K3 w - - 0 1\n"] {
            self.pings += 1;
            channel.send(&format!("{question}ping {}", self.pings))?;
            loop {
                if !channel.read_line(Some(deadline))? {
                    return Ok(false);
                }
                let line = channel.line.trim();
                if line.starts_with("feature ") {
                    self.features.read(line);
                    self.read_features(channel, Instant::now() + FEATURE_WAIT)?;
                    return Ok(true);
                }
                let lower = line.to_ascii_lowercase();
                complained |= ["error", "illegal", "invalid", "unknown"]
                    .iter()
                    .any(|word| lower.contains(word) && lower.contains("setboard"));
                if lower.ends_with(&format!("pong {}", self.pings)) {
                    break;
                }
            }
        }
        (self.features.ping, self.features.setboard) = (true, !complained);
        Ok(true)
    }

    pub(crate) fn set_option(
        &mut self,
        channel: &mut Channel,
        name: &str,
        value: Option<&str>,
    ) -> Result<(), EngineError> {
        let declared = self.features.options.iter().any(|o| o.is_named(name));
        if name == CHESS960 && !declared {
            // Said with each new game.
            self.features.chess960 = value == Some("true");
            return Ok(());
        }
        let text = match (name, value) {
            ("Hash", Some(value)) if !declared => format!("memory {value}"),
            ("Threads", Some(value)) if !declared => format!("cores {value}"),
            (name, Some("true")) => format!("option {name}=1"),
            (name, Some("false")) => format!("option {name}=0"),
            (name, Some(value)) => format!("option {name}={value}"),
            (name, None) => format!("option {name}"),
        };
        channel.send(&text).map(drop)
    }

    /// The commands of a new game.
    pub(crate) fn new_game(&mut self) -> String {
        self.board = None;
        self.level.clear();
        (self.claim, self.offers_draw, self.plays) = (None, false, false);
        let variant = if self.features.chess960 { "variant fischerandom\n" } else { "" };
        let pondering = if self.ponders { "hard" } else { "easy" };
        format!("new\n{variant}force\n{pondering}\npost")
    }

    /// From the next game on the engine thinks on its opponent's time, or does not.
    pub(crate) fn set_pondering(&mut self, on: bool) {
        self.ponders = on;
    }

    /// Tells the engine that its opponent wants a draw, if it wants to know.
    pub(crate) fn offer_draw(&self, channel: &mut Channel) -> Result<(), EngineError> {
        if self.features.draw { channel.send("draw").map(drop) } else { Ok(()) }
    }

    /// Whether the engine has offered a draw since this was asked last.
    pub(crate) fn take_draw_offer(&mut self) -> bool {
        std::mem::take(&mut self.offers_draw)
    }

    /// What it said of the game before it was asked for a move.
    pub(crate) fn take_claim(&mut self) -> Option<ResultClaim> {
        self.claim.take()
    }

    /// The question that stands for `isready`; `None` where the engine knows none.
    pub(crate) fn ping(&mut self) -> Option<String> {
        self.pings += 1;
        self.features.ping.then(|| format!("ping {}", self.pings))
    }

    /// Brings the engine to the position and starts its search, in one write.
    pub(crate) fn go(
        &mut self,
        channel: &mut Channel,
        position: &str,
        go: &Go,
    ) -> Result<Instant, EngineError> {
        let unsupported =
            |what: String| EngineError::Unsupported { engine: channel.name.clone(), what };
        if go.nodes.is_some() || go.mate.is_some() || go.perft.is_some() || go.ponder {
            let what = "an XBoard engine can be limited by depth and time only, not by nodes";
            return Err(unsupported(what.to_owned()));
        }
        let mut text = std::mem::take(&mut self.command);
        text.clear();
        let mut way = String::new();
        let board = Board::reach(self.board.as_ref(), position, &self.features, &mut way).map_err(
            |fault| match fault {
                SetupFault::Fen(reason) => unsupported(format!("bad position: {reason}")),
                SetupFault::Move(mv) => unsupported(format!("illegal move {mv} in the position")),
            },
        )?;
        let mover = board.position.side_to_move();
        // `force` would end its thinking on the opponent's time: the one move is enough there.
        if self.ponders && self.plays && self.is_next(&board) {
            self.write_limits(go, mover, &mut text);
            text.push_str(way.trim_end());
        } else {
            text.push_str("force\n");
            text.push_str(&way);
            self.write_limits(go, mover, &mut text);
            text.push_str("go");
        }
        (self.board, self.plays) = (Some(board), true);
        self.thought = None;
        let began = channel.send(&text)?;
        self.command = text;
        self.most_depth = go.depth;
        self.move_now_at = go.movetime.map(|ms| {
            // Whole seconds the engine keeps itself; it is told only when it does not.
            let slack = if ms % 1000 == 0 { 200 } else { 0 };
            began + Duration::from_millis(ms + slack)
        });
        Ok(began)
    }

    /// Whether a board is the present one with one move more.
    fn is_next(&self, board: &Board) -> bool {
        self.board.as_ref().is_some_and(|now| board.follows(now))
    }

    fn write_limits(&mut self, go: &Go, mover: Color, out: &mut String) {
        if let Some(ms) = go.movetime {
            let _ = writeln!(out, "st {}", ms.div_ceil(1000).max(1));
        }
        if let Some(depth) = go.depth {
            let _ = writeln!(out, "sd {depth}");
        }
        let (mine, theirs, increment) = match mover {
            Color::White => (go.wtime, go.btime, go.winc),
            Color::Black => (go.btime, go.wtime, go.binc),
        };
        // Without any clock the engine gets an hour, so that the depth is what ends its search.
        let mine = mine.or(go.movetime.is_none().then_some(3_600_000));
        let Some(mine) = mine else { return };
        self.write_level(go, mine, increment.unwrap_or(0), out);
        if self.features.time {
            let _ = writeln!(out, "time {}", mine.max(0) / 10);
            let _ = writeln!(out, "otim {}", theirs.unwrap_or(mine).max(0) / 10);
        }
    }

    /// The clock's setting is told once a game; afterwards the remaining times say it all.
    fn write_level(&mut self, go: &Go, mine: i64, increment: i64, out: &mut String) {
        if !self.level.is_empty() {
            return;
        }
        let seconds = (mine.max(0) + 999) / 1000;
        let moves = go.movestogo.unwrap_or(0);
        let increment = match increment % 1000 {
            0 => (increment / 1000).to_string(),
            _ => format!("{}", increment as f64 / 1000.0),
        };
        self.level = match seconds % 60 {
            0 => format!("level {moves} {} {increment}\n", seconds / 60),
            rest => format!("level {moves} {}:{rest:02} {increment}\n", seconds / 60),
        };
        out.push_str(&self.level);
    }

    /// When the engine will have to be told to move.
    pub(crate) fn move_now_at(&self) -> Option<Instant> {
        self.move_now_at
    }

    /// Tells the engine to move now.
    pub(crate) fn move_now(&mut self, channel: &mut Channel) -> Result<(), EngineError> {
        self.move_now_at = None;
        self.most_depth = None;
        channel.send("?").map(drop)
    }

    /// Whether the last thought went beyond the depth asked for.
    pub(crate) fn is_too_deep(&self) -> bool {
        match (self.most_depth, self.thought) {
            (Some(most), Some(thought)) => thought.depth > most,
            _ => false,
        }
    }

    /// What the line just read means.
    pub(crate) fn hear(&mut self, channel: &mut Channel, searching: bool) -> Heard {
        let line = channel.line.trim();
        let after = |word: &str| line.strip_prefix(word).map(str::trim);
        // Old engines print a prompt before their answers.
        if let Some((_, number)) = line.rsplit_once("pong ") {
            return if number.parse() == Ok(self.pings) { Heard::Ready } else { Heard::Nothing };
        }
        if let Some(text) = after("move ").or_else(|| after("My move is")) {
            let text = text.trim_start_matches([':', ' ']).to_owned();
            self.take_move(&text);
            return Heard::Best;
        }
        if let Some(word) = claims::read(line, self.own_side(searching)) {
            // Before the first search of a game it can only be about the one before.
            let about_this_game = self.board.is_some();
            return if about_this_game { self.take_word(word, searching) } else { Heard::Nothing };
        }
        if line.starts_with("Error (")
            || line.starts_with("Illegal move")
            || line.starts_with("Invalid move")
        {
            let text = line.to_owned();
            channel.found(Deviation::Refused { text });
            return Heard::Nothing;
        }
        match Thought::parse(line) {
            Some(thought) if searching => {
                let start = Position::startpos();
                let position = self.board.as_ref().map_or(&start, |b| &b.position);
                thinking::write_line(position, thought.line, &mut self.line);
                let Thought { depth, score, time_ms, nodes, .. } = thought;
                self.thought = Some(Heeded { depth, score, time_ms, nodes });
                Heard::Info
            }
            _ => Heard::Nothing,
        }
    }

    /// The side it plays: the one to move while it thinks, the other one after its move.
    fn own_side(&self, searching: bool) -> Color {
        let to_move = self.board.as_ref().map_or(Color::White, |b| b.position.side_to_move());
        if searching { to_move } else { !to_move }
    }

    fn take_word(&mut self, word: Word, searching: bool) -> Heard {
        match word {
            Word::DrawOffer => {
                self.offers_draw = true;
                if searching { Heard::DrawOffer } else { Heard::Nothing }
            }
            Word::Claim(claim) => {
                // Whether a game is won or drawn the rules know; giving up is the engine's to say.
                if searching || matches!(claim, ResultClaim::Resign | ResultClaim::Lost) {
                    self.claim = Some(claim);
                }
                if searching { Heard::Claim } else { Heard::Nothing }
            }
        }
    }

    /// The engine has moved: on its own board the move is already made.
    fn take_move(&mut self, text: &str) {
        text.clone_into(&mut self.best);
        self.move_now_at = None;
        self.most_depth = None;
        let Some(board) = &mut self.board else { return };
        let before = board.position;
        match thinking::read_move(&before, text) {
            Some(mv) => {
                self.best = before.uci(mv);
                board.play(text);
            }
            // Nobody knows what its board looks like now.
            None => self.board = None,
        }
    }

    pub(crate) fn best(&self) -> BestMove<'_> {
        BestMove { text: &self.best, ponder: None }
    }

    pub(crate) fn info(&self) -> Info<'_> {
        let mut info = Info::default();
        if let Some(thought) = self.thought {
            info.depth = Some(thought.depth);
            info.score = Some(thought.score);
            info.time_ms = Some(thought.time_ms);
            info.nodes = Some(thought.nodes);
        }
        info.pv = (!self.line.is_empty()).then_some(self.line.as_str());
        info
    }
}
