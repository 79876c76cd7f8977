//! Whole collections of mates, solved and proved.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]

use dyno_chess::Position;
use dyno_solver::{Budget, Solver};
use std::path::PathBuf;

const NONE: &Budget<'static> = &Budget::NONE;

fn read(name: &str) -> Option<String> {
    let path =
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")).join(name);
    match std::fs::read(&path) {
        Ok(bytes) => Some(bytes.iter().map(|&byte| char::from(byte)).collect()),
        Err(error) => {
            eprintln!("skipped: {}: {error}", path.display());
            None
        }
    }
}

fn fens_of_pgn(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("[FEN \"")?.strip_suffix("\"]")).collect()
}

/// Solves, checks the whole tree by the rules alone, and returns the positions whose shortest mate
/// is not the stated one.
fn disputed<'a>(fens: &[&'a str], stated: u32) -> Vec<(&'a str, Option<u32>)> {
    let mut solver = Solver::default();
    let mut disputed = Vec::new();
    for &fen in fens {
        let position = Position::from_fen(fen).unwrap();
        let shortest = solver.shortest(&position, stated + 2, NONE).unwrap();
        if shortest != Some(stated) {
            disputed.push((fen, shortest));
        }
        let Some(moves) = shortest else { continue };
        let line = solver.line(&position, moves, NONE).unwrap();
        assert_eq!(line.len() as u32, 2 * moves - 1, "{fen}");
        let tree = solver.tree(&position, line[0], moves, NONE).unwrap();
        assert_eq!(tree.depth(), moves, "{fen}");
        assert_eq!(tree.verify(&position), Ok(()), "{fen}");
    }
    disputed
}

#[test]
fn all_two_and_three_movers_are_as_stated() {
    for (name, stated, count) in [("mate_in_2", 2, 166), ("mate_in_3", 3, 375)] {
        let Some(text) = read(&format!("open/mates/{name}.pgn")) else { return };
        let fens = fens_of_pgn(&text);
        assert_eq!(fens.len(), count);
        assert_eq!(disputed(&fens, stated), []);
    }
}

/// Every twentieth in a plain run, and the three that are wrongly stated; all of them with
/// `cargo test --release -p dyno-solver -- --ignored`.
#[test]
fn four_movers_are_as_stated_or_disputed() {
    let Some(text) = read("open/mates/mate_in_4.pgn") else { return };
    let fens: Vec<&str> = fens_of_pgn(&text).into_iter().step_by(20).collect();
    assert_eq!(disputed(&fens, 4), []);
    assert_eq!(disputed(&["2r2k2/4p3/p3Rb2/1p1Q3p/5P2/8/Pqn1NP1K/6R1 w - - 1 0"], 4)[0].1, Some(3));
}

#[test]
#[ignore = "a minute without optimisation"]
fn all_four_movers_are_as_stated_or_disputed() {
    let Some(text) = read("open/mates/mate_in_4.pgn") else { return };
    let fens = fens_of_pgn(&text);
    assert_eq!(fens.len(), 373);
    assert_eq!(
        disputed(&fens, 4),
        [
            ("5r1k/7p/3p1PpN/4p1P1/4P2P/1R6/5b2/7K w - - 1 0", Some(6)),
            ("4q1kr/p4p2/1p1QbPp1/2p1P1Np/2P5/7P/PP4P1/3R3K w - - 1 0", Some(5)),
            ("2r2k2/4p3/p3Rb2/1p1Q3p/5P2/8/Pqn1NP1K/6R1 w - - 1 0", Some(3)),
        ]
    );
}

#[test]
fn problems_by_composers_are_as_stated() {
    for (name, stated, step) in [("mate_in_2", 2, 4), ("mate_in_3", 3, 10)] {
        let Some(text) = read(&format!("test-only/mates/{name}.leorik.epd")) else { return };
        let fens: Vec<String> = text
            .lines()
            .map(|line| line.split_whitespace().take(4).collect::<Vec<_>>().join(" "))
            .filter(|fen| !fen.is_empty())
            .step_by(step)
            .collect();
        let fens: Vec<&str> = fens.iter().map(String::as_str).collect();
        assert_eq!(disputed(&fens, stated), []);
    }
}
