//! XBoard's thinking output and moves, translated to UCI's notation.

use dyno_chess::{Move, Position};
use dyno_uci::Score;

/// One line of thinking output: depth, score, centiseconds, nodes, variation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ThinkingOutput<'a> {
    pub(super) depth: u32,
    pub(super) score: Score,
    pub(super) time_ms: u64,
    pub(super) nodes: u64,
    pub(super) variation: &'a str,
}

impl<'a> ThinkingOutput<'a> {
    /// Reads `ply score time nodes pv`; `None` for any other line.
    pub(super) fn parse(line: &'a str) -> Option<Self> {
        let mut rest = line;
        let mut word = || {
            rest = rest.trim_start();
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            rest = after;
            word
        };
        // Some engines mark the ply: `12.`, `12&`.
        let depth = word().trim_end_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
        let score: i32 = word().parse().ok()?;
        let centiseconds: u64 = word().parse().ok()?;
        let nodes = word().parse().ok()?;
        let time_ms = centiseconds.saturating_mul(10);
        Some(Self { depth, score: score_of(score), time_ms, nodes, variation: rest.trim() })
    }
}

/// XBoard writes mate in N as 100000 + N, for either side.
fn score_of(value: i32) -> Score {
    match value.unsigned_abs() {
        100_000..=100_999 => {
            let moves = value.abs() - 100_000;
            Score::Mate(if value < 0 { -moves } else { moves })
        }
        _ => Score::Cp(value),
    }
}

/// A move in any notation an XBoard engine may use.
pub(super) fn read_move(position: &Position, text: &str) -> Option<Move> {
    let text = text.trim();
    position.parse_uci(text).or_else(|_| position.parse_san(text)).ok()
}

/// Writes the variation as UCI moves into `out`, up to the first word that is not a move.
pub(super) fn write_variation(position: &Position, variation: &str, out: &mut String) {
    out.clear();
    let mut position = *position;
    for word in variation.split_ascii_whitespace() {
        // `1.`, `1...`, `1.e4`, `(+)`, `<TB>` and the like stand between moves.
        let bare = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let bare = if word.starts_with("0-0") { word } else { bare };
        if bare.is_empty() || !bare.starts_with(|c: char| c.is_ascii_alphabetic() || c == '0') {
            continue;
        }
        let Some(mv) = read_move(&position, bare) else { return };
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&position.uci(mv));
        position = position.play(mv);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn lines_of_real_engines() {
        let output =
            ThinkingOutput::parse("  3  29999     0      178  Rd1-d8             ").unwrap();
        assert_eq!((output.depth, output.nodes, output.variation), (3, 178, "Rd1-d8"));
        let output = ThinkingOutput::parse("2 161 12 65 (+) 1. Rd8#").unwrap();
        assert_eq!((output.score, output.time_ms), (Score::Cp(161), 120));
        assert_eq!(ThinkingOutput::parse("9. -100002 1 5 e4").unwrap().score, Score::Mate(-2));
        assert_eq!(ThinkingOutput::parse("1-0 {White mates}"), None);
        assert_eq!(ThinkingOutput::parse("Nodes: 64"), None);
    }

    #[test]
    fn variations() {
        let position = Position::from_fen("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1").unwrap();
        let mut out = String::new();
        for line in ["Rd1-d8", "(+) 1. Rd8#", "1.Rd8#", "d1d8 nonsense", "Rd8# "] {
            write_variation(&position, line, &mut out);
            assert_eq!(out, "d1d8", "{line}");
        }
        let start = Position::startpos();
        write_variation(&start, "1. e4 e5 2. Nf3 {?} Nc6", &mut out);
        assert_eq!(out, "e2e4 e7e5 g1f3 b8c6");
    }
}
