//! What a tuning yields: plain values, the same for every report.

use super::diagnosis::Diagnosis;
use super::trajectory::{PathPoint, Trajectory, Tuning};
use crate::plan::Plan;
use crate::summary::{SprtSummary, Summary};
use dyno_driver::RunHeader;
use dyno_stats::{Estimate, Tally};
use serde::{Deserialize, Serialize};

/// What the header of a tuning calls it.
pub const KIND: &str = "tune";

/// A tuning, done or broken off.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TuneResult {
    /// What the run was.
    #[serde(flatten)]
    pub header: RunHeader<Plan>,
    /// What was tuned.
    pub tuning: Tuning,
    /// Iterations whose results have been applied.
    pub applied: u64,
    /// The parameters, each with where it went and what that is worth.
    pub parameters: Vec<Diagnosis>,
    /// The values on their way.
    pub path: Vec<PathPoint>,
    /// The user stopped it.
    pub interrupted: bool,
    /// The match of the tuned values against the ones at the start.
    pub proof: Option<Proof>,
}

/// The sequential test that a tuning has to pass before it counts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Proof {
    /// Its games, as the tuned side sees them.
    pub tally: Tally,
    /// The difference they show.
    pub estimate: Estimate,
    /// The test.
    pub sprt: SprtSummary,
}

impl Proof {
    /// Of the match of the tuned engine against the one at the start.
    #[must_use]
    pub fn of(summary: &Summary) -> Option<Self> {
        let (duel, sprt) = (summary.duel()?, summary.sprt?);
        Some(Self { tally: duel.tally, estimate: duel.estimate, sprt })
    }
}

impl TuneResult {
    /// As far as a tuning has come.
    #[must_use]
    pub fn of(header: RunHeader<Plan>, trajectory: &Trajectory) -> Self {
        Self {
            header,
            tuning: trajectory.tuning().clone(),
            applied: trajectory.applied(),
            parameters: trajectory.diagnose(),
            path: trajectory.path().to_vec(),
            interrupted: trajectory.applied() < trajectory.tuning().iterations(),
            proof: None,
        }
    }

    /// The options that the tuning recommends: the means of the last half, in steps of the option.
    pub fn recommended(&self) -> impl Iterator<Item = (&str, i64)> {
        let parts = self.tuning.parameters.iter().zip(&self.parameters);
        parts.map(|(parameter, found)| {
            (parameter.name.as_str(), parameter.option_steps(found.late_mean))
        })
    }
}
