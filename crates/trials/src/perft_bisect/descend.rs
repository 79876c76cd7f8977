//! From a wrong count down to the position whose move list is wrong.

use super::ask::{self, AskError, Dialect, PerftAnswer};
use dyno_chess::diagnose::{self, Missing, Surplus};
use dyno_chess::{Move, Position, Role, perft};
use dyno_driver::Engine;

/// A wrong move list, or a count that is wrong although every list is right.
#[derive(Clone, Debug)]
pub struct MoveListFault {
    /// The moves from the start of the hunt to the position.
    pub moves: Vec<Move>,
    /// The position.
    pub position: Position,
    /// Legal moves that the engine does not have.
    pub missing: Vec<(Move, Missing)>,
    /// Moves of the engine that are not legal, as it wrote them.
    pub surplus: Vec<(String, Surplus)>,
    /// The depth, the right count and the engine's, where the lists agree but the counts do not.
    pub count: Option<(u32, u64, u64)>,
}

impl MoveListFault {
    /// Whether another fault breaks one of the same rules.
    pub fn is_like(&self, other: &MoveListFault) -> bool {
        self.missing.iter().any(|(_, why)| other.missing.iter().any(|(_, w)| w == why))
            || self.surplus.iter().any(|(_, why)| other.surplus.iter().any(|(_, w)| w == why))
    }
}

/// Compares the engine's counts with the reference after some moves, and descends to the fault.
pub fn descend(
    engine: &mut Engine,
    dialect: &Dialect,
    start: &Position,
    moves: &mut Vec<Move>,
    depth: u32,
) -> Result<Option<MoveListFault>, AskError> {
    let past = past(start, moves);
    let position = end(start, moves);
    let expected = perft::divide(&position, depth);
    let total: u64 = expected.iter().map(|(_, count)| count).sum();
    let answer = ask::divide(engine, dialect, start, moves, depth, total)?;
    if depth == 1 && answer.moves.is_empty() {
        let found = answer.total.unwrap_or(0);
        if found == total {
            return Ok(None);
        }
        let missing = match total - found.min(total) {
            1 => by_elimination(engine, dialect, start, moves, &position)?,
            _ => None,
        };
        let missing: Vec<_> =
            missing.map(|mv| (mv, diagnose::missing(&position, mv))).into_iter().collect();
        let count = missing.is_empty().then_some((1, total, found));
        let moves = moves.clone();
        return Ok(Some(MoveListFault { moves, position, missing, surplus: Vec::new(), count }));
    }
    let compared = Compared::new(&position, &expected, &answer, &past, depth);
    if compared.doubtful && depth > 1 {
        let listed = descend(engine, dialect, start, moves, 1)?;
        if listed.is_some() {
            return Ok(listed);
        }
    }
    if !compared.missing.is_empty() || !compared.surplus.is_empty() {
        return Ok(Some(MoveListFault {
            moves: moves.clone(),
            position,
            missing: compared.missing,
            surplus: compared.surplus,
            count: None,
        }));
    }
    for mv in &compared.differing {
        moves.push(*mv);
        let found = descend(engine, dialect, start, moves, depth - 1)?;
        moves.pop();
        if found.is_some() {
            return Ok(found);
        }
    }
    let found = answer.total.unwrap_or(total);
    let wrong = !compared.differing.is_empty() || found != total;
    Ok(wrong.then(|| MoveListFault {
        moves: moves.clone(),
        position,
        missing: Vec::new(),
        surplus: Vec::new(),
        count: Some((depth, total, found)),
    }))
}

/// The one move that an engine lacks which prints totals only. Where it counts right after every
/// move, what its count of two half-moves lacks is the number of answers to the missing one.
fn by_elimination(
    engine: &mut Engine,
    dialect: &Dialect,
    start: &Position,
    moves: &mut Vec<Move>,
    position: &Position,
) -> Result<Option<Move>, AskError> {
    let answers = perft::divide(position, 2);
    let expected: u64 = answers.iter().map(|(_, count)| count).sum();
    let mut total = |moves: &[Move], depth: u32, expected: u64| {
        let answer = ask::total(engine, dialect, start, moves, depth, expected)?;
        Ok::<u64, AskError>(answer.unwrap_or(expected))
    };
    let lacking = expected.saturating_sub(total(moves, 2, expected)?);
    let mut candidates = answers.iter().filter(|(_, count)| *count == lacking).map(|(mv, _)| *mv);
    let (Some(only), None) = (candidates.next(), candidates.next()) else { return Ok(None) };
    for (mv, count) in answers.iter().filter(|(mv, _)| *mv != only) {
        moves.push(*mv);
        let counted = total(moves, 1, *count);
        moves.pop();
        if counted? != *count {
            return Ok(None);
        }
    }
    Ok(Some(only))
}

/// An engine's divide beside the right one.
struct Compared {
    missing: Vec<(Move, Missing)>,
    surplus: Vec<(String, Surplus)>,
    /// Moves whose counts differ, the smallest subtree first.
    differing: Vec<Move>,
    /// A promotion printed without its piece has a wrong count: only the bare list tells whether
    /// the engine writes so or promotes to nothing.
    doubtful: bool,
}

impl Compared {
    fn new(
        position: &Position,
        expected: &[(Move, u64)],
        answer: &PerftAnswer,
        past: &[(Position, Move)],
        depth: u32,
    ) -> Compared {
        let mut found: Vec<(Move, u64)> = Vec::new();
        let mut surplus = Vec::new();
        // Some engines print a promotion without its piece: then only the sum can be compared.
        let mut unnamed: Vec<(String, u64)> = Vec::new();
        for (text, count) in &answer.moves {
            match read_move(position, text) {
                Some(mv) if found.iter().any(|(m, _)| *m == mv) => {
                    surplus.push((text.clone(), Surplus::Duplicate));
                }
                Some(mv) => found.push((mv, *count)),
                None if is_unnamed_promotion(position, text) => {
                    match unnamed.iter_mut().find(|(known, _)| known == text) {
                        Some((_, sum)) => *sum += count,
                        None => unnamed.push((text.clone(), *count)),
                    }
                }
                None => surplus.push((text.clone(), diagnose::surplus(position, text, past))),
            }
        }
        let mut missing = Vec::new();
        let mut differing = Vec::new();
        let mut doubtful = false;
        for (text, sum) in &unnamed {
            let all: u64 = expected
                .iter()
                .filter(|(mv, _)| position.uci(*mv)[..4] == text[..4])
                .map(|(_, count)| count)
                .sum();
            if all != *sum {
                doubtful = true;
                if depth == 1 {
                    surplus.push((text.clone(), Surplus::PromotionMissing));
                }
            }
        }
        for (mv, count) in expected {
            if let Some((_, other)) = found.iter().find(|(known, _)| known == mv) {
                if other != count {
                    differing.push((*count, *mv));
                }
            } else if !unnamed.iter().any(|(text, _)| position.uci(*mv)[..4] == text[..4]) {
                missing.push((*mv, diagnose::missing(position, *mv)));
            } else if doubtful && depth > 1 {
                differing.push((*count, *mv));
            }
        }
        differing.sort_by_key(|(count, mv)| (*count, *mv));
        let differing = differing.into_iter().map(|(_, mv)| mv).collect();
        Compared { missing, surplus, differing, doubtful }
    }
}

/// A move in whatever notation the engine uses.
fn read_move(position: &Position, text: &str) -> Option<Move> {
    position.parse_uci(text).ok().or_else(|| position.parse_san(text).ok())
}

fn is_unnamed_promotion(position: &Position, text: &str) -> bool {
    text.len() == 4
        && position.legal_moves().iter().any(|mv| {
            mv.promotion() == Some(Role::Queen) && position.uci(*mv)[..4] == *text.to_lowercase()
        })
}

/// Each move with the position it was played in.
pub fn past(start: &Position, moves: &[Move]) -> Vec<(Position, Move)> {
    let mut position = *start;
    moves
        .iter()
        .map(|mv| {
            let before = position;
            position = position.play(*mv);
            (before, *mv)
        })
        .collect()
}

/// Where the moves lead.
pub fn end(start: &Position, moves: &[Move]) -> Position {
    moves.iter().fold(*start, |position, mv| position.play(*mv))
}
