//! The search of the protocol-faults engine: plain alpha-beta over material and centre, with captures
//! followed to their end. Modest, but sound.

use dyno_chess::{Color, Move, Position, Role};

/// The score of being mated now; every half-move to the mate is one point less.
pub(super) const MATE: i32 = 30_000;

/// A search that asks now and then whether to go on.
pub(super) struct Thinker<'a> {
    pub nodes: u64,
    pub white_bonus: i32,
    /// Told the nodes so far; says whether to stop.
    pub enough: &'a dyn Fn(u64) -> bool,
    pub stopped: bool,
}

fn value(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight => 320,
        Role::Bishop => 330,
        Role::Rook => 500,
        Role::Queen => 900,
        Role::King => 0,
    }
}

impl Thinker<'_> {
    fn evaluate(&self, position: &Position) -> i32 {
        let mut score = self.white_bonus;
        for square in position.occupied() {
            let Some(piece) = position.piece_at(square) else { continue };
            let (rank, file) = (square.index() as i32 / 8, square.index() as i32 % 8);
            let centre = 6 - (2 * rank - 7).abs().max((2 * file - 7).abs());
            let worth = value(piece.role) + centre;
            score += if piece.color == Color::White { worth } else { -worth };
        }
        if position.side_to_move() == Color::White { score } else { -score }
    }

    fn ordered(position: &Position, only_captures: bool) -> Vec<Move> {
        let all = position.legal_moves();
        let taken = |mv: Move| position.captured(mv).map_or(0, value);
        let mut moves: Vec<Move> =
            all.iter().copied().filter(|mv| !only_captures || taken(*mv) > 0).collect();
        moves.sort_by_key(|mv| -taken(*mv));
        moves
    }

    /// The best of some root moves, with its line.
    pub fn root(&mut self, position: &Position, moves: &[Move], depth: u32) -> (i32, Vec<Move>) {
        let mut best = (-MATE - 1, Vec::new());
        for mv in moves {
            let mut line = Vec::new();
            let alpha = best.0;
            let next = position.play(*mv);
            let score = -self.search(&next, depth - 1, -MATE - 1, -alpha, 1, &mut line);
            if self.stopped {
                break;
            }
            if score > best.0 {
                line.push(*mv);
                best = (score, line);
            }
        }
        best.1.reverse();
        best
    }

    fn search(
        &mut self,
        position: &Position,
        depth: u32,
        mut alpha: i32,
        beta: i32,
        ply: i32,
        line: &mut Vec<Move>,
    ) -> i32 {
        self.nodes += 1;
        if self.nodes.is_multiple_of(256) {
            self.stopped |= (self.enough)(self.nodes);
        }
        if self.stopped {
            return 0;
        }
        let over = !position.has_legal_move();
        if over {
            return if position.is_check() { -MATE + ply } else { 0 };
        }
        let quiet = depth == 0;
        if quiet {
            let standing = self.evaluate(position);
            if standing >= beta || ply > 40 {
                return standing;
            }
            alpha = alpha.max(standing);
        }
        for mv in Self::ordered(position, quiet) {
            let mut below = Vec::new();
            let next = position.play(mv);
            let deeper = depth.saturating_sub(1);
            let score = -self.search(&next, deeper, -beta, -alpha, ply + 1, &mut below);
            if score > alpha {
                alpha = score;
                if !quiet {
                    below.push(mv);
                    *line = below;
                }
            }
            if alpha >= beta {
                break;
            }
        }
        alpha
    }
}
