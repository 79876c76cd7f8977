//! The file itself: opened, brought up to date, or refused.

use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Each step brings a database from the version of its place to the next; steps are only ever
/// added, never changed.
const MIGRATIONS: &[&str] = &[include_str!("schema_1.sql")];

/// How long a writer waits for the others: twenty at once are done in far less.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why the history could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder cannot be made.
    #[error("{}: {error}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// Written by a Dyno that came later.
    #[error(
        "{}: written by a newer Dyno (version {found} of the format, this one reads up to {known}); \
         update Dyno, or name another file with DYNO_HISTORY",
        path.display()
    )]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its version.
        found: usize,
        /// The latest version known here.
        known: usize,
    },
    /// There is no history yet.
    #[error("{}: no history yet: run a check, suite, match or bench first", path.display())]
    Missing {
        /// Where it would be.
        path: PathBuf,
    },
    /// What SQLite says.
    #[error("{}: {error}", path.display())]
    Sqlite {
        /// The database.
        path: PathBuf,
        /// Why.
        error: rusqlite::Error,
    },
    /// A run named by the user that is not there, or not the only one.
    #[error("{0}")]
    NoSuchRun(String),
    /// A stored value that cannot be what Dyno wrote.
    #[error("run {run}: {reason}")]
    Damaged {
        /// The run.
        run: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A file to be imported that holds no run.
    #[error("{file}:{line}: {reason}")]
    Import {
        /// The file.
        file: String,
        /// Its line.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
}

/// An open history.
#[derive(Debug)]
pub struct History {
    pub(crate) connection: Connection,
    path: PathBuf,
}

impl History {
    /// Opens the history for writing; makes the file and its folder where there are none.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)
                .map_err(|error| StoreError::Folder { path: folder.to_owned(), error })?;
        }
        Self::connect(path, OpenFlags::default())
    }

    /// Opens a history that is there already.
    pub fn open_existing(path: &Path) -> Result<Self, StoreError> {
        if !path.is_file() {
            return Err(StoreError::Missing { path: path.to_owned() });
        }
        Self::connect(path, OpenFlags::default() & !OpenFlags::SQLITE_OPEN_CREATE)
    }

    fn connect(path: &Path, flags: OpenFlags) -> Result<Self, StoreError> {
        let failed = |error| StoreError::Sqlite { path: path.to_owned(), error };
        let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
        connection.busy_timeout(PATIENCE).map_err(failed)?;
        // An old version must be refused before anything is written, the journal mode included.
        let version = version(&connection).map_err(failed)?;
        if version > MIGRATIONS.len() {
            let (path, known) = (path.to_owned(), MIGRATIONS.len());
            return Err(StoreError::Newer { path, found: version, known });
        }
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;",
            )
            .map_err(failed)?;
        if version < MIGRATIONS.len() {
            migrate(&mut connection).map_err(failed)?;
        }
        Ok(Self { connection, path: path.to_owned() })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What SQLite finds wrong with the file; nothing in a sound one.
    pub fn integrity(&self) -> Result<Option<String>, StoreError> {
        let said: String =
            self.sql(self.connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)))?;
        Ok((said != "ok").then_some(said))
    }

    /// Names the file beside whatever SQLite says.
    pub(crate) fn sql<T>(&self, result: rusqlite::Result<T>) -> Result<T, StoreError> {
        result.map_err(|error| StoreError::Sqlite { path: self.path.clone(), error })
    }
}

fn version(connection: &Connection) -> rusqlite::Result<usize> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Two that open a new file at once must not both make its tables.
fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for (index, step) in MIGRATIONS.iter().enumerate().skip(version(&transaction)?) {
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "user_version", index + 1)?;
    }
    transaction.commit()
}
