//! What the search has learnt of moves: which were good, where and after what.

use crate::score::Value;
use dyno_chess::{Move, Position, Role, Square};

/// Learnt scores stay within plus and minus this.
pub const LIMIT: i32 = 16_384;
/// The row of the continuation table for "no move before this one".
pub const NO_ROW: usize = 12 * 64;

const CORRECTIONS: usize = 1 << 14;
/// Corrections are kept in these parts of a centipawn.
const CORRECTION_GRAIN: i32 = 256;
const CORRECTION_LIMIT: i32 = 64 * CORRECTION_GRAIN;

/// A piece, its side and the square it goes to, as an index.
#[inline]
pub fn row(pos: &Position, mv: Move) -> usize {
    let role = pos.role_at(mv.from()).unwrap_or(Role::Pawn);
    (6 * pos.side_to_move().index() + role.index()) * 64 + mv.to().index()
}

/// The learnt tables of one thread.
pub struct History {
    /// By side, origin and destination.
    quiet: Vec<[[i16; 64]; 64]>,
    /// By role, destination and what is taken.
    capture: Vec<[[i16; 6]; 64]>,
    /// By an earlier move and this one.
    continuation: Vec<[i16; NO_ROW]>,
    /// The answer that refuted a move.
    counter: Vec<Option<Move>>,
    /// How far the evaluation was off, by side and pawns.
    correction: Vec<i32>,
}

impl Default for History {
    fn default() -> Self {
        History {
            quiet: vec![[[0; 64]; 64]; 2],
            capture: vec![[[0; 6]; 64]; 6],
            continuation: vec![[0; NO_ROW]; NO_ROW + 1],
            counter: vec![None; NO_ROW + 1],
            correction: vec![0; 2 * CORRECTIONS],
        }
    }
}

/// Moves a learnt score towards its limit, the less the nearer it is.
#[inline]
fn learn(score: &mut i16, bonus: i32) {
    let now = i32::from(*score);
    *score = (now + bonus - now * bonus.abs() / LIMIT) as i16;
}

fn taken(pos: &Position, mv: Move) -> usize {
    pos.captured(mv).unwrap_or(Role::Pawn).index()
}

fn mover(pos: &Position, from: Square) -> usize {
    pos.role_at(from).unwrap_or(Role::Pawn).index()
}

impl History {
    /// What is known of a quiet move after the two earlier moves of the given rows.
    #[inline]
    pub fn of_quiet(&self, pos: &Position, mv: Move, rows: [usize; 2]) -> i32 {
        let to = row(pos, mv);
        let side = pos.side_to_move().index();
        i32::from(self.quiet[side][mv.from().index()][mv.to().index()])
            + i32::from(self.continuation[rows[0]][to])
            + i32::from(self.continuation[rows[1]][to])
    }

    /// What is known of a capture.
    #[inline]
    pub fn of_capture(&self, pos: &Position, mv: Move) -> i32 {
        i32::from(self.capture[mover(pos, mv.from())][mv.to().index()][taken(pos, mv)])
    }

    /// The move that refuted the one of this row.
    #[inline]
    pub fn counter(&self, row: usize) -> Option<Move> {
        self.counter[row]
    }

    /// Remembers a refutation.
    pub fn set_counter(&mut self, row: usize, mv: Move) {
        self.counter[row] = Some(mv);
    }

    /// A quiet move did well (or badly, with a negative bonus).
    pub fn learn_quiet(&mut self, pos: &Position, mv: Move, rows: [usize; 2], bonus: i32) {
        let to = row(pos, mv);
        let side = pos.side_to_move().index();
        learn(&mut self.quiet[side][mv.from().index()][mv.to().index()], bonus);
        for earlier in rows {
            if earlier != NO_ROW {
                learn(&mut self.continuation[earlier][to], bonus);
            }
        }
    }

    /// A capture did well or badly.
    pub fn learn_capture(&mut self, pos: &Position, mv: Move, bonus: i32) {
        learn(&mut self.capture[mover(pos, mv.from())][mv.to().index()][taken(pos, mv)], bonus);
    }

    fn correction_index(pos: &Position) -> usize {
        pos.side_to_move().index() * CORRECTIONS + pos.pawn_key() as usize % CORRECTIONS
    }

    /// How much better or worse positions with these pawns turned out than they were evaluated.
    #[inline]
    pub fn correction(&self, pos: &Position) -> Value {
        self.correction[Self::correction_index(pos)] / CORRECTION_GRAIN
    }

    /// The search found a score that differs from the evaluation.
    pub fn learn_correction(&mut self, pos: &Position, difference: Value, depth: i32) {
        let entry = &mut self.correction[Self::correction_index(pos)];
        let weight = (depth + 1).min(16);
        let target =
            (difference * CORRECTION_GRAIN).clamp(-CORRECTION_LIMIT * 4, CORRECTION_LIMIT * 4);
        *entry = ((*entry * (256 - weight) + target * weight) / 256)
            .clamp(-CORRECTION_LIMIT, CORRECTION_LIMIT);
    }
}
