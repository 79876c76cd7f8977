//! Solves every `FEN;N` line of a file and prints what each cost.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a tool for measuring")]
use dyno_chess::Position;
use dyno_solver::{Budget, Solver};
use std::time::Instant;

fn main() {
    let path = std::env::args().nth(1).unwrap();
    let cap: u64 = std::env::args().nth(2).and_then(|n| n.parse().ok()).unwrap_or(u64::MAX);
    let mut solver = Solver::default();
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let (fen, n) = line.split_once(';').unwrap();
        let n: i32 = n.parse().unwrap();
        let position = Position::from_fen(fen).unwrap();
        let begun = Instant::now();
        let budget = Budget::nodes(cap);
        let answer = if n > 0 {
            solver.shortest(&position, n as u32 + 2, &budget)
        } else {
            solver.mated_in(&position, n.unsigned_abs() + 2, &budget)
        };
        let took = begun.elapsed().as_secs_f64() * 1000.0;
        println!("{n}\t{answer:?}\t{took:.2}\t{}\t{fen}", solver.nodes());
    }
}
