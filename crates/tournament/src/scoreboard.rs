//! The score after a game, small enough to be told with every one.

use super::standings::{EngineRating, EngineStats, PairedScore, Standings, Wdl};
use super::summary::SprtSummary;
use dyno_stats::Tally;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The match so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scoreboard {
    pub games: u64,
    pub engines: Vec<EngineScore>,
    /// Complete pairs alone, in a match of two.
    #[serde(default)]
    pub paired: PairedScore,
    /// From White's point of view.
    pub white: Wdl,
    /// How games ended, in the words of the PGN.
    pub ends: BTreeMap<String, u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtSummary>,
}

/// The score of one engine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EngineScore {
    pub name: String,
    pub white: Wdl,
    pub black: Wdl,
    /// Results brought from another tool, whose colours are not known.
    pub carried: Wdl,
    /// Against all others together, with the pairs.
    pub tally: Tally,
    /// In a tournament of more than two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<EngineRating>,
}

impl Scoreboard {
    pub fn of(standings: &Standings) -> Self {
        let mut engines: Vec<EngineScore> =
            standings.engines.iter().map(EngineScore::new).collect();
        for (&(low, high), tally) in &standings.versus {
            engines[low].tally.absorb(tally);
            engines[high].tally.absorb(&tally.mirrored());
        }
        set_ratings(&mut engines, standings.ratings());
        Self {
            games: standings.games,
            engines,
            paired: standings.paired,
            white: standings.white,
            ends: standings.ends.clone(),
            sprt: SprtSummary::of(standings),
        }
    }

    /// The first engine against the second, in a match of two.
    pub fn duel(&self) -> Option<&Tally> {
        match self.engines.as_slice() {
            [first, _] => Some(&first.tally),
            _ => None,
        }
    }

    /// Engines by points per game, the best first.
    pub fn ranking(&self) -> Vec<&EngineScore> {
        let mut order: Vec<&EngineScore> = self.engines.iter().collect();
        order.sort_by(|a, b| b.total().score().total_cmp(&a.total().score()));
        order
    }
}

/// Two engines have an Elo difference instead.
pub(crate) fn set_ratings(engines: &mut [EngineScore], ratings: Option<Vec<EngineRating>>) {
    if engines.len() > 2 {
        engines.iter_mut().zip(ratings.into_iter().flatten()).for_each(|(engine, rating)| {
            engine.rating = Some(rating);
        });
    }
}

impl EngineScore {
    /// The score of an engine, still without its tally.
    pub(crate) fn new(stats: &EngineStats) -> Self {
        Self {
            name: stats.name.clone(),
            white: stats.white,
            black: stats.black,
            carried: stats.carried,
            tally: Tally::default(),
            rating: None,
        }
    }

    pub fn total(&self) -> Wdl {
        self.white + self.black + self.carried
    }
}
