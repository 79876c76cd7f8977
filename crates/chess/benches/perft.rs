//! Perft against its peers, turn by turn in one run: `cargo bench -p dyno-chess`.
//!
//! For cozy-chess with its pext: `RUSTFLAGS="-C target-cpu=native" cargo bench -p dyno-chess
//! --features cozy-pext`. shakmaty is under the GPL: it is measured here and never shipped.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench")]

use shakmaty::{CastlingMode, Chess, fen::Fen};
use std::time::Duration;

const ROUNDS: usize = 5;

const SIX: [(&str, &str, u32); 6] = [
    ("startpos", dyno_chess::STARTPOS, 6),
    ("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 5),
    ("position3", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 7),
    ("position4", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 6),
    ("position5", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 5),
    ("position6", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 5),
];

fn cozy(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut nodes = 0;
    board.generate_moves(|moves| {
        if depth == 1 {
            nodes += moves.len() as u64;
        } else {
            for mv in moves {
                let mut next = board.clone();
                next.play_unchecked(mv);
                nodes += cozy(&next, depth - 1);
            }
        }
        false
    });
    nodes
}

fn timed(best: &mut f64, expected: Option<u64>, count: impl FnOnce() -> u64) -> u64 {
    let start = cpu_time();
    let nodes = count();
    *best = best.min((cpu_time() - start).as_secs_f64());
    assert!(expected.is_none_or(|expected| expected == nodes));
    nodes
}

/// The time this thread has run: what others do on the machine matters less.
#[cfg(unix)]
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

#[cfg(not(unix))]
fn cpu_time() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}

fn main() {
    // `cargo test --benches` only wants to know that it runs.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    println!("Million leaves a second: single thread, no table, last ply bulk-counted; CPU time,");
    println!("best of {ROUNDS}, turn by turn.\n");
    println!("{:10} {:>5} {:>8} {:>8} {:>8}", "position", "depth", "dyno", "cozy", "shakmaty");
    let (mut sums, mut all) = ([0.0; 3], 0);
    for (name, fen, depth) in SIX {
        let position = dyno_chess::Position::from_fen(fen).unwrap();
        let peer: cozy_chess::Board = fen.parse().unwrap();
        let oracle: Chess =
            fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
        let mut best = [f64::MAX; 3];
        let mut nodes = 0;
        for _ in 0..ROUNDS {
            nodes = timed(&mut best[0], None, || dyno_chess::perft::perft(&position, depth));
            timed(&mut best[1], Some(nodes), || cozy(&peer, depth));
            timed(&mut best[2], Some(nodes), || shakmaty::perft(&oracle, depth));
        }
        let speed = best.map(|seconds| nodes as f64 / seconds / 1e6);
        println!("{name:10} {depth:5} {:8.0} {:8.0} {:8.0}", speed[0], speed[1], speed[2]);
        all += nodes;
        for (sum, seconds) in sums.iter_mut().zip(best) {
            *sum += seconds;
        }
    }
    let speed = sums.map(|seconds| all as f64 / seconds / 1e6);
    println!("{:10} {:5} {:8.0} {:8.0} {:8.0}", "together", "", speed[0], speed[1], speed[2]);
    println!("ratio      {:14.2} {:8.2} {:8.2}", 1.0, speed[0] / speed[1], speed[0] / speed[2]);
}
