//! The result of a match as a value: every report is made from it.

use super::advice::Advice;
use super::coordinator::Coordinator;
use super::plan::Plan;
use super::record::Fault;
use super::result::Termination;
use super::scoreboard::{EngineScore, Scoreboard, set_ratings};
use super::standings::{EngineRating, EngineStats, PairedScore, Standings, TracePoint, Wdl};
use super::workers::{Suspicion, WorkerTally, suspicions};
use dyno_driver::RunHeader;
use dyno_stats::{AdjustedElo, Estimate, SprtVerdict, Tally};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the header of a match calls it.
pub const KIND: &str = "match";

/// Why a match ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Every game was played.
    #[default]
    Completed,
    /// The sequential test came to a verdict.
    Decided,
    /// The user ended it.
    Interrupted,
    /// An engine failed, and the plan says to stop then.
    Fault,
}

impl Ending {
    /// Whether nothing is left to be played by `--resume`.
    pub fn is_over(self) -> bool {
        matches!(self, Ending::Completed | Ending::Decided)
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Summary {
    #[serde(flatten)]
    pub header: RunHeader<Plan>,
    pub ending: Ending,
    pub games: u64,
    /// All games, where that is known.
    pub total: Option<u64>,
    pub plies: u64,
    pub engines: Vec<EngineStats>,
    /// Engines by points per game, the best first.
    pub ranking: Vec<usize>,
    pub versus: Vec<Versus>,
    /// By engine, as `dyno ratings` would give them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratings: Option<Vec<EngineRating>>,
    pub white: Wdl,
    #[serde(default)]
    pub paired: PairedScore,
    pub ends: BTreeMap<String, u64>,
    pub terminations: BTreeMap<Termination, u64>,
    pub sprt: Option<SprtSummary>,
    pub champion: Option<usize>,
    pub trace: Vec<TracePoint>,
    pub faults: Vec<GameFault>,
    pub advice: Vec<Advice>,
    pub journal: Option<String>,
    /// What came from which machine, where it was not this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workers: Vec<WorkerTally>,
    /// Workers whose results stand out. They count, unless they are played again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suspicions: Vec<Suspicion>,
}

/// Two engines' games against each other, from the first one's point of view.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Versus {
    pub first: usize,
    pub second: usize,
    pub tally: Tally,
    pub estimate: Estimate,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SprtSummary {
    pub llr: f64,
    pub lower: f64,
    pub upper: f64,
    pub elo0: f64,
    pub elo1: f64,
    pub verdict: SprtVerdict,
    /// What the test counted: games in scheduled order, without those beyond the last gap.
    pub tally: Tally,
    /// Finished pairs that wait for an earlier one.
    #[serde(default)]
    pub waiting_pairs: u64,
    /// The estimate that allows for the test having stopped when it did.
    pub adjusted: Option<AdjustedElo>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GameFault {
    /// From 1.
    pub game: u64,
    #[serde(flatten)]
    pub fault: Fault,
}

impl SprtSummary {
    pub fn of(standings: &Standings) -> Option<Self> {
        let track = standings.sprt.as_ref()?;
        let sprt = *track.run().sprt();
        let bounds = sprt.bounds();
        let verdict = track.verdict();
        let adjusted =
            (verdict != SprtVerdict::Continue).then(|| AdjustedElo::of(&sprt, &track.results()));
        Some(Self {
            llr: track.llr(),
            lower: bounds.lower(),
            upper: bounds.upper(),
            elo0: bounds.elo0(),
            elo1: bounds.elo1(),
            verdict,
            tally: *track.tally(),
            waiting_pairs: track.waiting_pairs(),
            adjusted,
        })
    }
}

impl Summary {
    pub(crate) fn new(
        header: RunHeader<Plan>,
        coordinator: Coordinator,
        ending: Ending,
        advice: Vec<Advice>,
        journal: Option<String>,
    ) -> Self {
        let (total, champion) = (coordinator.total(), coordinator.champion());
        let standings = coordinator.into_standings();
        let workers = standings.workers.list();
        Self {
            suspicions: suspicions(&workers),
            workers,
            header,
            ending,
            games: standings.games,
            total,
            plies: standings.plies,
            ranking: standings.ranking(),
            versus: versus(&standings),
            ratings: standings.ratings(),
            white: standings.white,
            paired: standings.paired,
            sprt: SprtSummary::of(&standings),
            engines: standings.engines,
            ends: standings.ends,
            terminations: standings.terminations,
            champion,
            trace: standings.trace,
            faults: standings
                .faults
                .into_iter()
                .map(|(number, fault)| GameFault { game: number + 1, fault })
                .collect(),
            advice,
            journal,
        }
    }

    /// The score in the form that listeners are told.
    pub fn scoreboard(&self) -> Scoreboard {
        let mut engines: Vec<EngineScore> = self.engines.iter().map(EngineScore::new).collect();
        for pairing in &self.versus {
            engines[pairing.first].tally.absorb(&pairing.tally);
            engines[pairing.second].tally.absorb(&pairing.tally.mirrored());
        }
        set_ratings(&mut engines, self.ratings.clone());
        let (games, white) = (self.games, self.white);
        let (paired, ends) = (self.paired, self.ends.clone());
        Scoreboard { games, engines, paired, white, ends, sprt: self.sprt }
    }

    /// The first engine's games against the second.
    pub fn duel(&self) -> Option<&Versus> {
        self.versus.iter().find(|v| (v.first, v.second) == (0, 1))
    }
}

/// All pairings with their estimates.
pub fn versus(standings: &Standings) -> Vec<Versus> {
    let pairing = |(&(first, second), tally): (&(usize, usize), &Tally)| Versus {
        first,
        second,
        tally: *tally,
        estimate: Estimate::of(&tally.best()),
    };
    standings.versus.iter().map(pairing).collect()
}
