//! The search keeps its promises: determinism, exact mates, legal variations, the drawing rules.

#![allow(clippy::unwrap_used, reason = "tests")]

use dyno_chess::{Game, Move, Position};
use dyno_piston::bench::POSITIONS;
use dyno_piston::score::{MATE, is_mate, to_uci};
use dyno_piston::search::{
    Listener, Report, SearchResult, Signals, Silent, Task, ThreadData, search,
};
use dyno_piston::tt::Table;
use dyno_uci::{Bound, Score};

fn think(task: &Task, listener: &mut dyn Listener) -> SearchResult {
    let table = Table::new(4).unwrap();
    search(task, &table, &mut [ThreadData::default()], &Signals::default(), listener)
}

fn at_depth(fen: &str, depth: u32) -> SearchResult {
    let root = Position::from_fen(fen).unwrap();
    think(&Task { depth: Some(depth), ..Task::new(root) }, &mut Silent)
}

fn position_after(root: &Position, pv: &[Move]) -> Position {
    let mut now = *root;
    for &mv in pv {
        assert!(now.is_legal(mv), "{mv:?} in {now}");
        now = now.play(mv);
    }
    now
}

#[test]
fn one_thread_is_deterministic() {
    for fen in &POSITIONS[..12] {
        let first = at_depth(fen, 7);
        assert_eq!(first, at_depth(fen, 7), "{fen}");
        let root = Position::from_fen(fen).unwrap();
        let task = || Task { nodes: Some(5_000), ..Task::new(root) };
        assert_eq!(think(&task(), &mut Silent), think(&task(), &mut Silent), "{fen}");
    }
}

#[test]
fn a_limit_of_nodes_is_exact() {
    let root = Position::startpos();
    for limit in [1, 2, 30, 1_000, 1_024, 5_000, 20_001] {
        let answer = think(&Task { nodes: Some(limit), ..Task::new(root) }, &mut Silent);
        assert_eq!(answer.nodes, limit);
        assert!(root.is_legal(answer.best().unwrap()));
    }
}

#[test]
fn mates_are_exact() {
    for (fen, moves) in [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1),
        ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", 1),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2),
        ("r1b1kb1r/pppp1ppp/5q2/4n3/3KP3/2N3PN/PPP4P/R1BQ1B1R b kq - 0 1", 3),
        ("r3k2r/ppp2Npp/1b5n/4p2b/2B1P2q/BQP2P2/P5PP/RN5K w kq - 1 0", 3),
    ] {
        let answer = at_depth(fen, 18);
        assert_eq!(to_uci(answer.value), Score::Mate(moves), "{fen}");
        let end = position_after(&Position::from_fen(fen).unwrap(), &answer.pv);
        assert!(end.is_checkmate(), "{fen}: the variation must end in mate: {end}");
        assert_eq!(answer.pv.len() as i32, MATE - answer.value, "{fen}");
    }
}

/// Checks every line a search tells.
struct Examiner {
    root: Position,
    nodes: u64,
    lines: usize,
}

impl Listener for Examiner {
    fn report(&mut self, report: &Report<'_>) {
        assert!(report.nodes >= self.nodes, "nodes fell");
        self.nodes = report.nodes;
        self.lines += 1;
        assert!(report.value.abs() <= MATE);
        let end = position_after(&self.root, report.pv);
        if report.bound == Bound::Exact && is_mate(report.value) {
            assert!(end.is_checkmate(), "{} {:?}", self.root, report.pv);
            assert_eq!(report.pv.len() as i32, MATE - report.value.abs());
        }
    }
}

#[test]
fn every_variation_is_legal_and_mates_end_in_mate() {
    for fen in POSITIONS {
        let root = Position::from_fen(fen).unwrap();
        for lines in [1, 3] {
            let mut examiner = Examiner { root, nodes: 0, lines: 0 };
            let task = Task { depth: Some(6), lines, ..Task::new(root) };
            let answer = think(&task, &mut examiner);
            assert!(examiner.lines >= 6);
            assert!(root.is_legal(answer.best().unwrap()));
            assert_eq!(answer.illegal_table_moves, 0);
        }
    }
}

/// Mates that the table knew of before the variation came to them.
#[test]
fn mates_known_to_the_table_come_with_their_moves() {
    for fen in [
        "r1b1qN1k/1pp3p1/p2p3n/4p1B1/8/1BP4Q/PP3KPP/8 w - - 0 1",
        "rn1qr2Q/pbppk1p1/1p2pb2/4N3/3P4/2N5/PPP3PP/R4RK1 w - - 0 1",
        "k7/p4p2/P1q1b1p1/3p3p/3Q4/7P/5PP1/1R4K1 w - - 0 1",
        "r3q2r/2p1k1p1/p5p1/1p2Nb2/1P2nB2/P7/2PNQbPP/R2R3K b - - 0 1",
        "r3q1kr/ppp5/3p2pQ/8/3PP1b1/5R2/PPP3P1/5RK1 w - - 0 1",
        "r3k2r/pbp2pp1/3b1n2/1p6/3P3p/1B2N1Pq/PP1PQP1P/R1B2RK1 b kq - 0 1",
    ] {
        let root = Position::from_fen(fen).unwrap();
        for lines in [1, 3] {
            let mut examiner = Examiner { root, nodes: 0, lines: 0 };
            think(&Task { nodes: Some(30_000), lines, ..Task::new(root) }, &mut examiner);
            assert!(examiner.lines > 0);
        }
    }
}

#[test]
fn the_ends_of_games_have_a_score_and_no_move() {
    let mated = at_depth("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", 5);
    assert_eq!((mated.best(), to_uci(mated.value)), (None, Score::Mate(0)));
    let stalemate = at_depth("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 5);
    assert_eq!((stalemate.best(), stalemate.value), (None, 0));
    let kings = at_depth("k7/8/8/8/8/8/8/7K w - - 0 1", 10);
    assert!(kings.best().is_some());
    assert_eq!(kings.value, 0);
}

#[test]
fn the_fifty_move_rule_is_seen() {
    // Mate in one comes on the hundredth half-move and counts; one half-move later it is a draw.
    let mate = at_depth("7k/8/5K2/6Q1/8/8/8/8 w - - 99 80", 6);
    assert_eq!(to_uci(mate.value), Score::Mate(1));
    let slow = at_depth("7k/8/8/8/8/8/1R6/K7 w - - 97 80", 8);
    assert_eq!(slow.value, 0, "there is no time to mate");
    let quick = at_depth("7k/8/8/8/8/8/1R6/K7 w - - 0 80", 8);
    assert!(quick.value > 300);
}

#[test]
fn repetition_saves_a_lost_game() {
    let root = Position::from_fen("3k4/8/8/8/8/8/5Q2/3K4 w - - 0 1").unwrap();
    let mut game = Game::new(root);
    for text in ["f2e2", "d8d7", "e2f2", "d7d8", "f2e2", "d8d7", "e2f2"] {
        let mv = game.position().parse_uci(text).unwrap();
        game.play(mv);
    }
    // Black to move: d7d8 repeats for the third time.
    let now = *game.position();
    let earlier =
        game.positions()[..game.positions().len() - 1].iter().map(Position::key).collect();
    let task = Task { depth: Some(8), earlier, ..Task::new(now) };
    let answer = think(&task, &mut Silent);
    assert_eq!(answer.value, 0);
    assert_eq!(now.uci(answer.best().unwrap()), "d7d8");
}

#[test]
fn only_the_moves_asked_for_are_searched() {
    let root = Position::startpos();
    let moves = vec![root.parse_uci("a2a3").unwrap(), root.parse_uci("h2h4").unwrap()];
    let task = Task { depth: Some(6), moves: moves.clone(), lines: 5, ..Task::new(root) };
    assert!(moves.contains(&think(&task, &mut Silent).best().unwrap()));
}

#[test]
fn several_threads_give_a_legal_answer() {
    let root = Position::from_fen(POSITIONS[1]).unwrap();
    let table = Table::new(4).unwrap();
    let mut memories: Vec<ThreadData> = (0..3).map(|_| ThreadData::default()).collect();
    let task = Task { nodes: Some(60_000), ..Task::new(root) };
    let answer = search(&task, &table, &mut memories, &Signals::default(), &mut Silent);
    position_after(&root, &answer.pv);
    assert!(answer.nodes >= 60_000 && answer.nodes < 62_000, "{}", answer.nodes);
}

#[test]
fn a_question_for_a_mate_is_settled() {
    let mut engine = dyno_piston::engine::Engine::new().unwrap();
    let mut ask = |fen: &str, moves: u32| {
        let root = Position::from_fen(fen).unwrap();
        let task = Task { mate: Some(moves), ..Task::new(root) };
        let answer = engine.search(&task, &Signals::default(), &mut Silent);
        if is_mate(answer.value) {
            assert!(position_after(&root, &answer.pv).is_checkmate());
        }
        to_uci(answer.value)
    };
    assert_eq!(ask("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2), Score::Mate(2));
    assert_eq!(ask("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 4), Score::Mate(2));
    assert!(matches!(ask(POSITIONS[0], 2), Score::Cp(_)));
    // Mated by force: the longest defence.
    assert_eq!(ask("6k1/8/6K1/8/8/8/8/R7 b - - 0 1", 3), Score::Mate(-2));
    // The mate would come after the fiftieth move.
    assert_eq!(ask("7k/8/8/8/8/8/1R6/K7 w - - 98 80", 2), Score::Cp(0));
}

/// A mate found by a scout alone has no further line; an earlier move's must not be taken for it.
#[test]
fn no_variation_goes_on_after_a_mate() {
    let mut engine = dyno_piston::engine::Engine::new().unwrap();
    for fen in [
        "4r3/2q1rpk1/p3bN1p/2p3p1/4QP2/2N4P/PP4P1/5RK1 w - - 0 1",
        "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1",
        "2bqkbn1/2pppp2/np2N3/r3P1p1/p2N2B1/5Q2/PPPPKPP1/RNB2r2 w - - 0 1",
    ] {
        let root = Position::from_fen(fen).unwrap();
        for depth in 1..=9 {
            let task = Task { depth: Some(depth), ..Task::new(root) };
            let answer = engine.search(&task, &Signals::default(), &mut Silent);
            // Panics on a move that is not legal where it stands.
            position_after(&root, &answer.pv);
        }
    }
}
