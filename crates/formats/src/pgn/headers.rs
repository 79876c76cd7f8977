//! Tags and results alone, for those who need no moves.

use super::read::{Source, begins_game, read_tags};
use super::scan::{Scanner, Token};
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
    /// Tags that could not be read.
    pub warnings: Vec<Problem>,
}

/// The tags and results of a PGN file; moves are passed over without being read.
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

    /// Passes over the moves; whether there are any, and the result that ends them.
    fn skip_moves(&mut self) -> Result<(bool, Option<GameResult>), Problem> {
        let source = &mut self.source;
        let mut in_brace = false;
        let mut moves = false;
        let mut depth = 0u32;
        loop {
            match source.advance() {
                Ok(true) => {}
                Ok(false) => return Ok((moves, None)),
                Err(error) => return Err(Problem { line: source.number(), reason: error.into() }),
            }
            if source.is_escaped() {
                continue;
            }
            let text = source.text();
            let next =
                if in_brace { begins_game(text) } else { text.trim_start().starts_with('[') };
            if next {
                source.hold_from(0);
                return Ok((moves, None));
            }
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
                        return Ok((true, Some(result)));
                    }
                    Token::Move(_) => moves = true,
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
        let (section, played) = loop {
            let section = match read_tags(&mut self.source) {
                Ok(section) => section?,
                Err(problem) => {
                    self.games = number;
                    return error(problem);
                }
            };
            match self.skip_moves() {
                // A comment between games is no game.
                Ok((false, _)) if section.tags.is_empty() => {}
                Ok((_, result)) => break (section, result),
                Err(problem) => {
                    self.games = number;
                    return error(problem);
                }
            }
        };
        self.games = number;
        let tagged = section.tags.get("Result").and_then(GameResult::parse);
        let result = tagged.filter(|r| *r != GameResult::Unknown).or(played).unwrap_or_default();
        Some(Ok(Headers {
            number,
            first_line: section.first_line,
            tags: section.tags,
            result,
            warnings: section.warnings,
        }))
    }
}
