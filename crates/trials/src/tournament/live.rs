//! The games being played, as a PGN file that viewers can follow.

use super::schedule::Slot;
use dyno_chess::Game;
use dyno_formats::pgn::PgnText;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The file is replaced at most this often.
const PAUSE: Duration = Duration::from_millis(100);

/// The live file, shared by all boards.
pub struct LiveBoard {
    path: PathBuf,
    state: Mutex<(BTreeMap<u64, String>, Instant)>,
}

impl LiveBoard {
    pub fn new(path: PathBuf) -> Self {
        let long_ago = Instant::now().checked_sub(PAUSE).unwrap_or_else(Instant::now);
        Self { path, state: Mutex::new((BTreeMap::new(), long_ago)) }
    }

    /// Shows a game as it stands.
    pub fn show(&self, slot: &Slot, names: &[String], game: &Game) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.1.elapsed() < PAUSE && state.0.contains_key(&slot.number) {
            return;
        }
        let mut pgn = PgnText::new();
        pgn.tag("Event", "Dyno live").tag("Round", &slot.round.to_string());
        pgn.tag("White", &names[slot.white]).tag("Black", &names[slot.black]).tag("Result", "*");
        pgn.start(game.start());
        for (position, mv) in game.positions().iter().zip(game.moves()) {
            pgn.mv(position, *mv, "");
        }
        state.0.insert(slot.number, pgn.finish("*"));
        self.write(&state.0);
        state.1 = Instant::now();
    }

    /// A game is over and leaves the file.
    pub fn remove(&self, number: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.0.remove(&number);
        self.write(&state.0);
    }

    /// Viewers never see half a file: it is replaced whole. A disk that refuses costs only the
    /// view, never the match.
    fn write(&self, games: &BTreeMap<u64, String>) {
        let text: String = games.values().map(String::as_str).collect();
        let fresh = self.path.with_extension("tmp");
        let _ = fs::write(&fresh, text).and_then(|()| fs::rename(&fresh, &self.path));
    }
}
