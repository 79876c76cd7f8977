//! How a game ended and why.

use dyno_chess::{Color, Outcome};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The points of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Points {
    #[serde(rename = "1-0")]
    WhiteWins,
    #[serde(rename = "0-1")]
    BlackWins,
    #[serde(rename = "1/2-1/2")]
    Draw,
}

impl Points {
    pub fn win_of(color: Color) -> Self {
        match color {
            Color::White => Points::WhiteWins,
            Color::Black => Points::BlackWins,
        }
    }

    /// Half points of White.
    pub fn white(self) -> u8 {
        match self {
            Points::WhiteWins => 2,
            Points::Draw => 1,
            Points::BlackWins => 0,
        }
    }

    /// Half points of Black.
    pub fn black(self) -> u8 {
        2 - self.white()
    }

    pub fn text(self) -> &'static str {
        match self {
            Points::WhiteWins => "1-0",
            Points::BlackWins => "0-1",
            Points::Draw => "1/2-1/2",
        }
    }
}

/// What ended a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum End {
    Checkmate,
    Stalemate,
    InsufficientMaterial,
    Repetition,
    FiftyMoves,
    /// The draw rule on scores.
    DrawAdjudication,
    /// The resign rule on scores.
    ResignAdjudication,
    /// The limit on the number of moves.
    MaxMoves,
    /// The tables say so.
    Tablebase,
    /// The engine gave up (XBoard).
    Resignation,
    /// One engine offered a draw and the other accepted (XBoard).
    Agreement,
    /// The engine claimed a win that is none (XBoard).
    FalseClaim {
        text: String,
    },
    TimeForfeit,
    IllegalMove {
        text: String,
    },
    /// The process ended or closed its output.
    Disconnect {
        detail: String,
    },
    /// No move, and no clock that would have run out.
    Stall {
        detail: String,
    },
}

impl End {
    /// The reason in a word or two, without the winner: what tallies by engine count by.
    pub fn label(&self) -> &'static str {
        match self {
            End::Checkmate => "checkmate",
            End::Stalemate => "stalemate",
            End::InsufficientMaterial => "insufficient material",
            End::Repetition => "repetition",
            End::FiftyMoves => "fifty moves",
            End::DrawAdjudication | End::ResignAdjudication => "adjudication by score",
            End::MaxMoves => "maximum length",
            End::Tablebase => "tablebase",
            End::Resignation => "resignation",
            End::Agreement => "agreement",
            End::FalseClaim { .. } => "false claim",
            End::TimeForfeit => "time",
            End::IllegalMove { .. } => "illegal move",
            End::Disconnect { .. } => "disconnect",
            End::Stall { .. } => "stall",
        }
    }
}

/// The groups in which games' ends are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Termination {
    Normal,
    Adjudication,
    TimeForfeit,
    IllegalMove,
    RulesInfraction,
    Abandoned,
    Stalled,
}

impl Termination {
    /// The value of the PGN tag.
    pub fn tag(self) -> &'static str {
        match self {
            Termination::Normal => "normal",
            Termination::Adjudication => "adjudication",
            Termination::TimeForfeit => "time forfeit",
            Termination::IllegalMove => "illegal move",
            Termination::RulesInfraction => "rules infraction",
            Termination::Abandoned => "abandoned",
            Termination::Stalled => "stalled connection",
        }
    }
}

/// The result of a game: points, the end, and what a reader of the PGN is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameResult {
    pub points: Points,
    #[serde(flatten)]
    pub end: End,
}

impl GameResult {
    /// A draw.
    pub fn draw(end: End) -> Self {
        Self { points: Points::Draw, end }
    }

    /// A win of that side.
    pub fn win(color: Color, end: End) -> Self {
        Self { points: Points::win_of(color), end }
    }

    /// A loss of that side.
    pub fn loss(color: Color, end: End) -> Self {
        Self::win(!color, end)
    }

    /// What the rules say; a draw that can be claimed ends the game.
    pub fn by_rule(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Checkmate { winner } => Self::win(winner, End::Checkmate),
            Outcome::Stalemate => Self::draw(End::Stalemate),
            Outcome::InsufficientMaterial => Self::draw(End::InsufficientMaterial),
            Outcome::ThreefoldRepetition | Outcome::FivefoldRepetition => {
                Self::draw(End::Repetition)
            }
            Outcome::FiftyMoves | Outcome::SeventyFiveMoves => Self::draw(End::FiftyMoves),
        }
    }

    /// The side that lost, if one did.
    pub fn loser(&self) -> Option<Color> {
        match self.points {
            Points::WhiteWins => Some(Color::Black),
            Points::BlackWins => Some(Color::White),
            Points::Draw => None,
        }
    }

    pub fn termination(&self) -> Termination {
        match self.end {
            End::Checkmate
            | End::Stalemate
            | End::InsufficientMaterial
            | End::Repetition
            | End::FiftyMoves
            | End::Resignation
            | End::Agreement => Termination::Normal,
            End::DrawAdjudication | End::ResignAdjudication | End::MaxMoves | End::Tablebase => {
                Termination::Adjudication
            }
            End::TimeForfeit => Termination::TimeForfeit,
            End::IllegalMove { .. } => Termination::IllegalMove,
            End::FalseClaim { .. } => Termination::RulesInfraction,
            End::Disconnect { .. } => Termination::Abandoned,
            End::Stall { .. } => Termination::Stalled,
        }
    }
}

impl GameResult {
    /// The same for all games that ended alike: what tallies count by.
    pub fn kind(&self) -> String {
        match &self.end {
            End::IllegalMove { .. } | End::FalseClaim { .. } => {
                let text = self.to_string();
                text.split_once(':').map_or(text.clone(), |(kind, _)| kind.to_owned())
            }
            _ => self.to_string(),
        }
    }
}

impl fmt::Display for GameResult {
    /// The words users of cutechess-cli and fastchess know.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let loser = if self.points == Points::WhiteWins { "Black" } else { "White" };
        let winner = if self.points == Points::WhiteWins { "White" } else { "Black" };
        match &self.end {
            End::Checkmate => write!(f, "{winner} mates"),
            End::Stalemate => f.write_str("Draw by stalemate"),
            End::InsufficientMaterial => f.write_str("Draw by insufficient mating material"),
            End::Repetition => f.write_str("Draw by 3-fold repetition"),
            End::FiftyMoves => f.write_str("Draw by fifty moves rule"),
            End::DrawAdjudication => f.write_str("Draw by adjudication"),
            End::ResignAdjudication => write!(f, "{winner} wins by adjudication"),
            End::MaxMoves => f.write_str("Draw by adjudication: maximum length reached"),
            End::Tablebase if self.points == Points::Draw => {
                f.write_str("Draw by adjudication: SyzygyTB")
            }
            End::Tablebase => write!(f, "{winner} wins by adjudication: SyzygyTB"),
            End::Resignation => write!(f, "{loser} resigns"),
            End::Agreement => f.write_str("Draw by agreement"),
            End::FalseClaim { text } => write!(f, "{loser} makes a false claim: {text}"),
            End::TimeForfeit => write!(f, "{loser} loses on time"),
            End::IllegalMove { text } => write!(f, "{loser} makes an illegal move: {text}"),
            End::Disconnect { .. } => write!(f, "{loser} disconnects"),
            End::Stall { .. } => write!(f, "{loser}'s connection stalls"),
        }
    }
}
