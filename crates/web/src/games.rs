//! The finished games of a match, each to be found again: in its journal, or in memory where there
//! is none.

use crate::live::{BoardView, SideView};
use crate::replay;
use dyno_chess::Color;
use dyno_tournament::{GameRecord, Journal, PgnOutput, Plan, Variant, pgn};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Games without a journal are kept up to this size; the oldest go first.
const MOST_BYTES: usize = 48 << 20;

/// Finished games.
#[derive(Debug)]
pub struct Games {
    plan: Plan,
    source: Mutex<Source>,
}

#[derive(Debug)]
enum Source {
    Journal(JournalIndex),
    Memory { games: VecDeque<(u64, Vec<u8>)>, bytes: usize },
}

/// Where each game's line is; what was added meanwhile is found when someone asks.
#[derive(Debug)]
struct JournalIndex {
    path: PathBuf,
    lines: BTreeMap<u64, (u64, usize)>,
    end: u64,
}

/// A line of a journal that holds a game.
#[derive(Deserialize)]
struct Line {
    game: GameRecord,
}

/// A finished game in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRow {
    /// From 1.
    pub number: u64,
    /// From 1, as PGN counts.
    pub round: u32,
    /// Who had White.
    pub white: String,
    /// Who had Black.
    pub black: String,
    /// `1-0`
    pub result: &'static str,
    /// `White mates`
    pub reason: String,
    /// Moves of both sides, those of the opening included.
    pub plies: usize,
    /// What went wrong in it.
    pub faults: usize,
}

/// A finished game, to be played through.
#[derive(Clone, Debug, Serialize)]
pub struct GameView {
    /// Its moves.
    #[serde(flatten)]
    pub board: BoardView,
    /// `1-0`
    pub result: &'static str,
    /// `White mates`
    pub reason: String,
}

impl Games {
    /// The games of a match that keeps no journal; they are handed over as they finish.
    #[must_use]
    pub fn in_memory(plan: Plan) -> Self {
        let source = Source::Memory { games: VecDeque::new(), bytes: 0 };
        Self { plan, source: Mutex::new(source) }
    }

    /// The games of a journal that is being written.
    #[must_use]
    pub fn of_journal(plan: Plan, path: PathBuf) -> Self {
        let source = Source::Journal(JournalIndex { path, lines: BTreeMap::new(), end: 0 });
        Self { plan, source: Mutex::new(source) }
    }

    /// The games of a journal that was written some time; `None` where it is gone. A compressed one
    /// cannot be read from the middle, so its games are kept in memory, as far as there is room.
    #[must_use]
    pub fn open(path: &Path) -> Option<Self> {
        let plan = Journal::header_of(path).ok()?.plan;
        if path.extension().is_none_or(|ending| ending != "zst") {
            return Some(Self::of_journal(plan, path.to_owned()));
        }
        let games = Self::in_memory(plan);
        replay_journal(path, |game| games.keep(game));
        Some(games)
    }

    /// The journal that has them, where there is one.
    #[must_use]
    pub fn journal(&self) -> Option<PathBuf> {
        match &*self.source.lock().unwrap_or_else(PoisonError::into_inner) {
            Source::Journal(index) => Some(index.path.clone()),
            Source::Memory { .. } => None,
        }
    }

    /// Keeps a game, where there is no journal that has it.
    pub fn keep(&self, game: &GameRecord) {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        if let Source::Memory { games, bytes } = &mut *source
            && let Ok(text) = serde_json::to_vec(game)
        {
            *bytes += text.len();
            games.push_back((game.slot.number, text));
            while *bytes > MOST_BYTES
                && let Some((_, dropped)) = games.pop_front()
            {
                *bytes -= dropped.len();
            }
        }
    }

    /// The game of that number, from 1.
    #[must_use]
    pub fn get(&self, number: u64) -> Option<GameRecord> {
        let wanted = number.checked_sub(1)?;
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        let game = match &mut *source {
            Source::Memory { games, .. } => {
                let (_, text) = games.iter().rev().find(|(number, _)| *number == wanted)?;
                serde_json::from_slice(text).ok()?
            }
            Source::Journal(index) => {
                index.catch_up();
                index.read(*index.lines.get(&wanted)?)?
            }
        };
        self.fits(&game).then_some(game)
    }

    /// The latest games, the last one first.
    #[must_use]
    pub fn latest(&self, most: usize) -> Vec<GameRow> {
        let numbers: Vec<u64> = {
            let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
            match &mut *source {
                Source::Memory { games, .. } => {
                    games.iter().rev().take(most).map(|(number, _)| number + 1).collect()
                }
                Source::Journal(index) => {
                    index.catch_up();
                    index.lines.keys().rev().take(most).map(|number| number + 1).collect()
                }
            }
        };
        numbers.into_iter().filter_map(|number| self.get(number)).map(|g| self.row(&g)).collect()
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *source {
            Source::Memory { games, .. } => games.len(),
            Source::Journal(index) => {
                index.catch_up();
                index.lines.len()
            }
        }
    }

    /// A game in a list.
    #[must_use]
    pub fn row(&self, game: &GameRecord) -> GameRow {
        GameRow {
            number: game.slot.number + 1,
            round: game.slot.round,
            white: self.name(game, Color::White),
            black: self.name(game, Color::Black),
            result: game.result.points.text(),
            reason: game.result.to_string(),
            plies: game.start.moves.len() + game.moves.len(),
            faults: game.faults.len(),
        }
    }

    /// A game to be played through; `None` where its moves cannot be played.
    #[must_use]
    pub fn view(&self, game: &GameRecord) -> Option<GameView> {
        let chess960 = self.plan.variant == Variant::FischeRandom;
        let mut position = game.start.position(chess960).ok()?;
        let mut board = BoardView {
            game: game.slot.number + 1,
            round: game.slot.round,
            start: replay::pieces(&position),
            black_first: position.side_to_move() == Color::Black,
            first_number: position.fullmove_number(),
            ..BoardView::default()
        };
        for (side, color) in board.sides.iter_mut().zip([Color::White, Color::Black]) {
            side.name = self.name(game, color);
        }
        for uci in &game.start.moves {
            let (after, ply) = replay::play(&position, uci)?;
            board.plies.push(ply);
            position = after;
        }
        for record in &game.moves {
            let (after, mut ply) = replay::play(&position, &record.uci)?;
            let mover = position.side_to_move();
            ply.cp = replay::white_score(record.score, mover).map(replay::centipawns);
            ply.thought = Some(SideView { ..replay::thought(&position, record) });
            board.plies.push(ply);
            position = after;
        }
        let (result, reason) = (game.result.points.text(), game.result.to_string());
        Some(GameView { board, result, reason })
    }

    /// The game as PGN, with all that is known of each move.
    #[must_use]
    pub fn pgn(&self, game: &GameRecord) -> Option<String> {
        let output = PgnOutput { timeleft: true, pv: true, nodes: true, ..PgnOutput::default() };
        pgn::text(game, &self.plan, &output).ok()
    }

    fn name(&self, game: &GameRecord, color: Color) -> String {
        self.plan.engines.get(game.engine(color)).map_or_else(String::new, |e| e.name().to_owned())
    }

    /// A journal may have been changed by hand.
    fn fits(&self, game: &GameRecord) -> bool {
        game.slot.white.max(game.slot.black) < self.plan.engines.len()
    }
}

impl JournalIndex {
    /// Finds the lines that were added since the last time.
    fn catch_up(&mut self) {
        let Ok(mut file) = File::open(&self.path) else { return };
        if file.seek(SeekFrom::Start(self.end)).is_err() {
            return;
        }
        let mut reader = BufReader::with_capacity(1 << 16, file);
        let mut line = Vec::new();
        loop {
            line.clear();
            match reader.read_until(b'\n', &mut line) {
                Ok(read) if read > 0 && line.last() == Some(&b'\n') => {
                    if let Some(number) = game_number(&line) {
                        self.lines.insert(number, (self.end, read));
                    }
                    self.end += read as u64;
                }
                _ => return,
            }
        }
    }

    fn read(&self, (start, length): (u64, usize)) -> Option<GameRecord> {
        let mut file = File::open(&self.path).ok()?;
        file.seek(SeekFrom::Start(start)).ok()?;
        let mut line = vec![0; length];
        file.read_exact(&mut line).ok()?;
        serde_json::from_slice::<Line>(&line).ok().map(|line| line.game)
    }
}

/// The number of a line's game, without reading the rest of it.
fn game_number(line: &[u8]) -> Option<u64> {
    let rest = line.strip_prefix(b"{\"game\":{\"number\":")?;
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()
}

/// Reads the games of a journal into `game`; what cannot be read is left out.
pub(crate) fn replay_journal(path: &Path, mut game: impl FnMut(&GameRecord)) {
    let _ = Journal::read(path, |record| game(&record));
}
