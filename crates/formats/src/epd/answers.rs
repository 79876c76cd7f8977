//! What a record says about its position, as values: moves, points, mates, numbers.

use super::{EpdRecord, Operation};
use crate::move_text::{read_move, without_number};
use dyno_chess::{FenError, Move, MoveTextError};
use std::borrow::Cow;
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
    pub fault: AnswerFault,
}

/// What is wrong with a token.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnswerFault {
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
    /// A part of the position that the pieces do not allow, left out.
    Impossible {
        /// What is wrong with it.
        error: FenError,
    },
    /// `c8` and `c7` or `c9` do not have the same number of entries.
    Unpaired {
        /// The number of moves.
        moves: usize,
        /// The number of points.
        points: usize,
    },
}

impl fmt::Display for AnswerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnswerFault::NotAMove => write!(f, "not a move"),
            AnswerFault::Illegal => write!(f, "not legal in the position"),
            AnswerFault::Ambiguous { candidates } => {
                write!(f, "ambiguous, could be {}", candidates.join(" or "))
            }
            AnswerFault::NotANumber => write!(f, "not a number"),
            AnswerFault::Impossible { error } => error.fmt(f),
            AnswerFault::Unpaired { moves, points } => {
                write!(f, "{moves} moves but {points} points")
            }
        }
    }
}

impl From<MoveTextError> for AnswerFault {
    fn from(error: MoveTextError) -> AnswerFault {
        match error {
            MoveTextError::Illegal { .. } => AnswerFault::Illegal,
            MoveTextError::Ambiguous { candidates, .. } => AnswerFault::Ambiguous { candidates },
            _ => AnswerFault::NotAMove,
        }
    }
}

/// What `ce` states, from the side to move's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stated {
    /// An evaluation in hundredths of a pawn.
    Centipawns(i32),
    /// Mate in this many moves; negative when the side to move is mated.
    Mate(i32),
}

impl EpdRecord {
    /// The moves of all `bm` operations. A mate distance such as `#3` is neither a move nor a defect:
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
                move_tokens(&operation).iter().any(|token| mate_sign(token).is_none())
            })
        })
    }

    /// The moves of all operations with an opcode, each read in this position.
    pub fn moves(&self, opcode: &str) -> Moves {
        let mut found = Moves::default();
        for operation in self.all(opcode) {
            for token in move_tokens(&operation) {
                if mate_sign(&token).is_some() {
                    continue;
                }
                match read_move(&self.position, &token) {
                    Ok(mv) if found.moves.contains(&mv) => {}
                    Ok(mv) => found.moves.push(mv),
                    Err(error) => {
                        found.defects.push(defect(operation.opcode, &token, error.into()));
                    }
                }
            }
        }
        found
    }

    /// The line of `pv`: each move read in the position after the one before it. It ends at the
    /// first defect.
    pub fn line(&self) -> Moves {
        let mut found = Moves::default();
        let mut position = self.position;
        for operation in self.all("pv") {
            for token in move_tokens(&operation) {
                match read_move(&position, &token) {
                    Ok(mv) => {
                        position = position.play(mv);
                        found.moves.push(mv);
                    }
                    Err(error) => {
                        found.defects.push(defect(operation.opcode, &token, error.into()));
                        return found;
                    }
                }
            }
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
        if !entries.iter().any(|(token, _)| is_meant_as_move(token)) {
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
            let fault = AnswerFault::Unpaired { moves: moves.len(), points: values.len() };
            points.defects.push(defect("c8", &values.join(" "), fault));
            return Some(points);
        }
        for (token, value) in moves.into_iter().zip(values) {
            match value.parse() {
                Ok(value) => self.add_points(&mut points, opcode, token, value),
                Err(_) => points.defects.push(defect("c8", value, AnswerFault::NotANumber)),
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

    /// `dm`: mate in this many moves. `dm 0` says that there is none: a draw.
    pub fn direct_mate(&self) -> Option<i32> {
        let text = self.text("dm")?;
        signed(text.trim_start_matches(['#', 'M'])).filter(|&moves| moves != 0)
    }

    /// `bm #3` or `bm #-2`.
    pub fn mate_of_best_moves(&self) -> Option<i32> {
        self.all("bm")
            .find_map(|operation| move_tokens(&operation).iter().find_map(|token| mate_sign(token)))
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

/// The operands that could be moves, also out of a quoted list, without move numbers, signs that
/// stand alone and fillers. A string after bare moves is a comment on them.
fn move_tokens<'a>(operation: &Operation<'a>) -> Vec<Cow<'a, str>> {
    let mut tokens: Vec<Cow<'a, str>> = Vec::new();
    let mut bare = false;
    for operand in operation.operands() {
        if operand.quoted && bare {
            continue;
        }
        bare |= !operand.quoted;
        for token in list(operand.raw) {
            let token = without_number(token);
            let means_nothing = matches!(token, "or" | "and" | "&" | "|" | "e.p." | "ep")
                || token.chars().all(|c| matches!(c, '+' | '#' | '!' | '?'));
            if means_nothing {
                continue;
            }
            // `f8 = Q`, or `f8= Q`, or `f8 =Q`.
            let promotes = |text: &str| matches!(text, "Q" | "R" | "B" | "N");
            match tokens.last_mut() {
                Some(last)
                    if token.starts_with('=') || (last.ends_with('=') && promotes(token)) =>
                {
                    last.to_mut().push_str(token);
                }
                _ => tokens.push(Cow::Borrowed(token)),
            }
        }
    }
    tokens
}

/// Whether a text has the look of a move: in a list of points a typing error has, a comment with
/// an equals sign has not.
fn is_meant_as_move(token: &str) -> bool {
    let starts = token.starts_with(|c: char| matches!(c, 'a'..='h' | 'O' | '0'))
        || token.starts_with(['K', 'Q', 'R', 'B', 'N', 'P']);
    starts
        && token.len() <= 9
        && token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-=+#!?()/x".contains(&byte))
        && token.bytes().any(|byte| byte.is_ascii_digit() || byte == b'O')
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

pub(super) fn defect(opcode: &str, token: &str, fault: AnswerFault) -> Defect {
    Defect { opcode: opcode.to_owned(), token: token.to_owned(), fault }
}
