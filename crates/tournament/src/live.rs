//! The games being played, as a PGN file that viewers can follow.

use super::error::OutputError;
use super::event::{Envelope, MatchEvent, MoveMade};
use super::listener::Listener;
use super::plan::{Plan, Variant};
use super::record::Start;
use dyno_formats::pgn::PgnText;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The file is replaced at most this often.
const PAUSE: Duration = Duration::from_millis(100);

/// The live file.
pub struct LivePgn {
    path: PathBuf,
    event: String,
    chess960: bool,
    games: BTreeMap<u64, LiveGame>,
    written: Option<Instant>,
    /// The file does not show the games as they stand.
    stale: bool,
}

struct LiveGame {
    white: String,
    black: String,
    round: u32,
    start: Start,
    /// All moves, those of the opening included.
    moves: String,
}

impl LivePgn {
    pub fn new(path: PathBuf, plan: &Plan) -> Self {
        Self {
            path,
            event: plan.event.clone(),
            chess960: plan.variant == Variant::FischeRandom,
            games: BTreeMap::new(),
            written: None,
            stale: true,
        }
    }

    fn text(&self, game: &LiveGame) -> String {
        let mut pgn = PgnText::new();
        pgn.tag("Event", &self.event).tag("Round", &game.round.to_string());
        pgn.tag("White", &game.white).tag("Black", &game.black).tag("Result", "*");
        let Ok(mut position) = game.start.position(self.chess960) else { return String::new() };
        pgn.start(&position);
        for word in game.moves.split_ascii_whitespace() {
            let Ok(mv) = position.parse_uci(word) else { break };
            pgn.mv(&position, mv, "");
            position = position.play(mv);
        }
        pgn.finish("*")
    }

    /// Viewers never see half a file: it is replaced whole. A disk that refuses costs only the
    /// view, never the match.
    fn write(&mut self) {
        let text: String = self.games.values().map(|game| self.text(game)).collect();
        let mut fresh = self.path.clone().into_os_string();
        fresh.push(".new");
        let _ = fs::write(&fresh, text).and_then(|()| fs::rename(&fresh, &self.path));
        (self.written, self.stale) = (Some(Instant::now()), false);
    }
}

impl Listener for LivePgn {
    fn hear(&mut self, envelope: &Envelope) -> Result<(), OutputError> {
        match &envelope.event {
            MatchEvent::GameStarted { slot, white_name, black_name, start, .. } => {
                let game = LiveGame {
                    white: white_name.clone(),
                    black: black_name.clone(),
                    round: slot.round,
                    start: start.clone(),
                    moves: start.moves.join(" "),
                };
                self.games.insert(slot.number, game);
            }
            MatchEvent::MoveMade(MoveMade { number, moves, .. }) => {
                if let Some(game) = self.games.get_mut(number) {
                    game.moves.clone_from(moves);
                }
            }
            MatchEvent::GameFinished { game, .. } => drop(self.games.remove(&game.slot.number)),
            MatchEvent::GameAbandoned { slot } => drop(self.games.remove(&slot.number)),
            _ => return Ok(()),
        }
        self.stale = true;
        self.idle();
        Ok(())
    }

    fn wants_moves(&self) -> bool {
        true
    }

    fn idle(&mut self) {
        if self.stale && self.written.is_none_or(|at| at.elapsed() >= PAUSE) {
            self.write();
        }
    }

    fn close(&mut self) -> Result<(), OutputError> {
        self.write();
        Ok(())
    }
}
