//! Finding runs again.

use crate::run::{Build, Ending, Machine, Measure, Run, RunBuild, RunId};
use crate::{History, StoreError};
use rusqlite::{Row, params};

/// Which runs; an empty filter means all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Of this kind only.
    pub kind: Option<String>,
    /// With an engine, build or commit of this name, or whose title contains it.
    pub text: Option<String>,
    /// With this plan only.
    pub plan_hash: Option<String>,
    /// Ended so.
    pub ending: Option<Ending>,
    /// At most this many, the latest first.
    pub limit: Option<usize>,
}

const COLUMNS: &str = "runs.id, uuid, kind, title, dyno, started_ms, elapsed_ms, plan, ending, \
     exit_code, baseline, artefacts, machines.name, cpu, cores, system";

/// A run, its row, and what is stored as text and has to be read.
struct Stored {
    row: i64,
    uuid: String,
    ending: String,
    plan: String,
    artefacts: String,
    run: Run,
}

impl History {
    /// The runs of a filter, the latest first, without details.
    pub fn runs(&self, filter: &Filter) -> Result<Vec<Run>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM runs JOIN machines ON machines.id = machine
             WHERE (?1 IS NULL OR kind = ?1)
               AND (?2 IS NULL OR plan_hash = ?2)
               AND (?3 IS NULL OR ending = ?3)
               AND (?4 IS NULL OR instr(lower(title), ?4) > 0 OR EXISTS (
                    SELECT 1 FROM run_builds JOIN builds ON builds.id = build
                    WHERE run = runs.id AND (
                        instr(lower(run_builds.name), ?4) > 0 OR instr(lower(uci_name), ?4) > 0
                        OR instr(git_commit, ?4) = 1 OR instr(file_hash, ?4) = 1
                        OR branch = ?4)))
             ORDER BY started_ms DESC, runs.id DESC LIMIT ?5"
        );
        let limit = filter.limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX));
        let found = (|| {
            let values = params![
                filter.kind,
                filter.plan_hash,
                filter.ending.map(Ending::name),
                filter.text.as_ref().map(|text| text.to_lowercase()),
                limit
            ];
            self.connection.prepare(&sql)?.query_map(values, stored)?.collect()
        })();
        let found: Vec<Stored> = self.sql(found)?;
        found.into_iter().map(|stored| self.complete(stored)).collect()
    }

    /// One run with its details. The name may be cut short at either end; `last` is the latest.
    pub fn run(&self, name: &str) -> Result<Run, StoreError> {
        let id = self.find(name)?;
        let sql = format!(
            "SELECT {COLUMNS} FROM runs JOIN machines ON machines.id = machine WHERE uuid = ?1"
        );
        let found = self.connection.query_row(&sql, [id.to_string()], stored);
        let stored = self.sql(found)?;
        let detail = self.detail(&stored)?;
        Ok(Run { detail, ..self.complete(stored)? })
    }

    /// The name of the run that a user means.
    pub fn find(&self, name: &str) -> Result<RunId, StoreError> {
        let missing = |what: String| StoreError::NoSuchRun(what);
        let found = (|| {
            let last = "SELECT uuid FROM runs ORDER BY started_ms DESC, id DESC LIMIT 1";
            let named = "SELECT uuid FROM runs
                         WHERE instr(uuid, ?1) = 1 OR substr(uuid, -length(?1)) = ?1 LIMIT 2";
            let get = |row: &Row<'_>| row.get(0);
            match name {
                "last" => self.connection.prepare(last)?.query_map([], get)?.collect(),
                _ => self.connection.prepare(named)?.query_map([name], get)?.collect(),
            }
        })();
        let found: Vec<String> = self.sql(found)?;
        match found.as_slice() {
            [] => Err(missing(format!("no run {name}: `dyno history` lists them"))),
            [one] => {
                RunId::parse(one).ok_or_else(|| damaged(one, "its name is not one that Dyno gives"))
            }
            _ => Err(missing(format!("{name} is not one run: give more of its name"))),
        }
    }

    /// The run that later ones of its plan are compared with, if one was chosen.
    pub fn baseline(&self, kind: &str, plan_hash: &str) -> Result<Option<Run>, StoreError> {
        let uuid = self.connection.query_row(
            "SELECT max(uuid) FROM runs WHERE kind = ?1 AND plan_hash = ?2 AND baseline",
            [kind, plan_hash],
            |row| row.get::<_, Option<String>>(0),
        );
        self.sql(uuid)?.map(|uuid| self.run(&uuid)).transpose()
    }

    /// Every build that was measured, with the number of its runs, the latest first.
    pub fn builds(&self) -> Result<Vec<(Build, u64)>, StoreError> {
        let found = (|| {
            self.connection
                .prepare(
                    "SELECT file_hash, uci_name, git_commit, branch, dirty, signature, count(*)
                     FROM builds JOIN run_builds ON build = builds.id
                     GROUP BY builds.id ORDER BY max(run) DESC",
                )?
                .query_map([], |row| Ok((build(row, 0)?, row.get(6)?)))?
                .collect()
        })();
        self.sql(found)
    }

    /// The names of all figures, with the number of runs that have them.
    pub fn metrics(&self) -> Result<Vec<(String, u64)>, StoreError> {
        let found = (|| {
            self.connection
                .prepare(
                    "SELECT metric, count(DISTINCT run) FROM measures GROUP BY metric ORDER BY 1",
                )?
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })();
        self.sql(found)
    }

    fn complete(&self, stored: Stored) -> Result<Run, StoreError> {
        let Stored { row, uuid, ending, plan, artefacts, mut run } = stored;
        run.id = RunId::parse(&uuid).ok_or_else(|| damaged(&uuid, "not a name"))?;
        run.ending = Ending::from_name(&ending)
            .ok_or_else(|| damaged(&uuid, format!("unknown ending {ending:?}")))?;
        run.plan = serde_json::from_str(&plan).map_err(|e| damaged(&uuid, e))?;
        run.artefacts = serde_json::from_str(&artefacts).map_err(|e| damaged(&uuid, e))?;
        run.builds = self.sql(self.builds_of(row))?;
        run.measures = self.sql(self.measures_of(row))?;
        Ok(run)
    }

    fn builds_of(&self, run: i64) -> rusqlite::Result<Vec<RunBuild>> {
        self.connection
            .prepare_cached(
                "SELECT name, file_hash, uci_name, git_commit, branch, dirty, signature
                 FROM run_builds JOIN builds ON builds.id = build WHERE run = ?1 ORDER BY place",
            )?
            .query_map([run], |row| Ok(RunBuild { name: row.get(0)?, build: build(row, 1)? }))?
            .collect()
    }

    fn measures_of(&self, run: i64) -> rusqlite::Result<Vec<Measure>> {
        self.connection
            .prepare_cached(
                "SELECT metric, subject, value, low, high, n, pace, yardstick
                 FROM measures WHERE run = ?1",
            )?
            .query_map([run], |row| {
                Ok(Measure {
                    metric: row.get(0)?,
                    subject: row.get(1)?,
                    value: row.get(2)?,
                    low: row.get(3)?,
                    high: row.get(4)?,
                    n: row.get(5)?,
                    pace: row.get(6)?,
                    yardstick: row.get(7)?,
                })
            })?
            .collect()
    }

    fn detail(&self, stored: &Stored) -> Result<Option<serde_json::Value>, StoreError> {
        let sql = "SELECT detail FROM runs WHERE id = ?1";
        let packed = self.connection.query_row(sql, [stored.row], |row| row.get(0));
        let packed: Option<Vec<u8>> = self.sql(packed)?;
        let Some(packed) = packed else { return Ok(None) };
        let text = zstd::decode_all(packed.as_slice()).map_err(|e| damaged(&stored.uuid, e))?;
        serde_json::from_slice(&text).map(Some).map_err(|e| damaged(&stored.uuid, e))
    }
}

fn damaged(run: &str, reason: impl ToString) -> StoreError {
    StoreError::Damaged { run: run.to_owned(), reason: reason.to_string() }
}

fn stored(row: &Row<'_>) -> rusqlite::Result<Stored> {
    Ok(Stored {
        row: row.get(0)?,
        uuid: row.get(1)?,
        ending: row.get(8)?,
        plan: row.get(7)?,
        artefacts: row.get(11)?,
        run: Run {
            id: RunId::NIL,
            kind: row.get(2)?,
            title: row.get(3)?,
            dyno: row.get(4)?,
            started_ms: row.get(5)?,
            elapsed_ms: row.get(6)?,
            machine: Machine {
                name: row.get(12)?,
                cpu: row.get(13)?,
                cores: row.get(14)?,
                system: row.get(15)?,
            },
            plan: serde_json::Value::Null,
            ending: Ending::Error,
            exit_code: row.get(9)?,
            baseline: row.get(10)?,
            builds: Vec::new(),
            artefacts: Vec::new(),
            measures: Vec::new(),
            detail: None,
        },
    })
}

fn build(row: &Row<'_>, at: usize) -> rusqlite::Result<Build> {
    Ok(Build {
        file_hash: row.get(at)?,
        uci_name: row.get(at + 1)?,
        commit: row.get(at + 2)?,
        branch: row.get(at + 3)?,
        dirty: row.get(at + 4)?,
        signature: row.get::<_, Option<i64>>(at + 5)?.map(i64::cast_unsigned),
    })
}
