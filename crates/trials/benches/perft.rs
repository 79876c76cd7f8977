//! Perft against its peers, turn by turn in one run.
//!
//! For cozy-chess with its pext: `RUSTFLAGS="-C target-cpu=native" cargo bench -p dyno-trials
//! --bench perft --features cozy-pext`. The peers are measured here and never shipped; shakmaty is
//! under the GPL.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench")]

use dyno_trials::cpu_time::thread_cpu_time;
use dyno_trials::perft::{NAMED, Named};
use shakmaty::{CastlingMode, Chess, fen::Fen};

const ROUNDS: usize = 5;

/// Bulk-counted perft as cozy-chess's own example does it.
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

fn timed(best: &mut f64, named: &Named, count: impl FnOnce() -> u64) {
    let start = thread_cpu_time();
    let nodes = count();
    *best = best.min((thread_cpu_time() - start).as_secs_f64());
    assert_eq!(nodes, named.nodes, "{} at depth {}", named.name, named.depth);
}

fn main() {
    // `cargo test --benches` only wants to know that it runs.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    let pext = if cfg!(feature = "cozy-pext") { "with" } else { "without" };
    println!("Million leaves a second: single thread, no table, last ply bulk-counted; CPU time,");
    println!("best of {ROUNDS}, turn by turn; cozy-chess {pext} pext.\n");
    println!("{:10} {:>5} {:>8} {:>8} {:>8}", "position", "depth", "dyno", "cozy", "shakmaty");
    let (mut sums, mut all) = ([0.0; 3], 0);
    for named in &NAMED {
        let &Named { name, fen, depth, nodes } = named;
        let position = dyno_chess::Position::from_fen(fen).unwrap();
        let peer: cozy_chess::Board = fen.parse().unwrap();
        let oracle: Chess =
            fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
        let mut best = [f64::MAX; 3];
        for _ in 0..ROUNDS {
            timed(&mut best[0], named, || dyno_chess::perft::perft(&position, depth));
            timed(&mut best[1], named, || cozy(&peer, depth));
            timed(&mut best[2], named, || shakmaty::perft(&oracle, depth));
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
