//! Reading books of openings: EPD, PGN, Polyglot.

use super::Book;
use crate::tournament::plan::{BookFormat, Plan, Variant};
use dyno_chess::Position;
use dyno_formats::epd::EpdReader;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Why a book cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    #[error("openings {}: {source}", .path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("openings {}: no usable opening in it{}", .path.display(), .first.as_ref().map(|f| format!(" (first fault: {f})")).unwrap_or_default())]
    Empty { path: PathBuf, first: Option<String> },
    #[error("openings {}: the format is not clear from its name: add format=epd, format=pgn or format=polyglot", .path.display())]
    Format { path: PathBuf },
    #[error("openings {}: {reason}", .path.display())]
    Broken { path: PathBuf, reason: String },
}

pub fn read(path: &Path, plan: &Plan) -> Result<Book, BookError> {
    let mut book = Book::default();
    let format = plan.openings.format.or_else(|| guess(path));
    match format {
        Some(BookFormat::Epd) => read_epd(open(path)?, plan, &mut book),
        _ => return Err(BookError::Format { path: path.to_owned() }),
    }
    if book.is_empty() {
        let first = book.skipped.into_iter().next();
        return Err(BookError::Empty { path: path.to_owned(), first });
    }
    Ok(book)
}

/// The format by the file's name, below any compression.
fn guess(path: &Path) -> Option<BookFormat> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let name = [".zip", ".gz", ".zst"].iter().find_map(|e| name.strip_suffix(e)).unwrap_or(&name);
    match name.rsplit_once('.')?.1 {
        "epd" | "fen" | "txt" => Some(BookFormat::Epd),
        "pgn" => Some(BookFormat::Pgn),
        "bin" => Some(BookFormat::Polyglot),
        _ => None,
    }
}

fn open(path: &Path) -> Result<impl BufRead, BookError> {
    let file =
        File::open(path).map_err(|source| BookError::Io { path: path.to_owned(), source })?;
    Ok(BufReader::new(file))
}

fn read_epd(input: impl BufRead, plan: &Plan, book: &mut Book) {
    for record in EpdReader::new(input) {
        match record {
            Ok(record) => {
                let mut position = record.position;
                position.set_chess960(plan.variant == Variant::FischeRandom);
                add(book, record.line, &position, &[]);
            }
            Err(error) => book.skip(error.to_string()),
        }
    }
}

/// Adds an opening unless the game would be over before it begins.
fn add(book: &mut Book, line: u64, position: &Position, moves: &[String]) {
    if let Some(outcome) = position.outcome() {
        return book.skip(format!("line {line}: the game is over there: {outcome}"));
    }
    let usual = moves.is_empty() && position.fen() == Position::startpos().fen();
    let fen = if usual { String::new() } else { position.fen() };
    book.push(&fen, &moves.join(" "));
}
