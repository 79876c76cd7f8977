//! How much a question may cost.

use std::fmt;

/// How much work may go into a position, over all questions asked about it.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// Positions that may be made; compared with [`Solver::nodes`](crate::Solver::nodes).
    pub nodes: u64,
    /// Asked now and then; `true` ends the search.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

impl Budget<'_> {
    /// As much as it takes.
    pub const NONE: Budget<'static> = Budget::nodes(u64::MAX);

    /// This many positions.
    pub const fn nodes(nodes: u64) -> Budget<'static> {
        Budget { nodes, stop: &|| false }
    }
}

impl fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}
