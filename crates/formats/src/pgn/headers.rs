//! Tags and results alone, for those who need no moves.

use super::read::read_tags;
use super::scan::{Scanner, Token};
use super::source::Source;
use super::{GameResult, PgnError, Problem, Tags};
use std::io::BufRead;

/// What a game says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headers {
    /// The number of the game in its file, counted from 1.
    pub number: u64,
    /// The line of the file the game begins on, counted from 1.
    pub first_line: u64,
    /// The tags, in order.
    pub tags: Tags,
    /// The result: the tag, or where it says nothing, what stands after the moves.
    pub result: GameResult,
    /// The opening: the leading moves marked `{book}`, or else the first eight moves, as the file
    /// writes them.
    pub opening: String,
    /// Whether the opening's moves are marked as taken from a book.
    pub from_book: bool,
    /// Tags that could not be read.
    pub warnings: Vec<Problem>,
}

/// Half moves that tell the opening of a game whose book moves are not marked.
const OPENING: u32 = 8;
/// No book is deeper.
const DEEPEST_BOOK: u32 = 60;

/// What is skipped.
#[derive(Default)]
struct Passed {
    moves: u32,
    result: Option<GameResult>,
    /// The first moves, and how much of them is the opening by either rule.
    text: String,
    first: usize,
    book: usize,
    book_moves: u32,
}

impl Passed {
    fn take_move(&mut self, text: &str) {
        self.moves = self.moves.saturating_add(1);
        if self.moves > DEEPEST_BOOK {
            return;
        }
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(text);
        if self.moves <= OPENING {
            self.first = self.text.len();
        }
    }

    fn take_comment(&mut self, text: &str) {
        let follows = self.moves == self.book_moves + 1 && self.moves <= DEEPEST_BOOK;
        if follows && text.trim_start().starts_with("book") {
            self.book_moves = self.moves;
            self.book = self.text.len();
        }
    }

    fn is_nothing(&self) -> bool {
        self.moves == 0 && self.result.is_none()
    }

    fn opening(mut self) -> String {
        self.text.truncate(if self.book > 0 { self.book } else { self.first });
        self.text
    }
}

/// The tags and results of a PGN file; moves are skipped without being read.
#[derive(Debug)]
pub struct HeaderReader<R> {
    source: Source<R>,
    games: u64,
}

impl<R: BufRead> HeaderReader<R> {
    /// Reads headers from a stream.
    pub fn new(input: R) -> HeaderReader<R> {
        HeaderReader { source: Source::new(input), games: 0 }
    }

    /// Passes over the moves up to the result that ends them.
    fn skip_moves(&mut self) -> Result<Passed, Problem> {
        let source = &mut self.source;
        let mut in_brace = false;
        let mut passed = Passed::default();
        let mut depth = 0u32;
        loop {
            match source.advance() {
                Ok(true) => {}
                Ok(false) => return Ok(passed),
                Err(error) => return Err(Problem { line: source.number(), reason: error.into() }),
            }
            if source.is_escaped() {
                continue;
            }
            let next = match in_brace {
                true => source.begins_game_in_comment(),
                false => source.text().trim_start().starts_with('['),
            };
            if next {
                source.hold_from(0);
                return Ok(passed);
            }
            let text = source.text();
            let mut scanner = Scanner::new(text, in_brace);
            while let Some(token) = scanner.next() {
                match token {
                    Token::Open => depth += 1,
                    Token::Close => depth = depth.saturating_sub(1),
                    Token::Result(result) if depth == 0 => {
                        let left = scanner.rest();
                        if !left.trim().is_empty() {
                            let used = text.len() - left.len();
                            source.hold_from(used);
                        }
                        passed.result = Some(result);
                        return Ok(passed);
                    }
                    Token::Move(text) if depth == 0 => passed.take_move(text),
                    Token::Brace { text, .. } if depth == 0 => passed.take_comment(text),
                    _ => {}
                }
            }
            in_brace = scanner.in_brace();
        }
    }
}

impl<R: BufRead> Iterator for HeaderReader<R> {
    type Item = Result<Headers, PgnError>;

    fn next(&mut self) -> Option<Self::Item> {
        let number = self.games + 1;
        let error = |problem| Some(Err(PgnError { game: number, problem, partial: None }));
        let (section, passed) = loop {
            let section = match read_tags(&mut self.source) {
                Ok(section) => section?,
                Err(problem) => {
                    self.games = number;
                    return error(problem);
                }
            };
            match self.skip_moves() {
                // A comment between games is not a game.
                Ok(passed) if passed.is_nothing() && section.tags.is_empty() => {}
                Ok(passed) => break (section, passed),
                Err(problem) => {
                    self.games = number;
                    return error(problem);
                }
            }
        };
        self.games = number;
        let tagged = section.tags.get("Result").and_then(GameResult::parse);
        let result =
            tagged.filter(|r| *r != GameResult::Unknown).or(passed.result).unwrap_or_default();
        Some(Ok(Headers {
            number,
            first_line: section.first_line,
            tags: section.tags,
            result,
            from_book: passed.book > 0,
            opening: passed.opening(),
            warnings: section.warnings,
        }))
    }
}
