//! PGN: games, streamed.
//!
//! [`PgnReader`] gives whole games, moves checked by the rules; [`HeaderReader`] gives the tags and
//! the result alone, as fast as the text can be scanned. Both take what real files contain:
//! missing tags, missing results, any line end and encoding, comments of both kinds, nested
//! variations, games from a position, Chess960. A game that cannot be read is an error with its
//! number and line, and reading goes on with the next.
//!
//! ```
//! use dyno_formats::pgn::{GameResult, PgnReader};
//!
//! let file = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 {best by test} e5 (1... c5 $1) 2. Nf3 1-0\n";
//! let game = PgnReader::new(file.as_bytes()).next().unwrap().unwrap();
//! assert_eq!(game.tags.get("White"), Some("A"));
//! assert_eq!(game.result, GameResult::WhiteWins);
//! assert_eq!(game.line.moves.len(), 3);
//! assert_eq!(game.line.moves[0].comments, ["best by test"]);
//! assert_eq!(game.line.moves[1].variations[0].moves[0].nags, [1]);
//! ```

mod headers;
mod letters;
mod pass;
mod read;
mod scan;
mod source;
mod tags;
mod write;

pub use headers::{HeaderReader, Headers};
pub use read::PgnReader;
pub use tags::{SEVEN_TAGS, Tags};
pub use write::PgnText;

use crate::{LineError, Repair};
use dyno_chess::{FenError, Move, MoveTextError, Position};
use pass::after_pass;
use std::fmt;

/// A game: its tags, where it starts, its moves, its result.
#[derive(Clone, Debug, PartialEq)]
pub struct PgnGame {
    /// The number of the game in its file, counted from 1.
    pub number: u64,
    /// The line of the file the game begins on, counted from 1.
    pub first_line: u64,
    /// The tags, in order.
    pub tags: Tags,
    /// Where the game starts.
    pub start: Position,
    /// The moves.
    pub line: PgnLine,
    /// The result: what stands after the moves, or else the tag.
    pub result: GameResult,
    /// What could be mended: a broken tag, a variation with an illegal move.
    pub warnings: Vec<Problem>,
}

/// Moves in a row: the game itself or a variation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PgnLine {
    /// The comments before the first move.
    pub comments: Vec<String>,
    /// The moves.
    pub moves: Vec<PgnMove>,
}

/// A move and what is said about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PgnMove {
    /// The move; none where the turn is passed (`--`), as annotators do to show a threat.
    pub mv: Option<Move>,
    /// Numeric annotation glyphs; `!` is 1, `?` 2, `!!` 3, `??` 4, `!?` 5, `?!` 6.
    pub nags: Vec<u8>,
    /// The comments after the move.
    pub comments: Vec<String>,
    /// Lines that could have been played in place of the move.
    pub variations: Vec<PgnLine>,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// `1-0`
    WhiteWins,
    /// `0-1`
    BlackWins,
    /// `1/2-1/2`
    Draw,
    /// `*`: unfinished or unknown.
    #[default]
    Unknown,
}

impl GameResult {
    /// Reads a result, also `1/2`, `½-½` and with dashes of any kind.
    pub fn parse(text: &str) -> Option<GameResult> {
        Some(match text.trim() {
            "1-0" | "1–0" | "1:0" => GameResult::WhiteWins,
            "0-1" | "0–1" | "0:1" => GameResult::BlackWins,
            "1/2-1/2" | "1/2–1/2" | "1/2" | "½-½" | "½–½" | "½" | "1/2:1/2" => {
                GameResult::Draw
            }
            "*" => GameResult::Unknown,
            _ => return None,
        })
    }

    /// The result as PGN writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            GameResult::WhiteWins => "1-0",
            GameResult::BlackWins => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::Unknown => "*",
        }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a game could not be read.
#[derive(Debug, thiserror::Error)]
#[error("game {game}, {problem}")]
pub struct PgnError {
    /// The number of the game in its file, counted from 1.
    pub game: u64,
    /// Where and what.
    pub problem: Problem,
    /// The game up to the fault, where there is something to keep.
    pub partial: Option<Box<PgnGame>>,
}

/// Something wrong in a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct Problem {
    /// The line of the file, counted from 1.
    pub line: u64,
    /// What is wrong.
    pub reason: Reason,
}

/// What can be wrong with a game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// A move that is none.
    #[error("move {number}: {error}")]
    Move {
        /// The move as it would be written: `12...`
        number: String,
        /// What is wrong with it.
        error: MoveTextError,
    },
    /// A null move in check, where the turn cannot be passed.
    #[error("move {number}: \"{text}\" passes the turn, which a side in check cannot")]
    NullMove {
        /// The move as it would be written: `12...`
        number: String,
        /// The text.
        text: String,
    },
    /// The `FEN` tag is wrong.
    #[error("the FEN tag \"{fen}\": {error}")]
    Fen {
        /// The tag's value.
        fen: String,
        /// What is wrong with it.
        error: FenError,
    },
    /// Something that the `FEN` tag's position cannot have was taken away.
    #[error("the FEN tag: {repair}")]
    Repaired {
        /// What, and why.
        repair: Repair,
    },
    /// A game of something else than chess.
    #[error("the variant \"{name}\" is not chess or Chess960")]
    Variant {
        /// The tag's value.
        name: String,
    },
    /// A tag that cannot be read.
    #[error("not a tag: {text}")]
    Tag {
        /// The text.
        text: String,
    },
    /// A comment that is never closed.
    #[error("a comment opened on line {opened} is not closed")]
    OpenComment {
        /// The line it begins on.
        opened: u64,
    },
    /// A variation before any move, or a bracket without a partner.
    #[error("a \"{bracket}\" that does not belong there")]
    Bracket {
        /// The bracket.
        bracket: char,
    },
    /// More than any game holds.
    #[error("the game has more than {limit} {what}")]
    TooMuch {
        /// Of what.
        what: &'static str,
        /// How many are taken.
        limit: usize,
    },
    /// The line could not be read.
    #[error("{text}")]
    Line {
        /// What is wrong.
        text: String,
        /// Whether nothing more can be read.
        fatal: bool,
    },
}

impl From<LineError> for Reason {
    fn from(error: LineError) -> Reason {
        Reason::Line { text: error.to_string(), fatal: matches!(error, LineError::Io(_)) }
    }
}

impl PgnGame {
    /// A game without moves, from a position. Its tags say so where it is not the usual start.
    pub fn new(start: Position) -> PgnGame {
        let mut tags = Tags::default();
        if start.is_chess960() {
            tags.set("Variant", "Chess960");
        }
        if start != Position::startpos() {
            tags.set("SetUp", "1");
            tags.set("FEN", &start.fen());
        }
        PgnGame {
            number: 1,
            first_line: 1,
            tags,
            start,
            line: PgnLine::default(),
            result: GameResult::Unknown,
            warnings: Vec::new(),
        }
    }

    /// Adds a move, which must be legal, to the end of the game.
    pub fn push(&mut self, mv: Move) -> &mut PgnMove {
        self.line.moves.push(PgnMove::new(mv));
        let last = self.line.moves.len() - 1;
        &mut self.line.moves[last]
    }

    /// The moves of the game, without variations, up to the first that passes the turn.
    pub fn moves(&self) -> impl Iterator<Item = Move> + '_ {
        self.line.moves.iter().map_while(|played| played.mv)
    }

    /// The positions of the game, the start first.
    pub fn positions(&self) -> impl Iterator<Item = Position> + '_ {
        let mut next = Some(self.start);
        let mut moves = self.line.moves.iter();
        std::iter::from_fn(move || {
            let now = next?;
            next = moves.next().and_then(|played| played.after(&now));
            Some(now)
        })
    }

    /// The position at the end of the game.
    pub fn end(&self) -> Position {
        self.positions().last().unwrap_or(self.start)
    }
}

impl PgnMove {
    /// A move without annotations.
    pub fn new(mv: Move) -> PgnMove {
        PgnMove { mv: Some(mv), ..PgnMove::default() }
    }

    /// The position it leads to; none where a side in check would pass the turn.
    pub fn after(&self, position: &Position) -> Option<Position> {
        match self.mv {
            Some(mv) => Some(position.play(mv)),
            None => after_pass(position),
        }
    }
}
