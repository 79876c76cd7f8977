//! The conversation with an XBoard engine: it keeps a board, answers moves with moves, and has to
//! be told only what changed.

use super::board::{EngineBoard, SetupError};
use super::features::CHESS960;
use super::game_notice::GameNotice;
use super::limits::Limits;
use super::negotiation::Negotiation;
use super::thinking_output::{ThinkingOutput, read_move, write_variation};
use crate::channel::Channel;
use crate::error::{EngineError, Phase};
use crate::identity::Identity;
use crate::protocol::capabilities::Capabilities;
use crate::protocol::engine_protocol::{EngineProtocol, Handshake, LineKind};
use crate::search::ResultClaim;
use crate::spec::Protocol;
use dyno_chess::{Color, Position};
use dyno_uci::{BestMove, Deviation, Go, Info, Score};
use std::borrow::Cow;
use std::time::{Duration, Instant};

/// Negotiates features. Engines without any sign of life are accepted only when `silence_is_fine`.
pub(crate) fn handshake(
    channel: &mut Channel,
    timeout: Duration,
    silence_is_fine: bool,
) -> Result<Handshake, EngineError> {
    channel.phase = Phase::Handshake;
    let negotiation = Negotiation::run(channel, timeout)?;
    if !negotiation.answered && !silence_is_fine {
        return Err(EngineError::NoHandshake {
            engine: channel.name.clone(),
            asked: "xboard",
            wanted: "feature",
            after: timeout,
            heard: String::new(),
        });
    }
    let identity = Identity { name: negotiation.features.name.clone(), author: None };
    let options = negotiation.features.engine_options();
    let protocol = Box::new(XboardProtocol { negotiation, ..XboardProtocol::default() });
    Ok(Handshake { protocol, identity, options })
}

/// The state of an XBoard conversation.
#[derive(Debug, Default)]
struct XboardProtocol {
    negotiation: Negotiation,
    /// The engine's own board; unknown before the first search of a game.
    board: Option<EngineBoard>,
    limits: Limits,
    /// The numbers of the last thinking output, its variation and the last move, both in UCI.
    thinking: Option<Thinking>,
    variation: String,
    best: String,
    /// The last commands, kept for their memory.
    command: String,
    /// A claim the engine has made and that was not taken yet.
    claim: Option<ResultClaim>,
    offers_draw: bool,
    /// It is to think on its opponent's time.
    ponders: bool,
    /// It answers each move with one of its own, until it is told `force`.
    plays: bool,
}

#[derive(Clone, Copy, Debug)]
struct Thinking {
    depth: u32,
    score: Score,
    time_ms: u64,
    nodes: u64,
}

impl XboardProtocol {
    /// The commands that bring the engine to the position and start its search.
    fn write_search(
        &mut self,
        position: &str,
        go: &Go,
        out: &mut String,
    ) -> Result<(), SetupError> {
        let features = &self.negotiation.features;
        let mut setup = String::new();
        let board = EngineBoard::reach(self.board.as_ref(), position, features, &mut setup)?;
        let mover = board.position.side_to_move();
        let is_next = self.board.as_ref().is_some_and(|now| board.follows(now));
        // `force` would end its pondering; while it plays, its opponent's move alone starts it.
        if self.ponders && self.plays && is_next {
            self.limits.write(go, mover, features.time, out);
            out.push_str(setup.trim_end());
        } else {
            out.push_str("force\n");
            out.push_str(&setup);
            self.limits.write(go, mover, features.time, out);
            out.push_str("go");
        }
        (self.board, self.plays) = (Some(board), true);
        Ok(())
    }

    /// The side it plays: the one to move while it thinks, the other one after its move.
    fn own_side(&self, searching: bool) -> Color {
        let to_move = self.board.as_ref().map_or(Color::White, |b| b.position.side_to_move());
        if searching { to_move } else { !to_move }
    }

    fn take_notice(&mut self, notice: GameNotice, searching: bool) -> LineKind {
        // Before the first search of a game it can only be about the one before.
        if self.board.is_none() {
            return LineKind::Other;
        }
        match notice {
            GameNotice::DrawOffer => {
                self.offers_draw = true;
                if searching { LineKind::DrawOffer } else { LineKind::Other }
            }
            GameNotice::Claim(claim) => {
                // Whether a game is won or drawn follows from the rules; to resign is the
                // engine's decision, at any time.
                if searching || matches!(claim, ResultClaim::Resign | ResultClaim::Lost) {
                    self.claim = Some(claim);
                }
                if searching { LineKind::Claim } else { LineKind::Other }
            }
        }
    }

    /// The engine has moved, and made the move on its own board.
    fn take_move(&mut self, text: &str) {
        text.clone_into(&mut self.best);
        self.limits.unwatch();
        let Some(board) = &mut self.board else { return };
        let before = board.position;
        match read_move(&before, text) {
            Some(mv) => {
                self.best = before.uci(mv);
                board.play(text);
            }
            // What its board looks like now is unknown.
            None => self.board = None,
        }
    }

    fn take_thinking(&mut self, output: &ThinkingOutput<'_>) {
        let start = Position::startpos();
        let position = self.board.as_ref().map_or(&start, |b| &b.position);
        write_variation(position, output.variation, &mut self.variation);
        let ThinkingOutput { depth, score, time_ms, nodes, .. } = *output;
        self.thinking = Some(Thinking { depth, score, time_ms, nodes });
    }
}

impl EngineProtocol for XboardProtocol {
    fn protocol(&self) -> Protocol {
        Protocol::Xboard
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            uci_commands: false,
            node_limit: false,
            depth_limit: false,
            exact_movetime: false,
            any_position: false,
            game_claims: true,
            names_itself: false,
        }
    }

    fn set_option(
        &mut self,
        channel: &mut Channel,
        name: &str,
        value: Option<&str>,
    ) -> Result<(), EngineError> {
        let features = &mut self.negotiation.features;
        let declared = features.options.iter().any(|o| o.is_named(name));
        if name == CHESS960 && !declared {
            // Sent with each new game.
            features.chess960 = value == Some("true");
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

    fn new_game(&mut self) -> Cow<'static, str> {
        self.board = None;
        self.limits.new_game();
        (self.claim, self.offers_draw, self.plays) = (None, false, false);
        let chess960 = self.negotiation.features.chess960;
        let variant = if chess960 { "variant fischerandom\n" } else { "" };
        let pondering = if self.ponders { "hard" } else { "easy" };
        format!("new\n{variant}force\n{pondering}\npost").into()
    }

    fn ready_command(&self) -> &'static str {
        "ping"
    }

    fn ready_query(&mut self) -> Option<Cow<'static, str>> {
        let Negotiation { features, pings, .. } = &mut self.negotiation;
        *pings += 1;
        features.ping.then(|| format!("ping {pings}").into())
    }

    fn start_search(
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
        self.write_search(position, go, &mut text).map_err(|e| unsupported(e.to_string()))?;
        self.thinking = None;
        let began = channel.send(&text)?;
        self.command = text;
        self.limits.watch(go, began);
        Ok(began)
    }

    fn stop_command(&self) -> &'static str {
        "?"
    }

    fn stop(&mut self, channel: &mut Channel) -> Result<(), EngineError> {
        self.limits.unwatch();
        channel.send("?").map(drop)
    }

    fn ponder_hit(&mut self, channel: &mut Channel) -> Result<Instant, EngineError> {
        let what = "an XBoard engine ponders by itself".to_owned();
        Err(EngineError::Unsupported { engine: channel.name.clone(), what })
    }

    fn classify(&mut self, channel: &mut Channel, searching: bool) -> LineKind {
        let line = channel.line.trim();
        let after = |word: &str| line.strip_prefix(word).map(str::trim);
        // Old engines print a prompt before their answers.
        if let Some((_, number)) = line.rsplit_once("pong ") {
            let answered = number.parse() == Ok(self.negotiation.pings);
            return if answered { LineKind::Ready } else { LineKind::Other };
        }
        if let Some(text) = after("move ").or_else(|| after("My move is")) {
            let text = text.trim_start_matches([':', ' ']).to_owned();
            self.take_move(&text);
            return LineKind::BestMove;
        }
        if let Some(notice) = GameNotice::parse(line, self.own_side(searching)) {
            return self.take_notice(notice, searching);
        }
        if ["Error (", "Illegal move", "Invalid move"].iter().any(|word| line.starts_with(word)) {
            let text = line.to_owned();
            channel.report(Deviation::Refused { text });
            return LineKind::Other;
        }
        match ThinkingOutput::parse(line) {
            Some(output) if searching => {
                self.take_thinking(&output);
                LineKind::Info
            }
            _ => LineKind::Other,
        }
    }

    fn best_move<'a>(&'a self, _: &'a str, _: &mut dyn FnMut(Deviation)) -> BestMove<'a> {
        BestMove { text: &self.best, ponder: None }
    }

    fn info<'a>(&'a self, _: &'a str, _: &mut dyn FnMut(Deviation)) -> Info<'a> {
        let mut info = Info::default();
        if let Some(thinking) = self.thinking {
            info.depth = Some(thinking.depth);
            info.score = Some(thinking.score);
            info.time_ms = Some(thinking.time_ms);
            info.nodes = Some(thinking.nodes);
        }
        info.pv = (!self.variation.is_empty()).then_some(self.variation.as_str());
        info
    }

    fn take_claim(&mut self) -> Option<ResultClaim> {
        self.claim.take()
    }

    fn stop_at(&self) -> Option<Instant> {
        self.limits.stop_at
    }

    fn is_beyond_limit(&self) -> bool {
        match (self.limits.max_depth, self.thinking) {
            (Some(most), Some(thinking)) => thinking.depth > most,
            _ => false,
        }
    }

    fn offer_draw(&self, channel: &mut Channel) -> Result<(), EngineError> {
        if self.negotiation.features.draw { channel.send("draw").map(drop) } else { Ok(()) }
    }

    fn take_draw_offer(&mut self) -> bool {
        std::mem::take(&mut self.offers_draw)
    }

    fn set_pondering(&mut self, on: bool) {
        self.ponders = on;
    }
}
