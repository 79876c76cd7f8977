//! A finished game with all that is known about it: what the journal holds, and what the PGN and
//! the standings are made from.

use super::assignment::OptionOverrides;
use super::result::GameResult;
use super::slot::Slot;
use dyno_chess::{Color, Game, Position};
use dyno_driver::Score;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A game that came to a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    #[serde(flatten)]
    pub slot: Slot,
    #[serde(flatten)]
    pub result: GameResult,
    /// Milliseconds since 1970 at the start of the game.
    pub started: u64,
    /// Milliseconds from start to end.
    pub lasted: u64,
    pub start: Start,
    /// The values that a tuning had set for this game alone.
    #[serde(default, skip_serializing_if = "OptionOverrides::is_empty")]
    pub options: OptionOverrides,
    pub moves: Vec<MoveRecord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
    /// Who played it, where that is not this process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<WorkerRecord>,
}

/// The machine that played a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkerRecord {
    pub name: String,
    /// The factor on the time limits that its speed called for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_factor: Option<f64>,
    /// Nodes a second of the reference engine there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nps: Option<u64>,
}

/// Where a game began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// The opening's place in its book, from 1.
    pub opening: u64,
    /// The start position when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fen: Option<String>,
    /// Moves of the opening, in UCI notation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<String>,
}

/// A move an engine made, with what it said and what the clock said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MoveRecord {
    #[serde(rename = "m")]
    pub uci: String,
    /// From the mover's point of view.
    #[serde(rename = "s", default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    #[serde(rename = "d", default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    #[serde(rename = "sd", default, skip_serializing_if = "Option::is_none")]
    pub seldepth: Option<u32>,
    #[serde(rename = "n", default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nps: Option<u64>,
    #[serde(rename = "h", default, skip_serializing_if = "Option::is_none")]
    pub hashfull: Option<u32>,
    #[serde(rename = "tb", default, skip_serializing_if = "Option::is_none")]
    pub tbhits: Option<u64>,
    /// Nanoseconds from the write of `go` to the arrival of `bestmove`.
    #[serde(rename = "t")]
    pub nanos: u64,
    /// Nanoseconds left on the clock after the move.
    #[serde(rename = "l", default, skip_serializing_if = "Option::is_none")]
    pub left: Option<u64>,
    /// The engine's own last word on its time, in milliseconds.
    #[serde(rename = "e", default, skip_serializing_if = "Option::is_none")]
    pub own_ms: Option<u64>,
    /// Nanoseconds that Dyno waited for a processor after the move had arrived: not on the clock.
    #[serde(rename = "w", default, skip_serializing_if = "is_zero")]
    pub wake_up: u64,
    /// Nanoseconds that the engine's threads waited for a processor, on its clock.
    #[serde(rename = "q", default, skip_serializing_if = "is_zero")]
    pub queued: u64,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pv: String,
    /// The engine had pondered before this move: whether on the move that was then played.
    #[serde(rename = "p", default, skip_serializing_if = "Option::is_none")]
    pub ponder_hit: Option<bool>,
    /// Taken from the engine's opening book by Dyno.
    #[serde(rename = "b", default, skip_serializing_if = "std::ops::Not::not")]
    pub book: bool,
}

impl MoveRecord {
    pub fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.nanos)
    }

    /// What the pipe, the scheduler and the engine's own slack added to the time it believes it
    /// took, until Dyno could go on.
    pub fn latency(&self) -> Option<Duration> {
        let own = Duration::from_millis(self.own_ms?);
        Some((self.elapsed() + Duration::from_nanos(self.wake_up)).saturating_sub(own))
    }
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

/// Something an engine did that it should not have done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The engine's index.
    pub engine: usize,
    pub kind: FaultKind,
    /// How often in this game.
    pub count: u32,
    pub detail: String,
    /// The file with the evidence, once it is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// The evidence itself, on its way there: the scene, the end of the conversation and of
    /// standard error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    Crash,
    Hang,
    TimeLoss,
    IllegalMove,
    /// A win claimed where there is none.
    FalseClaim,
    /// A principal variation with an illegal move.
    BadPv,
    /// An illegal move from the engine's own hash table, by its own account.
    TableMove,
}

impl FaultKind {
    pub const ALL: [FaultKind; 7] = [
        FaultKind::Crash,
        FaultKind::Hang,
        FaultKind::TimeLoss,
        FaultKind::IllegalMove,
        FaultKind::FalseClaim,
        FaultKind::BadPv,
        FaultKind::TableMove,
    ];

    /// The kind with that label.
    pub fn from_label(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.label() == label)
    }

    pub fn label(self) -> &'static str {
        match self {
            FaultKind::Crash => "crash",
            FaultKind::Hang => "hang",
            FaultKind::TimeLoss => "time loss",
            FaultKind::IllegalMove => "illegal move",
            FaultKind::FalseClaim => "false claim",
            FaultKind::BadPv => "illegal PV",
            FaultKind::TableMove => "illegal table move",
        }
    }
}

/// Why a record's moves cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game {number}: {reason}")]
pub struct ReplayError {
    pub number: u64,
    pub reason: String,
}

impl GameRecord {
    /// The engine that had that colour.
    pub fn engine(&self, color: Color) -> usize {
        match color {
            Color::White => self.slot.white,
            Color::Black => self.slot.black,
        }
    }

    /// The game up to the first move of an engine.
    pub fn opening(&self, chess960: bool) -> Result<Game, ReplayError> {
        let fault = |reason: String| ReplayError { number: self.slot.number + 1, reason };
        let mut game = Game::new(self.start.position(chess960).map_err(|e| fault(e.to_string()))?);
        for text in &self.start.moves {
            let mv = game.position().parse_uci(text).map_err(|e| fault(e.to_string()))?;
            game.play(mv);
        }
        Ok(game)
    }

    /// The whole game.
    pub fn replay(&self, chess960: bool) -> Result<Game, ReplayError> {
        let mut game = self.opening(chess960)?;
        for record in &self.moves {
            let mv = game
                .position()
                .parse_uci(&record.uci)
                .map_err(|e| ReplayError { number: self.slot.number + 1, reason: e.to_string() })?;
            game.play(mv);
        }
        Ok(game)
    }
}

impl Start {
    pub fn position(&self, chess960: bool) -> Result<Position, dyno_chess::FenError> {
        let mut position = match &self.fen {
            Some(fen) => Position::from_fen(fen)?,
            None => Position::startpos(),
        };
        position.set_chess960(chess960);
        Ok(position)
    }
}
