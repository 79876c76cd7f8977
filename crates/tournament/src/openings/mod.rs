//! Where games begin: books of openings, and the order in which they are used.

mod builtin;
pub mod eco;
mod personal;
mod read;

pub use personal::PersonalBook;
pub use read::BookError;

use super::plan::{self, Order, Plan};
use super::record::Start;
use dyno_chess::SplitMix64;

/// Openings, all checked to be legal, in compact form.
#[derive(Debug, Default)]
pub struct Book {
    /// Each opening as `FEN<tab>moves`; the FEN is empty for the start position.
    text: String,
    ends: Vec<u32>,
    /// What was left out, with the reason, up to a limit; and how many in all.
    pub skipped: Vec<String>,
    pub skipped_count: u64,
    /// The first that was repaired, and how many were.
    pub first_repaired: Option<String>,
    pub repaired_count: u64,
}

/// Skipped lines are named up to this number.
const MOST_NAMED: usize = 20;

impl Book {
    /// The openings of the plan: its book, or the built-in set.
    pub fn load(plan: &Plan) -> Result<Self, BookError> {
        match &plan.openings.file {
            Some(file) => read::read(file, plan),
            None => Ok(builtin::balanced(plan.variant).mixed()),
        }
    }

    fn push(&mut self, fen: &str, moves: &str) {
        self.text.push_str(fen);
        self.text.push('\t');
        self.text.push_str(moves);
        self.ends.push(self.text.len() as u32);
    }

    /// The same openings in another order, always the same one, so that a short match does not
    /// begin with a dozen variations of one opening.
    fn mixed(&self) -> Self {
        let mut book = Self::default();
        for index in permutation(self.len(), 1) {
            let Start { fen, moves, .. } = self.get(index as usize);
            book.push(&fen.unwrap_or_default(), &moves.join(" "));
        }
        book
    }

    fn skip(&mut self, reason: String) {
        self.skipped_count += 1;
        if self.skipped.len() < MOST_NAMED {
            self.skipped.push(reason);
        }
    }

    fn note_repair(&mut self, repair: String) {
        self.repaired_count += 1;
        self.first_repaired.get_or_insert(repair);
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The opening at that place, from 0.
    fn get(&self, index: usize) -> Start {
        let begin = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        let entry = &self.text[begin..self.ends[index] as usize];
        let (fen, moves) = entry.split_once('\t').unwrap_or((entry, ""));
        Start {
            opening: index as u64 + 1,
            fen: (!fen.is_empty()).then(|| fen.to_owned()),
            moves: moves.split_ascii_whitespace().map(str::to_owned).collect(),
        }
    }
}

/// The openings of a match in their order of use: none comes again before all have been used.
#[derive(Debug)]
pub struct OpeningSequence {
    book: Book,
    first: u64,
    /// Empty when they are used as they stand in the book.
    shuffled: Vec<u32>,
}

impl OpeningSequence {
    pub fn new(book: Book, plan: &plan::Openings, seed: u64) -> Self {
        let shuffled = match plan.order {
            Order::Sequential => Vec::new(),
            Order::Random => permutation(book.len(), seed),
        };
        Self { book, first: plan.start.unwrap_or(1).saturating_sub(1), shuffled }
    }

    /// The opening with that place in the order of use.
    pub fn nth(&self, ordinal: u64) -> Start {
        if self.book.is_empty() {
            return Start::default();
        }
        let place = (self.first.wrapping_add(ordinal) % self.book.len() as u64) as usize;
        match self.shuffled.get(place) {
            Some(&index) => self.book.get(index as usize),
            None => self.book.get(place),
        }
    }

    pub fn count(&self) -> usize {
        self.book.len()
    }
}

fn permutation(length: usize, seed: u64) -> Vec<u32> {
    let mut rng = SplitMix64::new(seed);
    let mut order: Vec<u32> = (0..length as u32).collect();
    for i in (1..length).rev() {
        let j = (rng.next_u64() % (i as u64 + 1)) as usize;
        order.swap(i, j);
    }
    order
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use std::collections::BTreeSet;

    fn book(count: usize) -> Book {
        let mut book = Book::default();
        (0..count).for_each(|i| book.push(&format!("fen{i}"), "e2e4 e7e5"));
        book
    }

    fn places(openings: &OpeningSequence, count: u64) -> Vec<u64> {
        (0..count).map(|n| openings.nth(n).opening).collect()
    }

    #[test]
    fn sequential_starts_where_asked_and_wraps() {
        let plan = plan::Openings { start: Some(4), ..plan::Openings::default() };
        let openings = OpeningSequence::new(book(5), &plan, 0);
        assert_eq!(places(&openings, 7), [4, 5, 1, 2, 3, 4, 5]);
        let start = openings.nth(0);
        assert_eq!((start.fen.as_deref(), start.moves.len()), (Some("fen3"), 2));
    }

    #[test]
    fn random_uses_all_before_any_again_and_depends_on_the_seed() {
        let plan = plan::Openings { order: Order::Random, ..plan::Openings::default() };
        let order = |seed| places(&OpeningSequence::new(book(50), &plan, seed), 100);
        let first = order(1);
        assert_eq!(first[..50].iter().collect::<BTreeSet<_>>().len(), 50);
        assert_eq!(first[50..].iter().collect::<BTreeSet<_>>().len(), 50);
        assert_eq!(first, order(1));
        assert_ne!(first, order(2));
        assert_ne!(first[..50], (1..=50).collect::<Vec<u64>>());
    }

    #[test]
    fn the_built_in_sets_are_legal_and_varied() {
        for variant in [plan::Variant::Standard, plan::Variant::FischeRandom] {
            let plan = Plan { variant, ..Plan::default() };
            let book = Book::load(&plan).unwrap();
            assert!(book.len() >= 24 && book.skipped_count == 0, "{:?}", book.skipped);
            let distinct: BTreeSet<String> = (0..book.len())
                .map(|i| format!("{:?}", (book.get(i).fen, book.get(i).moves)))
                .collect();
            assert_eq!(distinct.len(), book.len());
        }
    }
}
