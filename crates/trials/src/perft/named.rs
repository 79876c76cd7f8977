//! The positions that have a name.

use dyno_chess::Position;

/// A position people know by name, and how deep to count it for a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// Its name.
    pub name: &'static str,
    /// The position.
    pub fen: &'static str,
    /// The depth of the bench.
    pub depth: u32,
    /// The count at that depth.
    pub nodes: u64,
}

/// The six positions of the documents.
pub const NAMED: [Named; 6] = [
    Named { name: "startpos", fen: dyno_chess::STARTPOS, depth: 6, nodes: 119_060_324 },
    Named {
        name: "kiwipete",
        fen: "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        depth: 5,
        nodes: 193_690_690,
    },
    Named {
        name: "position3",
        fen: "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        depth: 7,
        nodes: 178_633_661,
    },
    Named {
        name: "position4",
        fen: "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        depth: 6,
        nodes: 706_045_033,
    },
    Named {
        name: "position5",
        fen: "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        depth: 5,
        nodes: 89_941_194,
    },
    Named {
        name: "position6",
        fen: "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        depth: 5,
        nodes: 164_075_551,
    },
];

/// The position of a name: one of [`NAMED`], or `chess960-N` for the start position of that
/// number.
pub fn named(name: &str) -> Option<Position> {
    if let Some(number) = name.strip_prefix("chess960-") {
        let number = number.parse().ok().filter(|number| *number < 960)?;
        return Some(Position::chess960_start(number));
    }
    let found = NAMED.iter().find(|named| named.name.eq_ignore_ascii_case(name))?;
    Position::from_fen(found.fen).ok()
}
