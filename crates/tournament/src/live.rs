//! The games being played, as a PGN file that viewers can follow.

use super::schedule::Slot;
use dyno_chess::Game;
use dyno_formats::pgn::PgnText;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The file is replaced at most this often.
const PAUSE: Duration = Duration::from_millis(100);

/// The live file, shared by all boards.
pub struct LiveBoard {
    path: PathBuf,
    event: String,
    state: Mutex<State>,
}

struct State {
    games: BTreeMap<u64, String>,
    written: Option<Instant>,
    /// The file does not show the games as they stand.
    stale: bool,
}

impl LiveBoard {
    pub fn new(path: PathBuf, event: &str) -> Self {
        let state = State { games: BTreeMap::new(), written: None, stale: false };
        Self { path, event: event.to_owned(), state: Mutex::new(state) }
    }

    /// Shows a game as it stands.
    pub fn show(&self, slot: &Slot, names: &[String], game: &Game) {
        let mut pgn = PgnText::new();
        pgn.tag("Event", &self.event).tag("Round", &slot.round.to_string());
        pgn.tag("White", &names[slot.white]).tag("Black", &names[slot.black]).tag("Result", "*");
        pgn.start(game.start());
        for (position, mv) in game.positions().iter().zip(game.moves()) {
            pgn.mv(position, *mv, "");
        }
        let mut state = self.state();
        state.games.insert(slot.number, pgn.finish("*"));
        state.stale = true;
        self.catch_up_with(&mut state);
    }

    /// A game is over and leaves the file.
    pub fn remove(&self, number: u64) {
        let mut state = self.state();
        state.games.remove(&number);
        state.stale = true;
        self.catch_up_with(&mut state);
    }

    /// Writes what is still unwritten, if its time has come. Called now and then, for quick moves
    /// before a long thought.
    pub fn catch_up(&self) {
        self.catch_up_with(&mut self.state());
    }

    /// The match is over: the file shows what is left, without waiting.
    pub fn close(&self) {
        let mut state = self.state();
        state.written = None;
        self.catch_up_with(&mut state);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Viewers never see half a file: it is replaced whole. A disk that refuses costs only the
    /// view, never the match.
    fn catch_up_with(&self, state: &mut State) {
        if !state.stale || state.written.is_some_and(|at| at.elapsed() < PAUSE) {
            return;
        }
        let text: String = state.games.values().map(String::as_str).collect();
        let mut fresh = self.path.clone().into_os_string();
        fresh.push(".new");
        let _ = fs::write(&fresh, text).and_then(|()| fs::rename(&fresh, &self.path));
        (state.written, state.stale) = (Some(Instant::now()), false);
    }
}
