//! Known counts, small enough to run every time.

use dyno_chess::{Position, perft::perft};

const COUNTS: &[(&str, u32, u64)] = &[
    (dyno_chess::STARTPOS, 4, 197_281),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4, 4_085_603),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5, 674_624),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 4, 422_333),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4, 2_103_487),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 4, 3_894_594),
    // Only a rook that never left its corner may castle.
    ("4k3/8/8/7R/8/8/6b1/4K2R b K - 0 1", 4, 98_958),
];

#[test]
fn known_counts() {
    for &(fen, depth, expected) in COUNTS {
        let position = Position::from_fen(fen).expect(fen);
        assert_eq!(perft(&position, depth), expected, "{fen} at depth {depth}");
    }
}
