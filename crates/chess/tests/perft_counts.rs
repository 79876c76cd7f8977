//! Perft counts, and that neither threads nor table change them.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::{RICH, Random};
use dyno_chess::Position;
use dyno_chess::perft::{Options, Progress, Table, count, detail, divide, fitting_table, perft};
use std::sync::atomic::{AtomicUsize, Ordering};

const TWO_THREADS: Options =
    Options { threads: 2, table: None, stop: &|| false, progress: &|_| {} };

#[test]
fn known_counts() {
    const COUNTS: &[(usize, u32, u64)] = &[
        (0, 6, 119_060_324),
        (1, 5, 193_690_690),
        (2, 6, 11_030_083),
        (3, 5, 15_833_292),
        (4, 5, 89_941_194),
        (5, 5, 164_075_551),
    ];
    for &(index, depth, expected) in COUNTS {
        let position = Position::from_fen(RICH[index]).unwrap();
        assert_eq!(perft(&position, depth), expected, "{position} at depth {depth}");
    }
    // Only a rook that never left its corner may castle.
    let position = Position::from_fen("4k3/8/8/7R/8/8/6b1/4K2R b K - 0 1").unwrap();
    assert_eq!(perft(&position, 4), 98_958);
}

#[test]
fn threads_and_tables_change_nothing() {
    let tables = [Table::new(1).unwrap(), Table::new(16).unwrap()];
    for (fen, depth) in RICH.iter().zip([5, 4, 5, 4, 4, 4, 4, 4, 5, 4, 4]) {
        let position = Position::from_fen(fen).unwrap();
        let plain = count(&position, depth, &Options::default());
        assert!(plain.complete);
        for threads in [1, 2, 3, 8] {
            for table in [None, Some(&tables[0]), Some(&tables[1])] {
                let options = Options { threads, table, ..Options::default() };
                assert_eq!(count(&position, depth, &options), plain, "{fen}, {threads} threads");
            }
            let fitting = fitting_table(&position, depth, 4).unwrap();
            let options = Options { threads, table: Some(&fitting), ..Options::default() };
            assert_eq!(count(&position, depth, &options), plain, "{fen}, {threads} threads");
        }
    }
}

/// Deep enough that most nodes are transpositions, with tables too small for them and large enough.
#[test]
fn deep_hashed_counts_are_right_and_progress_only_grows() {
    let position = Position::startpos();
    let plain = count(&position, 6, &Options::default());
    let knight = position.parse_uci("g1f3").unwrap();
    let after = position.play(knight);
    let mut deep = Vec::new();
    for (threads, megabytes) in [(1, 64), (2, 16), (2, 64), (8, 256)] {
        for (position, depth) in [(&position, 6), (&position, 7), (&after, 6)] {
            let table = Table::new(megabytes).unwrap();
            let told = AtomicUsize::new(0);
            let progress = |progress: Progress| {
                let before = told.swap(progress.done, Ordering::Relaxed);
                assert!(before <= progress.done && progress.done <= progress.parts);
            };
            let table = Some(&table);
            let options = Options { threads, table, progress: &progress, ..Options::default() };
            deep.push(count(position, depth, &options));
        }
    }
    for found in deep.chunks(3) {
        assert_eq!(found[0], plain);
        assert_eq!((found[1].nodes, found[1].complete), (3_195_901_860, true));
        assert_eq!(found[1].moves, deep[1].moves);
        let below = found[1].moves.iter().find(|found| found.mv == knight).unwrap();
        assert_eq!(found[2].nodes, below.nodes);
    }
}

/// A count stopped at any time leaves no wrong entry in the table.
#[test]
fn a_count_stopped_at_any_time_poisons_no_table() {
    let position = Position::startpos();
    for calls in [0, 1, 40, 200, 300, 2000] {
        let table = Table::new(64).unwrap();
        let told = AtomicUsize::new(0);
        let progress = |_| {
            told.fetch_add(1, Ordering::Relaxed);
        };
        let stop = || told.load(Ordering::Relaxed) >= calls;
        let table = Some(&table);
        let options = Options { threads: 2, table, stop: &stop, progress: &progress };
        let stopped = count(&position, 7, &options);
        assert!(!stopped.complete && stopped.nodes < 3_195_901_860);
        let whole = count(&position, 7, &Options { table, threads: 2, ..Options::default() });
        assert_eq!((whole.nodes, whole.complete), (3_195_901_860, true));
        for (part, all) in stopped.moves.iter().zip(&whole.moves) {
            assert!(if part.complete { part.nodes == all.nodes } else { part.nodes <= all.nodes });
        }
    }
}

/// Moves of the last ply are counted without listing them, evasions apart from the others.
#[test]
fn moves_are_counted_as_they_are_listed() {
    let mut random = Random::new(2);
    let mut checks = 0;
    for game in 0..600 {
        let mut position = match RICH.get(game % (2 * RICH.len())) {
            Some(fen) => Position::from_fen(fen).unwrap(),
            None => Position::double_chess960_start(game as u16, 7 * game as u16 % 960),
        };
        for _ in 0..80 {
            let moves = position.legal_moves().len() as u64;
            assert_eq!(perft(&position, 1), moves, "{position}");
            checks += usize::from(position.is_check());
            let Some(mv) = random.pick(&position) else { break };
            position = position.play(mv);
        }
    }
    assert!(checks > 1000, "only {checks} positions were checks");
}

#[test]
fn the_parts_add_up() {
    for fen in RICH {
        let position = Position::from_fen(fen).unwrap();
        let moves = divide(&position, 3);
        assert_eq!(moves.len(), position.legal_moves().len());
        assert_eq!(moves.iter().map(|(_, n)| n).sum::<u64>(), perft(&position, 3), "{fen}");
        for (mv, nodes) in moves {
            assert_eq!(perft(&position.play(mv), 2), nodes, "{mv:?} in {fen}");
        }
        let told = AtomicUsize::new(0);
        let progress = |progress: Progress| {
            told.fetch_max(progress.done, Ordering::Relaxed);
        };
        let options = Options { progress: &progress, ..TWO_THREADS };
        let (depths, complete) = detail(&position, 3, &options);
        assert!(complete);
        assert_eq!(told.into_inner(), position.legal_moves().len());
        for (row, depth) in depths.iter().zip(1..) {
            assert_eq!(row.nodes, perft(&position, depth), "{fen}");
        }
    }
}

/// The kinds of the leaves as the Chess Programming Wiki lists them for Kiwipete.
#[test]
fn kinds_of_leaves() {
    let kiwipete = Position::from_fen(RICH[1]).unwrap();
    let (depths, _) = detail(&kiwipete, 4, &TWO_THREADS);
    let d = depths[3];
    assert_eq!(
        (d.captures, d.en_passants, d.castles, d.promotions),
        (757_163, 1_929, 128_013, 15_172)
    );
    assert_eq!((d.checks, d.discovered_checks, d.double_checks, d.mates), (25_523, 42, 6, 43));
}

#[test]
fn a_stopped_count_says_so_and_poisons_no_table() {
    let position = Position::from_fen(RICH[1]).unwrap();
    let table = Table::new(16).unwrap();
    let asked = AtomicUsize::new(0);
    let stop = || asked.fetch_add(1, Ordering::Relaxed) > 40;
    let options = Options { threads: 2, table: Some(&table), stop: &stop, ..Options::default() };
    let stopped = count(&position, 5, &options);
    assert!(!stopped.complete && stopped.nodes < 193_690_690);
    let whole = count(&position, 5, &Options { table: Some(&table), ..Options::default() });
    assert_eq!((whole.nodes, whole.complete), (193_690_690, true));
    for (part, all) in stopped.moves.iter().zip(&whole.moves) {
        assert!(if part.complete { part.nodes == all.nodes } else { part.nodes <= all.nodes });
    }
}

#[test]
fn depth_zero_and_ended_games() {
    assert_eq!(perft(&Position::startpos(), 0), 1);
    let mate = Position::from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").unwrap();
    assert_eq!((perft(&mate, 0), perft(&mate, 1), perft(&mate, 9)), (1, 0, 0));
    assert!(divide(&mate, 3).is_empty());
}
