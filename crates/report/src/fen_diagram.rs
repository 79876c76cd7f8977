//! Where the pieces stand, read from a FEN for drawing only: tolerant, and ignorant of the rules.

/// The pieces of a board as drawn, from the first field of a FEN; the second field, where
/// there is one, says who is to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FenDiagram {
    /// From a8, b8 … to h1: FEN's own order. A piece is its FEN letter.
    squares: [Option<char>; 64],
    white_to_move: Option<bool>,
}

impl FenDiagram {
    /// Reads a FEN, or only its first field. `None` when it does not describe eight ranks
    /// of eight squares.
    #[must_use]
    pub fn parse(fen: &str) -> Option<FenDiagram> {
        let mut fields = fen.split_ascii_whitespace();
        let mut squares = [None; 64];
        let mut next = 0;
        let ranks: Vec<&str> = fields.next()?.split('/').collect();
        if ranks.len() != 8 {
            return None;
        }
        for rank in &ranks {
            let end = next + 8;
            for letter in rank.chars().filter(|&letter| letter != '~') {
                match letter {
                    '1'..='8' => next += letter.to_digit(10)? as usize,
                    _ if "KQRBNPkqrbnp".contains(letter) && next < end => {
                        squares[next] = Some(letter);
                        next += 1;
                    }
                    _ => return None,
                }
            }
            if next != end {
                return None;
            }
        }
        let white_to_move = match fields.next() {
            Some("w") => Some(true),
            Some("b") => Some(false),
            _ => None,
        };
        Some(FenDiagram { squares, white_to_move })
    }

    /// The FEN letter of the piece on a square; `file` 0 is a, `rank` 0 is the first rank.
    #[must_use]
    pub fn piece(&self, file: usize, rank: usize) -> Option<char> {
        *self.squares.get((7usize.checked_sub(rank)?) * 8 + file)?
    }

    /// Whether White is to move, where the FEN says so.
    #[must_use]
    pub fn white_to_move(&self) -> Option<bool> {
        self.white_to_move
    }

    /// The position in words, for those who cannot see the drawing:
    /// `White: king e1, rooks a1 and h1. Black: king e8. White to move.`
    #[must_use]
    pub fn words(&self) -> String {
        let mut text = format!("White: {}. Black: {}.", self.army(true), self.army(false));
        if let Some(white) = self.white_to_move {
            text.push_str(if white { " White to move." } else { " Black to move." });
        }
        text
    }

    fn army(&self, white: bool) -> String {
        const ROLES: [(char, &str); 6] = [
            ('k', "king"),
            ('q', "queen"),
            ('r', "rook"),
            ('b', "bishop"),
            ('n', "knight"),
            ('p', "pawn"),
        ];
        let groups: Vec<String> = ROLES
            .iter()
            .filter_map(|&(letter, name)| {
                let letter = if white { letter.to_ascii_uppercase() } else { letter };
                let places = self.places(letter);
                let plural = if places.len() > 1 { "s" } else { "" };
                (!places.is_empty()).then(|| format!("{name}{plural} {}", enumerate(&places)))
            })
            .collect();
        if groups.is_empty() { "nothing".to_owned() } else { groups.join(", ") }
    }

    fn places(&self, letter: char) -> Vec<String> {
        let on_it = |&index: &usize| self.squares[index] == Some(letter);
        (0..64).filter(on_it).map(|index| square_name(index % 8, 7 - index / 8)).collect()
    }
}

/// `e4` from file 4 and rank 3.
pub(crate) fn square_name(file: usize, rank: usize) -> String {
    format!("{}{}", char::from(b'a' + (file as u8).min(7)), rank + 1)
}

/// File and rank of `e4`, each 0 to 7.
pub(crate) fn parse_square(name: &str) -> Option<(usize, usize)> {
    match name.as_bytes() {
        [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
            Some((usize::from(file - b'a'), usize::from(rank - b'1')))
        }
        _ => None,
    }
}

fn enumerate(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn reads_fens_and_bare_placements() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
        let bare = FenDiagram::parse(start).unwrap();
        assert_eq!(bare.piece(4, 0), Some('K'));
        assert_eq!(bare.piece(3, 7), Some('q'));
        assert_eq!(bare.piece(3, 3), None);
        assert_eq!(bare.white_to_move(), None);
        let full = FenDiagram::parse(&format!("{start} b KQkq - 0 1")).unwrap();
        assert_eq!(full.white_to_move(), Some(false));
    }

    #[test]
    fn refuses_what_is_no_board() {
        for bad in [
            "",
            "8/8/8",
            "9/8/8/8/8/8/8/8",
            "7/8/8/8/8/8/8/8",
            "ppppppppp/8/8/8/8/8/8/8",
            "x7/8/8/8/8/8/8/8",
            "88/8/8/8/8/8/8/8",
            "8/8/8/8/8/8/8/8/8",
        ] {
            assert_eq!(FenDiagram::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn speaks_the_position() {
        let board = FenDiagram::parse("4k3/8/8/8/8/8/PP6/R3K2R w KQ - 0 1").unwrap();
        assert_eq!(
            board.words(),
            "White: king e1, rooks a1 and h1, pawns a2 and b2. Black: king e8. White to move."
        );
    }
}
