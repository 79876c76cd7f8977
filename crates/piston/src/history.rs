//! What the search has learnt of moves: which were good, where and after what.

use crate::parameters as p;
use crate::score::Value;
use dyno_chess::{Color, Move, Position, Role, Square};

/// Learnt scores stay within plus and minus this.
pub const LIMIT: i32 = 16_384;
/// The row of the continuation table for "no move before this one".
pub const NO_ROW: usize = 12 * 64;
/// The rows of the moves one, two and four half-moves ago.
pub type Rows = [usize; 3];

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
    /// How far the evaluation was off: by the side to move and the pawns, White's pieces, Black's
    /// pieces, and the last move.
    corrections: [Vec<i16>; 4],
}

impl Default for History {
    fn default() -> Self {
        History {
            quiet: vec![[[0; 64]; 64]; 2],
            capture: vec![[[0; 6]; 64]; 6],
            continuation: vec![[0; NO_ROW]; NO_ROW + 1],
            counter: vec![None; NO_ROW + 1],
            corrections: std::array::from_fn(|_| vec![0; 2 * CORRECTIONS]),
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

/// What is known of the quiet moves of one node: the tables looked up once for all of them.
pub struct Quiets<'a> {
    all: &'a [[i16; 64]; 64],
    after: [&'a [i16; NO_ROW]; 3],
}

impl Quiets<'_> {
    /// What is known of a move.
    #[inline]
    pub fn of(&self, pos: &Position, mv: Move) -> i32 {
        let to = row(pos, mv);
        let [last, second, fourth] = self.after.map(|row| i32::from(row[to]));
        i32::from(self.all[mv.from().index()][mv.to().index()]) + last + second + fourth / 2
    }
}

impl History {
    /// What is known of a quiet move after the earlier moves of the given rows.
    #[inline]
    pub fn of_quiet(&self, pos: &Position, mv: Move, rows: Rows) -> i32 {
        self.quiets_after(pos.side_to_move(), rows).of(pos, mv)
    }

    /// What is known of the quiet moves of a side after the earlier moves of the given rows.
    #[inline]
    pub fn quiets_after(&self, side: Color, rows: Rows) -> Quiets<'_> {
        Quiets { all: &self.quiet[side.index()], after: rows.map(|row| &self.continuation[row]) }
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
    pub fn learn_quiet(&mut self, pos: &Position, mv: Move, rows: Rows, bonus: i32) {
        let to = row(pos, mv);
        self.learn_from_to(pos.side_to_move(), mv, bonus);
        for earlier in rows {
            if earlier != NO_ROW {
                learn(&mut self.continuation[earlier][to], bonus);
            }
        }
    }

    /// A quiet move of a side did well or badly, whatever came before it.
    pub fn learn_from_to(&mut self, side: Color, mv: Move, bonus: i32) {
        learn(&mut self.quiet[side.index()][mv.from().index()][mv.to().index()], bonus);
    }

    /// A capture did well or badly.
    pub fn learn_capture(&mut self, pos: &Position, mv: Move, bonus: i32) {
        learn(&mut self.capture[mover(pos, mv.from())][mv.to().index()][taken(pos, mv)], bonus);
    }

    /// Where the corrections for the position are, after the move of the given row.
    #[inline]
    fn correction_places(pos: &Position, last: usize) -> [usize; 4] {
        let keys = [
            pos.pawn_key(),
            pieces_key(pos, Color::White),
            pieces_key(pos, Color::Black),
            last as u64,
        ];
        let side = pos.side_to_move().index() * CORRECTIONS;
        keys.map(|key| side + key as usize % CORRECTIONS)
    }

    /// How much better or worse positions like this one turned out than they were evaluated.
    #[inline]
    pub fn correction(&self, pos: &Position, last: usize) -> Value {
        let places = Self::correction_places(pos, last);
        let [pawns, white, black, after] =
            std::array::from_fn(|i| i32::from(self.corrections[i][places[i]]));
        (2 * pawns + white + black + after) / (4 * CORRECTION_GRAIN)
    }

    /// The search found a score that differs from the evaluation.
    pub fn learn_correction(&mut self, pos: &Position, last: usize, difference: Value, depth: i32) {
        let weight = (depth + 1).min(p::correction_max_weight());
        let target =
            (difference * CORRECTION_GRAIN).clamp(-CORRECTION_LIMIT * 4, CORRECTION_LIMIT * 4);
        for (table, place) in self.corrections.iter_mut().zip(Self::correction_places(pos, last)) {
            let entry = &mut table[place];
            *entry = ((i32::from(*entry) * (256 - weight) + target * weight) / 256)
                .clamp(-CORRECTION_LIMIT, CORRECTION_LIMIT) as i16;
        }
    }
}

/// A key of where a side's king and pieces stand, its pawns left out.
#[inline]
fn pieces_key(pos: &Position, side: Color) -> u64 {
    let mut key: u64 = 0;
    for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King] {
        key = (key ^ pos.pieces(side, role).0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        key ^= key >> 29;
    }
    key
}
