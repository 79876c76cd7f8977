//! A game to be played, as a value that crosses a thread or a network alike.

use super::record::Start;
use super::slot::Slot;
use dyno_chess::Color;
use serde::{Deserialize, Serialize};

/// All that a player needs to know about a game beyond the plan of its match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    /// The match it belongs to.
    pub run: String,
    pub slot: Slot,
    pub start: Start,
    #[serde(default, skip_serializing_if = "OptionOverrides::is_empty")]
    pub options: OptionOverrides,
    /// From 1: how often this game has been handed out.
    pub attempt: u32,
}

/// Options set for one game alone, on top of those of the plan: what tuning varies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OptionOverrides {
    pub white: Vec<(String, String)>,
    pub black: Vec<(String, String)>,
}

impl OptionOverrides {
    pub fn is_empty(&self) -> bool {
        self.white.is_empty() && self.black.is_empty()
    }

    /// Those of one side.
    pub fn of(&self, color: Color) -> &[(String, String)] {
        match color {
            Color::White => &self.white,
            Color::Black => &self.black,
        }
    }
}
