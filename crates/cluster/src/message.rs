//! What machines tell each other. Every message begins with the version of this language; the rest
//! is JSON, compressed.

use super::error::ClusterError;
use super::ship::EngineFiles;
use bytes::Bytes;
use dyno_driver::Machine;
use dyno_tournament::{Assignment, GameRecord, MoveMade, Plan};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::Read;

/// The version of the language. Raised when a message would be misunderstood.
pub const PROTOCOL: u8 = 2;

const MAGIC: &[u8; 2] = b"DY";
/// No message is longer than this when unpacked: a worker must not fill our memory.
const MOST_BYTES: u64 = 64 << 20;

/// A match, for the workers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchInfo {
    pub run: String,
    pub plan: Plan,
    /// The files of each engine, in the order of the plan.
    pub files: Vec<EngineFiles>,
    /// The node signature of each engine, where it has one.
    pub signatures: Vec<Option<String>>,
    /// Nodes a second of each engine on the reference machine.
    pub speeds: Vec<Option<u64>>,
    /// Time limits are multiplied by a worker's slowness.
    pub scale: bool,
    pub share: f64,
    pub priority: i32,
    /// The coordinator wants to hear of the moves of one pair in this many; of none if it is 0.
    #[serde(default)]
    pub watch: u64,
    /// The running games are to be broken off.
    #[serde(default)]
    pub stopped: bool,
    /// Workers whose results were refused.
    #[serde(default)]
    pub excluded: Vec<String>,
    /// How the match stands, for `dyno cluster status`.
    #[serde(default)]
    pub score: Score,
}

impl MatchInfo {
    /// Whether what is ready for the other is ready for this: it may be the same match after its
    /// coordinator was started again, with an engine that was built anew.
    pub fn needs_the_same(&self, other: &Self) -> bool {
        let plan = |info: &Self| {
            let plan = &info.plan;
            let mut machine = plan.machine.clone();
            machine.concurrency = 1;
            (plan.engines.clone(), plan.variant, plan.adjudication.clone(), machine)
        };
        (&self.files, &self.signatures, &self.speeds, self.scale)
            == (&other.files, &other.signatures, &other.speeds, other.scale)
            && plan(self) == plan(other)
    }
}

/// How a match stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Score {
    /// Milliseconds since 1970 when its coordinator last spoke.
    pub at: u64,
    pub games: u64,
    pub total: Option<u64>,
    pub tally: String,
    pub llr: Option<f64>,
    /// Finished pairs that wait for an earlier one.
    pub waiting_pairs: u64,
    /// Pairs on boards, and pairs that wait for one.
    pub playing: u64,
    pub queued: u64,
    /// Pairs that one worker after the other failed to finish.
    pub parked: Vec<u64>,
    /// Results that were refused.
    pub refused: u64,
    /// Workers whose results stand out, and how.
    pub suspicions: Vec<String>,
}

/// A pair of games, or the half of one that is still owed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    pub run: String,
    /// The number of its first game.
    pub pair: u64,
    /// From 1: how often it has been put into the queue.
    pub issue: u32,
    /// What only the holder of the lease knows.
    pub token: String,
    pub games: Vec<Assignment>,
    /// Both games at once, where a worker has the boards.
    pub side_by_side: bool,
}

/// What came of an order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairResult {
    pub run: String,
    pub pair: u64,
    pub issue: u32,
    pub token: String,
    pub games: Vec<GameRecord>,
}

/// What a worker tells while it plays. Lost ones do no harm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkerEvent {
    Started {
        pair: u64,
        issue: u32,
        token: String,
        game: u64,
    },
    Move {
        pair: u64,
        made: Box<MoveMade>,
    },
    /// The pair was given back.
    Returned {
        pair: u64,
    },
    /// The worker does not play this match, and why.
    Unfit {
        reason: String,
    },
}

/// A worker, every few seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkerBeat {
    pub name: String,
    /// Milliseconds since 1970.
    pub at: u64,
    pub version: String,
    pub platform: String,
    pub machine: Machine,
    pub boards: usize,
    pub pairs: Vec<PairProgress>,
    /// Pairs finished since it started.
    pub finished: u64,
    /// It finishes what it plays and takes no more.
    pub leaving: bool,
    /// Matches it does not play, and why.
    pub unfit: Vec<(String, String)>,
    /// Its time factor in each match that it plays, and the seconds that a move may take it.
    pub factors: Vec<(String, f64)>,
    #[serde(default)]
    pub longest_moves: Vec<(String, u64)>,
}

/// How far a worker is with a pair.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PairProgress {
    pub run: String,
    pub pair: u64,
    pub issue: u32,
    /// That of its order.
    pub token: String,
    /// Moves made in its games so far.
    pub moves: u64,
}

/// Packs a message.
pub fn encode(message: &impl Serialize) -> Result<Bytes, ClusterError> {
    let fault = |e: &dyn std::fmt::Display| ClusterError::Message(e.to_string());
    let text = serde_json::to_vec(message).map_err(|e| fault(&e))?;
    let mut bytes = vec![MAGIC[0], MAGIC[1], PROTOCOL];
    bytes.extend(zstd::bulk::compress(&text, 1).map_err(|e| fault(&e))?);
    Ok(bytes.into())
}

/// Unpacks a message of this version; others are told apart.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ClusterError> {
    let fault = |reason: String| ClusterError::Message(reason);
    let [first, second, version, packed @ ..] = bytes else {
        return Err(fault("it is too short".to_owned()));
    };
    if [*first, *second] != *MAGIC {
        return Err(fault("it is not of Dyno".to_owned()));
    }
    if *version != PROTOCOL {
        return Err(ClusterError::Protocol { found: *version });
    }
    let unpacked = zstd::stream::read::Decoder::new(packed).map_err(|e| fault(e.to_string()))?;
    let mut text = Vec::new();
    unpacked.take(MOST_BYTES).read_to_end(&mut text).map_err(|e| fault(e.to_string()))?;
    serde_json::from_slice(&text).map_err(|e| fault(e.to_string()))
}

/// Milliseconds since 1970.
pub fn now_ms() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.unwrap_or_default().as_millis() as u64
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn messages_come_back_and_strange_ones_are_told_apart() {
        let beat = WorkerBeat { name: "w".into(), boards: 3, ..WorkerBeat::default() };
        let bytes = encode(&beat).unwrap().to_vec();
        assert_eq!(decode::<WorkerBeat>(&bytes).unwrap(), beat);
        let mut newer = bytes.clone();
        newer[2] = PROTOCOL + 1;
        let error = decode::<WorkerBeat>(&newer).unwrap_err();
        assert!(error.to_string().contains("install the same Dyno"), "{error}");
        for cut in 0..bytes.len() {
            assert!(decode::<WorkerBeat>(&bytes[..cut]).is_err(), "cut at {cut}");
        }
        assert!(decode::<WorkerBeat>(b"{\"name\":1}").is_err());
        assert!(decode::<Order>(&bytes).is_err(), "another kind of message");
    }

    #[test]
    fn a_message_cannot_fill_the_memory() {
        let mut bomb = vec![MAGIC[0], MAGIC[1], PROTOCOL];
        bomb.extend(zstd::bulk::compress(&vec![b' '; (MOST_BYTES + 1) as usize], 1).unwrap());
        assert!(bomb.len() < 1 << 16);
        assert!(decode::<WorkerBeat>(&bomb).is_err());
    }
}
