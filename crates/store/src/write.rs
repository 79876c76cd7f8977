//! Recording a run: one transaction, all of it or nothing.

use crate::run::{Build, Machine, Run, RunId};
use crate::{History, StoreError};
use rusqlite::{Transaction, TransactionBehavior, params};

/// Details are JSON, which compresses about tenfold at any level.
const LEVEL: i32 = 3;

impl History {
    /// Records a run. One that is there already, by its name, is left as it is; the answer says
    /// whether it was new.
    pub fn record(&mut self, run: &Run) -> Result<bool, StoreError> {
        let new = insert_all(&mut self.connection, std::slice::from_ref(run));
        self.sql(new).map(|new| new == 1)
    }

    /// Records many runs in one transaction; says how many were new.
    pub(crate) fn record_all(&mut self, runs: &[Run]) -> Result<usize, StoreError> {
        let new = insert_all(&mut self.connection, runs);
        self.sql(new)
    }

    /// Later runs are compared with this one, and not with earlier baselines of the same plan.
    pub fn set_baseline(&mut self, id: RunId) -> Result<(), StoreError> {
        let done = self.connection.execute(
            "UPDATE runs SET baseline = (uuid = ?1) WHERE (kind, plan_hash, machine) =
             (SELECT kind, plan_hash, machine FROM runs WHERE uuid = ?1)",
            params![id.to_string()],
        );
        self.sql(done).map(drop)
    }
}

fn insert_all(connection: &mut rusqlite::Connection, runs: &[Run]) -> rusqlite::Result<usize> {
    // Taking the lock at the beginning makes writers queue instead of fail.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut new = 0;
    for run in runs {
        new += usize::from(insert(&transaction, run)?);
    }
    transaction.commit()?;
    Ok(new)
}

fn insert(transaction: &Transaction<'_>, run: &Run) -> rusqlite::Result<bool> {
    let machine = machine_id(transaction, &run.machine)?;
    let detail = match &run.detail {
        None => None,
        Some(detail) => Some(
            zstd::encode_all(detail.to_string().as_bytes(), LEVEL)
                .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?,
        ),
    };
    let artefacts = serde_json::to_string(&run.artefacts)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    let inserted = transaction.execute(
        "INSERT INTO runs (uuid, kind, title, dyno, started_ms, elapsed_ms, machine, plan,
                           plan_hash, ending, exit_code, baseline, artefacts, detail)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
         ON CONFLICT (uuid) DO NOTHING",
        params![
            run.id.to_string(),
            run.kind,
            run.title,
            run.dyno,
            run.started_ms,
            run.elapsed_ms,
            machine,
            run.plan.to_string(),
            run.plan_hash(),
            run.ending.name(),
            run.exit_code,
            run.baseline,
            artefacts,
            detail,
        ],
    )?;
    if inserted == 0 {
        return Ok(false);
    }
    let id = transaction.last_insert_rowid();
    for (place, part) in run.builds.iter().enumerate() {
        let build = build_id(transaction, &part.build)?;
        transaction.execute(
            "INSERT INTO run_builds (run, place, name, build) VALUES (?1, ?2, ?3, ?4)",
            params![id, place, part.name, build],
        )?;
    }
    // A figure given twice keeps its last value: a run is never lost over it.
    let mut statement = transaction.prepare_cached(
        "INSERT OR REPLACE INTO measures
             (run, metric, subject, value, low, high, n, pace, yardstick)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    for m in run.measures.iter().filter(|m| m.value.is_finite()) {
        let finite = |x: Option<f64>| x.filter(|x| x.is_finite());
        statement.execute(params![
            id,
            m.metric,
            m.subject,
            m.value,
            finite(m.low),
            finite(m.high),
            m.n,
            finite(m.pace),
            m.yardstick,
        ])?;
    }
    Ok(true)
}

fn machine_id(transaction: &Transaction<'_>, machine: &Machine) -> rusqlite::Result<i64> {
    let values = params![machine.name, machine.cpu, machine.cores, machine.system];
    transaction.execute(
        "INSERT OR IGNORE INTO machines (name, cpu, cores, system) VALUES (?1, ?2, ?3, ?4)",
        values,
    )?;
    transaction.query_row(
        "SELECT id FROM machines WHERE (name, cpu, cores, system) = (?1, ?2, ?3, ?4)",
        values,
        |row| row.get(0),
    )
}

fn build_id(transaction: &Transaction<'_>, build: &Build) -> rusqlite::Result<i64> {
    let values = params![build.file_hash, build.uci_name, build.commit, build.branch, build.dirty];
    transaction.execute(
        "INSERT OR IGNORE INTO builds (file_hash, uci_name, git_commit, branch, dirty)
         VALUES (?1, ?2, ?3, ?4, ?5)",
        values,
    )?;
    let id = transaction.query_row(
        "SELECT id FROM builds WHERE (file_hash, uci_name, git_commit, branch, dirty) =
         (?1, ?2, ?3, ?4, ?5)",
        values,
        |row| row.get(0),
    )?;
    // Only some runs learn the signature.
    if let Some(signature) = build.signature {
        transaction.execute(
            "UPDATE builds SET signature = ?2 WHERE id = ?1",
            params![id, signature.cast_signed()],
        )?;
    }
    Ok(id)
}
