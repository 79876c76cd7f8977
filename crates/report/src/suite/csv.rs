//! One row a position, written as it comes and readable again to resume a run.

use dyno_trials::suite::Score;
use dyno_trials::suite::{PositionResult, Status};
use std::io::{self, Read, Write};

/// The columns; the first nine are promised to never change.
const COLUMNS: [&str; 23] = [
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
    "theme",
    "status",
    "points",
    "max_points",
    "score",
    "solved_ms",
    "solved_depth",
    "engine_san",
    "solutions_san",
    "avoid",
    "trouble",
    "limit",
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
    pub fn write(&mut self, result: &PositionResult) -> io::Result<()> {
        let number = |n: Option<u64>| n.map(|n| n.to_string()).unwrap_or_default();
        let points = |n: Option<i32>| n.map(|n| n.to_string()).unwrap_or_default();
        let engine = self.engines.get(result.engine).cloned().unwrap_or_default();
        self.rows
            .write_record([
                result.id.clone(),
                result.line_no.to_string(),
                result.correct.map(|c| c.to_string()).unwrap_or_default(),
                result.engine_move.clone(),
                result.solutions.join(" "),
                result.fen.clone(),
                format!("{:.0}", result.time_ms),
                number(result.depth.map(u64::from)),
                number(result.nodes),
                engine,
                result.suite.clone(),
                result.theme.clone(),
                result.status.word().to_owned(),
                points(result.points),
                points(result.max_points),
                result.score.map(score_text).unwrap_or_default(),
                result.solved_ms.map(|ms| format!("{ms:.3}")).unwrap_or_default(),
                number(result.solved_depth.map(u64::from)),
                result.engine_san.clone(),
                result.solutions_san.join(" "),
                result.avoid.join(" "),
                result.trouble.clone(),
                self.limit.clone(),
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

fn score_from(text: &str) -> Option<Score> {
    match text.split_once(' ')? {
        ("cp", value) => value.parse().ok().map(Score::Cp),
        ("mate", moves) => moves.parse().ok().map(Score::Mate),
        _ => None,
    }
}

/// Why a report cannot be read again.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The columns are not those of this report.
    #[error("not a report of dyno suite: its first line should begin with {}", COLUMNS[..3].join(","))]
    Columns,
    /// A row names an engine that does not take part.
    #[error("row {row}: no engine {engine:?} in this run")]
    Engine { row: usize, engine: String },
    /// A row was made with another limit.
    #[error("row {row} was made with {theirs:?}, this run searches {ours:?}")]
    Limit { row: usize, theirs: String, ours: String },
    /// The file cannot be read.
    #[error("{0}")]
    Csv(#[from] csv::Error),
}

/// Reads the rows of a report, and how many bytes of it are whole: a row cut short by a sudden
/// end is left out, and is to be overwritten.
pub fn read(
    input: impl Read,
    engines: &[String],
    limit: &str,
) -> Result<(Vec<PositionResult>, u64), ReadError> {
    let mut rows = csv::ReaderBuilder::new().flexible(true).from_reader(input);
    if rows.headers()?.iter().ne(COLUMNS) {
        return Err(ReadError::Columns);
    }
    let mut results = Vec::new();
    let mut whole = rows.position().byte();
    let mut record = csv::StringRecord::new();
    loop {
        match rows.read_record(&mut record) {
            Ok(true) if record.len() == COLUMNS.len() => {}
            _ => return Ok((results, whole)),
        }
        let name = &record[9];
        let Some(engine) = engines.iter().position(|e| e == name) else {
            return Err(ReadError::Engine { row: results.len() + 2, engine: name.to_owned() });
        };
        if &record[22] != limit {
            return Err(ReadError::Limit {
                row: results.len() + 2,
                theirs: record[22].to_owned(),
                ours: limit.to_owned(),
            });
        }
        let Some(result) = result_from(&record, engine) else { return Ok((results, whole)) };
        results.push(result);
        whole = rows.position().byte();
    }
}

fn result_from(row: &csv::StringRecord, engine: usize) -> Option<PositionResult> {
    let words = |text: &str| text.split_ascii_whitespace().map(str::to_owned).collect::<Vec<_>>();
    Some(PositionResult {
        id: row[0].to_owned(),
        line_no: row[1].parse().ok()?,
        correct: row[2].parse().ok(),
        engine_move: row[3].to_owned(),
        solutions: words(&row[4]),
        fen: row[5].to_owned(),
        time_ms: row[6].parse().ok()?,
        depth: row[7].parse().ok(),
        nodes: row[8].parse().ok(),
        engine,
        suite: row[10].to_owned(),
        theme: row[11].to_owned(),
        status: Status::from_word(&row[12])?,
        points: row[13].parse().ok(),
        max_points: row[14].parse().ok(),
        score: score_from(&row[15]),
        solved_ms: row[16].parse().ok(),
        solved_depth: row[17].parse().ok(),
        engine_san: row[18].to_owned(),
        solutions_san: words(&row[19]),
        avoid: words(&row[20]),
        trouble: row[21].to_owned(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn sample() -> PositionResult {
        PositionResult {
            id: "WAC, \"1\"".into(),
            line_no: 7,
            correct: Some(true),
            engine_move: "g3g6".into(),
            engine_san: "Qg6".into(),
            solutions: vec!["g3g6".into()],
            solutions_san: vec!["Qg6".into()],
            avoid: vec![],
            fen: "8/8/8/8/8/8/8/K1k5 w - - 0 1".into(),
            time_ms: 12.0,
            depth: Some(9),
            nodes: None,
            suite: "wac".into(),
            theme: "WAC".into(),
            engine: 0,
            status: Status::Answered,
            points: Some(-3),
            max_points: Some(10),
            score: Some(Score::Mate(-2)),
            solved_ms: Some(1.5),
            solved_depth: Some(3),
            trouble: String::new(),
        }
    }

    #[test]
    fn rows_come_back_and_a_torn_one_does_not() {
        let engines = ["e".to_owned()];
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes, &engines, "nodes 9", true).unwrap();
        writer.write(&sample()).unwrap();
        writer.write(&sample()).unwrap();
        drop(writer);
        let heads = "id,line_no,correct,engine_move,solutions,fen,time_ms,depth,nodes,";
        assert!(bytes.starts_with(heads.as_bytes()));
        let (rows, whole) = read(&bytes[..], &engines, "nodes 9").unwrap();
        assert_eq!((rows, whole), (vec![sample(), sample()], bytes.len() as u64));
        let torn = &bytes[..bytes.len() - 9];
        let (rows, whole) = read(torn, &engines, "nodes 9").unwrap();
        assert_eq!(rows, [sample()]);
        assert_eq!(bytes[whole as usize - 1], b'\n');
        assert!(matches!(read(&b"a,b\n"[..], &engines, ""), Err(ReadError::Columns)));
        let other = read(&bytes[..], &engines, "depth 3");
        assert!(matches!(other, Err(ReadError::Limit { row: 2, .. })));
        assert!(matches!(read(&bytes[..], &[], ""), Err(ReadError::Engine { row: 2, .. })));
    }
}
