//! Integrity: undo restores every bit, aggregates agree, make leads where the rules say.

use super::walk::walk;
use super::{Board, Check, Effort, Finding, Problem};
use dyno_chess::Position;

const FEN_PARTS: [&str; 6] = [
    "the pieces",
    "the side to move",
    "the castling rights",
    "the en-passant square",
    "the half-move clock",
    "the move number",
];

/// On random walks: after every make and undo the board is what it was, and its own aggregates
/// agree; after every make it is where the reference is. One finding for each kind of fault.
pub fn integrity<B: Board>(effort: &Effort) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    walk::<B>(effort, |step| {
        let (before, reference) = (step.before, step.reference);
        let mut line = step.moves.to_vec();
        line.push(before.uci(reference));
        let mut report = |problem: Problem| {
            let known = findings.iter().any(|f| same_kind(&f.problem, &problem));
            if !known {
                let fen = step.start.to_string();
                findings.push(Finding {
                    check: Check::Integrity,
                    problem,
                    fen,
                    moves: line.clone(),
                });
            }
            false
        };
        let (state, fen) = (step.board.state(), step.board.fen());
        step.board.make(step.mv);
        step.board.unmake(step.mv);
        if let Some((part, was, is)) =
            changed_part(fen, step.board.fen()).or_else(|| changed_state(state, step.board.state()))
        {
            return report(Problem::UndoChanges { part, before: was, after: is });
        }
        if let Err(error) = step.board.integrity() {
            return report(Problem::IntegrityBroken { error, after_undo: true });
        }
        step.board.make(step.mv);
        if let Err(error) = step.board.integrity() {
            return report(Problem::IntegrityBroken { error, after_undo: false });
        }
        let expected = before.play(reference);
        match step.board.fen() {
            Some(found) if !leads_to(&found, &expected) => {
                report(Problem::FenDiffers { expected: expected.fen(), found })
            }
            _ => true,
        }
    });
    findings
}

fn same_kind(one: &Problem, other: &Problem) -> bool {
    match (one, other) {
        (Problem::UndoChanges { part: a, .. }, Problem::UndoChanges { part: b, .. }) => a == b,
        _ => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}

/// The first FEN field that undo changed.
fn changed_part(before: Option<String>, after: Option<String>) -> Option<(String, String, String)> {
    let (before, after) = (before?, after?);
    let fields = before.split_whitespace().zip(after.split_whitespace());
    for ((was, is), part) in fields.zip(FEN_PARTS) {
        if was != is {
            return Some((part.into(), was.into(), is.into()));
        }
    }
    None
}

fn changed_state(
    before: Option<String>,
    after: Option<String>,
) -> Option<(String, String, String)> {
    let (before, after) = (before?, after?);
    (before != after).then(|| ("the whole state".into(), before, after))
}

/// Whether a FEN means the expected position; how en passant is written is left to the engine.
fn leads_to(found: &str, expected: &Position) -> bool {
    Position::from_fen(found).is_ok_and(|position| {
        position.is_same(expected) && position.halfmove_clock() == expected.halfmove_clock()
    })
}
