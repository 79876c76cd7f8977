//! Engine against engine: matches, tournaments, sequential tests.
//!
//! A [`Plan`] says who plays whom and how; [`run`] and [`resume`] carry it out, telling a listener
//! what happens as [`Event`]s, and end in a [`Summary`]. The journal is the truth about a match:
//! each game is in it before anything else is told about it, and PGN, standings and what is still
//! to be played all follow from it.

mod adjudication;
mod advice;
mod budget;
mod check;
mod control;
mod engine_slot;
mod event;
mod evidence;
mod journal;
mod live;
mod openings;
mod outputs;
pub mod pgn;
mod plan;
mod play;
mod record;
pub mod records;
mod result;
mod runner;
mod schedule;
mod sprt;
mod standings;
mod summary;
mod tablebase;
mod think;
mod time_control;
pub mod tune;
mod workers;

pub use advice::Advice;
pub use check::PlanError;
pub use control::Control;
pub use event::Event;
pub use journal::{Header, Journal, JournalError};
pub use openings::BookError;
pub use plan::*;
pub use record::{Fault, FaultKind, GameRecord, MoveRecord, Start};
pub use result::{End, GameResult, Points, Termination};
pub use runner::{MatchError, Setup, resume, run};
pub use schedule::{Next, Schedule, Slot};
pub use sprt::SprtTrack;
pub use standings::{EngineStats, LATENCY_BUCKETS, Latency, Standings, TracePoint, Wdl};
pub use summary::{Ending, GameFault, SprtSummary, Summary, Versus};
pub use tablebase::TablebaseError;
pub use time_control::{TimeControl, TimeControlError, seconds};
