//! Names of openings, by the positions that games go through.

use dyno_chess::Position;
use std::collections::HashMap;
use std::sync::OnceLock;

/// An opening: its code in the Encyclopaedia of Chess Openings, and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EcoEntry {
    pub code: &'static str,
    pub name: String,
}

/// Plies from the start of a game in which its opening gets its name: the longest line of the
/// table, with room for detours.
pub const NAMED_PLIES: usize = 48;

/// The opening of a position, whatever moves led to it.
pub fn at(position: &Position) -> Option<&'static EcoEntry> {
    table().get(&position.key())
}

fn table() -> &'static HashMap<u64, EcoEntry> {
    static TABLE: OnceLock<HashMap<u64, EcoEntry>> = OnceLock::new();
    TABLE.get_or_init(|| read(dyno_suites::ECO))
}

/// Each line: plies kept of the line before, further moves, code, name.
fn read(text: &'static str) -> HashMap<u64, EcoEntry> {
    let mut table = HashMap::new();
    let mut line_so_far = vec![Position::startpos()];
    let mut family = "";
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut rest = line;
        let mut word = || {
            let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
            rest = after;
            word
        };
        let Ok(kept) = word().parse::<usize>() else { continue };
        line_so_far.truncate(kept + 1);
        let code = loop {
            let word = word();
            let last = line_so_far[line_so_far.len() - 1];
            match last.parse_uci(word) {
                Ok(mv) => line_so_far.push(last.play(mv)),
                Err(_) => break word,
            }
        };
        let name = match rest.starts_with(':') {
            true => format!("{family}{rest}"),
            false => {
                family = rest.split(": ").next().unwrap_or(rest);
                rest.to_owned()
            }
        };
        table.insert(line_so_far[line_so_far.len() - 1].key(), EcoEntry { code, name });
    }
    table
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn code(moves: &str) -> Option<&'static str> {
        let (mut position, mut found) = (Position::startpos(), None);
        for text in moves.split_whitespace() {
            position = position.play(position.parse_uci(text).unwrap());
            found = at(&position).or(found);
        }
        found.map(|entry| entry.code)
    }

    #[test]
    fn openings_have_their_names() {
        assert_eq!(table().len(), 3807, "every line of the table is read");
        assert_eq!(code(""), None);
        assert_eq!(code("e2e4"), Some("B00"));
        assert_eq!(code("e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6"), Some("B90"));
        // By another order of moves, and with moves beyond the table.
        assert_eq!(code("g1f3 d7d6 e2e4 c7c5 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6 a1b1"), Some("B90"));
        let najdorf = table().values().find(|entry| entry.name.ends_with("Najdorf Variation"));
        assert_eq!(najdorf.unwrap().name, "Sicilian Defense: Najdorf Variation");
    }
}
