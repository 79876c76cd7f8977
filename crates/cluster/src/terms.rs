//! What follows from a plan for those who play it far away.

use dyno_tournament::{Limits, Plan, SprtTrack, TimeControl};
use std::time::Duration;

/// A pair without a move for this long is given to another worker.
const LEASE: Duration = Duration::from_secs(30);

/// Whether speed matters to the games.
pub fn is_timed(plan: &Plan) -> bool {
    plan.engines.iter().any(|engine| engine.limits.tc.is_some() || engine.limits.st.is_some())
}

/// How long a pair may go without a move: half a minute, or longer where a single move may take
/// longer than that.
pub fn lease(plan: &Plan) -> Duration {
    let longest = |limits: &Limits| {
        let clock = limits.tc.as_ref().map(TimeControl::longest_move).unwrap_or_default();
        let fixed = limits.st.and_then(|st| Duration::try_from_secs_f64(st).ok());
        clock.max(fixed.unwrap_or_default())
    };
    let longest = plan.engines.iter().map(|engine| longest(&engine.limits)).max();
    LEASE.max(longest.unwrap_or_default().mul_f64(1.5)).min(Duration::from_secs(24 * 3600))
}

/// Pairs of a sequential test that may be out at once: a tenth of those it is expected to take. More
/// would be played in vain once it is decided.
pub fn most_pairs(plan: &Plan) -> usize {
    match plan.sprt.as_ref().and_then(SprtTrack::expected_games) {
        Some(games) => ((games / 2.0 / 10.0) as usize).max(1),
        None => usize::MAX,
    }
}
