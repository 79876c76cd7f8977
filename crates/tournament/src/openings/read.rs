//! Reading books of openings: EPD, PGN, Polyglot.

use super::Book;
use crate::plan::{BookFormat, Plan, Variant};
use dyno_chess::{Move, Position};
use dyno_formats::epd::EpdReader;
use dyno_formats::pgn::{PgnReader, Problem, Reason};
use dyno_formats::{OpenError, open, polyglot};
use std::io::BufRead;
use std::path::{Path, PathBuf};

/// Why a book cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    #[error("-openings: {0}")]
    Open(#[from] OpenError),
    #[error("-openings {}: no usable opening in it{}", .path.display(), .first.as_ref().map(|f| format!(" (first fault: {f})")).unwrap_or_default())]
    Empty { path: PathBuf, first: Option<String> },
    #[error("-openings {}: its format is not clear from its name: add format=epd, format=pgn or format=polyglot", .path.display())]
    Format { path: PathBuf },
    #[error("book {}: {reason}", .path.display())]
    Polyglot { path: PathBuf, reason: polyglot::BookError },
}

/// Plies taken from a Polyglot book, unless the plan says otherwise.
const POLYGLOT_PLIES: u32 = 8;
/// The most openings taken from a Polyglot book, which may hold lines without number.
const POLYGLOT_LINES: usize = 20_000;

pub fn read(path: &Path, plan: &Plan) -> Result<Book, BookError> {
    let mut book = Book::default();
    if plan.openings.format == Some(BookFormat::Polyglot) {
        read_polyglot(path, plan, &mut book)?;
    } else {
        let file = open(path)?;
        match plan.openings.format.or_else(|| by_name(&file.name)) {
            Some(BookFormat::Epd) => read_epd(file.reader, plan, &mut book),
            Some(BookFormat::Pgn) => read_pgn(file.reader, plan, &mut book),
            Some(BookFormat::Polyglot) => read_polyglot(path, plan, &mut book)?,
            None => return Err(BookError::Format { path: path.to_owned() }),
        }
    }
    if book.is_empty() {
        let first = book.skipped.into_iter().next();
        return Err(BookError::Empty { path: path.to_owned(), first });
    }
    Ok(book)
}

fn by_name(name: &str) -> Option<BookFormat> {
    match name.rsplit_once('.')?.1.to_ascii_lowercase().as_str() {
        "epd" | "fen" | "txt" => Some(BookFormat::Epd),
        "pgn" => Some(BookFormat::Pgn),
        "bin" => Some(BookFormat::Polyglot),
        _ => None,
    }
}

fn read_epd(input: impl BufRead, plan: &Plan, book: &mut Book) {
    for record in EpdReader::new(input).repairing(plan.openings.repair) {
        match record {
            Ok(record) => {
                record
                    .repairs()
                    .for_each(|repair| book.note_repair(format!("line {}: {repair}", record.line)));
                add(book, plan, record.line, record.position, std::iter::empty());
            }
            Err(error) => book.skip(error.to_string()),
        }
    }
}

fn read_pgn(input: impl BufRead, plan: &Plan, book: &mut Book) {
    for game in PgnReader::new(input).repairing(plan.openings.repair) {
        match game {
            Ok(game) => {
                let is_repair =
                    |problem: &&Problem| matches!(problem.reason, Reason::Repaired { .. });
                game.warnings
                    .iter()
                    .filter(is_repair)
                    .for_each(|repair| book.note_repair(repair.to_string()));
                add(book, plan, game.first_line, game.start, game.moves());
            }
            Err(error) => book.skip(error.to_string()),
        }
    }
}

pub fn polyglot(path: &Path) -> Result<polyglot::Book, BookError> {
    let fault = |reason| BookError::Polyglot { path: path.to_owned(), reason };
    polyglot::Book::open(path).map_err(fault)
}

fn read_polyglot(path: &Path, plan: &Plan, book: &mut Book) -> Result<(), BookError> {
    let plies = plan.openings.plies.unwrap_or(POLYGLOT_PLIES) as usize;
    let start = Position::startpos();
    for (i, line) in polyglot(path)?.lines(&start, plies, POLYGLOT_LINES).into_iter().enumerate() {
        add(book, plan, i as u64 + 1, start, line.into_iter());
    }
    Ok(())
}

/// Adds an opening, unless the game would be over before it begins.
fn add(
    book: &mut Book,
    plan: &Plan,
    line: u64,
    start: Position,
    moves: impl Iterator<Item = Move>,
) {
    let mut position = start;
    position.set_chess960(plan.variant == Variant::FischeRandom);
    if plan.variant == Variant::Standard && position.needs_chess960() {
        return book.skip(format!("line {line}: a Chess960 position (add -variant fischerandom)"));
    }
    let fen = position.fen();
    let fen = if fen == Position::startpos().fen() { String::new() } else { fen };
    let mut text = String::new();
    for mv in moves.take(plan.openings.plies.map_or(usize::MAX, |p| p as usize)) {
        let next = position.play(mv);
        // A whole game may serve as an opening, but not to its very end.
        if next.outcome().is_some() {
            break;
        }
        text.push_str(if text.is_empty() { "" } else { " " });
        text.push_str(&position.uci(mv));
        position = next;
    }
    match position.outcome() {
        Some(outcome) => book.skip(format!("line {line}: the game is over there: {outcome}")),
        None => book.push(&fen, &text),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]
    use super::*;
    use crate::plan::Openings;

    fn book(name: &str, text: &str, openings: Openings) -> Result<Book, BookError> {
        let path = std::env::temp_dir().join(format!("dyno-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        let plan = Plan { openings, ..Plan::default() };
        let book = read(&path, &plan);
        std::fs::remove_file(&path).unwrap();
        book
    }

    #[test]
    fn epd_with_bad_lines() {
        let text = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - hmvc 0; fmvn 1;\n\
                    nonsense\n\
                    rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n\
                    7k/5Q2/6K1/8/8/8/8/8 b - -\n";
        let book = book("a.epd", text, Openings::default()).unwrap();
        assert_eq!((book.len(), book.skipped_count), (2, 2), "{:?}", book.skipped);
        assert!(book.get(0).fen.is_some() && book.get(1).fen.is_none());
    }

    #[test]
    fn impossible_rights_are_repaired_if_asked() {
        let epd = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w KQkq - 0 1\n";
        let pgn = format!("[FEN \"{}\"]\n\n1. e4 *\n", epd.trim());
        assert!(book("odds.epd", epd, Openings::default()).is_err());
        let repair = Openings { repair: true, ..Openings::default() };
        for (name, text) in [("odds2.epd", epd), ("odds.pgn", &pgn)] {
            let book = book(name, text, repair.clone()).unwrap();
            assert_eq!((book.len(), book.repaired_count, book.skipped_count), (1, 1, 0));
            assert!(book.get(0).fen.is_some_and(|fen| fen.contains(" w Kkq ")), "{name}");
        }
    }

    #[test]
    fn pgn_up_to_the_plies_wanted() {
        let text =
            "[Event \"x\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n[Event \"y\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n";
        let all = book("b.pgn", text, Openings::default()).unwrap();
        assert_eq!(all.get(0).moves, ["e2e4", "e7e5", "g1f3", "b8c6"]);
        assert_eq!(all.get(1).moves, ["f2f3", "e7e5", "g2g4"], "a finished game is not an opening");
        let openings = Openings { plies: Some(2), ..Openings::default() };
        assert_eq!(book("c.pgn", text, openings).unwrap().get(0).moves, ["e2e4", "e7e5"]);
    }

    #[test]
    fn useless_books_are_refused() {
        assert!(matches!(
            book("d.epd", "nonsense\n", Openings::default()),
            Err(BookError::Empty { .. })
        ));
        assert!(matches!(book("e.xyz", "", Openings::default()), Err(BookError::Format { .. })));
    }

    #[test]
    fn a_polyglot_book_gives_lines() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../../shared/data/open/polyglot/performance.bin"
        );
        if !Path::new(path).is_file() {
            eprintln!("skipped: {path} is not there");
            return;
        }
        let openings = Openings { plies: Some(6), ..Openings::default() };
        let plan = Plan { openings, ..Plan::default() };
        let book = read(Path::new(path), &plan).unwrap();
        assert_eq!(book.len(), 60, "as many as python-chess finds");
        assert!((0..book.len()).all(|i| (1..=6).contains(&book.get(i).moves.len())));
    }
}
