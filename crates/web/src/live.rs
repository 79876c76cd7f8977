//! What can be watched while it runs.

use crate::games::Games;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A run that goes on. Its state is asked for when someone looks, and costs nothing otherwise.
pub trait Live: Send + Sync {
    /// Which run it is.
    fn head(&self) -> RunHead;

    /// Changes whenever a panel may have.
    fn version(&self) -> u64;

    /// The parts of the page besides the boards.
    fn panels(&self) -> Vec<Panel>;

    /// The games being played.
    fn boards(&self) -> Vec<BoardView> {
        Vec::new()
    }

    /// Whether it is over: nothing will change any more.
    fn is_over(&self) -> bool;

    /// The finished games, where it is about games.
    fn games(&self) -> Option<Arc<Games>> {
        None
    }

    /// Does what a viewer wants and says what happens; nothing where this run cannot be steered.
    fn obey(&self, _command: Command) -> Option<String> {
        None
    }
}

/// Which run it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunHead {
    /// Names it in addresses.
    pub id: String,
    /// The command: `match`, `suite` …
    pub kind: String,
    /// Who and what, in a few words.
    pub title: String,
    /// Milliseconds since 1970.
    pub started_ms: u64,
    /// How far it is, in a few words.
    pub line: String,
    /// Whether it can be steered.
    #[serde(default)]
    pub can_obey: bool,
}

/// A part of the page that is replaced as a whole when it changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Panel {
    /// Its place on the page.
    pub id: String,
    /// The heading above it; empty for none.
    pub title: String,
    /// Markup of our own making; empty while there is nothing to show.
    pub html: String,
}

impl Panel {
    /// A panel of that content.
    pub fn new(id: &str, title: &str, html: impl Into<dyno_report::html::Html>) -> Self {
        let html: dyno_report::html::Html = html.into();
        Self { id: id.to_owned(), title: title.to_owned(), html: html.to_string() }
    }
}

/// What the keys on the terminal do too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    /// Pause, or go on.
    Pause,
    /// One more game at once.
    More,
    /// One fewer.
    Fewer,
    /// Finish the pairs that have begun, then stop.
    StopAfterPairs,
    /// Finish the running games, then stop; asked again, stop now.
    Stop,
    /// Break off the running games.
    StopNow,
}

/// A game being played, as the page draws it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BoardView {
    /// The game, from 1.
    pub game: u64,
    /// Its round.
    pub round: u32,
    /// The first position: pieces as a FEN has them.
    pub start: String,
    /// Whether Black makes the first move.
    pub black_first: bool,
    /// The move number of the first move.
    pub first_number: u32,
    /// Every move so far.
    pub plies: Vec<PlyView>,
    /// White, then Black.
    pub sides: [SideView; 2],
    /// Milliseconds since the last move.
    pub since_ms: u64,
}

/// A move and the position after it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlyView {
    /// As people write it.
    pub san: String,
    /// From and to, for the marks on the board.
    pub uci: String,
    /// The pieces after it, as a FEN has them.
    pub board: String,
    /// The mover's evaluation from White's point of view, in centipawns; mates are beyond 30,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cp: Option<i32>,
    /// The rest, where it is known: for finished games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought: Option<SideView>,
}

/// What a side last said and what its clock shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SideView {
    /// The engine.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Milliseconds left after its last move, where it has a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_ms: Option<u64>,
    /// Its evaluation from White's point of view: `+0.35`, `-M3`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub score: String,
    /// `24/31`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub depth: String,
    /// `1.2M`, a second.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub nps: String,
    /// `1.2 s`
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub time: String,
    /// The line it expects, as people write it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pv: String,
}
