//! What a search reports while it runs, and its result.

use dyno_uci::{BestMove, Go, Info, InfoBuf};
use std::time::Duration;

/// What happens during a search.
#[derive(Clone, Debug, PartialEq)]
pub enum SearchEvent<'a> {
    /// A report of the search, with the time since `go`.
    Info { info: Info<'a>, at: Duration },
    /// The move, with the time from the write of `go` to its arrival.
    Best { best: BestMove<'a>, elapsed: Duration },
    /// The engine resigns or claims a result instead of moving (XBoard).
    Claim { claim: ResultClaim, words: &'a str, elapsed: Duration },
    /// The engine offers a draw, or accepts the one offered to it (XBoard). The search goes on.
    DrawOffer,
    /// Nothing more by the deadline.
    Deadline,
}

/// What an engine claims about the game instead of moving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultClaim {
    /// It resigns.
    Resign,
    /// The game is over, and it has lost.
    Lost,
    /// The game is over, or will be with its next move, and is drawn.
    Drawn,
    /// The game is over, and it has won.
    Won,
}

/// Whether a watched search goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchControl {
    Continue,
    Stop,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchEnd {
    /// By itself.
    Finished,
    /// By `stop`, because the watching closure asked for it.
    Stopped,
    /// By `stop`, because the deadline had passed.
    Overran,
}

/// A finished search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// The move as the engine wrote it; may be empty, `(none)`, `0000` or nonsense.
    pub best: String,
    pub ponder: Option<String>,
    /// From just before the write of `go` to the arrival of `bestmove`.
    pub elapsed: Duration,
    /// The last report on the best line.
    pub info: InfoBuf,
    pub end: SearchEnd,
}

/// How long to wait for a search before giving up on it: generous for every kind of limit, and
/// none where the search has no limit. For a time twice as long and five seconds; for nodes as if
/// an engine searched a thousand of them a second, and ten seconds; for a depth or a mate ten
/// minutes.
#[must_use]
pub fn default_deadline(go: &Go) -> Option<Duration> {
    let by_time = go.movetime.map(|ms| Duration::from_millis(ms) * 2 + Duration::from_secs(5));
    let by_nodes = go.nodes.map(|nodes| Duration::from_millis(nodes) + Duration::from_secs(10));
    let by_depth = (go.depth.is_some() || go.mate.is_some()).then(|| Duration::from_secs(600));
    [by_time, by_nodes, by_depth].into_iter().flatten().min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_has_a_deadline() {
        let seconds = |go: &Go| default_deadline(go).map(|deadline| deadline.as_secs());
        assert_eq!(seconds(&Go::movetime(2000)), Some(9));
        assert_eq!(seconds(&Go::nodes(5000)), Some(15));
        assert_eq!(seconds(&Go::depth(12)), Some(600));
        assert_eq!(seconds(&Go { mate: Some(3), ..Go::default() }), Some(600));
        assert_eq!(seconds(&Go { depth: Some(3), ..Go::movetime(100) }), Some(5));
        assert_eq!(seconds(&Go::default()), None);
    }
}
