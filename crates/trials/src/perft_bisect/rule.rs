//! The rule that an engine breaks, by which faults are told apart and counted.

use super::descend::Breakdown;
use dyno_chess::diagnose::{Missing, Surplus};
use serde::{Deserialize, Serialize};
use std::fmt;

/// In which way a rule is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleBreak {
    /// A legal move is not generated.
    Missing,
    /// A move is generated that is not legal.
    Surplus,
    /// A count is wrong though every move list is right.
    Count,
    /// The engine crashes, or no longer answers.
    Breakdown,
}

/// A rule that is broken.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BrokenRule {
    /// In which way.
    pub how: RuleBreak,
    /// The rule, for machines.
    pub kind: String,
    /// The rule, for people.
    pub why: String,
}

/// Wordings may differ in the piece they name; the rule is the same.
impl PartialEq for BrokenRule {
    fn eq(&self, other: &Self) -> bool {
        (self.how, &self.kind) == (other.how, &other.kind)
    }
}

impl BrokenRule {
    pub(super) fn missing(why: &Missing) -> Self {
        Self { how: RuleBreak::Missing, kind: kind(why), why: why.to_string() }
    }

    pub(super) fn surplus(why: &Surplus) -> Self {
        Self { how: RuleBreak::Surplus, kind: kind(why), why: why.to_string() }
    }

    pub(super) fn count(depth: u32) -> Self {
        let (kind, why) = match depth {
            1 => ("Count", "the number of moves is wrong, and which move it is cannot be told"),
            _ => (
                "MakeUnmake",
                "a count is wrong though every move list is right: make or undo leaves something \
                 behind",
            ),
        };
        Self { how: RuleBreak::Count, kind: kind.into(), why: why.into() }
    }

    pub(super) fn breakdown(breakdown: &Breakdown) -> Self {
        let (kind, why) = match breakdown.crashed {
            true => ("Crash", "the engine crashes"),
            false => ("NoAnswer", "the engine no longer answers"),
        };
        Self { how: RuleBreak::Breakdown, kind: kind.into(), why: why.into() }
    }
}

/// `PinnedPieceMoves { role: Rook }` is of the kind `PinnedPieceMoves`.
pub(super) fn kind(why: &impl fmt::Debug) -> String {
    format!("{why:?}").split(' ').next().unwrap_or_default().to_owned()
}
