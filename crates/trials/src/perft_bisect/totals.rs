//! Which move it is where an engine prints totals only: asked for, or worked out from what it
//! counts after each move.

use super::ask::{AskError, Asker, position_command};
use super::descend::{MoveListFault, end, past};
use dyno_chess::diagnose::{self, Surplus};
use dyno_chess::{Move, Position, Role, Square, perft};

/// More wrong moves than these in one list cannot be told apart.
const MOST: u64 = 3;

/// The moves behind a wrong number of moves.
pub(super) fn explain(
    asker: &mut Asker<'_>,
    start: &Position,
    moves: &[Move],
    (total, found): (u64, u64),
) -> Result<MoveListFault, AskError> {
    let position = end(start, moves);
    let mut fault = MoveListFault::at(moves, position);
    let wrong = total.abs_diff(found);
    if wrong <= MOST {
        let two = perft::perft(&position, 2);
        let counted = asker.counts(start, moves, 2, (0, two))?.total.unwrap_or(two);
        let mut table = Counts { position, parent: found, wrong: wrong as usize, off: None };
        let (refused, replies) = table.replies(asker, start, moves)?;
        let is_sound =
            replies.iter().all(|(mv, right, counted)| right == counted || refused.contains(mv));
        table.off = is_sound.then(|| two.abs_diff(counted));
        if found > total {
            fault.surplus = table.surplus(asker, start, moves)?;
        } else {
            let replies: Vec<_> = replies.iter().map(|(mv, right, _)| (*mv, *right)).collect();
            let missing = table.missing(refused, &replies);
            fault.missing =
                missing.into_iter().map(|mv| (mv, diagnose::missing(&position, mv))).collect();
        }
    }
    if fault.missing.is_empty() && fault.surplus.is_empty() {
        fault.count = Some((1, total, found));
    }
    Ok(fault)
}

/// A legal move with the right number of replies to it, and the engine's.
type Replies = (Move, u64, u64);

/// What an engine says about the moves of a position.
struct Counts {
    position: Position,
    /// The number of moves that it counts.
    parent: u64,
    /// How many moves too few or too many these are.
    wrong: usize,
    /// By how much its count of two half-moves is off, where it counts right after every move:
    /// then it is the number of replies to the wrong ones.
    off: Option<u64>,
}

impl Counts {
    /// Every legal move with the right number of replies and the engine's; and the moves that it
    /// refuses to play, because it still counts the position before them.
    fn replies(
        &self,
        asker: &mut Asker<'_>,
        start: &Position,
        moves: &[Move],
    ) -> Result<(Vec<Move>, Vec<Replies>), AskError> {
        let (mut refused, mut replies) = (Vec::new(), Vec::new());
        let mut longer = moves.to_vec();
        for (mv, right) in perft::divide(&self.position, 2) {
            longer.push(mv);
            let counted = match asker.counts(start, &longer, 1, (0, right)) {
                Err(AskError::NoAnswer { refused: true, .. }) => self.parent,
                answer => answer?.total.unwrap_or(right),
            };
            longer.pop();
            if counted != right && counted == self.parent {
                refused.push(mv);
            }
            replies.push((mv, right, counted));
        }
        Ok((refused, replies))
    }

    fn missing(&self, refused: Vec<Move>, replies: &[(Move, u64)]) -> Vec<Move> {
        let by_sum = || self.off.and_then(|off| only_sum(replies, self.wrong, off));
        if refused.len() == self.wrong { refused } else { by_sum().unwrap_or_default() }
    }

    /// An engine accepts a move that it has, legal or not, and counts the position after it.
    fn surplus(
        &self,
        asker: &mut Asker<'_>,
        start: &Position,
        moves: &[Move],
    ) -> Result<Vec<(String, Surplus)>, AskError> {
        let (before, _) = position_command(start, moves);
        let joint = if moves.is_empty() { " moves " } else { " " };
        let mut accepted = Vec::new();
        for (text, why) in near_misses(&self.position, &past(start, moves)) {
            let command = format!("{before}{joint}{text}");
            match asker.counts_at(&command, 1, (0, 1)) {
                Ok(answer) => {
                    let replies = answer.total.unwrap_or(0);
                    accepted.push(((text, why), replies));
                }
                Err(AskError::NoAnswer { .. }) => {}
                // Nonsense to this engine.
                Err(error) if error.is_breakdown() => asker.revive()?,
                Err(error) => return Err(error),
            }
        }
        let others: Vec<_> =
            accepted.iter().filter(|(_, replies)| *replies != self.parent).cloned().collect();
        Ok(match others.len() == self.wrong {
            true => others.into_iter().map(|(mv, _)| mv).collect(),
            false => {
                let by_sum = self.off.and_then(|off| only_sum(&accepted, self.wrong, off));
                let rare = || accepted.iter().filter(|((_, why), _)| is_rare(why)).cloned();
                match by_sum {
                    Some(moves) => moves,
                    // It plays whatever it is given.
                    None if rare().count() == self.wrong => rare().map(|(mv, _)| mv).collect(),
                    None => Vec::new(),
                }
            }
        })
    }
}

/// Moves that a generator may take for legal: by the way the piece moves, but not by the rules.
fn near_misses(position: &Position, past: &[(Position, Move)]) -> Vec<(String, Surplus)> {
    let mut found = Vec::new();
    for from in Square::all() {
        let Some(piece) = position.piece_at(from).filter(|p| p.color == position.side_to_move())
        else {
            continue;
        };
        for to in Square::all() {
            let last = piece.role == Role::Pawn && matches!(to.rank().index(), 0 | 7);
            let text = format!("{from}{to}{}", if last { "q" } else { "" });
            if position.parse_uci(&text).is_ok() {
                continue;
            }
            let why = diagnose::surplus(position, &text, past);
            if !is_absurd(&why) {
                found.push((text, why));
            }
        }
    }
    found
}

/// Rules that few positions need: an engine may break one and count nearly everywhere rightly.
fn is_rare(why: &Surplus) -> bool {
    matches!(
        why,
        Surplus::EnPassantExposesKing
            | Surplus::CastlingRightAfterRookTaken
            | Surplus::CastlingRightAfterRookMoved
            | Surplus::CastlingRightAfterKingMoved
            | Surplus::CastlingOutOfCheck
            | Surplus::CastlingThroughAttack
            | Surplus::CastlingIntoCheck
            | Surplus::CastlingThroughPiece
    )
}

/// Moves that no generator with a rule to break would make.
fn is_absurd(why: &Surplus) -> bool {
    matches!(
        why,
        Surplus::NotAMove
            | Surplus::EmptySquare
            | Surplus::EnemyPiece
            | Surplus::WrapsAround
            | Surplus::TakesOwnPiece
            | Surplus::JumpsOverPiece
            | Surplus::WrongGeometry { .. }
    )
}

/// The only way to choose `count` of the values so that they add up to `sum`.
fn only_sum<T: Clone>(values: &[(T, u64)], count: usize, sum: u64) -> Option<Vec<T>> {
    let mut found = Vec::new();
    let mut chosen = Vec::new();
    choose(values, 0, count, sum, &mut chosen, &mut found);
    let [only] = found.as_slice() else { return None };
    Some(only.iter().map(|at: &usize| values[*at].0.clone()).collect())
}

fn choose<T>(
    values: &[(T, u64)],
    from: usize,
    count: usize,
    sum: u64,
    chosen: &mut Vec<usize>,
    found: &mut Vec<Vec<usize>>,
) {
    if count == 0 {
        if sum == 0 {
            found.push(chosen.clone());
        }
        return;
    }
    for at in from..values.len() {
        if values[at].1 <= sum && found.len() < 2 {
            chosen.push(at);
            choose(values, at + 1, count - 1, sum - values[at].1, chosen, found);
            chosen.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_names_the_moves_only_where_it_is_the_only_one() {
        let values = [("a", 3), ("b", 4), ("c", 7), ("d", 20)];
        assert_eq!(only_sum(&values, 1, 20), Some(vec!["d"]));
        assert_eq!(only_sum(&values, 2, 24), Some(vec!["b", "d"]));
        assert_eq!(only_sum(&values, 1, 5), None);
        assert_eq!(only_sum(&[("a", 3), ("b", 3)], 1, 3), None);
    }

    #[test]
    fn castling_through_check_is_a_near_miss_and_a_leap_of_a_rook_is_not() {
        let fen = "4k3/8/8/8/8/8/5r2/4K2R w K - 0 1";
        let Ok(position) = Position::from_fen(fen) else { return };
        let found = near_misses(&position, &[]);
        assert!(found.iter().any(|(text, _)| text == "e1g1"), "{found:?}");
        assert!(!found.iter().any(|(text, _)| text == "h1a8"), "{found:?}");
    }
}
