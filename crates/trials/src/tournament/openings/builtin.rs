//! Openings for those who bring none.

use super::Book;
use crate::BALANCED_OPENINGS;
use crate::tournament::plan::Variant;
use dyno_chess::Position;
use dyno_formats::epd::EpdReader;

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
            (0..960).step_by(7).for_each(|number| book.push(&chess960_start(number), ""));
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

/// The start position of that number in Scharnagl's numbering.
fn chess960_start(number: usize) -> String {
    let mut rank = [' '; 8];
    let (rest, light) = (number / 4, number % 4);
    rank[2 * light + 1] = 'b';
    let (rest, dark) = (rest / 4, rest % 4);
    rank[2 * dark] = 'b';
    let (knights, queen) = (rest / 6, rest % 6);
    place(&mut rank, queen, 'q');
    const KNIGHTS: [(usize, usize); 10] =
        [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];
    let (first, second) = KNIGHTS[knights % 10];
    // The second first, so that the first still finds its place among the free squares.
    place(&mut rank, second, 'n');
    place(&mut rank, first, 'n');
    for piece in ['r', 'k', 'r'] {
        place(&mut rank, 0, piece);
    }
    let black: String = rank.iter().collect();
    let white = black.to_ascii_uppercase();
    let rooks: String =
        (0..8).filter(|i| rank[*i] == 'r').map(|i| (b'a' + i as u8) as char).collect();
    let castling = format!("{}{rooks}", rooks.to_ascii_uppercase());
    format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w {castling} - 0 1")
}

/// Puts a piece on the n-th free square.
fn place(rank: &mut [char; 8], n: usize, piece: char) {
    if let Some(square) = rank.iter_mut().filter(|square| **square == ' ').nth(n) {
        *square = piece;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_numbers() {
        for (number, rank) in
            [(518, "rnbqkbnr"), (0, "bbqnnrkr"), (959, "rkrnnqbb"), (1, "bqnbnrkr")]
        {
            assert!(
                chess960_start(number).starts_with(rank),
                "{number}: {}",
                chess960_start(number)
            );
        }
    }
}
