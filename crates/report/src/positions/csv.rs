//! One row an answer, written as it comes and readable again to resume a run.

use super::PositionRow;
use dyno_trials::suite::Score;
use std::io::{self, Read, Write};
use std::marker::PhantomData;

/// Writes rows; each is on its way to the file before the next is waited for.
pub struct Writer<R, W: Write> {
    rows: csv::Writer<W>,
    engines: Vec<String>,
    limit: String,
    row: PhantomData<R>,
}

impl<R: PositionRow, W: Write> Writer<R, W> {
    /// Starts a table; `heads` is false when rows are added to one that is there.
    pub fn new(out: W, engines: &[String], limit: &str, heads: bool) -> io::Result<Self> {
        let mut rows = csv::Writer::from_writer(out);
        if heads {
            rows.write_record(R::COLUMNS).map_err(io::Error::other)?;
            rows.flush()?;
        }
        Ok(Self { rows, engines: engines.to_vec(), limit: limit.to_owned(), row: PhantomData })
    }

    /// Adds a row.
    pub fn write(&mut self, result: &R) -> io::Result<()> {
        let engine = self.engines.get(result.engine()).map_or("", String::as_str);
        let cells = result.cells(engine, &self.limit);
        self.rows.write_record(cells).map_err(io::Error::other)?;
        self.rows.flush()
    }
}

/// Why a report cannot be read again.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The columns are not those of this report.
    #[error("not a report of dyno {command}: its first line should be {columns}")]
    Columns {
        /// The command that makes such reports.
        command: &'static str,
        /// Its columns.
        columns: String,
    },
    /// A row was made with another limit.
    #[error("row {row} was made with {theirs:?}, this run searches {ours:?}")]
    Limit {
        /// The row in the file, counted from 1.
        row: usize,
        /// Its limit.
        theirs: String,
        /// The limit of this run.
        ours: String,
    },
    /// The file cannot be read.
    #[error("{0}")]
    Csv(#[from] csv::Error),
}

/// Answers, each with its engine's name.
pub type Rows<R> = Vec<(String, R)>;

/// Reads the rows of a report, and how many bytes of it are whole: a row cut short by a sudden
/// end is left out, and is to be overwritten.
pub fn read<R: PositionRow>(input: impl Read, limit: &str) -> Result<(Rows<R>, u64), ReadError> {
    let mut rows = csv::ReaderBuilder::new().flexible(true).from_reader(input);
    if rows.headers()?.iter().ne(R::COLUMNS.iter().copied()) {
        return Err(ReadError::Columns { command: R::COMMAND, columns: R::COLUMNS.join(",") });
    }
    let column = |name: &str| R::COLUMNS.iter().position(|column| *column == name).unwrap_or(0);
    let (engine, limits) = (column("engine"), column("limit"));
    let mut results = Vec::new();
    let mut whole = rows.position().byte();
    let mut record = csv::StringRecord::new();
    loop {
        match rows.read_record(&mut record) {
            Ok(true) if record.len() == R::COLUMNS.len() => {}
            _ => return Ok((results, whole)),
        }
        if &record[limits] != limit {
            return Err(ReadError::Limit {
                row: results.len() + 2,
                theirs: record[limits].to_owned(),
                ours: limit.to_owned(),
            });
        }
        let Some(result) = R::from_cells(&record) else { return Ok((results, whole)) };
        results.push((record[engine].to_owned(), result));
        whole = rows.position().byte();
    }
}

/// A number, or nothing.
pub(crate) fn cell(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// `cp 31`, `mate -2`.
pub(crate) fn score(score: Option<Score>) -> String {
    match score {
        Some(Score::Cp(value)) => format!("cp {value}"),
        Some(Score::Mate(moves)) => format!("mate {moves}"),
        None => String::new(),
    }
}

/// The score that such a text stands for.
pub(crate) fn parse_score(text: &str) -> Option<Score> {
    match text.split_once(' ')? {
        ("cp", value) => value.parse().ok().map(Score::Cp),
        ("mate", moves) => moves.parse().ok().map(Score::Mate),
        _ => None,
    }
}
