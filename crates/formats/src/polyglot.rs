//! Polyglot opening books.
//!
//! A book is a sorted table of sixteen-byte entries: the position's key, a move, its weight and a
//! number for learning. Only moves that are legal in the position asked about are given.

use dyno_chess::{Move, Position, Role, Square};
use std::collections::HashSet;
use std::io::{self, Read, Write};
use std::path::Path;

const ENTRY: usize = 16;

/// An opening book in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Book {
    entries: Vec<Entry>,
    was_sorted: bool,
}

/// One entry: a move of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The position's Polyglot key: [`Position::polyglot_key`].
    pub key: u64,
    /// The move, as the format encodes it.
    pub code: u16,
    /// How good it is, relative to the position's other moves.
    pub weight: u16,
    /// For learning; most books have 0.
    pub learn: u32,
}

/// Why a file is not a book.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// The file cannot be opened.
    #[error(transparent)]
    Open(#[from] crate::OpenError),
    /// The file cannot be read.
    #[error("cannot read the book: {0}")]
    Io(#[from] io::Error),
    /// The size is not a multiple of sixteen.
    #[error(
        "not a Polyglot book, or a damaged one: {size} bytes are {} entries of 16 bytes and {} over",
        .size / 16, .size % 16
    )]
    Size {
        /// The size in bytes.
        size: usize,
    },
    /// There is nothing in it.
    #[error("the book is empty")]
    Empty,
}

impl Entry {
    /// The entry of a move of a position.
    pub fn new(position: &Position, mv: Move, weight: u16) -> Entry {
        Entry { key: position.polyglot_key(), code: encode(mv), weight, learn: 0 }
    }

    fn from_bytes(bytes: [u8; ENTRY]) -> Entry {
        let number = u128::from_be_bytes(bytes);
        Entry {
            key: (number >> 64) as u64,
            code: (number >> 48) as u16,
            weight: (number >> 32) as u16,
            learn: number as u32,
        }
    }

    fn to_bytes(self) -> [u8; ENTRY] {
        let number = u128::from(self.key) << 64
            | u128::from(self.code) << 48
            | u128::from(self.weight) << 32
            | u128::from(self.learn);
        number.to_be_bytes()
    }

    /// The move, if it is legal in the position. Castling is king takes rook, as the format says,
    /// or the king's own two steps, as some programs write it.
    pub fn mv(&self, position: &Position) -> Option<Move> {
        let square = |bits: u16| Square::from_index(usize::from(bits & 63));
        let (to, from) = (square(self.code), square(self.code >> 6));
        let mut text = format!("{from}{to}");
        match self.code >> 12 & 7 {
            0 => {}
            1 => text.push('n'),
            2 => text.push('b'),
            3 => text.push('r'),
            4 => text.push('q'),
            _ => return None,
        }
        position.parse_uci(&text).ok()
    }
}

/// A move as the format encodes it; castling is king takes rook there as here.
fn encode(mv: Move) -> u16 {
    let promotion = match mv.promotion() {
        Some(Role::Knight) => 1,
        Some(Role::Bishop) => 2,
        Some(Role::Rook) => 3,
        Some(Role::Queen) => 4,
        _ => 0,
    };
    mv.to().index() as u16 | (mv.from().index() as u16) << 6 | promotion << 12
}

impl Book {
    /// Opens a book, plain or compressed.
    pub fn open(path: &Path) -> Result<Book, BookError> {
        Book::read(crate::open(path)?.reader)
    }

    /// Reads a book from a stream.
    pub fn read(mut input: impl Read) -> Result<Book, BookError> {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes)?;
        if bytes.is_empty() {
            return Err(BookError::Empty);
        }
        let (chunks, rest) = bytes.as_chunks::<ENTRY>();
        if !rest.is_empty() {
            return Err(BookError::Size { size: bytes.len() });
        }
        Ok(Book::new(chunks.iter().map(|chunk| Entry::from_bytes(*chunk)).collect()))
    }

    /// A book of entries, which are sorted if they are not.
    pub fn new(mut entries: Vec<Entry>) -> Book {
        let was_sorted = entries.is_sorted_by_key(|entry| entry.key);
        if !was_sorted {
            entries.sort_by_key(|entry| entry.key);
        }
        Book { entries, was_sorted }
    }

    /// Writes the book.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        for entry in &self.entries {
            out.write_all(&entry.to_bytes())?;
        }
        out.flush()
    }

    /// Whether the entries came in order; other programs cannot read a book that is not sorted.
    pub fn was_sorted(&self) -> bool {
        self.was_sorted
    }

    /// All entries, by key.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entries of a key.
    pub fn find(&self, key: u64) -> &[Entry] {
        let start = self.entries.partition_point(|entry| entry.key < key);
        let rest = &self.entries[start..];
        &rest[..rest.iter().take_while(|entry| entry.key == key).count()]
    }

    /// The legal moves of a position with their weights, the heaviest first, otherwise in the order of
    /// the book.
    pub fn moves(&self, position: &Position) -> Vec<(Move, u16)> {
        let mut moves: Vec<(Move, u16)> = Vec::new();
        for entry in self.find(position.polyglot_key()) {
            if let Some(mv) = entry.mv(position)
                && !moves.iter().any(|(known, _)| *known == mv)
            {
                moves.push((mv, entry.weight));
            }
        }
        moves.sort_by_key(|(_, weight)| std::cmp::Reverse(*weight));
        moves
    }

    /// A move of a position, drawn by weight with a random number of the caller's.
    pub fn choose(&self, position: &Position, random: u64) -> Option<Move> {
        let moves = self.moves(position);
        let total: u64 = moves.iter().map(|(_, weight)| u64::from(*weight)).sum();
        let mut left = random.checked_rem(total)?;
        for (mv, weight) in moves {
            match left.checked_sub(u64::from(weight)) {
                Some(after) => left = after,
                None => return Some(mv),
            }
        }
        None
    }

    /// The book's lines from a position, `plies` half-moves long or as far as the book goes, best
    /// moves first; moves of weight 0 are left out, and so are lines that lead to a position
    /// already reached by another. At most `most` lines.
    pub fn lines(&self, start: &Position, plies: usize, most: usize) -> Vec<Vec<Move>> {
        let mut walk = Walk { book: self, plies, most, seen: HashSet::new(), found: Vec::new() };
        walk.go(start, &mut Vec::new());
        walk.found
    }
}

struct Walk<'a> {
    book: &'a Book,
    plies: usize,
    most: usize,
    /// Positions reached, with the length of the line: what follows is the same.
    seen: HashSet<(u64, usize)>,
    found: Vec<Vec<Move>>,
}

impl Walk<'_> {
    fn go(&mut self, position: &Position, line: &mut Vec<Move>) {
        if self.found.len() >= self.most || !self.seen.insert((position.key(), line.len())) {
            return;
        }
        let mut ended = true;
        if line.len() < self.plies {
            for (mv, weight) in self.book.moves(position) {
                if weight > 0 {
                    ended = false;
                    line.push(mv);
                    self.go(&position.play(mv), line);
                    line.pop();
                }
            }
        }
        if ended && !line.is_empty() && self.found.len() < self.most {
            self.found.push(line.clone());
        }
    }
}
