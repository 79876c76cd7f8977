//! The positions to search: the built-in list, or an EPD file of the user's.

use dyno_formats::epd::EpdReader;
use dyno_formats::{OpenError, open_text};
use dyno_suites::BENCH_POSITIONS;
use serde::{Deserialize, Serialize};
use std::io::BufRead;
use std::path::Path;

/// A position to search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BenchPosition {
    pub id: String,
    /// Empty where the engine has positions of its own.
    pub fen: String,
}

/// A line that was left out, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    pub line: u64,
    pub reason: String,
}

/// Positions and where they come from.
#[derive(Clone, Debug)]
pub struct PositionList {
    pub source: String,
    pub positions: Vec<BenchPosition>,
    pub skipped: Vec<Skipped>,
    /// Lines that were used without what their position cannot have.
    pub repaired: Vec<Skipped>,
}

/// Why there are no positions.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("{source_name}: no position to search{}", first_reason(.skipped))]
    Nothing { source_name: String, skipped: Vec<Skipped> },
}

fn first_reason(skipped: &[Skipped]) -> String {
    skipped.first().map_or(String::new(), |s| {
        format!(": {} unusable, the first on line {}: {}", skipped.len(), s.line, s.reason)
    })
}

/// The built-in list.
#[must_use]
pub fn builtin_positions() -> PositionList {
    read("built-in positions", BENCH_POSITIONS.text.as_bytes(), false)
}

impl PositionList {
    /// Reads an EPD file, or standard input for `-`; `repair` takes away castling rights and
    /// en-passant squares that a position cannot have.
    pub fn open(path: &Path, repair: bool) -> Result<Self, LoadError> {
        let name = match path.as_os_str() == "-" {
            true => "standard input".to_owned(),
            false => path.display().to_string(),
        };
        Self::load(&name, open_text(path)?.reader, repair)
    }

    /// Reads EPD text; lines that cannot be searched are left out and listed.
    pub fn load(name: &str, input: impl BufRead, repair: bool) -> Result<Self, LoadError> {
        let list = read(name, input, repair);
        match list.positions.is_empty() {
            false => Ok(list),
            true => Err(LoadError::Nothing { source_name: name.to_owned(), skipped: list.skipped }),
        }
    }
}

fn read(name: &str, input: impl BufRead, repair: bool) -> PositionList {
    let (mut positions, mut skipped, mut repaired) = (Vec::new(), Vec::new(), Vec::new());
    for record in EpdReader::new(input).repairing(repair) {
        match record {
            Ok(record) if record.position.legal_moves().is_empty() => skipped.push(Skipped {
                line: record.line,
                reason: "the game is over: there is nothing to search".to_owned(),
            }),
            Ok(record) => {
                repaired.extend(
                    record
                        .repairs()
                        .map(|defect| Skipped { line: record.line, reason: defect.to_string() }),
                );
                let mut position = record.position;
                position.set_chess960(position.needs_chess960());
                let fen =
                    if position.is_chess960() { position.shredder_fen() } else { position.fen() };
                positions.push(BenchPosition { id: record.label(), fen });
            }
            Err(error) => {
                skipped.push(Skipped { line: error.line, reason: error.reason.to_string() })
            }
        }
    }
    PositionList { source: name.to_owned(), positions, skipped, repaired }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use dyno_chess::Position;

    #[test]
    fn the_list_covers_every_phase() {
        let list = builtin_positions();
        assert!(list.skipped.is_empty(), "{:?}", list.skipped);
        assert_eq!(list.positions.len(), 24);
        let mut ids: Vec<&str> = list.positions.iter().map(|p| p.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 24, "ids differ");
        let men = |p: &BenchPosition| Position::from_fen(&p.fen).unwrap().occupied().count();
        let counts: Vec<u32> = list.positions.iter().map(men).collect();
        let between = |low, high| counts.iter().filter(|c| (low..=high).contains(*c)).count();
        assert!(between(28, 32) >= 6 && between(17, 27) >= 2 && between(1, 16) >= 7, "{counts:?}");
        assert!(list.positions.iter().any(|p| p.fen.contains(" b ")));
    }

    #[test]
    fn what_cannot_be_searched_is_listed() {
        let text = "rubbish\n7k/5Q2/6K1/8/8/8/8/8 b - - id \"stalemate\";\n";
        let error = PositionList::load("f.epd", text.as_bytes(), false).unwrap_err().to_string();
        assert!(error.contains("f.epd") && error.contains("line 1"), "{error}");
        let both = format!("{text}4k3/8/8/8/8/8/8/4K2R w K - id \"good\";\n");
        let list = PositionList::load("f.epd", both.as_bytes(), false).unwrap();
        assert_eq!((list.positions.len(), list.skipped.len()), (1, 2));
        assert_eq!(list.skipped[1].line, 2);
    }

    #[test]
    fn impossible_rights_are_repaired_if_asked() {
        let odds = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w KQkq - 0 1\n";
        assert!(PositionList::load("f.epd", odds.as_bytes(), false).is_err());
        let list = PositionList::load("f.epd", odds.as_bytes(), true).unwrap();
        assert!(list.positions[0].fen.contains(" w Kkq "), "{:?}", list.positions);
        assert!(list.repaired.len() == 1 && list.repaired[0].line == 1, "{:?}", list.repaired);
    }
}
