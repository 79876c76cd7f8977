//! An answer to a suite as a row of the reports.

use super::{html, terminal};
use crate::positions::PositionRow;
use crate::positions::csv::{cell, parse_score, score};
use dyno_trials::suite::{AnswerStatus, PositionResult, SuiteResult};

impl PositionRow for PositionResult {
    type Run = SuiteResult;

    const COMMAND: &'static str = "suite";

    /// The first nine are promised to never change.
    const COLUMNS: &'static [&'static str] = &[
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

    fn cells(&self, engine: &str, limit: &str) -> Vec<String> {
        vec![
            self.id.clone(),
            self.line_no.to_string(),
            cell(self.correct),
            self.engine_move.clone(),
            self.solutions.join(" "),
            self.fen.clone(),
            format!("{:.0}", self.time_ms),
            cell(self.depth),
            cell(self.nodes),
            engine.to_owned(),
            self.suite.clone(),
            self.theme.clone(),
            self.status.word().to_owned(),
            cell(self.points),
            cell(self.max_points),
            score(self.score),
            cell(self.solved_ms.map(|ms| format!("{ms:.3}"))),
            cell(self.solved_depth),
            self.engine_san.clone(),
            self.solutions_san.join(" "),
            self.avoid.join(" "),
            self.trouble.clone(),
            limit.to_owned(),
        ]
    }

    fn from_cells(row: &csv::StringRecord) -> Option<Self> {
        let words =
            |text: &str| text.split_ascii_whitespace().map(str::to_owned).collect::<Vec<_>>();
        Some(Self {
            id: row[0].to_owned(),
            line_no: row[1].parse().ok()?,
            correct: row[2].parse().ok(),
            engine_move: row[3].to_owned(),
            solutions: words(&row[4]),
            fen: row[5].to_owned(),
            time_ms: row[6].parse().ok()?,
            depth: row[7].parse().ok(),
            nodes: row[8].parse().ok(),
            engine: 0,
            suite: row[10].to_owned(),
            theme: row[11].to_owned(),
            status: AnswerStatus::from_word(&row[12])?,
            points: row[13].parse().ok(),
            max_points: row[14].parse().ok(),
            score: parse_score(&row[15]),
            solved_ms: row[16].parse().ok(),
            solved_depth: row[17].parse().ok(),
            engine_san: row[18].to_owned(),
            solutions_san: words(&row[19]),
            avoid: words(&row[20]),
            trouble: row[21].to_owned(),
        })
    }

    fn correct(&self) -> Option<bool> {
        self.correct
    }

    fn trouble(&self) -> &str {
        &self.trouble
    }

    fn is_miss(&self) -> bool {
        let failed = [AnswerStatus::Crash, AnswerStatus::Timeout, AnswerStatus::Illegal];
        self.correct == Some(false) || failed.contains(&self.status)
    }

    fn line(&self, engine: Option<&str>) -> String {
        terminal::position_line(self, engine)
    }

    fn running(correct: u64, scored: u64) -> String {
        terminal::running(correct, scored)
    }

    fn miss_list(misses: &[Self], all: u64, engines: &[String]) -> String {
        terminal::misses(misses, all, engines)
    }

    fn limit(run: &SuiteResult) -> String {
        super::limit(run)
    }

    fn engines(run: &SuiteResult) -> Vec<String> {
        run.engines.iter().map(|engine| engine.engine.name.clone()).collect()
    }

    fn summary(run: &SuiteResult) -> String {
        terminal::summary(run)
    }

    fn page(run: &SuiteResult, shown: &[Self]) -> String {
        html::page(run, shown)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::positions::csv::{ReadError, Writer, read};
    use dyno_trials::suite::Score;

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
            status: AnswerStatus::Answered,
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
        let row = || ("e".to_owned(), sample());
        let (rows, whole) = read(&bytes[..], "nodes 9").unwrap();
        assert_eq!((rows, whole), (vec![row(), row()], bytes.len() as u64));
        let torn = &bytes[..bytes.len() - 9];
        let (rows, whole) = read::<PositionResult>(torn, "nodes 9").unwrap();
        assert_eq!(rows, [row()]);
        assert_eq!(bytes[whole as usize - 1], b'\n');
        let strange = read::<PositionResult>(&b"a,b\n"[..], "");
        assert!(matches!(strange, Err(ReadError::Columns { .. })));
        let other = read::<PositionResult>(&bytes[..], "depth 3");
        assert!(matches!(other, Err(ReadError::Limit { row: 2, .. })));
    }
}
