//! Legality without perft: every legal move asked for by itself, where `searchmoves` is kept.
//!
//! Only forgotten moves can be found so. An engine that plays an illegal move because it was told
//! to may only have taken us at our word.

use super::CheckOutcome;
use super::protocol::search_moves;
use super::session::Session;
use super::transcript::search;
use dyno_chess::{Position, diagnose};
use dyno_driver::EngineError;
use std::time::Duration;

/// What comes of asking move by move; the reason, where that tells nothing.
pub(super) fn by_searchmoves(
    session: &mut Session<'_>,
    positions: &[(&str, &str)],
) -> Result<Result<CheckOutcome, &'static str>, EngineError> {
    if session.keeps_searchmoves.is_none() {
        search_moves(session)?;
    }
    if session.keeps_searchmoves != Some(true) {
        return Ok(Err("and searchmoves, by which each move could be asked for, is passed over"));
    }
    // Whoever plays what is no move at all would play a forgotten one, too.
    if knows(session, "position startpos", "e2e5")? {
        return Ok(Err("and searchmoves plays whatever it is given, legal or not"));
    }
    let (mut missing, mut asked) = (Vec::new(), Vec::new());
    let (mut moves, mut places) = (0, 0);
    for (name, fen) in positions {
        let Ok(position) = Position::from_fen(fen) else { continue };
        for position in [position, position.mirrored()] {
            if session.time_is_up() {
                break;
            }
            places += 1;
            let text = format!("position fen {}", position.fen());
            for mv in &position.legal_moves() {
                if session.time_is_up() {
                    break;
                }
                let word = position.uci(mv);
                moves += 1;
                // Twice, so that one hiccup is nobody's fault.
                if knows(session, &text, &word)? || knows(session, &text, &word)? {
                    continue;
                }
                let why = diagnose::missing(&position, mv);
                missing.push(format!("{name}: {word}: {why} [{}]", position.fen()));
                if asked.is_empty() {
                    asked = vec![text.clone(), format!("go depth 1 searchmoves {word}")];
                }
            }
        }
    }
    Ok(Ok(match missing.first() {
        None => CheckOutcome::pass(format!(
            "no perft, but each of the {moves} legal moves of {places} positions is known when \
             asked for with searchmoves"
        )),
        Some(first) => CheckOutcome::fail(format!(
            "{} of {moves} legal moves are not known; {first}",
            missing.len()
        )),
    }
    .evidence(missing)
    .reproduce(asked)
    .figure("moves", f64::from(moves), "")))
}

fn knows(session: &mut Session<'_>, position: &str, word: &str) -> Result<bool, EngineError> {
    let go = format!("go depth 1 searchmoves {word}");
    session.said = vec![position.to_owned(), go.clone()];
    let found = search(session.engine()?, position, &go, Duration::from_secs(5))?;
    session.said.clear();
    Ok(found.best == word)
}
