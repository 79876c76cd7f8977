//! What a check finds: typed, with everything needed to see it again.

use dyno_chess::diagnose::{Missing, Surplus};
use std::fmt;

/// The checks of the kit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Check {
    Perft,
    Hash,
    Integrity,
    PathIndependence,
    Mirror,
    Window,
    Table,
    SearchSoundness,
}

impl Check {
    /// A short name.
    pub fn name(self) -> &'static str {
        match self {
            Check::Perft => "perft",
            Check::Hash => "hash",
            Check::Integrity => "integrity",
            Check::PathIndependence => "path independence",
            Check::Mirror => "mirror",
            Check::Window => "window",
            Check::Table => "table",
            Check::SearchSoundness => "search",
        }
    }
}

/// The part of make that most likely forgets the hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum HashCause {
    OldEnPassant,
    NewEnPassant,
    CastlingRights,
    CastlingRook,
    Promotion,
    EnPassantCapture,
    Capture,
    EveryMove,
}

impl fmt::Display for HashCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            HashCause::OldEnPassant => "the old en-passant square is not removed from the hash",
            HashCause::NewEnPassant => {
                "the new en-passant square is not brought into the hash rightly"
            }
            HashCause::CastlingRights => "lost castling rights are not taken out of the hash",
            HashCause::CastlingRook => "castling does not move the rook in the hash",
            HashCause::Promotion => "a promotion is not hashed as the new piece",
            HashCause::EnPassantCapture => "the pawn taken en passant stays in the hash",
            HashCause::Capture => "a captured piece stays in the hash",
            HashCause::EveryMove => "the hash is not kept by ordinary moves",
        })
    }
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    FenRefused { error: String },
    MoveMissing { mv: String, why: Missing },
    MoveSurplus { mv: String, why: Surplus },
    CountDiffers { depth: u32, expected: u64, found: u64 },
    FenDiffers { expected: String, found: String },
    HashDrifts { cause: HashCause, kept: u64, recomputed: u64 },
    HashNotRestored { before: u64, after: u64 },
    HashCollides { other: String, key: u64 },
    HashBlind { to: &'static str, other: String },
    UndoChanges { part: String, before: String, after: String },
    IntegrityBroken { error: String, after_undo: bool },
    HashDependsOnPath { other_moves: Vec<String>, one: u64, other: u64 },
    EvalDependsOnPath { other_moves: Vec<String>, one: i32, other: i32 },
    EvalNotMirrored { score: i32, mirrored: i32 },
    SearchChangesBoard { before: String, after: String },
    ScoreNotMinimax { depth: u32, expected: i32, found: i32, sign_lost: bool },
    NullWindowWrong { depth: u32, beta: i32, full: i32, null: i32 },
    TableChangesMove { depth: u32, first: String, second: String },
    TableChangesScore { depth: u32, first: i32, second: i32 },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Problem::*;
        match self {
            FenRefused { error } => write!(f, "the position is refused: {error}"),
            MoveMissing { mv, why } => write!(f, "{mv} is missing: {why}"),
            MoveSurplus { mv, why } => write!(f, "{mv} is not legal: {why}"),
            CountDiffers { depth, expected, found } => write!(
                f,
                "perft({depth}) is {found} instead of {expected}, yet every move list on the way \
                 is right: make or undo leaves something behind"
            ),
            FenDiffers { expected, found } => {
                write!(f, "the position is {found} instead of {expected}")
            }
            HashDrifts { cause, kept, recomputed } => {
                write!(f, "{cause} (kept {kept:016x}, recomputed {recomputed:016x})")
            }
            HashNotRestored { before, after } => {
                write!(f, "undo does not restore the hash ({before:016x} became {after:016x})")
            }
            HashCollides { other, key } => {
                write!(f, "two different positions share the key {key:016x}; the other is {other}")
            }
            HashBlind { to, other } => {
                write!(f, "the hash does not see {to}: it is the same for {other}")
            }
            UndoChanges { part, before, after } => {
                write!(f, "undo does not restore {part}: {before} became {after}")
            }
            IntegrityBroken { error, after_undo } => {
                write!(f, "{error} (after {})", if *after_undo { "undo" } else { "make" })
            }
            HashDependsOnPath { other_moves, one, other } => write!(
                f,
                "the hash depends on the path: {one:016x}, but {other:016x} by {}",
                other_moves.join(" ")
            ),
            EvalDependsOnPath { other_moves, one, other } => write!(
                f,
                "the evaluation depends on the path: {one}, but {other} by {}",
                other_moves.join(" ")
            ),
            EvalNotMirrored { score, mirrored } => write!(
                f,
                "the evaluation is {score} but {mirrored} with colours exchanged: it is not symmetric"
            ),
            SearchChangesBoard { before, after } => write!(
                f,
                "the search leaves the board changed (a move was not taken back): {before} became \
                 {after}"
            ),
            ScoreNotMinimax { depth, expected, found, sign_lost: true } => write!(
                f,
                "depth {depth} scores {found} instead of {expected}: what negamax gives when the \
                 sign of the child's score is lost"
            ),
            ScoreNotMinimax { depth, expected, found, sign_lost: false } => {
                write!(f, "depth {depth} scores {found}, minimax {expected}")
            }
            NullWindowWrong { depth, beta, full, null } => write!(
                f,
                "depth {depth}: the null window below {beta} returns {null}, but the full window \
                 says {full}"
            ),
            TableChangesMove { depth, first, second } => {
                write!(f, "depth {depth}: {first} at first, {second} after clearing the table")
            }
            TableChangesScore { depth, first, second } => write!(
                f,
                "depth {depth}: score {first} at first, {second} after clearing the table"
            ),
        }
    }
}

/// One fault, with the way to see it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The check that found it.
    pub check: Check,
    /// What is wrong.
    pub problem: Problem,
    /// The position to start from.
    pub fen: String,
    /// The moves to play from there.
    pub moves: Vec<String>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}\n    position fen {}", self.check.name(), self.problem, self.fen)?;
        if !self.moves.is_empty() {
            write!(f, " moves {}", self.moves.join(" "))?;
        }
        Ok(())
    }
}

impl std::error::Error for Finding {}

/// All findings as a text for a failed assertion.
pub fn list(findings: &[Finding]) -> String {
    findings.iter().map(|finding| format!("{finding}\n")).collect()
}
