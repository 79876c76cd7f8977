//! A solution written out in full, which anyone can check with the rules alone.

use dyno_chess::{Move, Position};
use std::fmt;

/// A move of the attacker and the answers to every reply; none when the move mates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The attacker's move.
    pub mv: Move,
    /// Every legal reply with what follows.
    pub answers: Vec<Branch>,
}

/// A reply of the defender and what the attacker does about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The defender's move.
    pub reply: Move,
    /// The attacker's next move, and so on.
    pub then: Tree,
}

/// Why a tree does not prove a mate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProofError {
    /// A move is not legal in the position with this FEN.
    Illegal(String, Move),
    /// A reply is left out in the position with this FEN.
    Unanswered(String, Move),
    /// A line ends without mate in the position with this FEN.
    NoMate(String),
}

impl fmt::Display for ProofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProofError::Illegal(fen, mv) => write!(f, "{mv:?} is not legal in {fen}"),
            ProofError::Unanswered(fen, mv) => write!(f, "no answer to {mv:?} in {fen}"),
            ProofError::NoMate(fen) => write!(f, "no mate in {fen}"),
        }
    }
}

impl std::error::Error for ProofError {}

impl Tree {
    /// How many moves of the attacker the longest line takes.
    pub fn depth(&self) -> u32 {
        1 + self.answers.iter().map(|answer| answer.then.depth()).max().unwrap_or(0)
    }

    /// How many mates the tree ends in.
    pub fn mates(&self) -> u64 {
        if self.answers.is_empty() {
            return 1;
        }
        self.answers.iter().map(|answer| answer.then.mates()).sum()
    }

    /// Checks the proof with nothing but the rules: every move legal, every reply answered, every
    /// line ending in mate.
    pub fn verify(&self, position: &Position) -> Result<(), ProofError> {
        if !position.is_legal(self.mv) {
            return Err(ProofError::Illegal(position.fen(), self.mv));
        }
        let next = position.play(self.mv);
        let replies = next.legal_moves();
        if replies.is_empty() && !next.is_check() {
            return Err(ProofError::NoMate(next.fen()));
        }
        for reply in &replies {
            let answer = self.answers.iter().find(|answer| answer.reply == reply);
            let Some(answer) = answer else {
                return Err(ProofError::Unanswered(next.fen(), reply));
            };
            answer.then.verify(&next.play(reply))?;
        }
        Ok(())
    }
}
