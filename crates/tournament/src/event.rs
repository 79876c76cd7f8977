//! What happens in a match, told as it happens.

use super::advice::Advice;
use super::record::{GameRecord, MoveRecord, Start};
use super::scoreboard::Scoreboard;
use super::slot::Slot;
use super::summary::Ending;
use dyno_driver::EngineIdentity;
use serde::{Deserialize, Serialize};

/// An event with where and when it happened. In JSON the fields of the event stand beside those of
/// the envelope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// The match.
    pub run: String,
    /// From 0, without gaps, in the order of happening. A listener that is shown a gap has been
    /// too slow for some moves.
    pub seq: u64,
    /// Milliseconds since 1970.
    pub at: u64,
    #[serde(flatten)]
    pub event: MatchEvent,
}

/// One thing that happened. Listeners print, log or draw it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum MatchEvent {
    MatchStarted {
        engines: Vec<EngineIdentity>,
        /// All games, where that is known.
        total: Option<u64>,
        /// Games that an earlier run played.
        done: u64,
        openings: usize,
        seed: u64,
        journal: Option<String>,
    },
    GameStarted {
        #[serde(flatten)]
        slot: Slot,
        white_name: String,
        black_name: String,
        #[serde(default)]
        total: Option<u64>,
        #[serde(default)]
        start: Start,
    },
    /// A game goes on. Told at most a few times a second for each game, so that moves may be
    /// missing in between; each says how the whole game stands.
    MoveMade(MoveMade),
    GameFinished {
        game: Box<GameRecord>,
        white_name: String,
        black_name: String,
        #[serde(default)]
        score: Box<Scoreboard>,
    },
    /// A game was broken off; it is still owed.
    GameAbandoned {
        #[serde(flatten)]
        slot: Slot,
    },
    /// The user wants to stop: the running games are being finished.
    WindingDown { running: usize },
    Warning {
        #[serde(flatten)]
        advice: Advice,
    },
    MatchEnded {
        games: u64,
        #[serde(default)]
        ending: Ending,
    },
}

/// How a running game stands after a move.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MoveMade {
    /// The game.
    pub number: u64,
    /// Plies played, those of the opening included.
    pub ply: usize,
    /// All moves so far, those of the opening included, in UCI notation with spaces between.
    pub moves: String,
    /// The last of them, with what its engine said.
    pub last: MoveRecord,
    /// The one before it, which is the opponent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Box<MoveRecord>>,
}

impl MatchEvent {
    /// Whether a listener that cannot keep up may miss it.
    pub fn is_droppable(&self) -> bool {
        matches!(self, MatchEvent::MoveMade(_))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn events_are_read_back_as_they_were_written() {
        let slot = Slot {
            number: 3,
            white: 1,
            black: 0,
            round: 2,
            encounter: 1,
            index: 1,
            opening: 1,
            partner: Some(2),
        };
        let events = [
            MatchEvent::MatchStarted {
                engines: vec![EngineIdentity::default()],
                total: Some(4),
                done: 1,
                openings: 7,
                seed: 3,
                journal: Some("a.journal".into()),
            },
            MatchEvent::GameStarted {
                slot,
                white_name: "A".into(),
                black_name: "B".into(),
                total: None,
                start: Start::default(),
            },
            MatchEvent::MoveMade(MoveMade { number: 3, ply: 1, ..MoveMade::default() }),
            MatchEvent::GameAbandoned { slot },
            MatchEvent::WindingDown { running: 2 },
            MatchEvent::Warning { advice: Advice { code: "x".into(), message: "y".into() } },
            MatchEvent::MatchEnded { games: 4, ending: Ending::Decided },
        ];
        for (seq, event) in events.into_iter().enumerate() {
            let envelope = Envelope { run: "r".into(), seq: seq as u64, at: 5, event };
            let text = serde_json::to_string(&envelope).unwrap();
            assert!(
                text.starts_with(&format!("{{\"run\":\"r\",\"seq\":{seq},\"at\":5,\"event\":"))
            );
            assert_eq!(serde_json::from_str::<Envelope>(&text).unwrap(), envelope);
        }
    }
}
