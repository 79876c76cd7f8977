//! White-box checks that an engine author calls from their own tests.
//!
//! Implement [`Board`] for your position (and [`Evaluator`], [`Searcher`] for what you have), then
//!
//! ```
//! # use dyno_testkit::kit::{self, Board};
//! # use dyno_testkit::toy::{ToyBoard, ToyMove};
//! # struct MyBoard(ToyBoard);
//! # impl Board for MyBoard {
//! #     type Move = ToyMove;
//! #     fn from_fen(fen: &str) -> Result<Self, String> { ToyBoard::from_fen(fen, None).map(MyBoard) }
//! #     fn legal_moves(&mut self) -> Vec<ToyMove> { self.0.legal_moves() }
//! #     fn uci(&self, mv: &ToyMove) -> String { self.0.uci(*mv) }
//! #     fn make(&mut self, mv: &ToyMove) { self.0.make(*mv) }
//! #     fn unmake(&mut self, mv: &ToyMove) { self.0.unmake(*mv) }
//! # }
//! let findings = kit::perft::<MyBoard>(&kit::Effort::quick());
//! assert!(findings.is_empty(), "{}", kit::list(&findings));
//! ```
//!
//! Every check compares with `dyno-chess` or with the engine itself, needs no files, is
//! deterministic, and returns typed findings with the position and the moves that reproduce them.

mod finding;
mod hash;
mod integrity;
mod paths;
mod perft;
mod walk;
mod window;

pub use finding::{Check, Finding, HashCause, Problem, list};
pub use hash::{hash, hash_distinguishes};
pub use integrity::integrity;
pub use paths::{mirror, path_independence};
pub use perft::perft;
pub use window::{search_is_sound, table_consistency, window_consistency};

/// A board under test.
///
/// An engine that copies positions instead of undoing moves keeps a stack of them inside.
pub trait Board: Sized {
    /// The engine's own type of move.
    type Move: Clone;

    /// Sets up a position.
    fn from_fen(fen: &str) -> Result<Self, String>;

    /// The legal moves.
    fn legal_moves(&mut self) -> Vec<Self::Move>;

    /// A move in UCI notation.
    fn uci(&self, mv: &Self::Move) -> String;

    /// Plays a move.
    fn make(&mut self, mv: &Self::Move);

    /// Takes the last move back.
    fn unmake(&mut self, mv: &Self::Move);

    /// The position as a FEN, if the engine can write one.
    fn fen(&self) -> Option<String> {
        None
    }

    /// The hash as it is kept move by move.
    fn hash(&self) -> Option<u64> {
        None
    }

    /// The hash worked out from the board.
    fn hash_from_scratch(&self) -> Option<u64> {
        None
    }

    /// Every bit of the state as text, to see whether undo restores it.
    fn state(&self) -> Option<String> {
        None
    }

    /// The engine's own check that its boards, sets and counts agree.
    fn integrity(&self) -> Result<(), String> {
        Ok(())
    }
}

/// A static evaluation under test.
pub trait Evaluator<B: Board> {
    /// The evaluation in centipawns, from the side to move's point of view.
    fn evaluate(&mut self, board: &mut B) -> i32;
}

/// What a searcher claims about its scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The score is the minimax value over [`Searcher::leaf`], to the point.
    Exact,
    /// Pruning and reductions may move the score by this much.
    Within(i32),
}

/// A search under test.
pub trait Searcher<B: Board> {
    /// Searches to a depth within a window; the score is from the side to move's point of view.
    fn search(&mut self, board: &mut B, depth: u32, alpha: i32, beta: i32) -> i32;

    /// The score at depth 0: a static evaluation or a quiescence search.
    fn leaf(&mut self, board: &mut B) -> i32;

    /// The best move of the last search.
    fn best_move(&self) -> Option<String>;

    /// Forgets everything learnt: tables, history, killers.
    fn clear(&mut self);

    /// What the scores are worth.
    fn claim(&self) -> Claim;

    /// The widest window there is.
    fn infinity(&self) -> i32 {
        32_000
    }

    /// The score of being mated at a distance from the root.
    fn mated(&self, ply: u32) -> i32;
}

/// How much to do.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Leaves counted for each perft position at most.
    pub perft_nodes: u64,
    /// Random games to walk through.
    pub walks: u32,
    /// Half-moves of each of them.
    pub plies: u32,
    /// Depth of the searches.
    pub depth: u32,
    /// The seed of everything random.
    pub seed: u64,
}

impl Effort {
    /// A second or two in a debug build.
    pub fn quick() -> Effort {
        Effort { perft_nodes: 20_000, walks: 60, plies: 60, depth: 2, seed: 1 }
    }

    /// For a nightly run.
    pub fn thorough() -> Effort {
        Effort { perft_nodes: 5_000_000, walks: 2_000, plies: 120, depth: 3, seed: 1 }
    }
}

/// Positions that between them need every rule of the game.
pub const POSITIONS: &[&str] = &[
    dyno_chess::STARTPOS,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1",
    "8/P5k1/8/8/8/8/p5K1/8 w - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1",
    "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1",
    "5k2/8/8/8/8/8/8/4K2R w K - 0 1",
    "r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1",
    "8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1",
    "4k3/8/8/8/1r6/8/8/R3K2R w KQ - 0 1",
    "4k3/8/8/8/8/5n2/4r3/4K2R w K - 0 1",
    "4k3/8/8/8/8/8/6b1/4K2R b K - 0 1",
    "4k3/8/8/8/4r3/5n2/8/2B1K2R w K - 0 1",
    "7k/7p/7P/8/8/8/7P/4K2R w K - 0 1",
];
