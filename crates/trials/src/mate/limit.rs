//! How far an engine searches for a mate.

use dyno_driver::{Go, default_deadline};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long a search may take when its limit follows from the mate depth.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How far an engine searches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MateLimit {
    /// By the mate depth: deep enough for a full-width search to see the mate with a margin, and
    /// no longer than ten seconds.
    #[default]
    FromMate,
    /// `go mate N` with the stated N, no longer than ten seconds; as [`MateLimit::FromMate`] where
    /// the side to move is mated, for which UCI has no command.
    GoMate,
    /// The same for all.
    Fixed(Go),
}

impl MateLimit {
    pub(super) fn go(&self, stated: i32) -> Go {
        let moves = stated.unsigned_abs();
        match self {
            MateLimit::Fixed(go) => go.clone(),
            MateLimit::GoMate if stated > 0 => Go { mate: Some(moves), ..Go::default() },
            _ => Go::depth(2 * moves + 4),
        }
    }

    pub(super) fn timeout(&self, go: &Go) -> Option<Duration> {
        match self {
            MateLimit::Fixed(_) => default_deadline(go),
            MateLimit::FromMate | MateLimit::GoMate => Some(TIMEOUT),
        }
    }
}
