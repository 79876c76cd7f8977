//! Perft: counting, suites of counts, and the speed of counting.

mod count;
mod file;
mod named;
mod speed;
mod suite;

pub use count::{
    CountEvent, CountPlan, CountResult, DetailRow, Divided, PerftError, Published, count,
};
pub use file::{Defect, Line, PerftFile};
pub use named::{NAMED, Named, named};
pub use speed::{PEER_RECIPE, SpeedEvent, SpeedResult, SpeedRow, measure_speed};
pub use suite::{PerftSuiteEvent, PerftSuitePlan, SuiteResult, SuiteRow, run_suite};

/// Leaves a second.
fn nps(nodes: u128, seconds: f64) -> f64 {
    if seconds > 0.0 { nodes as f64 / seconds } else { 0.0 }
}
