//! Openings for those who bring none.

use super::Book;
use crate::plan::Variant;
use dyno_chess::Position;
use dyno_formats::epd::EpdReader;
use dyno_suites::BALANCED_OPENINGS;

/// The usual openings, an EPD file with the moves in `c0`, or start positions of Chess960.
pub fn balanced(variant: Variant) -> Book {
    let mut book = Book::default();
    match variant {
        Variant::Standard => {
            for record in EpdReader::new(BALANCED_OPENINGS.text.as_bytes()) {
                match record {
                    Ok(record) => add(&mut book, &record.text("c0").unwrap_or_default()),
                    Err(error) => book.skip(error.to_string()),
                }
            }
        }
        // Every start position but the usual one's neighbours would do; a spread of them does.
        Variant::FischeRandom => {
            for number in (0..960).step_by(7) {
                book.push(&Position::chess960_start(number).fen(), "");
            }
        }
    }
    book
}

/// Adds a line of numbered moves in SAN.
fn add(book: &mut Book, line: &str) {
    let mut position = Position::startpos();
    let mut moves = Vec::new();
    for text in line.split_ascii_whitespace().filter(|word| !word.ends_with('.')) {
        match position.parse_san(text) {
            Ok(mv) => {
                moves.push(position.uci(mv));
                position = position.play(mv);
            }
            Err(error) => return book.skip(format!("{line}: {error}")),
        }
    }
    book.push("", &moves.join(" "));
}
