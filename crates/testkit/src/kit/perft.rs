//! Perft against the reference, with descent to the first differing move list.

use super::{Board, Check, Effort, Finding, POSITIONS, Problem};
use dyno_chess::{Move, Position, diagnose, perft};

/// Counts move sequences in positions that need every rule, and where a count differs goes down
/// to the position whose move list is wrong and names the moves and the rule.
pub fn perft<B: Board>(effort: &Effort) -> Vec<Finding> {
    let mut findings = Vec::new();
    for fen in POSITIONS {
        let Ok(position) = Position::from_fen(fen) else { continue };
        let mut board = match B::from_fen(fen) {
            Ok(board) => board,
            Err(error) => {
                findings.push(finding(fen, &[], Problem::FenRefused { error }));
                continue;
            }
        };
        let mut depth = 1;
        while depth < 6 && perft::perft(&position, depth + 1) <= effort.perft_nodes {
            depth += 1;
        }
        let mut past = Vec::new();
        descend(&mut board, &position, depth, fen, &mut past, &mut findings);
    }
    findings
}

/// Compares one position; true when everything below it agrees.
fn descend<B: Board>(
    board: &mut B,
    position: &Position,
    depth: u32,
    fen: &str,
    past: &mut Vec<(Position, Move)>,
    findings: &mut Vec<Finding>,
) -> bool {
    let before = findings.len();
    let moves = board.legal_moves();
    compare_lists(board, position, &moves, fen, past, findings);
    if findings.len() > before {
        return false;
    }
    if depth <= 1 {
        return true;
    }
    for mv in &moves {
        let Ok(reference) = position.parse_uci(&board.uci(mv)) else { return false };
        let next = position.play(reference);
        board.make(mv);
        let expected = perft::perft(&next, depth - 1);
        let found = count(board, depth - 1);
        past.push((*position, reference));
        if found != expected {
            let agreed = descend(board, &next, depth - 1, fen, past, findings);
            if agreed {
                let problem = Problem::CountDiffers { depth: depth - 1, expected, found };
                findings.push(finding(fen, past, problem));
            }
        }
        past.pop();
        board.unmake(mv);
        if findings.len() > before {
            return false;
        }
    }
    true
}

fn compare_lists<B: Board>(
    board: &B,
    position: &Position,
    moves: &[B::Move],
    fen: &str,
    past: &[(Position, Move)],
    findings: &mut Vec<Finding>,
) {
    let mut seen: Vec<Move> = Vec::new();
    for mv in moves {
        let text = board.uci(mv);
        match position.parse_uci(&text) {
            Ok(known) if seen.contains(&known) => {
                let why = diagnose::Surplus::Duplicate;
                findings.push(finding(fen, past, Problem::MoveSurplus { mv: text, why }));
            }
            Ok(known) => seen.push(known),
            Err(_) => {
                let why = diagnose::surplus(position, &text, past);
                findings.push(finding(fen, past, Problem::MoveSurplus { mv: text, why }));
            }
        }
    }
    for legal in &position.legal_moves() {
        if !seen.contains(&legal) {
            let why = diagnose::missing(position, legal);
            let mv = position.uci(legal);
            findings.push(finding(fen, past, Problem::MoveMissing { mv, why }));
        }
    }
}

fn count<B: Board>(board: &mut B, depth: u32) -> u64 {
    let moves = board.legal_moves();
    if depth <= 1 {
        return moves.len() as u64;
    }
    let mut total = 0;
    for mv in &moves {
        board.make(mv);
        total += count(board, depth - 1);
        board.unmake(mv);
    }
    total
}

fn finding(fen: &str, past: &[(Position, Move)], problem: Problem) -> Finding {
    let moves = past.iter().map(|(position, mv)| position.uci(*mv)).collect();
    Finding { check: Check::Perft, problem, fen: fen.into(), moves }
}
