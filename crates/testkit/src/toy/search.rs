//! The toy engine's evaluation and search: material and centre, plain alpha-beta with a table.

use super::board::{Cell, ToyBoard};
use super::bug::Bug;
use std::collections::HashMap;

const VALUES: [i32; 7] = [0, 100, 320, 330, 500, 900, 0];

/// The score of being mated now; every half-move to the mate is one point less.
pub const MATE: i32 = 30_000;

/// The static evaluation from the side to move's point of view.
pub fn evaluate(board: &ToyBoard) -> i32 {
    let mut score = 0;
    for (square, &cell) in board.cells().iter().enumerate() {
        if cell != 0 {
            let (rank, file) = (square as i32 / 16, square as i32 % 16);
            let centre = 6 - (2 * rank - 7).abs().max((2 * file - 7).abs());
            score +=
                i32::from(Cell::signum(cell)) * (VALUES[cell.unsigned_abs() as usize] + centre);
        }
    }
    if board.bug == Some(Bug::EvalAsymmetric) {
        score += 13;
    }
    if board.bug == Some(Bug::EvalPathDependent) {
        score += board.made as i32 % 7;
    }
    if board.white_to_move() { score } else { -score }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Exact,
    Lower,
    Upper,
}

/// A fixed-depth alpha-beta search with a table; exact unless it is given a [`Bug`].
#[derive(Default)]
pub struct ToySearch {
    table: HashMap<(u64, u32), (i32, u8)>,
    best: Option<String>,
    /// How many positions the last search visited.
    pub nodes: u64,
}

impl ToySearch {
    /// Searches to a depth within a window and returns the score of the side to move.
    pub fn search(&mut self, board: &mut ToyBoard, depth: u32, alpha: i32, beta: i32) -> i32 {
        self.best = None;
        self.nodes = 0;
        self.alpha_beta(board, depth, alpha, beta, 0)
    }

    /// The best move of the last search.
    pub fn best(&self) -> Option<&str> {
        self.best.as_deref()
    }

    /// Forgets everything learnt.
    pub fn clear(&mut self, board: Option<&ToyBoard>) {
        if board.and_then(|b| b.bug) != Some(Bug::TableNotCleared) {
            self.table.clear();
        }
    }

    fn alpha_beta(
        &mut self,
        board: &mut ToyBoard,
        depth: u32,
        mut alpha: i32,
        beta: i32,
        ply: i32,
    ) -> i32 {
        self.nodes += 1;
        let bug = board.bug;
        let moves = board.legal_moves();
        if moves.is_empty() {
            return if board.in_check() { -MATE + ply } else { 0 };
        }
        if depth == 0 {
            return evaluate(board);
        }
        // Mate scores count from the root, so a stored one is only good at its own height.
        let slot = if bug == Some(Bug::TableIgnoresBound) {
            (board.hash(), 0)
        } else {
            (board.hash() ^ (ply as u64) << 56, depth)
        };
        if ply > 0
            && let Some(&(score, bound)) = self.table.get(&slot)
            && (bug == Some(Bug::TableIgnoresBound)
                || bound == Bound::Exact as u8
                || (bound == Bound::Lower as u8 && score >= beta)
                || (bound == Bound::Upper as u8 && score <= alpha))
        {
            return score;
        }
        let before = alpha;
        let mut best = -MATE - 1;
        for mv in moves {
            board.make(mv);
            let (low, high) =
                if bug == Some(Bug::WindowNotSwapped) { (alpha, beta) } else { (-beta, -alpha) };
            let below = self.alpha_beta(board, depth - 1, low, high, ply + 1);
            let score = if bug == Some(Bug::SignLost) { below } else { -below };
            if bug == Some(Bug::MissingUnmake) && score >= beta {
                return score;
            }
            board.unmake(mv);
            if score > best {
                best = score;
                if ply == 0 {
                    self.best = Some(board.uci(mv));
                }
            }
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if best > before {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let stored = if bug == Some(Bug::TableNotCleared) && ply == 1 {
            best + self.table.len() as i32 % 5
        } else {
            best
        };
        self.table.insert(slot, (stored, bound as u8));
        best
    }
}
