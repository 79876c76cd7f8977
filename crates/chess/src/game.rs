//! A game: positions with their past, which repetition needs.

use crate::{Move, Outcome, Position};

/// A game in progress: where it began, the moves played and the positions they led to.
#[derive(Clone, Debug)]
pub struct Game {
    positions: Vec<Position>,
    moves: Vec<Move>,
}

impl Game {
    /// A game that begins here.
    pub fn new(start: Position) -> Game {
        Game { positions: vec![start], moves: Vec::new() }
    }

    /// Where the game began.
    pub fn start(&self) -> &Position {
        &self.positions[0]
    }

    /// Where the game stands.
    pub fn position(&self) -> &Position {
        &self.positions[self.moves.len()]
    }

    /// The moves played.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Every position of the game, the first one included.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// Plays a move, which must be legal.
    pub fn play(&mut self, mv: Move) {
        let next = self.position().play(mv);
        self.positions.push(next);
        self.moves.push(mv);
    }

    /// Takes the last move back.
    pub fn undo(&mut self) -> Option<Move> {
        let mv = self.moves.pop()?;
        self.positions.pop();
        Some(mv)
    }

    /// How often the present position has occurred, this time included.
    pub fn repetitions(&self) -> u32 {
        let now = self.position();
        let reversible = now.halfmoves as usize;
        let earlier = self.positions.iter().rev().skip(2).step_by(2);
        let again = earlier
            .take(reversible / 2)
            .filter(|position| position.key == now.key && position.is_same(now))
            .count();
        1 + again as u32
    }

    /// The outcome that ends the game without anybody's claim.
    pub fn outcome(&self) -> Option<Outcome> {
        let now = self.position();
        now.outcome().or_else(|| {
            if self.repetitions() >= 5 {
                Some(Outcome::FivefoldRepetition)
            } else if now.halfmove_clock() >= 150 {
                Some(Outcome::SeventyFiveMoves)
            } else {
                None
            }
        })
    }

    /// The draw that the side to move may claim.
    pub fn claimable_draw(&self) -> Option<Outcome> {
        if self.repetitions() >= 3 {
            Some(Outcome::ThreefoldRepetition)
        } else if self.position().halfmove_clock() >= 100 {
            Some(Outcome::FiftyMoves)
        } else {
            None
        }
    }

    /// The outcome as engine matches know it: what ends the game, or a draw that can be claimed.
    pub fn adjudicated(&self) -> Option<Outcome> {
        self.outcome().or_else(|| self.claimable_draw())
    }
}

impl Position {
    /// Whether two positions are the same by the repetition rule: pieces, side to move, castling
    /// rights and legal en-passant captures.
    pub fn is_same(&self, other: &Position) -> bool {
        self.by_role == other.by_role
            && self.by_color == other.by_color
            && self.side == other.side
            && self.castling == other.castling
            && self.en_passant() == other.en_passant()
    }
}
