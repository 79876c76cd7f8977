//! Whether a game that was played elsewhere can have happened: it is played over by the rules, with
//! the same adjudication, before it counts.

use super::adjudication::{Referee, Rules};
use super::assignment::Assignment;
use super::plan::{Plan, Variant};
use super::record::GameRecord;
use super::result::{End, GameResult};
use dyno_chess::Color;

/// Why a record cannot be of the game that was to be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unplayable {
    #[error("it is another game than the one that was asked for")]
    OtherGame,
    #[error("move {ply} ({uci:?}) cannot be played: {reason}")]
    Move { ply: usize, uci: String, reason: String },
    #[error("it went on after its end at move {ply}: {result}")]
    BeyondEnd { ply: usize, result: String },
    #[error("it ended as \"{told}\", but by the rules {truth}")]
    Result { told: String, truth: String },
}

/// Plays the record of an assignment over. Tablebases are not asked again: they may be on the
/// worker alone.
pub fn verify(record: &GameRecord, assignment: &Assignment, plan: &Plan) -> Result<(), Unplayable> {
    let wanted = (&assignment.slot, &assignment.start, &assignment.options);
    if (&record.slot, &record.start, &record.options) != wanted {
        return Err(Unplayable::OtherGame);
    }
    let rules = Rules::new(&plan.adjudication, None);
    let mut referee = Referee::default();
    let chess960 = plan.variant == Variant::FischeRandom;
    let mut game = record.opening(chess960).map_err(|_| Unplayable::OtherGame)?;
    let mut end = game.adjudicated().map(GameResult::by_rule);
    for (ply, made) in record.moves.iter().enumerate() {
        if let Some(result) = &end {
            return Err(Unplayable::BeyondEnd { ply, result: result.to_string() });
        }
        let mover = game.position().side_to_move();
        let mv = game.position().parse_uci(&made.uci).map_err(|error| Unplayable::Move {
            ply: ply + 1,
            uci: made.uci.chars().take(20).collect(),
            reason: error.to_string(),
        })?;
        game.play(mv);
        let by_rule = game.adjudicated().map(GameResult::by_rule);
        end = by_rule.or_else(|| referee.judge(&rules, &game, mover, made.score));
    }
    let refuse = |truth: String| Err(Unplayable::Result { told: record.result.to_string(), truth });
    match (end, agrees(record, game.position().side_to_move(), plan)) {
        (Some(truth), _) if truth == record.result => Ok(()),
        // The rules on scores come first, so a table may have spoken where they did not.
        (Some(truth), _) => refuse(truth.to_string()),
        (None, None) => refuse("it was not over".to_owned()),
        (None, Some(false)) => refuse("the other side was to move".to_owned()),
        (None, Some(true)) => match &record.result.end {
            End::IllegalMove { text } if game.position().parse_uci(text).is_ok() => {
                refuse(format!("{text} is a legal move"))
            }
            _ => Ok(()),
        },
    }
}

/// Whether an end that only those at the board could see fits the side to move; `None` where the
/// rules would have had to say so.
fn agrees(record: &GameRecord, to_move: Color, plan: &Plan) -> Option<bool> {
    match &record.result.end {
        End::TimeForfeit
        | End::IllegalMove { .. }
        | End::Disconnect { .. }
        | End::Stall { .. }
        | End::Resignation
        | End::FalseClaim { .. } => Some(record.result.loser() == Some(to_move)),
        End::Agreement => Some(record.result.loser().is_none()),
        End::Tablebase if plan.adjudication.tb.is_some() => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::assignment::OptionOverrides;
    use crate::plan::{DrawRule, EngineEntry};
    use crate::record::{MoveRecord, Start};
    use crate::result::Points;
    use crate::slot::Slot;
    use dyno_driver::Score;

    fn assignment() -> Assignment {
        let slot = Slot {
            number: 4,
            white: 0,
            black: 1,
            round: 1,
            encounter: 0,
            index: 0,
            opening: 2,
            partner: Some(5),
        };
        let start = Start { opening: 3, fen: None, moves: vec!["f2f3".into(), "e7e5".into()] };
        Assignment { run: "r".into(), slot, start, options: Default::default(), attempt: 1 }
    }

    fn record(moves: &str, result: GameResult) -> GameRecord {
        let Assignment { slot, start, .. } = assignment();
        let made = |uci: &str| MoveRecord {
            uci: uci.into(),
            score: Some(Score::Cp(0)),
            ..MoveRecord::default()
        };
        GameRecord {
            slot,
            result,
            started: 0,
            lasted: 0,
            start,
            options: OptionOverrides::default(),
            moves: moves.split_whitespace().map(made).collect(),
            faults: Vec::new(),
            worker: None,
        }
    }

    fn check(moves: &str, result: GameResult) -> Result<(), Unplayable> {
        let plan = Plan { engines: vec![EngineEntry::default(); 2], ..Plan::default() };
        verify(&record(moves, result), &assignment(), &plan)
    }

    #[test]
    fn what_can_have_happened_counts() {
        let mate = GameResult::win(Color::Black, End::Checkmate);
        assert_eq!(check("g2g4 d8h4", mate.clone()), Ok(()));
        assert_eq!(check("g2g4", GameResult::loss(Color::Black, End::TimeForfeit)), Ok(()));
        let illegal = End::IllegalMove { text: "e8e7x".into() };
        assert_eq!(check("g2g4", GameResult::loss(Color::Black, illegal)), Ok(()));
        assert_eq!(check("", GameResult::loss(Color::White, End::Resignation)), Ok(()));
    }

    #[test]
    fn what_cannot_have_happened_is_refused() {
        let mate = |winner| GameResult::win(winner, End::Checkmate);
        let refused = |moves, result| check(moves, result).unwrap_err().to_string();
        for (message, words) in [
            ("by the rules Black mates", refused("g2g4 d8h4", mate(Color::White))),
            ("it was not over", refused("g2g4", mate(Color::White))),
            ("after its end at move 2", refused("g2g4 d8h4 e1f2", mate(Color::Black))),
            ("move 1 (\"e2e5\") cannot be played", refused("e2e5", mate(Color::Black))),
            (
                "the other side was to move",
                refused("g2g4", GameResult::loss(Color::White, End::TimeForfeit)),
            ),
            (
                "d8h4 is a legal move",
                refused(
                    "g2g4",
                    GameResult::loss(Color::Black, End::IllegalMove { text: "d8h4".into() }),
                ),
            ),
            ("not over", refused("g2g4", GameResult::draw(End::DrawAdjudication))),
        ] {
            assert!(words.contains(message), "{words}");
        }
        let mut other = assignment();
        other.slot.opening += 1;
        let game = record("g2g4 d8h4", mate(Color::Black));
        assert_eq!(verify(&game, &other, &Plan::default()), Err(Unplayable::OtherGame));
    }

    #[test]
    fn adjudication_is_done_over() {
        let mut plan = Plan::default();
        plan.adjudication.draw = Some(DrawRule { movenumber: 2, movecount: 1, score: 5 });
        let draw = GameResult::draw(End::DrawAdjudication);
        let judged = |moves| verify(&record(moves, draw.clone()), &assignment(), &plan);
        assert_eq!(judged("b1c3 b8c6"), Ok(()));
        assert!(judged("b1c3").is_err(), "too early");
        assert!(judged("b1c3 b8c6 c3b1").is_err(), "too late");
        let won = GameResult { points: Points::WhiteWins, end: End::DrawAdjudication };
        assert!(verify(&record("b1c3 b8c6", won), &assignment(), &plan).is_err());
    }
}
