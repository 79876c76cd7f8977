//! What a run over mates is asked to do.

use super::limit::MateLimit;
use super::proof::ProofLimits;
use super::result::MateResult;
use crate::position_test::TestPlan;
use serde_json::{Value, json};

/// What to run.
#[derive(Clone, Debug)]
pub struct MatePlan {
    /// The mates, the engines, and how they are run.
    pub test: TestPlan<MateResult>,
    /// How far every mate is searched for.
    pub limit: MateLimit,
    /// What the solver may spend on each.
    pub proof: ProofLimits,
    /// Take away castling rights and en-passant squares that a position cannot have.
    pub repair: bool,
}

impl MatePlan {
    /// As the header of the result keeps it.
    pub(super) fn recorded(&self) -> Value {
        let mut plan = self.test.recorded();
        plan["limit"] = json!(self.limit);
        plan["proof"] = json!(self.proof);
        plan["repair"] = json!(self.repair);
        plan
    }
}
