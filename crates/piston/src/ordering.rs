//! The order in which moves are tried: the likely best first.

use crate::history::History;
use crate::see;
use dyno_chess::{Move, Position, Role};

/// A move and how promising it is.
#[derive(Clone, Copy)]
pub struct Scored {
    /// The move.
    pub mv: Move,
    score: i32,
}

const TABLE_MOVE: i32 = 1 << 30;
const GOOD_CAPTURE: i32 = 1 << 26;
const KILLER: i32 = 1 << 22;
const BAD_CAPTURE: i32 = -(1 << 26);
/// Between the good captures and everything else.
const GOOD_FLOOR: i32 = 1 << 25;

/// What the order of moves at a node goes by.
pub struct Hints {
    /// The table's move.
    pub table: Option<Move>,
    /// Quiet moves that refuted a sibling.
    pub killers: [Option<Move>; 2],
    /// The move that refuted the last one elsewhere.
    pub counter: Option<Move>,
    /// The rows of the two moves before, for the continuation history.
    pub rows: [usize; 2],
}

/// Whether the move takes something or makes a queen.
#[inline]
pub fn is_tactical(pos: &Position, mv: Move) -> bool {
    pos.is_capture(mv) || mv.promotion() == Some(Role::Queen)
}

fn score(pos: &Position, mv: Move, hints: &Hints, history: &History) -> i32 {
    if hints.table == Some(mv) {
        TABLE_MOVE
    } else if is_tactical(pos, mv) {
        let won = pos.captured(mv).map_or(0, |role| see::WORTH[role.index()]);
        let made = if mv.promotion() == Some(Role::Queen) { 850 } else { 0 };
        // A capture that makes a lesser piece is rarely better than making a queen.
        let lesser = mv.promotion().is_some_and(|role| role != Role::Queen);
        let base = if lesser { BAD_CAPTURE } else { GOOD_CAPTURE };
        base + 64 * (won + made) + history.of_capture(pos, mv)
    } else if mv.promotion().is_some() {
        BAD_CAPTURE
    } else if hints.killers[0] == Some(mv) {
        KILLER + 2
    } else if hints.killers[1] == Some(mv) {
        KILLER + 1
    } else if hints.counter == Some(mv) {
        KILLER
    } else {
        history.of_quiet(pos, mv, hints.rows)
    }
}

/// Adds the moves with their scores to the list.
pub fn push_scored(
    list: &mut Vec<Scored>,
    pos: &Position,
    moves: &[Move],
    hints: &Hints,
    history: &History,
) {
    list.extend(moves.iter().map(|&mv| Scored { mv, score: score(pos, mv, hints, history) }));
}

/// Adds moves in a given order.
pub fn push_ordered(list: &mut Vec<Scored>, moves: impl Iterator<Item = Move>) {
    list.extend(moves.enumerate().map(|(i, mv)| Scored { mv, score: TABLE_MOVE - i as i32 }));
}

/// Takes the most promising move off the front of the list and says whether it is among the
/// losing captures and minor promotions at the end. A capture that loses material is put back
/// there first.
pub fn pick(rest: &mut [Scored], pos: &Position) -> Option<(Move, bool)> {
    loop {
        let best = (0..rest.len()).max_by_key(|&i| (rest[i].score, usize::MAX - i))?;
        let Scored { mv, score } = rest[best];
        if (GOOD_FLOOR..TABLE_MOVE / 2).contains(&score) && !see::wins_at_least(pos, mv, 0) {
            rest[best].score = score - GOOD_CAPTURE + BAD_CAPTURE;
            continue;
        }
        rest.swap(0, best);
        return Some((mv, score < BAD_CAPTURE / 2));
    }
}
