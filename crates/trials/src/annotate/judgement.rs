//! What an evaluation is worth, and what a move cost.

use dyno_chess::{Color, Move, Outcome, Position};
use dyno_uci::Score;
use serde::{Deserialize, Serialize};

/// What the engine says about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// From the point of view of the side to move.
    pub score: Score,
    /// Its move.
    pub best: Option<Move>,
}

impl Evaluation {
    /// The evaluation of a position in which the game is over.
    pub fn of_end(position: &Position) -> Option<Self> {
        let score = match position.outcome()? {
            Outcome::Checkmate { .. } => Score::Mate(0),
            _ => Score::Cp(0),
        };
        Some(Self { score, best: None })
    }

    /// The chance to win less the chance to lose, as evaluations turned out in human games on
    /// lichess.
    pub fn chances(&self) -> f64 {
        match self.score {
            Score::Mate(moves) if moves > 0 => 1.0,
            Score::Mate(_) => -1.0,
            Score::Cp(value) => 2.0 / (1.0 + (-0.003_682_08 * f64::from(value)).exp()) - 1.0,
        }
    }

    /// Centipawns, in which a decided game is worth ten pawns.
    pub fn pawns(&self) -> i32 {
        self.score.centipawns().clamp(-1000, 1000)
    }

    /// As the command `%eval` states it: pawns, or moves to mate, from White's point of view.
    pub fn text(&self, mover: Color) -> String {
        let score = if mover == Color::White { self.score } else { self.score.flipped() };
        match score {
            Score::Mate(moves) => format!("#{moves}"),
            Score::Cp(value) => format!("{:.2}", f64::from(value) / 100.0 + 0.0),
        }
    }
}

/// How bad a move was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// It cost a tenth of the range of chances.
    Inaccuracy,
    /// Two tenths.
    Mistake,
    /// Three tenths.
    Blunder,
}

impl Judgement {
    /// By the chances before the move and after it, both of the mover.
    pub fn of(before: &Evaluation, after: f64) -> Option<Self> {
        match before.chances() - after {
            lost if lost >= 0.3 => Some(Judgement::Blunder),
            lost if lost >= 0.2 => Some(Judgement::Mistake),
            lost if lost >= 0.1 => Some(Judgement::Inaccuracy),
            _ => None,
        }
    }

    /// Its numeric annotation glyph: `?!`, `?` or `??`.
    pub fn nag(self) -> u8 {
        match self {
            Judgement::Inaccuracy => 6,
            Judgement::Mistake => 2,
            Judgement::Blunder => 4,
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Judgement::Inaccuracy => "Inaccuracy",
            Judgement::Mistake => "Mistake",
            Judgement::Blunder => "Blunder",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluation(score: Score) -> Evaluation {
        Evaluation { score, best: None }
    }

    #[test]
    fn what_a_move_cost() {
        let judge = |before: Score, after: Score| {
            // `after` is of the opponent, who is then to move.
            Judgement::of(&evaluation(before), -evaluation(after).chances())
        };
        assert_eq!(judge(Score::Cp(30), Score::Cp(-30)), None);
        assert_eq!(judge(Score::Cp(30), Score::Cp(40)), Some(Judgement::Inaccuracy));
        assert_eq!(judge(Score::Cp(30), Score::Cp(300)), Some(Judgement::Blunder));
        assert_eq!(judge(Score::Mate(2), Score::Cp(-900)), None, "still won");
        assert_eq!(judge(Score::Mate(2), Score::Cp(0)), Some(Judgement::Blunder));
        assert_eq!(judge(Score::Mate(1), Score::Mate(0)), None, "mate is not a mistake");
    }

    #[test]
    fn evaluations_are_whites() {
        assert_eq!(evaluation(Score::Cp(-35)).text(Color::Black), "0.35");
        assert_eq!(evaluation(Score::Cp(0)).text(Color::Black), "0.00");
        assert_eq!(evaluation(Score::Mate(3)).text(Color::Black), "#-3");
    }
}
