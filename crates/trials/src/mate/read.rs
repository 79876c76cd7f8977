//! Files of mates: EPD, or PGN with games that run from a position to its mate.

use super::problem::{Problem, mate_in_text, unread_game, unread_line};
use super::result::SuiteFault;
use dyno_formats::epd::EpdReader;
use dyno_formats::pgn::PgnReader;
use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

/// What a file yields: problems, and lines that are none.
pub type Problems<'a> = Box<dyn Iterator<Item = Result<Problem, Box<SuiteFault>>> + Send + 'a>;

/// Reads the problems of a file, or of a built-in suite, as they are asked for. A file called
/// `.pgn`, or beginning like PGN, is read as PGN, anything else as EPD. `file_name` is the name
/// without path or compression: it may state the mate depth.
pub fn read<'a>(suite: &str, file_name: &str, mut input: impl BufRead + Send + 'a) -> Problems<'a> {
    let suite: Arc<str> = Arc::from(suite);
    let stated = mate_in_text(file_name);
    let is_pgn = Path::new(file_name).extension().is_some_and(|e| e.eq_ignore_ascii_case("pgn"))
        || begins_like_pgn(&mut input);
    if is_pgn {
        Box::new(PgnReader::new(input).map(move |game| match game {
            Ok(game) => Problem::from_game(&suite, stated, &game),
            Err(error) => Err(Box::new(unread_game(&suite, &error))),
        }))
    } else {
        Box::new(EpdReader::new(input).map(move |record| match record {
            Ok(record) => Problem::from_record(&suite, stated, &record),
            Err(error) => Err(Box::new(unread_line(&suite, &error))),
        }))
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

    #[test]
    fn pgn_is_told_by_its_name_or_its_beginning() {
        let pgn = "\n[FEN \"6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1\"]\n[SetUp \"1\"]\n\
            [Termination \"mate in 1\"]\n\n1. Ra8# 1-0\n";
        for name in ["mates.pgn", "mates.txt"] {
            let problems: Vec<_> = read(name, name, pgn.as_bytes()).collect();
            let problem = problems[0].as_ref().unwrap();
            assert_eq!((problem.stated, problem.stated_by), (1, StatedBy::Words));
            assert_eq!(problem.best.len(), 1);
        }
        let whole_game = "[White \"A\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n";
        let problems: Vec<_> = read("m", "mate_in_1.pgn", whole_game.as_bytes()).collect();
        assert!(problems[0].as_ref().unwrap_err().reason.contains("states no mate"));
    }

    #[test]
    fn the_rest_is_read_after_a_bad_line() {
        let epd = "nonsense\n6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#;\n";
        let problems: Vec<_> = read("dir/mate_in_1.epd", "mate_in_1.epd", epd.as_bytes()).collect();
        assert_eq!(problems.len(), 2);
        assert_eq!(problems[0].as_ref().unwrap_err().line_no, 1);
        assert_eq!(problems[1].as_ref().unwrap().stated, 1);
    }
}
