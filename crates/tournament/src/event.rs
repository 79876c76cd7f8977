//! What happens in a match, told as it happens.

use super::advice::Advice;
use super::record::GameRecord;
use super::schedule::Slot;
use super::standings::Standings;
use super::summary::Summary;
use dyno_driver::EngineIdentity;
use serde::Serialize;
use std::path::Path;

/// One thing that happened. Listeners print, log or draw it.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event<'a> {
    MatchStarted {
        engines: &'a [EngineIdentity],
        /// All games, where that is known.
        total: Option<u64>,
        /// Games that an earlier run played.
        done: u64,
        openings: usize,
        seed: u64,
        journal: Option<&'a Path>,
    },
    GameStarted {
        #[serde(flatten)]
        slot: &'a Slot,
        white_name: &'a str,
        black_name: &'a str,
        #[serde(skip)]
        total: Option<u64>,
    },
    GameFinished {
        game: &'a GameRecord,
        white_name: &'a str,
        black_name: &'a str,
        #[serde(skip)]
        standings: &'a Standings,
        #[serde(skip)]
        total: Option<u64>,
    },
    /// A game was broken off; it is still owed.
    GameAbandoned {
        #[serde(flatten)]
        slot: &'a Slot,
    },
    /// The user wants to stop: the running games are being finished.
    WindingDown { running: usize },
    Warning {
        #[serde(flatten)]
        advice: &'a Advice,
    },
    MatchEnded {
        #[serde(skip)]
        summary: &'a Summary,
        games: u64,
    },
}
