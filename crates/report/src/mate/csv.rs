//! One row a position, written as it comes and readable again to resume a run.

use dyno_trials::mate::MateResult;
use dyno_trials::suite::Score;
use std::io::{self, Read, Write};

/// The columns; the first nine are those of every suite. The last one holds the whole result, for
/// resuming.
const COLUMNS: [&str; 27] = [
    "id",
    "line_no",
    "correct",
    "engine_move",
    "solutions",
    "fen",
    "time_ms",
    "depth",
    "nodes",
    "engine",
    "suite",
    "stated",
    "proof",
    "verdict",
    "score",
    "move_right",
    "pv_verdict",
    "pv_fault",
    "engine_pv",
    "expected_pv",
    "found_ms",
    "found_nodes",
    "found_depth",
    "remark",
    "trouble",
    "limit",
    "details",
];

/// Writes rows; each is on its way to the file before the next is waited for.
pub struct Writer<W: Write> {
    rows: csv::Writer<W>,
    engines: Vec<String>,
    limit: String,
}

impl<W: Write> Writer<W> {
    /// Starts a table; `heads` is false when rows are added to one that is there.
    pub fn new(out: W, engines: &[String], limit: &str, heads: bool) -> io::Result<Self> {
        let mut rows = csv::Writer::from_writer(out);
        if heads {
            rows.write_record(COLUMNS).map_err(io::Error::other)?;
            rows.flush()?;
        }
        Ok(Self { rows, engines: engines.to_vec(), limit: limit.to_owned() })
    }

    /// Adds a row.
    pub fn write(&mut self, result: &MateResult) -> io::Result<()> {
        let number = |n: Option<u64>| n.map(|n| n.to_string()).unwrap_or_default();
        let flag = |f: Option<bool>| f.map(|f| f.to_string()).unwrap_or_default();
        let found = result.found;
        let details = serde_json::to_string(result).map_err(io::Error::other)?;
        self.rows
            .write_record([
                result.id.clone(),
                result.line_no.to_string(),
                flag(result.correct),
                result.engine_move.clone(),
                result.solutions.join(" "),
                result.fen.clone(),
                format!("{:.0}", result.time_ms),
                number(result.depth.map(u64::from)),
                number(result.nodes),
                self.engines.get(result.engine).cloned().unwrap_or_default(),
                result.suite.clone(),
                result.stated.to_string(),
                super::truth(result),
                result.verdict.word().to_owned(),
                result.score.map(score_text).unwrap_or_default(),
                flag(result.move_right),
                result.line_verdict.map(|v| v.words().to_owned()).unwrap_or_default(),
                result.line_fault.clone(),
                result.engine_line.clone(),
                result.expected_line.clone(),
                found.map(|f| format!("{:.3}", f.time_ms)).unwrap_or_default(),
                number(found.and_then(|f| f.nodes)),
                number(found.and_then(|f| f.depth).map(u64::from)),
                result.remark.clone(),
                result.trouble.clone(),
                self.limit.clone(),
                details,
            ])
            .map_err(io::Error::other)?;
        self.rows.flush()
    }
}

fn score_text(score: Score) -> String {
    match score {
        Score::Cp(value) => format!("cp {value}"),
        Score::Mate(moves) => format!("mate {moves}"),
    }
}

/// Why a report cannot be read again.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The columns are not those of this report.
    #[error("not a report of dyno mate: its first line should be {}", COLUMNS.join(","))]
    Columns,
    /// A row was made under another limit.
    #[error("row {row} was made with the limit {theirs:?}, this run has {ours:?}")]
    Limit { row: usize, theirs: String, ours: String },
    /// The file cannot be read.
    #[error("{0}")]
    Csv(#[from] csv::Error),
}

/// Rows as they were written: the engine's name and the result.
pub type Rows = Vec<(String, MateResult)>;

/// Reads the rows of a report, and how many bytes of it are whole: a row cut short by a sudden
/// end is left out, and is to be overwritten.
pub fn read(input: impl Read, limit: &str) -> Result<(Rows, u64), ReadError> {
    let mut rows = csv::ReaderBuilder::new().flexible(true).from_reader(input);
    if rows.headers()?.iter().ne(COLUMNS) {
        return Err(ReadError::Columns);
    }
    let mut results: Rows = Vec::new();
    let mut whole = rows.position().byte();
    let mut record = csv::StringRecord::new();
    loop {
        match rows.read_record(&mut record) {
            Ok(true) if record.len() == COLUMNS.len() => {}
            _ => return Ok((results, whole)),
        }
        if &record[25] != limit {
            let (theirs, ours) = (record[25].to_owned(), limit.to_owned());
            return Err(ReadError::Limit { row: results.len() + 2, theirs, ours });
        }
        let Ok(result) = serde_json::from_str(&record[26]) else { return Ok((results, whole)) };
        results.push((record[9].to_owned(), result));
        whole = rows.position().byte();
    }
}
