//! What a record says about its position, as values: moves, points, mates, numbers.

use super::{EpdRecord, Operation};
use crate::move_text::{read_move, without_number};
use dyno_chess::{Move, MoveTextError};
use std::fmt;

/// The moves of `bm`, `am` and the like, and what is wrong with the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moves {
    /// The moves that fit, each once, in the order of the line.
    pub moves: Vec<Move>,
    /// The tokens that do not.
    pub defects: Vec<Defect>,
}

/// Points for moves, as in the Strategic Test Suite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Points {
    /// Each move once: of a move listed twice, the first value counts.
    pub moves: Vec<(Move, i32)>,
    /// The tokens that do not fit.
    pub defects: Vec<Defect>,
}

impl Points {
    /// The points of a move, 0 if it is not listed.
    pub fn of(&self, mv: Move) -> i32 {
        self.moves.iter().find(|(listed, _)| *listed == mv).map_or(0, |(_, points)| *points)
    }

    /// The most points there are to get.
    pub fn best(&self) -> i32 {
        self.moves.iter().map(|(_, points)| *points).max().unwrap_or(0)
    }
}

/// A fault of the suite: a solution that the position does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{opcode} \"{token}\": {fault}")]
pub struct Defect {
    /// The operation it is in.
    pub opcode: String,
    /// The offending token.
    pub token: String,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a token.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Not written like a move.
    NotAMove,
    /// Written like a move, but not legal in the position.
    Illegal,
    /// Two or more legal moves fit.
    Ambiguous {
        /// The moves that fit, in UCI notation.
        candidates: Vec<String>,
    },
    /// Not a number.
    NotANumber,
    /// `c8` and `c7` or `c9` do not have the same number of entries.
    Unpaired {
        /// The number of moves.
        moves: usize,
        /// The number of points.
        points: usize,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NotAMove => write!(f, "not a move"),
            Fault::Illegal => write!(f, "not legal in the position"),
            Fault::Ambiguous { candidates } => {
                write!(f, "ambiguous, could be {}", candidates.join(" or "))
            }
            Fault::NotANumber => write!(f, "not a number"),
            Fault::Unpaired { moves, points } => {
                write!(f, "{moves} moves but {points} points")
            }
        }
    }
}

impl From<MoveTextError> for Fault {
    fn from(error: MoveTextError) -> Fault {
        match error {
            MoveTextError::Illegal { .. } => Fault::Illegal,
            MoveTextError::Ambiguous { candidates, .. } => Fault::Ambiguous { candidates },
            _ => Fault::NotAMove,
        }
    }
}

/// What `ce` states, from the side to move's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stated {
    /// An evaluation in hundredths of a pawn.
    Centipawns(i32),
    /// Mate in so many moves; negative when the side to move is mated.
    Mate(i32),
}

impl EpdRecord {
    /// The moves of all `bm` operations. A mate distance such as `#3` is no move and no defect:
    /// see [`EpdRecord::mate`].
    pub fn best_moves(&self) -> Moves {
        self.moves("bm")
    }

    /// The moves of all `am` operations.
    pub fn avoid_moves(&self) -> Moves {
        self.moves("am")
    }

    /// Whether there is any `bm` or `am` with at least one operand that is a move.
    pub fn has_solution(&self) -> bool {
        ["bm", "am"].iter().any(|opcode| {
            self.all(opcode).any(|operation| {
                let mut found = false;
                each_move_token(&operation, |token| found |= mate_sign(token).is_none());
                found
            })
        })
    }

    /// The moves of all operations with an opcode, each read in this position.
    pub fn moves(&self, opcode: &str) -> Moves {
        let mut found = Moves::default();
        for operation in self.all(opcode) {
            each_move_token(&operation, |token| {
                if mate_sign(token).is_some() {
                    return;
                }
                match read_move(&self.position, token) {
                    Ok(mv) if found.moves.contains(&mv) => {}
                    Ok(mv) => found.moves.push(mv),
                    Err(error) => found.defects.push(defect(operation.opcode, token, error.into())),
                }
            });
        }
        found
    }

    /// The line of `pv`: each move read in the position after the one before it. It ends at the
    /// first defect.
    pub fn line(&self) -> Moves {
        let mut found = Moves::default();
        let mut position = self.position;
        for operation in self.all("pv") {
            each_move_token(&operation, |token| {
                if !found.defects.is_empty() {
                    return;
                }
                match read_move(&position, token) {
                    Ok(mv) => {
                        position = position.play(mv);
                        found.moves.push(mv);
                    }
                    Err(error) => found.defects.push(defect(operation.opcode, token, error.into())),
                }
            });
        }
        found
    }

    /// Points for moves: from `c0 "f5=10, Be5+=2"`, or from `c8` with the moves of `c9` or `c7`.
    /// `None` where the record gives no points.
    pub fn points(&self) -> Option<Points> {
        self.points_of_note().or_else(|| self.points_of_lists())
    }

    fn points_of_note(&self) -> Option<Points> {
        let note = self.text("c0")?;
        let entries: Vec<(&str, i32)> = note
            .split(',')
            .map(str::trim)
            .filter(|e| !e.is_empty())
            .map(entry)
            .collect::<Option<_>>()?;
        if entries.is_empty() {
            return None;
        }
        let mut points = Points::default();
        for (token, value) in entries {
            self.add_points(&mut points, "c0", token, value);
        }
        Some(points)
    }

    fn points_of_lists(&self) -> Option<Points> {
        let values = self.text("c8")?;
        let (opcode, moves) =
            ["c9", "c7"].iter().find_map(|opcode| Some((*opcode, self.text(opcode)?)))?;
        let moves: Vec<&str> = list(&moves).collect();
        let values: Vec<&str> = list(&values).collect();
        let mut points = Points::default();
        if moves.len() != values.len() {
            let fault = Fault::Unpaired { moves: moves.len(), points: values.len() };
            points.defects.push(defect("c8", &values.join(" "), fault));
            return Some(points);
        }
        for (token, value) in moves.into_iter().zip(values) {
            match value.parse() {
                Ok(value) => self.add_points(&mut points, opcode, token, value),
                Err(_) => points.defects.push(defect("c8", value, Fault::NotANumber)),
            }
        }
        Some(points)
    }

    fn add_points(&self, points: &mut Points, opcode: &str, token: &str, value: i32) {
        match read_move(&self.position, token) {
            Ok(mv) if points.moves.iter().any(|(listed, _)| *listed == mv) => {}
            Ok(mv) => points.moves.push((mv, value)),
            Err(error) => points.defects.push(defect(opcode, token, error.into())),
        }
    }

    /// The mate that the record states: by `dm`, by `bm #3` or by `ce`; negative when the side to
    /// move is mated.
    pub fn mate(&self) -> Option<i32> {
        self.direct_mate().or_else(|| self.mate_of_best_moves()).or(match self.evaluation() {
            Some(Stated::Mate(moves)) => Some(moves),
            _ => None,
        })
    }

    /// `dm`: mate in so many moves.
    pub fn direct_mate(&self) -> Option<i32> {
        self.text("dm").and_then(|text| signed(text.trim_start_matches(['#', 'M'])))
    }

    /// `bm #3` or `bm #-2`.
    pub fn mate_of_best_moves(&self) -> Option<i32> {
        let mut found = None;
        for operation in self.all("bm") {
            each_move_token(&operation, |token| found = found.or(mate_sign(token)));
        }
        found
    }

    /// `ce`: an evaluation, or a mate written `+M2`, `-#3` or as the standard's 32767 less the
    /// half-moves to mate.
    pub fn evaluation(&self) -> Option<Stated> {
        let text = self.text("ce")?;
        let text = text.trim();
        let (sign, bare) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text.trim_start_matches('+')),
        };
        let sign_of_mate =
            ["mate", "Mate", "M", "m", "#"].iter().find_map(|s| bare.strip_prefix(s));
        if let Some(moves) = sign_of_mate {
            let moves: i32 = signed(moves)?;
            return Some(Stated::Mate(moves.checked_mul(sign)?));
        }
        let value: i32 = bare.parse().ok()?;
        Some(match 32767 - value {
            plies @ 1..=767 => Stated::Mate((plies + 1) / 2 * sign),
            _ => Stated::Centipawns(value.checked_mul(sign)?),
        })
    }

    /// `acd`: the depth of the analysis.
    pub fn analysis_depth(&self) -> Option<u64> {
        self.number("acd")
    }

    /// `acn`: the nodes of the analysis.
    pub fn analysis_nodes(&self) -> Option<u64> {
        self.number("acn")
    }

    /// `acs`: the seconds of the analysis.
    pub fn analysis_seconds(&self) -> Option<u64> {
        self.number("acs")
    }

    /// An operation's operand as a number.
    pub fn number(&self, opcode: &str) -> Option<u64> {
        self.text(opcode)?.trim().parse().ok()
    }
}

/// Gives each operand that could be a move, also out of a quoted list; move numbers and fillers are
/// left out.
fn each_move_token(operation: &Operation<'_>, mut take: impl FnMut(&str)) {
    for operand in operation.operands() {
        for token in list(operand.raw) {
            let token = without_number(token);
            if !matches!(token, "" | "or" | "and" | "&" | "|" | "e.p." | "ep") {
                take(token);
            }
        }
    }
}

fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', '\t', ',']).filter(|token| !token.is_empty())
}

/// `f5=10` or `e8=Q=10`: the move and its points.
fn entry(text: &str) -> Option<(&str, i32)> {
    let (token, value) = text.rsplit_once('=')?;
    Some((token.trim(), value.trim().parse().ok()?))
}

/// The mate distance of `#3`, `#+3` or `#-2`.
fn mate_sign(token: &str) -> Option<i32> {
    signed(token.strip_prefix('#')?)
}

fn signed(text: &str) -> Option<i32> {
    text.trim().strip_prefix('+').unwrap_or(text.trim()).parse().ok()
}

fn defect(opcode: &str, token: &str, fault: Fault) -> Defect {
    Defect { opcode: opcode.to_owned(), token: token.to_owned(), fault }
}
