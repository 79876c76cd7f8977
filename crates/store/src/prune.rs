//! Making room: summaries and figures stay, details go.

use crate::{History, StoreError};
use rusqlite::params;

/// Which details are kept; a baseline's always are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// Those of runs that began since then, in milliseconds since 1970.
    pub since_ms: Option<i64>,
    /// Those of the latest runs, this many.
    pub latest: Option<u64>,
}

/// What pruning did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Runs whose details are gone.
    pub runs: usize,
    /// The size of the file before and after, in bytes.
    pub before: u64,
    /// The size after.
    pub after: u64,
}

impl History {
    /// Drops the details of all runs that the retention does not cover, and gives the space back.
    pub fn prune(&mut self, keep: Retention) -> Result<Pruned, StoreError> {
        let before = self.size();
        let latest = keep.latest.map(|n| i64::try_from(n).unwrap_or(i64::MAX));
        let runs = self.connection.execute(
            "UPDATE runs SET detail = NULL
             WHERE detail IS NOT NULL AND NOT baseline
               AND (?1 IS NULL OR started_ms < ?1)
               AND (?2 IS NULL OR id NOT IN
                    (SELECT id FROM runs ORDER BY started_ms DESC, id DESC LIMIT ?2))
               AND (?1 IS NOT NULL OR ?2 IS NOT NULL)",
            params![keep.since_ms, latest],
        );
        let runs = self.sql(runs)?;
        let vacuumed = self.connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);");
        self.sql(vacuumed)?;
        Ok(Pruned { runs, before, after: self.size() })
    }

    fn size(&self) -> u64 {
        std::fs::metadata(self.path()).map_or(0, |file| file.len())
    }
}
