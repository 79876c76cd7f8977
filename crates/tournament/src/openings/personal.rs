//! A Polyglot book that one engine plays its first moves from.

use super::BookError;
use super::read::polyglot;
use dyno_chess::SplitMix64;
use dyno_chess::{Move, Position};
use dyno_formats::polyglot::Book;
use std::path::Path;

/// The book of one engine.
#[derive(Debug)]
pub struct PersonalBook {
    book: Book,
    /// Plies of the game in which it is looked at.
    plies: usize,
}

impl PersonalBook {
    /// Opens a book that is used for this many moves at most.
    pub fn open(path: &Path, depth: Option<u32>) -> Result<Self, BookError> {
        let plies = depth.map_or(usize::MAX, |depth| 2 * depth as usize);
        Ok(Self { book: polyglot(path)?, plies })
    }

    /// A move of the book, chosen by its weight; the same seed chooses the same.
    pub fn choose(&self, position: &Position, ply: usize, seed: u64) -> Option<Move> {
        if ply >= self.plies {
            return None;
        }
        self.book.choose(position, SplitMix64::new(seed ^ position.key()).next_u64())
    }
}
