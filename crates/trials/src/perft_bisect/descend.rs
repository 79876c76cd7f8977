//! From a wrong count down to the position whose move list is wrong.

use super::ask::{AskError, Asker, PerftAnswer};
use super::rule::BrokenRule;
use super::{breakdown, totals};
use dyno_chess::diagnose::{self, Missing, Surplus};
use dyno_chess::perft::{self, Options};
use dyno_chess::{Move, Position, Role};
use dyno_driver::EngineError;

/// A wrong move list, a count that is wrong although every list is right, or a position at which
/// the engine breaks down.
#[derive(Clone, Debug)]
pub struct MoveListFault {
    /// The moves from the start of the bisection to the position.
    pub moves: Vec<Move>,
    /// The position.
    pub position: Position,
    /// Legal moves that the engine does not have.
    pub missing: Vec<(Move, Missing)>,
    /// Moves of the engine that are not legal, as it wrote them.
    pub surplus: Vec<(String, Surplus)>,
    /// The depth, the right count and the engine's, where the lists agree but the counts do not.
    pub count: Option<(u32, u64, u64)>,
    /// How the engine broke down here.
    pub breakdown: Option<Breakdown>,
}

/// An engine that crashes or goes silent over a position.
#[derive(Clone, Debug)]
pub struct Breakdown {
    /// What it did.
    pub how: String,
    /// Whether its process ended; otherwise it no longer answers.
    pub crashed: bool,
    /// The depth of the perft that shows it.
    pub depth: u32,
    /// The move that brings it down as soon as it is played.
    pub mv: Option<Move>,
}

impl MoveListFault {
    /// A fault with nothing wrong yet.
    pub(super) fn at(moves: &[Move], position: Position) -> Self {
        let (missing, surplus) = (Vec::new(), Vec::new());
        Self { moves: moves.to_vec(), position, missing, surplus, count: None, breakdown: None }
    }

    /// The rules that are broken, each once.
    pub fn rules(&self) -> Vec<BrokenRule> {
        let missing = self.missing.iter().map(|(_, why)| BrokenRule::missing(why));
        let surplus = self.surplus.iter().map(|(_, why)| BrokenRule::surplus(why));
        let count = self.count.iter().map(|(depth, ..)| BrokenRule::count(*depth));
        let breakdown = self.breakdown.iter().map(BrokenRule::breakdown);
        let mut rules: Vec<BrokenRule> = Vec::new();
        for rule in surplus.chain(missing).chain(count).chain(breakdown) {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        rules
    }
}

impl MoveListFault {
    /// The first move that breaks a rule, where it is one of moves.
    pub(super) fn first_move(&self, rule: &BrokenRule) -> Option<String> {
        let surplus = self.surplus.iter().find(|(_, why)| BrokenRule::surplus(why) == *rule);
        let missing = self.missing.iter().find(|(_, why)| BrokenRule::missing(why) == *rule);
        let surplus = surplus.map(|(text, _)| text.clone());
        surplus.or_else(|| missing.map(|(mv, _)| self.position.uci(*mv)))
    }

    /// The depth of the count that shows it.
    pub(super) fn shown_at(&self) -> u32 {
        let count = self.count.map(|(depth, ..)| depth);
        count.or(self.breakdown.as_ref().map(|breakdown| breakdown.depth)).unwrap_or(1)
    }
}

/// What is wrong with the lines of an answer to a perft command, if there is a count in them.
#[must_use]
pub fn wrong_answer(lines: &[String], position: &Position, depth: u32) -> Option<String> {
    let answer = PerftAnswer::read(lines)?;
    let expected = perft::divide(position, depth);
    let right = expected.iter().map(|(_, count)| *count).fold(0, u64::saturating_add);
    let told = answer.total.unwrap_or(right);
    if told != right {
        return Some(format!("{told} instead of {right}"));
    }
    if answer.moves.is_empty() {
        return None;
    }
    let compared = Compared::new(position, &expected, &answer, &[], depth);
    let is_right =
        compared.missing.is_empty() && compared.surplus.is_empty() && compared.differing.is_empty();
    (!is_right).then(|| "another list of moves".to_owned())
}

/// What a descent looks for.
pub(super) struct Descent<'a> {
    /// Rules that are known to be broken: where only those show, others are looked for.
    pub known: &'a [BrokenRule],
    /// How many more subtrees are looked into for them.
    pub further: u32,
    /// Whether an engine that breaks down is started anew and asked where.
    pub survives: bool,
}

impl Descent<'_> {
    /// One that takes the first fault it meets.
    pub fn plain(survives: bool) -> Self {
        Descent { known: &[], further: 0, survives }
    }

    fn is_new(&self, fault: &MoveListFault) -> bool {
        fault.rules().iter().any(|rule| !self.known.contains(rule))
    }
}

/// The right counts below each move; stops when the user does.
pub(super) fn expected(
    asker: &Asker<'_>,
    position: &Position,
    depth: u32,
) -> Result<Vec<(Move, u64)>, AskError> {
    let stop = asker.stopper();
    let counted =
        perft::count(position, depth.max(1), &Options { stop: &stop, ..Options::default() });
    if !counted.complete {
        return Err(EngineError::Interrupted.into());
    }
    let clip = |nodes| u64::try_from(nodes).unwrap_or(u64::MAX);
    Ok(counted.moves.iter().map(|found| (found.mv, clip(found.nodes))).collect())
}

/// Compares the engine's counts with the reference after some moves, and descends to the fault.
pub(super) fn descend(
    asker: &mut Asker<'_>,
    start: &Position,
    moves: &mut Vec<Move>,
    depth: u32,
    descent: &mut Descent<'_>,
) -> Result<Option<MoveListFault>, AskError> {
    let position = end(start, moves);
    let expected = expected(asker, &position, depth)?;
    let total = expected.iter().map(|(_, count)| *count).fold(0, u64::saturating_add);
    let answer = match asker.counts(start, moves, depth, (expected.len(), total)) {
        // An engine refuses to play a move that it does not have.
        Err(AskError::NoAnswer { refused: true, .. }) if !moves.is_empty() => {
            return Ok(Some(refusal(start, moves)));
        }
        Err(error) if descent.survives && error.is_breakdown() => {
            return breakdown::locate(asker, start, moves, depth, &error).map(Some);
        }
        answer => answer?,
    };
    let found = answer.total.unwrap_or(total);
    let differing = if asker.dialect.divides {
        let compared = Compared::new(&position, &expected, &answer, &past(start, moves), depth);
        if compared.doubtful && depth > 1 {
            let listed = descend(asker, start, moves, 1, descent)?;
            if listed.is_some() {
                return Ok(listed);
            }
        }
        if !compared.missing.is_empty() || !compared.surplus.is_empty() {
            let Compared { missing, surplus, .. } = compared;
            return Ok(Some(MoveListFault {
                missing,
                surplus,
                ..MoveListFault::at(moves, position)
            }));
        }
        if compared.differing.is_empty() && found == total {
            return Ok(None);
        }
        compared.differing
    } else if found == total {
        return Ok(None);
    } else if depth == 1 {
        return totals::explain(asker, start, moves, (total, found)).map(Some);
    } else {
        // An engine that prints totals only is asked once for each move.
        expected.iter().map(|(mv, _)| *mv).collect()
    };
    let mut known = None;
    for mv in &differing {
        if depth == 1 || known.is_some() && descent.further == 0 {
            break;
        }
        descent.further -= u32::from(known.is_some());
        moves.push(*mv);
        let below = descend(asker, start, moves, depth - 1, descent);
        moves.pop();
        match below? {
            Some(fault) if descent.is_new(&fault) => return Ok(Some(fault)),
            Some(fault) => known = known.or(Some(fault)),
            None => {}
        }
    }
    if known.is_some() {
        return Ok(known);
    }
    if !asker.dialect.divides && depth > 1 {
        // Every move is counted right when it is played: then the list of moves itself is wrong.
        let listed = descend(asker, start, moves, 1, descent)?;
        if listed.is_some() {
            return Ok(listed);
        }
    }
    let count = Some((depth, total, found));
    Ok(Some(MoveListFault { count, ..MoveListFault::at(moves, position) }))
}

/// The last move is missing from the list of the position before it.
fn refusal(start: &Position, moves: &[Move]) -> MoveListFault {
    let (before, last) = moves.split_at(moves.len() - 1);
    let position = end(start, before);
    let missing = last.iter().map(|mv| (*mv, diagnose::missing(&position, *mv))).collect();
    MoveListFault { missing, ..MoveListFault::at(before, position) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_wrong_by_its_list_or_its_number() {
        let position = Position::startpos();
        let lines = |moves: &[&str], total: Option<u64>| -> Vec<String> {
            let moves = moves.iter().map(|mv| format!("{mv}: 1"));
            moves.chain(total.map(|total| format!("Nodes searched: {total}"))).collect()
        };
        let words: Vec<String> =
            position.legal_moves().iter().map(|mv| position.uci(*mv)).collect();
        let mut moves: Vec<&str> = words.iter().map(String::as_str).collect();
        assert_eq!(wrong_answer(&lines(&moves, Some(20)), &position, 1), None);
        assert_eq!(wrong_answer(&lines(&moves, None), &position, 1), None);
        assert_eq!(wrong_answer(&lines(&[], Some(20)), &position, 1), None);
        assert_eq!(wrong_answer(&[], &position, 1), None);
        assert!(wrong_answer(&lines(&[], Some(21)), &position, 1).is_some());
        // One too many in place of one that is missing.
        moves[0] = "e2e5";
        assert!(wrong_answer(&lines(&moves, Some(20)), &position, 1).is_some());
        assert!(wrong_answer(&lines(&moves[1..], None), &position, 1).is_some());
    }
}
