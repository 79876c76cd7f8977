//! An engine that crashes over a perft command, or goes silent: where, and by which move.

use super::ask::{AskError, Asker, position_command};
use super::descend::{Breakdown, MoveListFault, end};
use dyno_chess::{Move, Position, perft};
use dyno_driver::EngineError;
use std::time::Duration;

/// How long an engine may take over a single move.
const ONE_MOVE: Duration = Duration::from_secs(5);

/// Goes on from the position at which the engine broke down by shorter depths, then move by move,
/// down to the move that does it.
pub(super) fn locate(
    asker: &mut Asker<'_>,
    start: &Position,
    moves: &mut Vec<Move>,
    depth: u32,
    error: &AskError,
) -> Result<MoveListFault, AskError> {
    asker.revive()?;
    let mut breakdown = Breakdown::of(error, depth);
    for shorter in 1..depth {
        if let Some(sooner) = breaks(asker, start, moves, shorter)? {
            breakdown = sooner;
            break;
        }
    }
    let position = end(start, moves);
    for mv in &position.legal_moves() {
        if let Some(how) = breaks_when_played(asker, start, moves, mv)? {
            breakdown = Breakdown { mv: Some(mv), ..how };
            return Ok(fault(moves, position, breakdown));
        }
    }
    if breakdown.depth > 1 {
        for mv in &position.legal_moves() {
            moves.push(mv);
            let below = match asker.counts(start, moves, breakdown.depth - 1, (0, 1)) {
                Err(error) if error.is_breakdown() => {
                    Some(locate(asker, start, moves, breakdown.depth - 1, &error))
                }
                Err(error) => Some(Err(error)),
                Ok(_) => None,
            };
            moves.pop();
            if let Some(found) = below {
                return found;
            }
        }
    }
    Ok(fault(moves, position, breakdown))
}

impl Breakdown {
    fn of(error: &AskError, depth: u32) -> Self {
        let silent = matches!(
            error,
            AskError::NoAnswer { .. }
                | AskError::Engine(EngineError::NotReady { .. } | EngineError::NotReading { .. })
        );
        Self { how: error.to_string(), crashed: !silent, depth, mv: None }
    }
}

fn fault(moves: &[Move], position: Position, breakdown: Breakdown) -> MoveListFault {
    MoveListFault { breakdown: Some(breakdown), ..MoveListFault::at(moves, position) }
}

/// Whether a count breaks the engine; it lives again afterwards.
pub(super) fn breaks(
    asker: &mut Asker<'_>,
    start: &Position,
    moves: &[Move],
    depth: u32,
) -> Result<Option<Breakdown>, AskError> {
    let leaves = perft::perft(&end(start, moves), depth.min(4));
    revived(asker, depth, |asker| asker.counts(start, moves, depth, (0, leaves)).map(drop))
}

/// Whether it is enough to play a move.
pub(super) fn breaks_when_played(
    asker: &mut Asker<'_>,
    start: &Position,
    moves: &[Move],
    mv: Move,
) -> Result<Option<Breakdown>, AskError> {
    let mut longer = moves.to_vec();
    longer.push(mv);
    revived(asker, 1, |asker| {
        asker.set_variant(start)?;
        asker.engine.send_line(&position_command(start, &longer).0)?;
        Ok(asker.engine.is_ready(ONE_MOVE).map(drop)?)
    })
}

fn revived(
    asker: &mut Asker<'_>,
    depth: u32,
    ask: impl FnOnce(&mut Asker<'_>) -> Result<(), AskError>,
) -> Result<Option<Breakdown>, AskError> {
    match ask(asker) {
        Ok(()) => Ok(None),
        Err(error) if error.is_breakdown() => {
            asker.revive()?;
            Ok(Some(Breakdown::of(&error, depth)))
        }
        Err(error) => Err(error),
    }
}
