//! Draws by the rules of the game: repetition and fifty moves.

use super::CheckOutcome;
use super::session::Session;
use super::transcript::{search, until_ready};
use dyno_driver::EngineError;
use dyno_uci::Score;
use std::time::Duration;

/// Positions that are drawn by a rule and won or lost without it, with the rule that is forgotten
/// where the score is not near zero.
const DRAWN: [(&str, &str); 2] = [
    (
        "a position that comes for the third time is not seen as a draw",
        "position fen 6k1/5ppp/8/8/8/8/5PPP/Q5K1 w - - 0 1 \
         moves g1h1 g8f8 h1g1 f8g8 g1h1 g8f8 h1g1",
    ),
    (
        "the fifty-move rule is not seen, though the clock of the FEN says 99 half-moves",
        "position fen 8/8/4k3/8/8/4K3/4R3/8 w - - 99 120",
    ),
];

/// A rook is worth five pawns, and contempt is never three.
const NEAR_ZERO: i32 = 300;

pub(super) fn by_rule(session: &mut Session<'_>) -> Result<CheckOutcome, EngineError> {
    let (mut blind, mut asked, mut told) = (Vec::new(), Vec::new(), 0);
    for (forgotten, position) in DRAWN {
        let engine = session.engine()?;
        engine.new_game()?;
        until_ready(engine, Duration::from_secs(10))?;
        let found = search(engine, position, "go depth 6", Duration::from_secs(5))?;
        let score = match found.score() {
            Some(Score::Cp(cp)) => format!("cp {cp}"),
            Some(Score::Mate(moves)) => format!("mate {moves}"),
            None => continue,
        };
        told += 1;
        if matches!(found.score(), Some(Score::Cp(cp)) if cp.abs() <= NEAR_ZERO) {
            continue;
        }
        blind.push(format!("{forgotten}: score {score}"));
        if asked.is_empty() {
            asked = found.asked;
        }
    }
    Ok(match blind.first() {
        Some(first) => CheckOutcome::warn(first.clone()).evidence(blind.clone()),
        None if told == 0 => CheckOutcome::skip("the engine tells no scores"),
        None => CheckOutcome::pass("repetition and the fifty-move rule are seen"),
    }
    .reproduce(asked))
}
