//! What follows from a plan for those who play it far away.

use dyno_tournament::{DEFAULT_PATIENCE, Limits, Plan, SprtTrack, TimeControl};
use std::time::Duration;

/// A pair of which its worker does not tell for this long is given to another. Workers tell of a move,
/// and while one may last longer than this, that it is still within its limit.
pub const LEASE: Duration = Duration::from_secs(30);
/// No worker is waited for longer than this, whatever it says of itself.
const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// A search by nodes may take this many times longer than the measured speed says: positions differ.
const NODES_SLACK: f64 = 4.0;
/// Workers slower than this by their own word are not believed.
pub const SLOWEST: f64 = 20.0;

/// Whether speed matters to the games.
pub fn is_timed(plan: &Plan) -> bool {
    plan.engines.iter().any(|engine| engine.limits.tc.is_some() || engine.limits.st.is_some())
}

/// How long a pair may go without a move on a machine of this time factor and these speeds: the lease,
/// or longer where a single move may take longer than that.
pub fn longest_move(plan: &Plan, factor: f64, speeds: &[Option<u64>]) -> Duration {
    let speed = |engine: usize| speeds.get(engine).copied().flatten();
    let moves = plan.engines.iter().enumerate().map(|(i, engine)| {
        let longest = one_move(&engine.limits, factor, speed(i));
        longest.mul_f64(1.5).min(LONGEST)
    });
    let startup = Duration::from_millis(plan.machine.startup_ms).saturating_mul(2).min(LONGEST);
    moves.max().unwrap_or_default().max(startup).max(LEASE)
}

fn one_move(limits: &Limits, factor: f64, nps: Option<u64>) -> Duration {
    // NaN, which no check lets through, would be the lease.
    let bounded =
        |time: f64| Duration::try_from_secs_f64(time.min(LONGEST.as_secs_f64())).unwrap_or(LEASE);
    let clock = limits.tc.as_ref().map(TimeControl::longest_move).map(|time| time.as_secs_f64());
    if let Some(time) = clock.or(limits.st) {
        return bounded(time * factor);
    }
    let patience = limits.patience.unwrap_or(DEFAULT_PATIENCE) * limits.tscale.unwrap_or(1.0);
    match (limits.nodes, nps) {
        (Some(nodes), Some(nps)) => {
            bounded((NODES_SLACK * nodes as f64 / nps.max(1) as f64).min(patience))
        }
        _ => bounded(patience),
    }
}

/// Pairs of a sequential test that may be out at once: a tenth of those it is expected to take. More
/// would be played in vain once it is decided.
pub fn most_pairs(plan: &Plan) -> usize {
    match plan.sprt.as_ref().and_then(SprtTrack::expected_games) {
        Some(games) => ((games / 2.0 / 10.0) as usize).max(1),
        None => usize::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_tournament::EngineEntry;

    fn longest(limits: Limits, factor: f64, nps: Option<u64>) -> u64 {
        let engine = EngineEntry { limits, ..EngineEntry::default() };
        let plan = Plan { engines: vec![engine], ..Plan::default() };
        longest_move(&plan, factor, &[nps]).as_secs()
    }

    #[test]
    fn a_lease_lasts_as_long_as_a_move_may() {
        let none = Limits::default;
        let nodes = |nodes| Limits { nodes: Some(nodes), ..none() };
        assert_eq!(longest(Limits { st: Some(2.0), ..none() }, 1.0, None), 30);
        assert_eq!(longest(Limits { st: Some(25.0), ..none() }, 1.6, None), 60);
        assert_eq!(longest(nodes(100), 1.0, Some(1_000_000)), 30);
        assert_eq!(longest(nodes(10_000_000), 1.0, Some(1_000_000)), 60);
        assert_eq!(
            longest(nodes(500_000_000), 1.0, Some(1_000_000)),
            90,
            "the board's own patience"
        );
        let depth = Limits { depth: Some(30), patience: Some(600.0), ..none() };
        assert_eq!(longest(depth, 1.0, Some(1)), 900);
        assert_eq!(longest(Limits { st: Some(f64::MAX), ..none() }, 9.0, None), 24 * 3600);
    }
}
