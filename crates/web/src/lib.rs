//! The live page of running trials, and the history of runs in a browser.
//!
//! | module | for |
//! |---|---|
//! | [`Server`], [`Access`] | who may look, and the one thread that answers |
//! | [`Site`] | what there is to be looked at: one run, or a project with its history |
//! | [`LiveMatch`], [`LiveTrial`] | what runs, as values that know how to show themselves |
//! | [`Publisher`] | tells `dyno serve`, another process, how a run stands |
//!
//! Viewers are sent the present state once and then what changes (server-sent events). Nothing is
//! drawn without a viewer, and no viewer can delay a game: a listener on a thread of its own
//! takes the events in, and what a viewer is too slow for is replaced by the present state.

#![deny(missing_docs)]

mod access;
mod assets;
mod feed;
mod folder;
mod games;
mod history;
mod live;
mod live_match;
mod pages;
mod replay;
mod routes;
mod server;
mod site;
mod trial;

pub use access::{Access, AccessError};
pub use folder::Publisher;
pub use games::{GameRow, GameView, Games};
pub use live::{BoardView, Command, Live, Panel, PlyView, RunHead, SideView};
pub use live_match::LiveMatch;
pub use server::{ServeError, Server};
pub use site::{Project, Site};
pub use trial::{LiveTrial, TrialRow};
