//! Files of mates: EPD, or PGN with games that run from a position to its mate.

use super::problem::{Problem, SuiteFault, mate_in_text, unread_game, unread_line};
use crate::position_test::{Line, Source};
use dyno_formats::epd::{EpdErrorReason, EpdReader};
use dyno_formats::pgn::{PgnReader, Reason};
use dyno_formats::{LineError, OpenError};
use std::io::{self, BufRead};
use std::path::Path;
use std::sync::Arc;

/// The lines of a source.
type Problems = Box<dyn Iterator<Item = Line<Problem, SuiteFault>> + Send>;

/// The problems of a source, read as they are asked for. A file called `.pgn`, or beginning like
/// PGN, is read as PGN, anything else as EPD; its name may state the mate depth.
/// `repair` takes away castling rights and en-passant squares that a position cannot have.
pub(super) fn read(source: &Source, repair: bool) -> Result<Problems, OpenError> {
    let (mut input, file_name) = source.open()?;
    let (suite, source) = (Arc::<str>::from(source.name()), source.clone());
    let stated = mate_in_text(&file_name);
    let is_pgn = Path::new(&file_name).extension().is_some_and(|e| e.eq_ignore_ascii_case("pgn"))
        || begins_like_pgn(&mut input);
    if is_pgn {
        let games = PgnReader::new(input).repairing(repair);
        return Ok(Box::new(games.flat_map(move |game| match game {
            Ok(game) => {
                let repairs = game.warnings.iter().filter_map(|warning| match &warning.reason {
                    Reason::Repaired { .. } => Some(warning.reason.to_string()),
                    _ => None,
                });
                lines(Problem::from_game(&suite, stated, &game), repairs)
            }
            Err(error) => match &error.problem.reason {
                Reason::Line { text, fatal: true } => {
                    vec![Line::Damaged(source.damaged(io::Error::other(text.clone())))]
                }
                _ => vec![Line::Defect(unread_game(&suite, &error))],
            },
        })));
    }
    Ok(Box::new(EpdReader::new(input).repairing(repair).flat_map(move |record| match record {
        Ok(record) => {
            let repairs = record.repairs().map(ToString::to_string);
            lines(Problem::from_record(&suite, stated, &record), repairs)
        }
        Err(error) => match error.reason {
            EpdErrorReason::Line(LineError::Io(error)) => {
                vec![Line::Damaged(source.damaged(error))]
            }
            _ => vec![Line::Defect(unread_line(&suite, &error))],
        },
    })))
}

/// The problem, after what had to be repaired for it.
fn lines(
    problem: Result<Problem, Box<SuiteFault>>,
    repairs: impl Iterator<Item = String>,
) -> Vec<Line<Problem, SuiteFault>> {
    match problem {
        Ok(problem) => {
            let faults = repairs.map(|repair| Line::Defect(problem.usable_fault(repair)));
            let faults: Vec<_> = faults.collect();
            faults.into_iter().chain([Line::Question(problem)]).collect()
        }
        Err(fault) => vec![Line::Defect(*fault)],
    }
}

/// Tags come first in PGN; no position begins with a bracket. (A reading error shows up later.)
fn begins_like_pgn(input: &mut impl BufRead) -> bool {
    let Ok(bytes) = input.fill_buf() else { return false };
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[')
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::mate::StatedBy;

    fn lines(name: &'static str, text: &'static str) -> Vec<Line<Problem, SuiteFault>> {
        read(&Source::Builtin { name, text }, true).unwrap().collect()
    }

    fn problem(line: &Line<Problem, SuiteFault>) -> &Problem {
        match line {
            Line::Question(problem) => problem,
            other => panic!("{other:?}"),
        }
    }

    fn fault(line: &Line<Problem, SuiteFault>) -> &SuiteFault {
        match line {
            Line::Defect(fault) => fault,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn pgn_is_told_by_its_name_or_its_beginning() {
        let pgn = "\n[FEN \"6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1\"]\n[SetUp \"1\"]\n\
            [Termination \"mate in 1\"]\n\n1. Ra8# 1-0\n";
        for name in ["mates.pgn", "mates.txt"] {
            let lines = lines(name, pgn);
            let problem = problem(&lines[0]);
            assert_eq!((problem.stated, problem.stated_by), (1, StatedBy::Words));
            assert_eq!(problem.best.len(), 1);
        }
        let whole_game = "[White \"A\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n";
        let lines = lines("mate_in_1.pgn", whole_game);
        assert!(fault(&lines[0]).reason.contains("states no mate"));
    }

    #[test]
    fn the_rest_is_read_after_a_bad_line() {
        let epd = "nonsense\n6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#;\n";
        let lines = lines("mate_in_1.epd", epd);
        assert_eq!(lines.len(), 2);
        assert_eq!(fault(&lines[0]).line_no, 1);
        assert_eq!(problem(&lines[1]).stated, 1);
    }

    #[test]
    fn impossible_rights_are_repaired_and_named() {
        let epd = "6k1/5ppp/8/8/8/8/8/R3K3 w KQ - bm Ra8#; dm 1;\n";
        let pgn = "[FEN \"6k1/5ppp/8/8/8/8/8/R3K3 w KQ - 0 1\"]\n\n1. Ra8# 1-0\n";
        for (name, text) in [("a.epd", epd), ("b.pgn", pgn)] {
            let lines = lines(name, text);
            let fault = fault(&lines[0]);
            assert!(!fault.skipped && fault.reason.contains("castling"), "{fault:?}");
            assert!(problem(&lines[1]).at.fen().contains(" w Q "), "{name}");
        }
    }
}
