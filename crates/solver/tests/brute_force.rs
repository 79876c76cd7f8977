//! The solver against a plain minimax that knows no tricks.

#![allow(clippy::unwrap_used, reason = "tests")]

use dyno_chess::Position;
use dyno_solver::{Budget, Solver};

/// Whether the side to move mates in at most `moves`, by trying everything.
fn mates(position: &Position, moves: u32) -> bool {
    moves > 0
        && position.legal_moves().into_iter().any(|mv| is_mated(&position.play(mv), moves - 1))
}

/// Whether the side to move is mated in at most `moves` whatever it does.
fn is_mated(position: &Position, moves: u32) -> bool {
    let replies = position.legal_moves();
    if replies.is_empty() {
        return position.is_check();
    }
    moves > 0 && replies.into_iter().all(|mv| mates(&position.play(mv), moves))
}

/// Positions of random games, small enough for brute force: mates are frequent near their ends.
fn positions() -> Vec<Position> {
    let starts = [
        "8/8/8/8/8/1k6/3q4/K7 b - - 0 1",
        "4k3/8/4K3/8/8/8/8/R6R w - - 0 1",
        "8/5P1k/8/6K1/8/8/8/8 w - - 0 1",
        "6k1/5ppp/8/8/8/8/5PPP/3RR1K1 w - - 0 1",
        "k7/8/1K6/8/8/8/1N6/2B5 w - - 0 1",
        "r3k3/8/8/8/8/8/1q6/4K2R w Kq - 0 1",
        "7k/8/8/3pP3/8/8/5Q2/K5R1 w - d6 0 1",
    ];
    let mut random = 0x2545_f491_4f6c_dd1du64;
    let mut found = Vec::new();
    for start in starts {
        for _ in 0..12 {
            let mut position = Position::from_fen(start).unwrap();
            for _ in 0..8 {
                found.push(position);
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position = position.play(moves[random as usize % moves.len()]);
            }
        }
    }
    found.sort_by_key(Position::key);
    found.dedup_by_key(|position| position.key());
    found
}

#[test]
fn agrees_with_brute_force_on_every_question() {
    let mut solver = Solver::new(1);
    let mut mates_seen = 0;
    for position in positions() {
        for moves in 1..=2 {
            let truth = mates(&position, moves);
            mates_seen += u32::from(truth);
            assert_eq!(
                solver.mates_within(&position, moves, &Budget::NONE),
                Ok(truth),
                "mate in {moves} in {position}"
            );
            assert_eq!(
                solver.mated_within(&position, moves, &Budget::NONE),
                Ok(is_mated(&position, moves)),
                "mated in {moves} in {position}"
            );
            let keys = solver.keys(&position, moves, &Budget::NONE).unwrap();
            for mv in &position.legal_moves() {
                let truth = is_mated(&position.play(mv), moves - 1);
                assert_eq!(keys.contains(&mv), truth, "key {mv:?} in {moves} in {position}");
            }
        }
    }
    assert!(mates_seen > 50, "too few mates to mean anything: {mates_seen}");
}

#[test]
fn agrees_with_brute_force_three_moves_deep() {
    let mut solver = Solver::new(1);
    let mut mates_seen = 0;
    for position in positions().into_iter().filter(|p| p.occupied().count() <= 4).step_by(3) {
        let truth = mates(&position, 3);
        mates_seen += u32::from(truth);
        assert_eq!(solver.mates_within(&position, 3, &Budget::NONE), Ok(truth), "{position}");
    }
    assert!(mates_seen > 5, "too few mates to mean anything: {mates_seen}");
}
