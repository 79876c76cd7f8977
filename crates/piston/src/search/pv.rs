//! Principal variations as the search itself finds them, one for each ply.

use crate::score::MAX_PLY;
use dyno_chess::Move;

#[derive(Clone)]
struct Line {
    moves: [Move; MAX_PLY + 1],
    len: usize,
}

/// The best line from each ply on.
pub struct Variations(Vec<Line>);

impl Default for Variations {
    fn default() -> Self {
        let line = Line { moves: [Move::from_bits(0); MAX_PLY + 1], len: 0 };
        Variations(vec![line; MAX_PLY + 2])
    }
}

impl Variations {
    /// Nothing is known from this ply on.
    #[inline]
    pub fn clear(&mut self, ply: usize) {
        self.0[ply].len = 0;
    }

    /// The best line from this ply is the move and then the best line of the next ply.
    pub fn extend(&mut self, ply: usize, mv: Move) {
        let (before, after) = self.0.split_at_mut(ply + 1);
        let (line, next) = (&mut before[ply], &after[0]);
        let len = next.len.min(MAX_PLY);
        line.moves[0] = mv;
        line.moves[1..=len].copy_from_slice(&next.moves[..len]);
        line.len = len + 1;
    }

    /// The best line from this ply.
    pub fn get(&self, ply: usize) -> &[Move] {
        let line = &self.0[ply];
        &line.moves[..line.len]
    }
}
