//! The smallest position that still shows a fault.

use super::ask::{AskError, Asker};
use super::breakdown::{breaks, breaks_when_played};
use super::descend::{Descent, MoveListFault, descend};
use super::rule::{BrokenRule, RuleBreak};
use dyno_chess::{Move, Position, Role, Square};
use std::time::{Duration, Instant};

/// Small is a comfort: a slow engine is not asked for longer than this.
const PATIENCE: Duration = Duration::from_secs(20);

/// A position with few moves and few pieces that shows the same fault.
#[derive(Clone, Debug)]
pub struct Smallest {
    /// Where to begin.
    pub start: Position,
    /// The moves to play; empty when the position alone shows it.
    pub moves: Vec<Move>,
    /// The fault there.
    pub fault: MoveListFault,
}

/// Shortens the way to the fault, then takes pieces off the board, as long as the engine still
/// breaks the same rule. A fault that needs a move played before it (a castling right kept, an
/// en-passant square not cleared) keeps that move.
pub(super) fn shrink(
    asker: &mut Asker<'_>,
    start: &Position,
    fault: &MoveListFault,
    rule: &BrokenRule,
    patience: Option<Duration>,
) -> Result<Smallest, AskError> {
    let mut best = Smallest { start: *start, moves: fault.moves.clone(), fault: fault.clone() };
    if rule.how == RuleBreak::Count {
        return Ok(best);
    }
    let until = Instant::now() + patience.unwrap_or(PATIENCE);
    for kept in 0..fault.moves.len() {
        let (head, tail) = fault.moves.split_at(fault.moves.len() - kept);
        let begin = super::descend::end(start, head);
        if let Some(found) = shows(asker, &begin, tail, fault, rule)? {
            best = Smallest { start: begin, moves: tail.to_vec(), fault: found };
            break;
        }
    }
    // Two passes: a piece may become superfluous when another has gone.
    for square in Square::all().chain(Square::all()) {
        if Instant::now() > until {
            break;
        }
        let Some((begin, moves)) = without(&best.start, &best.moves, square) else { continue };
        if let Some(found) = shows(asker, &begin, &moves, &best.fault, rule)? {
            best = Smallest { start: begin, moves, fault: found };
        }
    }
    Ok(best)
}

/// The fault that the engine shows here, if it breaks the same rule as the one at hand.
fn shows(
    asker: &mut Asker<'_>,
    start: &Position,
    moves: &[Move],
    like: &MoveListFault,
    rule: &BrokenRule,
) -> Result<Option<MoveListFault>, AskError> {
    if let Some(breakdown) = &like.breakdown {
        let position = super::descend::end(start, moves);
        let mv = breakdown.mv.map(|mv| position.parse_uci(&like.position.uci(mv)));
        let found = match mv {
            None => breaks(asker, start, moves, breakdown.depth)?,
            Some(Ok(mv)) => breaks_when_played(asker, start, moves, mv)?
                .map(|how| super::Breakdown { mv: Some(mv), ..how }),
            Some(Err(_)) => None,
        };
        let fault =
            |how| MoveListFault { breakdown: Some(how), ..MoveListFault::at(moves, position) };
        return Ok(found.map(fault).filter(|fault| fault.rules().contains(rule)));
    }
    match descend(asker, start, &mut moves.to_vec(), 1, &mut Descent::plain(false)) {
        Ok(found) => Ok(found.filter(|fault| fault.rules().contains(rule))),
        // A position the engine cannot answer is not a smaller witness.
        Err(AskError::TooSlow { .. }) => Ok(None),
        Err(error) if error.is_breakdown() => asker.revive().map(|()| None),
        Err(error) => Err(error),
    }
}

/// The position without the piece on a square, if the same moves can still be played.
fn without(start: &Position, moves: &[Move], square: Square) -> Option<(Position, Vec<Move>)> {
    let piece = start.piece_at(square)?;
    if piece.role == Role::King {
        return None;
    }
    let begin = Position::from_fen(&fen_without(start, square)).ok()?;
    let mut position = begin;
    let mut before = *start;
    let mut played = Vec::new();
    for mv in moves {
        let same = position.parse_uci(&before.uci(*mv)).ok()?;
        before = before.play(*mv);
        position = position.play(same);
        played.push(same);
    }
    Some((begin, played))
}

fn fen_without(position: &Position, square: Square) -> String {
    let mut rows = Vec::new();
    for rank in (0..8).rev() {
        let mut row = String::new();
        let mut empty = 0;
        for file in 0..8 {
            let at = Square::from_index(rank * 8 + file);
            match position.piece_at(at).filter(|_| at != square) {
                Some(piece) => {
                    if empty > 0 {
                        row.push_str(&empty.to_string());
                    }
                    empty = 0;
                    row.push(piece.letter());
                }
                None => empty += 1,
            }
        }
        if empty > 0 {
            row.push_str(&empty.to_string());
        }
        rows.push(row);
    }
    let fen = position.shredder_fen();
    let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
    fields[0] = rows.join("/");
    if position.castling_rooks().contains(square) {
        let letter = square.file().letter();
        let white = square.rank() == dyno_chess::Rank::First;
        let gone = if white { letter.to_ascii_uppercase() } else { letter };
        fields[2].retain(|c| c != gone);
        if fields[2].is_empty() {
            fields[2].push('-');
        }
    }
    if !position.is_chess960() {
        // The rights go on as KQkq; what the letters meant is told by the corner.
        fields[2] =
            fields[2].replace('H', "K").replace('A', "Q").replace('h', "k").replace('a', "q");
    }
    fields.join(" ")
}
