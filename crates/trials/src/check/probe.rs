//! Legality without perft: every legal move asked for by itself, where `searchmoves` is kept.
//!
//! Only forgotten moves can be found so. An engine that plays an illegal move because it was told
//! to may only have taken us at our word.

use super::Outcome;
use super::lab::Lab;
use super::protocol::search_moves;
use super::talk::search;
use dyno_chess::{Position, diagnose};
use dyno_driver::EngineError;
use std::time::Duration;

/// What comes of asking move by move; the reason, where that tells nothing.
pub(super) fn by_searchmoves(
    lab: &mut Lab<'_>,
    positions: &[(&str, &str)],
) -> Result<Result<Outcome, &'static str>, EngineError> {
    if lab.keeps_searchmoves.is_none() {
        search_moves(lab)?;
    }
    if lab.keeps_searchmoves != Some(true) {
        return Ok(Err("and searchmoves, by which each move could be asked for, is passed over"));
    }
    // Whoever plays what is no move at all would play a forgotten one, too.
    if knows(lab, "position startpos", "e2e5")? {
        return Ok(Err("and searchmoves plays whatever it is given, legal or not"));
    }
    let (mut missing, mut asked) = (Vec::new(), Vec::new());
    let (mut moves, mut places) = (0, 0);
    for (name, fen) in positions {
        let Ok(position) = Position::from_fen(fen) else { continue };
        for position in [position, position.mirrored()] {
            if lab.time_is_up() {
                break;
            }
            places += 1;
            let text = format!("position fen {}", position.fen());
            for mv in &position.legal_moves() {
                if lab.time_is_up() {
                    break;
                }
                let word = position.uci(mv);
                moves += 1;
                // Twice, so that one hiccup is nobody's fault.
                if knows(lab, &text, &word)? || knows(lab, &text, &word)? {
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
        None => Outcome::pass(format!(
            "no perft, but each of the {moves} legal moves of {places} positions is known when \
             asked for with searchmoves"
        )),
        Some(first) => Outcome::fail(format!(
            "{} of {moves} legal moves are not known; {first}",
            missing.len()
        )),
    }
    .evidence(missing)
    .reproduce(asked)
    .figure("moves", f64::from(moves), "")))
}

fn knows(lab: &mut Lab<'_>, position: &str, word: &str) -> Result<bool, EngineError> {
    let go = format!("go depth 1 searchmoves {word}");
    lab.said = vec![position.to_owned(), go.clone()];
    let found = search(lab.engine()?, position, &go, Duration::from_secs(5))?;
    lab.said.clear();
    Ok(found.best == word)
}
