//! Speed: nodes per second and time to depth, as figures; no verdict but that there are some.

use super::positions::SEARCHED;
use super::session::Session;
use super::transcript::search;
use super::{CheckOutcome, Checked};
use crate::bench::builtin_positions;
use std::time::Duration;

pub(super) fn nodes_per_second(session: &mut Session<'_>) -> Checked {
    let movetime = session.profile().choose(100, 500, 2000);
    let findings = session.findings("positions");
    let (mut nodes, mut seconds) = (0u64, 0.0);
    let positions = builtin_positions().positions;
    for fen in positions.iter().map(|position| &position.fen) {
        if session.time_is_up() {
            break;
        }
        let engine = session.engine()?;
        engine.new_game()?;
        let text = format!("position fen {fen}");
        let found =
            search(engine, &text, &format!("go movetime {movetime}"), Duration::from_secs(5))?;
        let last = found.thoughts.iter().rev().find(|t| t.nodes.is_some());
        if let Some(last) = last {
            findings.judge();
            nodes += last.nodes.unwrap_or(0);
            // By its own time: other programs do not slow it down.
            let waited = found.waited.as_secs_f64();
            seconds += (last.at.as_secs_f64() - waited).max(last.at.as_secs_f64() / 10.0);
        }
    }
    if nodes == 0 || seconds <= 0.0 {
        return Ok(CheckOutcome::skip("the engine does not tell its nodes"));
    }
    let speed = nodes as f64 / seconds;
    let text = format!("{:.0} thousand nodes per second of its own time", speed / 1000.0);
    Ok(findings.outcome(text).figure("speed", speed, "nodes/s"))
}

pub(super) fn time_to_depth(session: &mut Session<'_>) -> Checked {
    let depth = session.depth_within(400)?.map_or(1, |reach| reach.min(10));
    let findings = session.findings("positions");
    let mut total = 0.0;
    for fen in SEARCHED.iter().take(4) {
        if session.time_is_up() {
            break;
        }
        let engine = session.engine()?;
        engine.new_game()?;
        let text = format!("position fen {fen}");
        let found = search(engine, &text, &format!("go depth {depth}"), Duration::from_secs(5))?;
        if !found.overran {
            findings.judge();
            total += found.own_time().as_secs_f64();
        }
    }
    let mean = total / findings.judged().max(1) as f64;
    let text = format!("depth {depth} in {mean:.2} s of its own time on average");
    let name = format!("time to depth {depth}");
    let reason = format!("no search to depth {depth} ended in time");
    Ok(findings.outcome_or_skip(text, reason).figure(&name, mean, "s"))
}
