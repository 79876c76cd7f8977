//! The history of every run, in one SQLite file.
//!
//! A [`Run`] is one command that measured something: which plan, on which machine, of which
//! builds, how it ended, its figures as [`Measure`]s and its whole result as JSON. The store knows
//! nothing of suites or matches: the caller that records a run names its figures.
//!
//! Writers never wait for readers (WAL), every run is one transaction, and a database of a newer
//! version is refused instead of misread.

#![deny(missing_docs)]

mod database;
mod exchange;
mod prune;
mod read;
mod run;
mod trend;
mod write;

pub use database::{History, StoreError};
pub use exchange::{ExportError, Imported};
pub use prune::{Pruned, Retention};
pub use read::Filter;
pub use run::{Artefact, Build, Ending, Machine, Measure, Run, RunBuild, RunId, plan_hash};
pub use trend::{Change, Point, Series, TrendQuery};
