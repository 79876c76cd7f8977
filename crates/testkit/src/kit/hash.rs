//! The hash: kept against recomputed, distinct for distinct positions.

use super::walk::{Step, walk};
use super::{Board, Check, Effort, Finding, HashCause, Problem};
use dyno_chess::{Move, Position};
use std::collections::HashMap;

/// How often a kind of move was seen, and how often the hash drifted on it.
#[derive(Default)]
struct Tally {
    seen: [u32; HashCause::ORDER.len()],
    drifted: [u32; HashCause::ORDER.len()],
}

impl HashCause {
    /// The more particular a cause, the earlier it stands.
    const ORDER: [HashCause; 8] = [
        HashCause::OldEnPassant,
        HashCause::NewEnPassant,
        HashCause::EnPassantCapture,
        HashCause::CastlingRook,
        HashCause::Promotion,
        HashCause::CastlingRights,
        HashCause::Capture,
        HashCause::EveryMove,
    ];

    fn applies(self, before: &Position, mv: Move, after: &Position) -> bool {
        match self {
            HashCause::OldEnPassant => before.en_passant().is_some(),
            HashCause::NewEnPassant => after.en_passant().is_some(),
            HashCause::EnPassantCapture => mv.is_en_passant(),
            HashCause::CastlingRook => mv.is_castling(),
            HashCause::Promotion => mv.promotion().is_some(),
            HashCause::CastlingRights => before.castling_rooks() != after.castling_rooks(),
            HashCause::Capture => before.is_capture(mv),
            HashCause::EveryMove => true,
        }
    }
}

/// On random walks: the hash kept by make equals the recomputed one, undo restores it, and no two
/// different positions share a key. Names the part of make that most likely forgets it.
pub fn hash<B: Board>(effort: &Effort) -> Vec<Finding> {
    let mut tally = Tally::default();
    let mut drift: Option<(Finding, u64, u64)> = None;
    let mut undo: Option<Finding> = None;
    let mut keys: HashMap<u64, Position> = HashMap::new();
    let mut collisions = Vec::new();
    walk::<B>(effort, |step| {
        let Step { board, before, reference, mv, start, moves } = step;
        let Some(at_first) = board.hash() else { return false };
        board.make(mv);
        board.unmake(mv);
        let restored = board.hash();
        let line = |mv: Option<Move>| -> Vec<String> {
            moves.iter().cloned().chain(mv.map(|mv| before.uci(mv))).collect()
        };
        if let Some(after) = restored.filter(|after| *after != at_first)
            && undo.is_none()
        {
            let problem = Problem::HashNotRestored { before: at_first, after };
            undo = Some(finding(start, line(Some(reference)), problem));
        }
        if restored != Some(at_first) {
            return false;
        }
        board.make(mv);
        let after = before.play(reference);
        let (Some(kept), Some(recomputed)) = (board.hash(), board.hash_from_scratch()) else {
            return board.hash().is_some();
        };
        let drifted = kept != recomputed;
        for (index, cause) in HashCause::ORDER.into_iter().enumerate() {
            if cause.applies(before, reference, &after) {
                tally.seen[index] += 1;
                tally.drifted[index] += u32::from(drifted);
            }
        }
        if drifted {
            if drift.is_none() {
                let problem = Problem::HashNotRestored { before: 0, after: 0 };
                drift = Some((finding(start, line(Some(reference)), problem), kept, recomputed));
            }
            return false;
        }
        match keys.get(&kept) {
            Some(other) if !other.is_same(&after) => {
                if collisions.is_empty() {
                    let problem = match blind_to(other, &after) {
                        Some(to) => Problem::HashBlind { to, other: other.fen() },
                        None => Problem::HashCollides { other: other.fen(), key: kept },
                    };
                    collisions.push(finding(start, line(Some(reference)), problem));
                }
            }
            Some(_) => {}
            None => _ = keys.insert(kept, after),
        }
        true
    });
    let mut findings: Vec<Finding> = undo.into_iter().collect();
    if let Some((mut found, kept, recomputed)) = drift {
        found.problem = Problem::HashDrifts { cause: likeliest(&tally), kept, recomputed };
        findings.push(found);
    }
    findings.extend(collisions);
    findings
}

/// The cause whose moves drift most often; among equals the more particular one.
fn likeliest(tally: &Tally) -> HashCause {
    let share =
        |index: usize| (1000 * tally.drifted[index]).checked_div(tally.seen[index]).unwrap_or(0);
    let all: u32 = tally.drifted[HashCause::ORDER.len() - 1];
    // A cause must explain nearly all drifts, not only be present whenever it occurs.
    (0..HashCause::ORDER.len())
        .filter(|index| 10 * tally.drifted[*index] >= 9 * all)
        .max_by_key(|index| (share(*index), std::cmp::Reverse(*index)))
        .map_or(HashCause::EveryMove, |index| HashCause::ORDER[index])
}

/// What two positions differ in, when it is one thing only.
fn blind_to(one: &Position, other: &Position) -> Option<&'static str> {
    let same_board = one.fen().split(' ').next() == other.fen().split(' ').next();
    let side = one.side_to_move() == other.side_to_move();
    let castling = one.castling_rooks() == other.castling_rooks();
    let passing = one.en_passant() == other.en_passant();
    match (same_board, side, castling, passing) {
        (true, false, true, true) => Some("the side to move"),
        (true, true, false, true) => Some("castling rights"),
        (true, true, true, false) => Some("the en-passant square"),
        _ => None,
    }
}

/// Positions that differ in one thing only must have different keys.
pub fn hash_distinguishes<B: Board>() -> Vec<Finding> {
    const PAIRS: &[(&str, &str)] = &[
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "4k3/8/8/8/8/8/8/4K2R w - - 0 1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQq - 0 1"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1"),
    ];
    let mut findings = Vec::new();
    for (one, other) in PAIRS {
        let keys = [one, other].map(|fen| B::from_fen(fen).ok().and_then(|board| board.hash()));
        if let [Some(a), Some(b)] = keys
            && a == b
            && let (Ok(p), Ok(q)) = (Position::from_fen(one), Position::from_fen(other))
        {
            let to = blind_to(&p, &q).unwrap_or("the difference");
            findings.push(finding(
                one,
                Vec::new(),
                Problem::HashBlind { to, other: (*other).into() },
            ));
        }
    }
    findings
}

fn finding(start: &str, moves: Vec<String>, problem: Problem) -> Finding {
    Finding { check: Check::Hash, problem, fen: start.into(), moves }
}
