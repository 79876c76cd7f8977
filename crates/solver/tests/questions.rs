//! What the solver answers, question by question.

#![allow(clippy::unwrap_used, reason = "tests")]

use dyno_chess::{Move, Position};
use dyno_solver::{Budget, ProofError, Solver, Unsettled};
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

const NONE: &Budget<'static> = &Budget::NONE;

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

fn san(position: &Position, moves: &[Move]) -> Vec<String> {
    let mut at = *position;
    moves
        .iter()
        .map(|&mv| {
            let text = at.san(mv);
            at = at.play(mv);
            text
        })
        .collect()
}

#[test]
fn the_documents_examples_are_not_what_they_say() {
    let mut solver = Solver::default();
    // Said to be Qe1#.
    let queen = position("8/8/8/8/8/5K2/4Q3/7k w - - 0 1");
    assert_eq!(solver.shortest(&queen, 3, NONE), Ok(Some(1)));
    let claimed = queen.parse_san("Qe1").unwrap();
    assert_eq!(solver.keeps_mate(&queen, claimed, 1, NONE), Ok(false));
    let reply = solver.refutation(&queen, claimed, 1, NONE).unwrap().unwrap();
    assert_eq!(queen.play(claimed).san(reply), "Kh2");
    let keys = solver.keys(&queen, 1, NONE).unwrap();
    assert_eq!(keys.iter().map(|&mv| queen.san(mv)).collect::<Vec<_>>(), ["Qg2#"]);
    // Said to be mate in 2.
    let scholar = position("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4");
    assert_eq!(solver.shortest(&scholar, 3, NONE), Ok(Some(1)));
    // Said to be mate in 3.
    let legal = position("r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq - 0 1");
    assert_eq!(solver.shortest(&legal, 3, NONE), Ok(Some(2)));
    assert_eq!(san(&legal, &solver.line(&legal, 2, NONE).unwrap()), ["Nf6+", "gxf6", "Bxf7#"]);
}

#[test]
fn a_line_runs_to_the_mate_with_the_longest_defence() {
    let mut solver = Solver::default();
    let root = position("r5rk/2p1Nppp/3p3P/pp2p1P1/4P3/2qnPQK1/8/R6R w - - 1 0");
    assert_eq!(solver.shortest(&root, 6, NONE), Ok(Some(4)));
    let line = solver.line(&root, 4, NONE).unwrap();
    assert_eq!(line.len(), 7, "{:?}", san(&root, &line));
    let end = line.iter().fold(root, |at, &mv| {
        assert!(at.is_legal(mv));
        at.play(mv)
    });
    assert!(end.is_checkmate());
}

#[test]
fn the_side_to_move_can_be_the_one_that_is_mated() {
    let mut solver = Solver::default();
    let root = position("r5rk/2p1Nppp/3p3P/pp2p1P1/4P3/2qnPQK1/8/R6R w - - 1 0");
    let after = root.play(root.parse_san("hxg7+").unwrap());
    assert_eq!(solver.mated_in(&after, 6, NONE), Ok(Some(3)));
    let line = solver.line_when_mated(&after, 3, NONE).unwrap();
    assert_eq!(line.len(), 6);
    assert!(line.iter().fold(after, |at, &mv| at.play(mv)).is_checkmate());

    let mated = position("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1");
    assert_eq!(solver.mated_in(&mated, 3, NONE), Ok(Some(0)));
    assert_eq!(solver.line_when_mated(&mated, 0, NONE), Ok(vec![]));
    let stalemate = position("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    assert_eq!(solver.mated_in(&stalemate, 3, NONE), Ok(None));
    assert_eq!(solver.shortest(&stalemate, 3, NONE), Ok(None));
}

#[test]
fn a_tree_is_a_proof_and_a_damaged_one_is_not() {
    let mut solver = Solver::default();
    let root = position("r5rk/2p1Nppp/3p3P/pp2p1P1/4P3/2qnPQK1/8/R6R w - - 1 0");
    let key = solver.keys(&root, 4, NONE).unwrap()[0];
    let tree = solver.tree(&root, key, 4, NONE).unwrap();
    assert_eq!(tree.depth(), 4);
    assert!(tree.mates() >= 1);
    assert_eq!(tree.verify(&root), Ok(()));

    let mut unanswered = tree.clone();
    unanswered.answers.clear();
    assert!(matches!(unanswered.verify(&root), Err(ProofError::Unanswered(..))));
    let mut illegal = tree;
    illegal.mv = Move::from_bits(0);
    assert!(matches!(illegal.verify(&root), Err(ProofError::Illegal(..))));
}

#[test]
fn special_moves_can_mate() {
    let mut solver = Solver::default();
    for (fen, key) in [
        ("8/8/8/1p2p3/8/1R6/3Q4/R3K2k w Q - 0 1", "O-O-O#"),
        ("5K2/6B1/6p1/1R1pP3/7p/8/4R3/k7 w - d6 0 1", "exd6#"),
        ("6Q1/2P1k3/1pK2p2/8/8/r7/8/8 w - - 0 1", "c8=N#"),
    ] {
        let root = position(fen);
        assert_eq!(solver.shortest(&root, 2, NONE), Ok(Some(1)), "{fen}");
        let keys = solver.keys(&root, 1, NONE).unwrap();
        assert_eq!(keys.iter().map(|&mv| root.san(mv)).collect::<Vec<_>>(), [key], "{fen}");
    }
}

#[test]
fn a_budget_ends_the_search_and_says_what_is_known() {
    let mut solver = Solver::default();
    let start = Position::startpos();
    let small = Budget::nodes(100_000);
    let first = solver.shortest(&start, 20, &small);
    let Err(Unsettled { no_mate_in }) = first else { panic!("{first:?}") };
    assert!(no_mate_in >= 2);
    assert!(solver.nodes() <= 100_000);

    let mut again = Solver::default();
    assert_eq!(again.shortest(&start, 20, &small), first);
    assert_eq!(again.nodes(), solver.nodes(), "not deterministic");
}

#[test]
fn the_caller_can_stop_it() {
    let asked = AtomicU32::new(0);
    let stop = || asked.fetch_add(1, Ordering::Relaxed) >= 3;
    let budget = Budget { nodes: u64::MAX, stop: &stop };
    let answer = Solver::default().shortest(&Position::startpos(), 20, &budget);
    assert!(answer.is_err());
    assert_eq!(asked.load(Ordering::Relaxed), 4);
}

#[test]
fn answers_do_not_depend_on_what_was_asked_before() {
    let problems = [
        "r5rk/2p1Nppp/3p3P/pp2p1P1/4P3/2qnPQK1/8/R6R w - - 1 0",
        "2r2k2/4p3/p3Rb2/1p1Q3p/5P2/8/Pqn1NP1K/6R1 w - - 1 0",
    ];
    let mut used = Solver::default();
    let nodes = Cell::new(0);
    for fen in problems.into_iter().cycle().take(4) {
        let root = position(fen);
        let answer = used.shortest(&root, 5, NONE);
        let mut fresh = Solver::default();
        assert_eq!(fresh.shortest(&root, 5, NONE), answer);
        assert_eq!(fresh.nodes(), used.nodes());
        nodes.set(nodes.get() + fresh.nodes());
    }
    assert!(nodes.get() > 0);
}

#[test]
fn threads_give_the_same_answers() {
    let cases = [
        ("r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq - 1 1", 4),
        ("8/8/8/8/8/2k5/2p5/K7 b - - 0 1", 4),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", 3),
    ];
    for (fen, most) in cases {
        let at = position(fen);
        let (mut alone, mut together) = (Solver::new(4), Solver::with_threads(4, 4));
        let found = alone.shortest(&at, most, NONE);
        assert_eq!(together.shortest(&at, most, NONE), found, "{fen}");
        let Ok(Some(moves)) = found else { continue };
        assert_eq!(together.keys(&at, moves, NONE), alone.keys(&at, moves, NONE), "{fen}");
        assert_eq!(together.line(&at, moves, NONE), alone.line(&at, moves, NONE), "{fen}");
    }
    let hard = position("4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    let mut together = Solver::with_threads(4, 3);
    let given_up = together.shortest(&hard, 9, &Budget::nodes(20_000));
    assert!(matches!(given_up, Err(Unsettled { no_mate_in: 1.. })), "{given_up:?}");
    assert!(together.nodes() <= 20_000 + 3);
}
