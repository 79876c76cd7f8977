//! Positions and evaluations as text, for people.

use crate::eval::terms::TERMS;
use crate::eval::{Cache, Packed, evaluate, trace, weight};
use crate::search::Report;
use crate::{bench, score};
use dyno_chess::{Color, File, Move, Position, Rank, Square};
use dyno_uci::{Bound, Score};
use std::fmt::Write;

/// The board with its FEN, key and checkers.
pub fn board(pos: &Position) -> String {
    let mut text = String::from("\n +---+---+---+---+---+---+---+---+\n");
    for rank in Rank::ALL.into_iter().rev() {
        for file in File::ALL {
            let letter = pos.piece_at(Square::new(file, rank)).map_or(' ', |p| p.letter());
            let _ = write!(text, " | {letter}");
        }
        let _ = write!(text, " | {rank}\n +---+---+---+---+---+---+---+---+\n");
    }
    text.push_str("   a   b   c   d   e   f   g   h\n\n");
    let _ = writeln!(text, "Fen: {}", pos.fen());
    let _ = writeln!(text, "Key: {:016X}", pos.key());
    let checkers: Vec<String> = pos.checkers().into_iter().map(|s| s.to_string()).collect();
    let _ = write!(text, "Checkers: {}", checkers.join(" "));
    text
}

/// The evaluation, term by term.
pub fn evaluation(pos: &Position, cache: &mut Cache) -> String {
    let mut text = String::new();
    if let Some((counts, phase, scale)) = trace(pos) {
        text.push_str("term                 middlegame  endgame   (White's view)\n");
        let mut tell = |name: &str, worth: Packed| {
            let (middlegame, endgame) = (worth.middlegame(), worth.endgame());
            if (middlegame, endgame) != (0, 0) {
                let name = name.to_ascii_lowercase().replace('_', " ");
                let _ = writeln!(text, "{name:<20} {middlegame:>10} {endgame:>8}");
            }
        };
        for term in TERMS {
            let range = term.first..term.first + term.len;
            tell(term.name, range.map(|i| weight(i) * i32::from(counts.terms[i])).sum());
        }
        tell("king danger", counts.danger_worth());
        let _ = writeln!(text, "phase {phase} of 24, endgame counts {scale} of 64");
    }
    let value = evaluate(pos, cache);
    let white = if pos.side_to_move() == Color::White { value } else { -value };
    let note = if pos.is_check() { " (in check: the search does not use it)" } else { "" };
    let _ = write!(
        text,
        "Evaluation: {}{}.{:02} pawns, White's view{note}",
        if white < 0 { "-" } else { "+" },
        white.abs() / 100,
        white.abs() % 100
    );
    text
}

/// Moves in UCI's words, played one after the other.
pub fn line(pos: &Position, moves: &[Move]) -> String {
    let mut now = *pos;
    let mut text = String::new();
    for &mv in moves {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&now.uci(mv));
        now = now.play(mv);
    }
    text
}

/// The words of a score.
pub fn score(value: score::Value) -> String {
    match score::to_uci(value) {
        Score::Cp(cp) => format!("cp {cp}"),
        Score::Mate(moves) => format!("mate {moves}"),
    }
}

/// An `info` line.
pub fn info(pos: &Position, report: &Report<'_>) -> String {
    let mut text = format!("info depth {}", report.depth);
    if !report.pv.is_empty() {
        let _ = write!(text, " seldepth {} multipv {}", report.seldepth, report.line);
    }
    let _ = write!(text, " score {}", score(report.value));
    match report.bound {
        Bound::Exact => {}
        Bound::Lower => text.push_str(" lowerbound"),
        Bound::Upper => text.push_str(" upperbound"),
    }
    if !report.pv.is_empty() {
        let speed = bench::per_second(report.nodes, report.time);
        let _ = write!(
            text,
            " nodes {} nps {speed} hashfull {} tbhits 0 time {} pv {}",
            report.nodes,
            report.hashfull,
            report.time.as_millis(),
            line(pos, report.pv)
        );
    }
    text
}
