//! Files of perft counts, in the two layouts people use.
//!
//! One position a line, `FEN ;D1 20 ;D2 400`, with an optional `;id "name"`; or blocks of lines:
//! `id name`, `epd FEN`, `perft 1 20`, `perft 2 400`. Both may be mixed; `#` begins a comment.

use dyno_chess::Position;
use serde::{Deserialize, Serialize};

/// A position with its counts.
#[derive(Clone, Debug)]
pub struct Line {
    /// The line of the position in the file, from 1.
    pub number: usize,
    /// Its name in the file.
    pub id: Option<String>,
    /// The position.
    pub position: Position,
    /// Depths and counts, in the file's order.
    pub counts: Vec<(u32, u128)>,
}

/// A line that could not be used, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Defect {
    /// The line in the file, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}

/// What a file holds.
#[derive(Clone, Debug, Default)]
pub struct PerftFile {
    /// The positions, in order.
    pub lines: Vec<Line>,
    /// What could not be read.
    pub defects: Vec<Defect>,
}

/// A block that is being read.
#[derive(Default)]
struct Block {
    id: Option<String>,
    /// The line and what it held; `None` once it was found bad.
    position: Option<(usize, Option<Position>)>,
    counts: Vec<(u32, u128)>,
}

impl PerftFile {
    /// Reads a file's text; lines that make no sense become defects.
    pub fn read(text: &str) -> PerftFile {
        let mut file = PerftFile::default();
        let mut block = Block::default();
        for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let number = index + 1;
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let rest = rest.trim();
            match word.to_ascii_lowercase().as_str() {
                "id" => {
                    file.close(&mut block);
                    block.id = Some(unquoted(rest));
                }
                "epd" | "fen" => {
                    let id = block.id.take().filter(|_| block.position.is_none());
                    file.close(&mut block);
                    block.id = id;
                    block.position = Some((number, file.position(number, rest)));
                }
                "perft" => file.block_count(&mut block, number, rest),
                _ => {
                    file.close(&mut block);
                    file.one_line(number, line);
                }
            }
        }
        file.close(&mut block);
        file
    }

    fn defect(&mut self, line: usize, why: impl Into<String>) {
        self.defects.push(Defect { line, why: why.into() });
    }

    fn position(&mut self, number: usize, fen: &str) -> Option<Position> {
        match Position::from_fen(fen.trim_end_matches(';').trim()) {
            Ok(position) => Some(position),
            Err(error) => {
                self.defect(number, error.to_string());
                None
            }
        }
    }

    /// Ends the block that was being read, if there was one.
    fn close(&mut self, block: &mut Block) {
        let Block { id, position, counts } = std::mem::take(block);
        match position {
            Some((number, Some(position))) if !counts.is_empty() => {
                self.lines.push(Line { number, id, position, counts });
            }
            Some((number, Some(_))) => self.defect(number, "the position has no counts"),
            // A bad position has been noted already; a lone name does no harm.
            Some((_, None)) | None => {}
        }
    }

    fn block_count(&mut self, block: &mut Block, number: usize, rest: &str) {
        if block.position.is_none() {
            return self.defect(number, "a perft count without a position before it");
        }
        match count(rest) {
            Some(count) => block.counts.push(count),
            None => self.defect(number, format!("\"perft {rest}\" is not a depth and a count")),
        }
    }

    fn one_line(&mut self, number: usize, line: &str) {
        let mut fields = line.split(';').map(str::trim);
        let fen = fields.next().unwrap_or_default();
        if fen.is_empty() {
            return;
        }
        let Some(position) = self.position(number, fen) else { return };
        let mut entry = Line { number, id: None, position, counts: Vec::new() };
        for field in fields.filter(|field| !field.is_empty()) {
            if let Some(found) = field.strip_prefix(['D', 'd']).and_then(count) {
                entry.counts.push(found);
            } else if let Some(id) = field.strip_prefix("id ") {
                entry.id = Some(unquoted(id));
            } else {
                return self.defect(number, format!("\"{field}\" is not a count such as D3 8902"));
            }
        }
        if entry.counts.is_empty() {
            return self.defect(number, "the position has no counts");
        }
        self.lines.push(entry);
    }
}

/// A depth and a count; the count may have its digits in groups.
fn count(text: &str) -> Option<(u32, u128)> {
    let (depth, nodes) = text.split_once(char::is_whitespace)?;
    let digits: String = nodes.trim().chars().filter(|c| !matches!(c, ',' | '_')).collect();
    Some((depth.parse().ok()?, digits.parse().ok()?))
}

fn unquoted(text: &str) -> String {
    text.trim().trim_end_matches(';').trim().trim_matches('"').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

    #[allow(clippy::type_complexity, reason = "a test's own rows")]
    fn counts(file: &PerftFile) -> Vec<(usize, Option<&str>, &[(u32, u128)])> {
        file.lines.iter().map(|l| (l.number, l.id.as_deref(), &l.counts[..])).collect()
    }

    #[test]
    fn both_layouts_with_comments_and_carriage_returns() {
        let text = format!(
            "\u{feff}# a comment\r\n{START} 0 1 ;D1 20 ;D2 400\r\n\r\n\
             {START}; d3 8,902; id \"named\";\r\n\
             id block one\r\nepd {START}\r\nperft 1 20\r\nperft 2 400 # known\r\n\
             id two\r\nepd {START} 0 1\r\nperft 0 1\r\n"
        );
        let file = PerftFile::read(&text);
        assert_eq!(file.defects, []);
        assert_eq!(
            counts(&file),
            [
                (2, None, &[(1, 20), (2, 400)][..]),
                (4, Some("named"), &[(3, 8902)]),
                (6, Some("block one"), &[(1, 20), (2, 400)]),
                (10, Some("two"), &[(0, 1)]),
            ]
        );
    }

    #[test]
    fn bad_lines_are_listed_and_the_rest_is_read() {
        let text = format!(
            "8/P7/8/8/8/8/p7/8 w - - 0 1 ;D1 2\n{START} ;D1 twenty\n{START}\nperft 1 20\n\
             epd 8/8 w - -\nperft 1 20\nepd {START}\nperft one\n{START} ;D1 20\nnonsense\n"
        );
        let file = PerftFile::read(&text);
        let defects: Vec<(usize, &str)> =
            file.defects.iter().map(|d| (d.line, d.why.as_str())).collect();
        assert_eq!(
            defects,
            [
                (1, "White has no king"),
                (2, "\"D1 twenty\" is not a count such as D3 8902"),
                (3, "the position has no counts"),
                (4, "a perft count without a position before it"),
                (5, "the board has 2 ranks instead of 8"),
                (8, "\"perft one\" is not a depth and a count"),
                (7, "the position has no counts"),
                (10, "1 of the 4 needed fields (pieces, side to move, castling, en passant)"),
            ]
        );
        assert_eq!(counts(&file), [(9, None, &[(1, 20)][..])]);
    }
}
