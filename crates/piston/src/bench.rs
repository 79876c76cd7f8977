//! The bench: a fixed set of searches whose number of nodes is the engine's signature.

use crate::search::{Signals, Silent, Task, ThreadData, search};
use crate::tt::Table;
use dyno_chess::Position;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// How deep the bench looks unless told otherwise.
pub const DEPTH: u32 = 11;

/// The positions. The first six are those of the testing document; the others cover openings,
/// tactics, endgames, Chess960, mates and the ends of games.
pub const POSITIONS: [&str; 30] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "rnbqkb1r/pp1p1ppp/4pn2/2p5/2PP4/2N5/PP2PPPP/R1BQKBNR w KQkq c6 0 4",
    "r1bqkbnr/pp1ppp1p/2n3p1/8/3NP3/8/PPP2PPP/RNBQKB1R w KQkq - 0 5",
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 4 8",
    "r2q1rk1/1b1nbppp/p2ppn2/1p6/3NPP2/1BN1B3/PPP1Q1PP/R4RK1 b - - 3 11",
    "2r2rk1/1bqnbppp/p2ppn2/1p6/3NPP2/P1NBB3/1PP1Q1PP/R4R1K w - - 3 14",
    "r1b2rk1/2q1bppp/p1n1pn2/1p2P3/8/P1NB1N2/1PQ2PPP/R1B1R1K1 b - - 0 14",
    "3r1rk1/pp3ppp/2p1bn2/q7/3PB3/P3PN2/1PQ2PPP/3R1RK1 b - - 2 17",
    "r1bq1r1k/b1p1npp1/p2p3p/1p6/3PP3/1B2NN2/PP3PPP/R2Q1RK1 w - - 1 16",
    "3q2k1/pb3p1p/4pbp1/2r5/PpN2N2/1P2P2P/5PP1/Q2R2K1 b - - 4 26",
    "4r1k1/r1q2ppp/ppp2n2/4P3/5Rb1/1N1BQ3/PPP3PP/R5K1 w - - 1 17",
    "6k1/6p1/6Pp/ppp5/3pn2P/1P3K2/1PP2P2/3N4 b - - 0 1",
    "3b4/5kp1/1p1p1p1p/pP1PpP1P/P1P1P3/3KN3/8/8 w - - 0 1",
    "8/5pk1/1p4p1/p1p1r2p/P1P1P2P/1P2K1P1/4R3/8 w - - 2 40",
    "8/8/1p1k1p2/p2P1P1p/P1K4P/1P6/8/8 b - - 5 52",
    "5k2/7R/4P2p/5K2/p1r2P1p/8/8/8 b - - 0 1",
    "6k1/5pp1/7p/1Q6/3q4/6PP/5PK1/8 w - - 6 44",
    "8/8/4kpp1/3p1b2/p6P/2B5/6P1/6K1 b - - 0 47",
    "8/3k4/8/8/8/4B3/4KB2/2B5 w - - 0 1",
    "6k1/p1p3pp/4N3/1p6/2q1r1n1/2B5/PP4PP/3R1R1K w - - 0 1",
    "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "8/8/8/8/5kp1/P7/8/1K1N4 w - - 0 80",
];

/// What a bench found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// All nodes: the same for the same engine on every machine.
    pub nodes: u64,
    /// The time it took.
    pub time: Duration,
    /// Moves from the table that were not legal where they were found, and so not played.
    pub illegal_table_moves: u64,
}

impl Signature {
    /// Nodes per second.
    pub fn speed(&self) -> u64 {
        per_second(self.nodes, self.time)
    }
}

impl std::fmt::Display for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "===========================")?;
        writeln!(f, "Total time (ms) : {}", self.time.as_millis())?;
        writeln!(f, "Nodes searched  : {}", self.nodes)?;
        writeln!(f, "Nodes/second    : {}", self.speed())?;
        write!(f, "Illegal table moves : {}", self.illegal_table_moves)
    }
}

/// A rate that is defined for no time at all, too.
pub fn per_second(nodes: u64, time: Duration) -> u64 {
    (u128::from(nodes) * 1_000_000 / time.as_micros().max(1)) as u64
}

/// Searches every position to the depth on one thread, each with an empty table of 16 MB, and
/// tells each one's number, FEN and nodes as it goes.
pub fn run(
    depth: u32,
    signals: &Signals,
    mut each: impl FnMut(usize, &str, u64),
) -> Option<Signature> {
    let mut table = Table::new(16)?;
    let start = Instant::now();
    let mut signature = Signature { nodes: 0, time: Duration::ZERO, illegal_table_moves: 0 };
    for (index, fen) in POSITIONS.iter().enumerate() {
        let Ok(root) = Position::from_fen(fen) else { continue };
        if signals.stop.load(Relaxed) {
            break;
        }
        table.clear();
        let task = Task { depth: Some(depth), ..Task::new(root) };
        let answer = search(&task, &table, &mut [ThreadData::default()], signals, &mut Silent);
        signature.nodes += answer.nodes;
        signature.illegal_table_moves += answer.illegal_table_moves;
        each(index + 1, fen, answer.nodes);
    }
    signature.time = start.elapsed();
    Some(signature)
}
