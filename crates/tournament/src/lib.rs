//! Engine against engine: matches, tournaments, sequential tests.
//!
//! A [`Plan`] says who plays whom and how; [`run`] and [`resume`] carry it out and end in a
//! [`Summary`]. The [`Coordinator`] hands out [`Assignment`]s, a [`WorkerPool`] brings them to
//! [`Player`]s and their [`GameRecord`]s back, and [`Listener`]s are told what happens as
//! [`MatchEvent`]s. The journal is the truth about a match: each game is in it before anything else
//! is told about it, and PGN, standings and what is still to be played all follow from it.

mod adjudication;
mod advice;
pub mod archive;
mod assignment;
mod board;
mod budget;
mod check;
mod context;
mod control;
mod coordinator;
mod engine_slot;
mod error;
mod event;
mod evidence;
mod journal;
mod listener;
mod live;
mod local_pool;
mod openings;
mod outputs;
pub mod pgn;
mod plan;
mod player;
mod pool;
mod preparation;
mod pv;
mod record;
pub mod records;
mod result;
mod runner;
mod schedule;
mod scoreboard;
mod side;
mod slot;
mod sprt;
mod standings;
mod summary;
mod tablebase;
mod time_control;
pub mod tune;
mod verify;
mod workers;

pub use advice::Advice;
pub use assignment::{Assignment, OptionOverrides};
pub use board::Played;
pub use check::PlanError;
pub use context::GameContext;
pub use control::Control;
pub use coordinator::{Coordinator, Refusal};
pub use error::{MatchError, OutputError};
pub use event::{Envelope, MatchEvent, MoveMade};
pub use journal::{Header, Journal, JournalError};
pub use listener::{Fanout, Interest, Listener};
pub use local_pool::LocalPool;
pub use openings::{BookError, OpeningSequence};
pub use plan::*;
pub use player::Player;
pub use pool::{Introduction, PoolReport, WorkerPool};
pub use preparation::load_openings;
pub use record::{Fault, FaultKind, GameRecord, MoveRecord, Start, WorkerRecord};
pub use result::{End, GameResult, Points, Termination};
pub use runner::{Setup, resume, run};
pub use schedule::{Next, Schedule};
pub use scoreboard::{EngineScore, Scoreboard};
pub use slot::Slot;
pub use sprt::SprtTrack;
pub use standings::{
    EngineRating, EngineStats, LATENCY_BUCKETS, Latency, PairedScore, PonderStats, Standings,
    TracePoint, Wait, Wdl,
};
pub use summary::{Ending, GameFault, SprtSummary, Summary, Versus};
pub use tablebase::TablebaseError;
pub use time_control::{Stage, TimeControl, TimeControlError, seconds};
pub use verify::{Unplayable, verify};
pub use workers::{Suspicion, WorkerTallies, WorkerTally, suspicions};
