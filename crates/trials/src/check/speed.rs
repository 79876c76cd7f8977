//! Speed: nodes per second and time to depth, as figures; no verdict but that there are some.

use super::CheckOutcome;
use super::positions::SEARCHED;
use super::session::Session;
use super::transcript::search;
use crate::bench::builtin_positions;
use dyno_driver::EngineError;
use std::time::Duration;

type Checked = Result<CheckOutcome, EngineError>;

pub(super) fn nodes_per_second(session: &mut Session<'_>) -> Checked {
    let movetime = session.profile().choose(100, 500, 2000);
    let (mut nodes, mut seconds) = (0u64, 0.0);
    let positions = builtin_positions().positions;
    for fen in positions.iter().map(|position| &position.fen) {
        let engine = session.engine()?;
        engine.new_game()?;
        let text = format!("position fen {fen}");
        let found =
            search(engine, &text, &format!("go movetime {movetime}"), Duration::from_secs(15))?;
        let last = found.thoughts.iter().rev().find(|t| t.nodes.is_some());
        if let Some(last) = last {
            nodes += last.nodes.unwrap_or(0);
            seconds += last.at.as_secs_f64();
        }
    }
    if nodes == 0 || seconds <= 0.0 {
        return Ok(CheckOutcome::skip("the engine does not tell its nodes"));
    }
    let speed = nodes as f64 / seconds;
    Ok(CheckOutcome::pass(format!(
        "{:.0} thousand nodes per second over the {} positions of dyno bench",
        speed / 1000.0,
        positions.len()
    ))
    .figure("speed", speed, "nodes/s"))
}

pub(super) fn time_to_depth(session: &mut Session<'_>) -> Checked {
    let depth = 10;
    let mut total = 0.0;
    for fen in SEARCHED.iter().take(4) {
        let engine = session.engine()?;
        engine.new_game()?;
        let text = format!("position fen {fen}");
        let found = search(engine, &text, &format!("go depth {depth}"), Duration::from_secs(10))?;
        if found.overran {
            return Ok(CheckOutcome::pass(format!("depth {depth} takes more than 10 s in {fen}")));
        }
        total += found.elapsed.as_secs_f64();
    }
    Ok(CheckOutcome::pass(format!("depth {depth} in {:.2} s on average", total / 4.0)).figure(
        "time to depth 10",
        total / 4.0,
        "s",
    ))
}
