//! A game's place in the schedule.

use serde::{Deserialize, Serialize};

/// A game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// From 0, unique in the match.
    pub number: u64,
    /// Indices of the engines.
    pub white: usize,
    pub black: usize,
    /// From 1, as PGN counts.
    pub round: u32,
    /// A meeting of two engines in one round; from 0.
    pub encounter: u64,
    /// The game's place in its encounter; from 0.
    pub index: u32,
    /// The opening's place in the order of use; from 0.
    pub opening: u64,
    /// The other game of its pair: same opening, colours reversed.
    pub partner: Option<u64>,
}
