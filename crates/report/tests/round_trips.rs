//! What the CSV reports say is read back the same, whatever stands in it.

#![allow(clippy::unwrap_used, reason = "tests")]

use dyno_report::positions::csv::{Writer, read};
use dyno_report::puzzles::csv as puzzles;
use dyno_trials::puzzles::{Attempt, PuzzleVerdict};
use dyno_trials::suite::{AnswerStatus, PositionResult, Score};
use proptest::option;
use proptest::prelude::*;

/// Any text: quotes, commas, line ends and other alphabets among them.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![".{0,12}", "[a-z,\"\n\r;]{0,12}"]
}

/// Words without spaces, as moves and themes are.
fn words() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[a-zA-Z0-9+#=\",-]{1,7}", 0..4)
}

fn status() -> impl Strategy<Value = AnswerStatus> {
    prop::sample::select(vec![
        AnswerStatus::Answered,
        AnswerStatus::NoMove,
        AnswerStatus::Illegal,
        AnswerStatus::Timeout,
        AnswerStatus::Crash,
    ])
}

prop_compose! {
    fn position()(
        texts in prop::array::uniform7(text()),
        (solutions, solutions_san, avoid) in (words(), words(), words()),
        (line_no, correct, status) in (any::<u64>(), any::<Option<bool>>(), status()),
        (depth, nodes, time_ms) in (any::<Option<u32>>(), any::<Option<u64>>(), 0..u32::MAX),
        (points, max_points) in (any::<Option<i32>>(), any::<Option<i32>>()),
        score in option::of(prop_oneof![
            any::<i32>().prop_map(Score::Cp),
            any::<i32>().prop_map(Score::Mate),
        ]),
        (solved_us, solved_depth) in (option::of(0..u32::MAX), any::<Option<u32>>()),
    ) -> PositionResult {
        let [id, engine_move, engine_san, fen, suite, theme, trouble] = texts;
        PositionResult {
            id, engine_move, engine_san, fen, suite, theme, trouble,
            solutions, solutions_san, avoid, line_no, correct, status, depth, nodes,
            points, max_points, score,
            // The report has whole milliseconds of the answer and microseconds of the solution.
            time_ms: f64::from(time_ms),
            solved_ms: solved_us.map(|us| f64::from(us) / 1000.0),
            solved_depth, engine: 0,
        }
    }
}

prop_compose! {
    fn attempt()(
        (id, trouble) in (text(), text()),
        fen in text(),
        (solution, themes) in (words(), words()),
        verdict in prop::sample::select(vec![
            PuzzleVerdict::Solved, PuzzleVerdict::Failed, PuzzleVerdict::Crashed,
        ]),
        (line, rating, found, time_ms) in any::<(u64, Option<u32>, u32, u64)>(),
        (wrong, missed_fen) in (option::of("[a-z0-9 \",]{1,9}"), option::of("[a-z0-9 \",]{1,9}")),
    ) -> Attempt {
        Attempt {
            id, trouble, fen, solution, themes, verdict, line, rating, found, time_ms, wrong,
            missed_fen,
        }
    }
}

proptest! {
    #[test]
    fn suite_reports(rows in prop::collection::vec(position(), 0..4), engine in text()) {
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes, std::slice::from_ref(&engine), "nodes 9", true).unwrap();
        rows.iter().for_each(|row| writer.write(row).unwrap());
        drop(writer);
        let (found, whole) = read::<PositionResult>(&bytes[..], "nodes 9").unwrap();
        let expected: Vec<_> = rows.into_iter().map(|row| (engine.clone(), row)).collect();
        prop_assert_eq!(found, expected);
        prop_assert_eq!(whole, bytes.len() as u64);
    }

    #[test]
    fn puzzle_reports(attempts in prop::collection::vec(attempt(), 0..4)) {
        let mut bytes = Vec::new();
        let mut writer = puzzles::Writer::new(&mut bytes).unwrap();
        attempts.iter().for_each(|attempt| writer.write(attempt).unwrap());
        drop(writer);
        prop_assert_eq!(puzzles::read(&bytes[..]), Some(attempts));
    }
}
