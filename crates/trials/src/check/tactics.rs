//! Tactics: a short set of Win at Chess, and mates in one to three.

use super::CheckOutcome;
use super::positions::MATES;
use super::session::Session;
use super::transcript::search;
use crate::builtin_suite;
use dyno_chess::Position;
use dyno_driver::EngineError;
use dyno_formats::epd::EpdReader;
use dyno_solver::{Budget, Solver};
use std::time::Duration;

type Checked = Result<CheckOutcome, EngineError>;

pub(super) fn win_at_chess(session: &mut Session<'_>) -> Checked {
    let Some(suite) = builtin_suite("wac") else {
        return Ok(CheckOutcome::skip("the suite is not built in"));
    };
    let (count, movetime) = session.profile().choose((30, 100), (100, 300), (300, 1000));
    let go = format!("go movetime {movetime}");
    let mut solved = 0;
    let mut run = 0;
    let mut missed = Vec::new();
    // Every tenth, and so on: a fair sample of the whole.
    let records: Vec<_> = EpdReader::new(suite.text.as_bytes()).flatten().collect();
    let step = (records.len() / count).max(1);
    for record in records.iter().step_by(step).take(count) {
        let position = record.position;
        let engine = session.engine()?;
        engine.new_game()?;
        let text = format!("position fen {}", position.fen());
        let found = search(engine, &text, &go, Duration::from_millis(2 * movetime + 5000))?;
        run += 1;
        let best = record.best_moves().moves;
        match position.parse_uci(&found.best) {
            Ok(mv) if best.contains(&mv) => solved += 1,
            _ => missed.push(format!(
                "{}: {} instead of {}",
                record.id().unwrap_or_default(),
                found.best,
                best.iter().map(|mv| position.uci(*mv)).collect::<Vec<_>>().join(" or ")
            )),
        }
    }
    let text = format!("{solved} of {run} Win at Chess positions in {movetime} ms each");
    let outcome =
        if 2 * solved >= run { CheckOutcome::pass(text) } else { CheckOutcome::warn(text) };
    Ok(outcome
        .evidence(missed)
        .figure("solved", f64::from(solved), &format!("of {run}"))
        .reproduce([format!("dyno suite --epd wac --movetime {movetime}")]))
}

pub(super) fn mates(session: &mut Session<'_>) -> Checked {
    let mut solver = Solver::new(16);
    let mut solved = 0;
    let mut missed = Vec::new();
    let mut asked = Vec::new();
    let (mut short, mut later) = (0, 0);
    for (moves, fen) in MATES {
        let Ok(position) = Position::from_fen(fen) else { continue };
        let engine = session.engine()?;
        engine.new_game()?;
        let text = format!("position fen {fen}");
        let go = format!("go movetime {}", 150 * moves);
        let found = search(engine, &text, &go, Duration::from_secs(6))?;
        let mut keeps = |within: u32| {
            position.parse_uci(&found.best).is_ok_and(|mv| {
                solver.keeps_mate(&position, mv, within, &Budget::nodes(2_000_000)) == Ok(true)
            })
        };
        // A mate is a mate: whoever needs a move more has found it, too, unless it is in one.
        if keeps(*moves) {
            solved += 1;
            continue;
        } else if *moves > 1 && keeps(moves + 1) {
            solved += 1;
            later += 1;
            continue;
        }
        short += u32::from(*moves == 1);
        missed.push(format!("mate in {moves}: {} does not keep it: {fen}", found.best));
        if asked.is_empty() {
            asked = found.asked;
        }
    }
    let total = MATES.len();
    let text = match later {
        0 => format!("{solved} of {total} mates in one to three"),
        _ => format!("{solved} of {total} mates in one to three, {later} of them a move later"),
    };
    Ok(if missed.is_empty() {
        CheckOutcome::pass(text)
    } else if short > 0 {
        CheckOutcome::fail(format!("{text}; {short} mates in one are missed")).evidence(missed)
    } else {
        CheckOutcome::warn(text).evidence(missed)
    }
    .figure("mates", f64::from(solved), &format!("of {total}"))
    .reproduce(asked))
}
