//! A puzzle: a row of the database played out.

use dyno_chess::{FenError, Move, MoveTextError, Position};
use dyno_formats::lichess::{Row, RowError};
use dyno_formats::repaired;

/// A row played out: every position of the solution and every move.
#[derive(Clone, Debug, Default)]
pub struct Puzzle {
    /// The position before the opponent's move.
    pub before: Option<(Position, Move)>,
    /// The positions in which a move of the solution is played, and the last one reached.
    pub positions: Vec<Position>,
    /// The solution.
    pub moves: Vec<Move>,
    /// What had to be taken out of the row's FEN.
    pub repairs: usize,
}

/// Why a row is not a puzzle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reject {
    /// The row cannot be read.
    #[error(transparent)]
    Row(#[from] RowError),
    /// The row is not text.
    #[error("the row is not UTF-8 text")]
    Encoding,
    /// The position cannot be read.
    #[error("bad FEN: {0}")]
    Fen(#[from] FenError),
    /// A move is not one.
    #[error("move {number} of the line: {error}")]
    Move {
        /// Which move of the row's line, counted from 1.
        number: usize,
        /// What is wrong with it.
        error: MoveTextError,
    },
    /// There is no line.
    #[error("no moves")]
    NoMoves,
    /// The line does not end with the solver's move.
    #[error("{count} moves: the opponent's move and an answer to each need an even number")]
    MoveCount {
        /// How many there are.
        count: usize,
    },
    /// The themes promise a mate that the line does not lead to.
    #[error("the themes say mate, but the line does not end in mate")]
    NotMate,
}

impl Reject {
    /// The reason in a word or two, for counting.
    pub const fn reason(&self) -> &'static str {
        match self {
            Reject::Row(RowError::TooShort { .. } | RowError::NoColumn { .. }) => "too few columns",
            Reject::Row(RowError::OpenQuote) => "open quote",
            Reject::Encoding => "not text",
            Reject::Fen(_) => "bad FEN",
            Reject::Move { error: MoveTextError::Illegal { .. }, .. } => "illegal move",
            Reject::Move { .. } => "not a move",
            Reject::NoMoves => "no moves",
            Reject::MoveCount { .. } => "odd number of moves",
            Reject::NotMate => "mate that is not a mate",
        }
    }
}

impl Puzzle {
    /// Plays out a row, reusing the memory of the last; `repair` takes away castling rights and
    /// en-passant squares that its position cannot have.
    pub fn load(&mut self, row: &Row<'_>, repair: bool) -> Result<(), Reject> {
        self.positions.clear();
        self.moves.clear();
        self.repairs = 0;
        let start = match Position::from_fen(&row.fen) {
            Err(_) if repair => {
                let (start, repairs) = repaired(&row.fen.split_whitespace().collect::<Vec<_>>())?;
                self.repairs = repairs.len();
                start
            }
            read => read?,
        };
        let mut words = row.moves.split_ascii_whitespace();
        let mut number = 1;
        let mut read = |position: &Position, word: &str| {
            let read = position.parse_uci(word).map_err(|error| Reject::Move { number, error });
            number += 1;
            read
        };
        let Some(first) = words.next() else { return Err(Reject::NoMoves) };
        let opponents = read(&start, first)?;
        self.before = Some((start, opponents));
        let mut position = start.play(opponents);
        self.positions.push(position);
        for word in words {
            let mv = read(&position, word)?;
            position = position.play(mv);
            self.moves.push(mv);
            self.positions.push(position);
        }
        match self.moves.len() % 2 {
            1 => Ok(()),
            _ => Err(Reject::MoveCount { count: self.moves.len() + 1 }),
        }
    }

    /// The position to solve.
    pub fn position(&self) -> Option<&Position> {
        self.positions.first()
    }

    /// Mate in this many moves, if the line ends in mate.
    pub fn mate_in(&self) -> Option<u32> {
        let end = self.positions.last()?;
        (end.is_check() && !end.has_legal_move()).then_some(self.moves.len().div_ceil(2) as u32)
    }
}

/// Whether the themes say that the line ends in mate.
pub(super) fn promises_mate(row: &Row<'_>) -> bool {
    row.themes().any(|theme| theme == "mate" || theme.starts_with("mateIn"))
}

/// All moves that mate at once.
pub fn mating_moves(position: &Position) -> Vec<Move> {
    let mates = |mv: &Move| position.gives_check(*mv) && !position.play(*mv).has_legal_move();
    position.legal_moves().into_iter().filter(mates).collect()
}
