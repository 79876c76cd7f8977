//! One row a puzzle, written as it comes and readable again.

use dyno_trials::puzzles::{Attempt, PuzzleVerdict};
use std::io::{self, Read, Write};

/// The columns of the CSV report. Further ones may follow, these stay.
pub const COLUMNS: [&str; 12] = [
    "id",
    "line",
    "rating",
    "verdict",
    "found",
    "wrong",
    "solution",
    "fen",
    "time_ms",
    "themes",
    "missed_fen",
    "trouble",
];

/// Writes rows; each is on its way to the file before the next is waited for.
pub struct Writer<W: Write>(::csv::Writer<W>);

impl<W: Write> Writer<W> {
    /// Starts a table.
    pub fn new(out: W) -> io::Result<Self> {
        let mut rows = ::csv::Writer::from_writer(out);
        rows.write_record(COLUMNS).map_err(io::Error::other)?;
        rows.flush()?;
        Ok(Self(rows))
    }

    /// Adds a row.
    pub fn write(&mut self, attempt: &Attempt) -> io::Result<()> {
        self.0.write_record(cells(attempt)).map_err(io::Error::other)?;
        self.0.flush()
    }
}

/// The cells of a row.
#[must_use]
pub fn cells(attempt: &Attempt) -> [String; COLUMNS.len()] {
    [
        attempt.id.clone(),
        attempt.line.to_string(),
        attempt.rating.map(|rating| rating.to_string()).unwrap_or_default(),
        word(attempt.verdict).to_owned(),
        attempt.found.to_string(),
        attempt.wrong.clone().unwrap_or_default(),
        attempt.solution.join(" "),
        attempt.fen.clone(),
        attempt.time_ms.to_string(),
        attempt.themes.join(" "),
        attempt.missed_fen.clone().unwrap_or_default(),
        attempt.trouble.clone(),
    ]
}

fn word(verdict: PuzzleVerdict) -> &'static str {
    match verdict {
        PuzzleVerdict::Solved => "solved",
        PuzzleVerdict::Failed => "failed",
        PuzzleVerdict::Crashed => "crashed",
    }
}

/// Reads a report again; nothing where it is not one, or a row is damaged.
#[must_use]
pub fn read(input: impl Read) -> Option<Vec<Attempt>> {
    let mut rows = ::csv::Reader::from_reader(input);
    if rows.headers().ok()?.iter().ne(COLUMNS) {
        return None;
    }
    rows.records().map(|row| attempt(&row.ok()?)).collect()
}

fn attempt(row: &::csv::StringRecord) -> Option<Attempt> {
    let words = |text: &str| text.split(' ').filter(|w| !w.is_empty()).map(str::to_owned).collect();
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let verdicts = [PuzzleVerdict::Solved, PuzzleVerdict::Failed, PuzzleVerdict::Crashed];
    Some(Attempt {
        id: row[0].to_owned(),
        line: row[1].parse().ok()?,
        rating: row[2].parse().ok(),
        verdict: verdicts.into_iter().find(|verdict| word(*verdict) == &row[3])?,
        found: row[4].parse().ok()?,
        wrong: some(&row[5]),
        solution: words(&row[6]),
        fen: row[7].to_owned(),
        time_ms: row[8].parse().ok()?,
        themes: words(&row[9]),
        missed_fen: some(&row[10]),
        trouble: row[11].to_owned(),
    })
}
