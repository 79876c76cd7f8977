//! Positions in which a move that breaks a rule would be the best by far, and positions in which
//! a special move is: an engine that breaks or has forgotten the rule shows it by what it plays,
//! without perft and without `searchmoves`.

/// A position, as a FEN with moves, and the move in question.
pub(super) struct Lure {
    pub position: &'static str,
    pub mv: &'static str,
}

const fn lure(position: &'static str, mv: &'static str) -> Lure {
    Lure { position, mv }
}

/// The move is not legal. If it were, it would be the only one that does not allow mate at once,
/// or it would itself be mate.
pub(super) const FORBIDDEN: &[Lure] = &[
    // The rook has moved and come back.
    lure("fen 8/8/1k2P3/1r6/8/8/q7/4K2R w K - 0 1 moves h1h3 b6a6 h3h1 a6b6", "e1g1"),
    lure("fen 8/8/4P3/2p3k1/4q3/2PpP2b/7r/R3K3 w Q - 0 1 moves a1a2 g5h5 a2a1 h5g5", "e1c1"),
    // The king has moved and come back.
    lure("fen 8/8/1k2P3/1r6/8/8/q7/4K2R w K - 0 1 moves e1f1 b6a6 f1e1 a6b6", "e1g1"),
    // The rook has been captured, and another has taken its place.
    lure("fen 8/8/k3P3/1r6/4b3/7R/q7/4K2R b K - 0 1 moves e4h1 h3h1 a6b6", "e1g1"),
    lure("fen 8/8/4P3/2p4k/4q3/RnPpP2b/7r/R3K3 b Q - 0 1 moves b3a1 a3a1 h5g5", "e1c1"),
    // By a pawn that is promoted.
    lure("fen 8/8/k3P3/1r6/8/7R/q5p1/4K2R b K - 0 1 moves g2h1n h3h1 a6b6", "e1g1"),
    lure("fen 8/8/4P3/2p4k/4q3/R1PpP2b/1p5r/R3K3 b Q - 0 1 moves b2a1b a3a1 h5g5", "e1c1"),
    // The FEN gives no right.
    lure("fen 8/8/2q5/8/n7/3k2p1/8/N3K2R w - - 0 1", "e1g1"),
    lure("fen 8/8/1p6/4B3/4npk1/8/5r1q/R3K3 w - - 0 1", "e1c1"),
    // Through an attacked square.
    lure("fen 3r4/P7/2B5/1p1P4/8/4nq2/8/2k1K2R w K - 0 1", "e1g1"),
    lure("fen 8/k5P1/8/8/8/3r1q2/8/4K2R w K - 0 1", "e1g1"),
    lure("fen 7k/8/8/p4r2/4p3/3q4/8/R3K3 w Q - 0 1", "e1c1"),
    // Only the square that the king crosses is attacked.
    lure("fen 8/7q/8/b7/4n1k1/8/3r4/R3K3 w Q - 0 1", "e1c1"),
    lure("fen 8/3P4/3r3k/3q4/8/8/3r4/R3K3 w Q - 0 1", "e1c1"),
    lure("fen q4r2/1k6/8/7N/8/8/1r6/4K2R w K - 0 1", "e1g1"),
    // Out of check.
    lure("fen 8/8/6n1/3q2kb/8/8/8/r3K2R w K - 0 1", "e1g1"),
    lure("fen 8/5k2/8/5P2/B3qp2/6p1/8/2r1K2R w K - 0 1", "e1g1"),
    lure("fen 8/8/4p3/1P1P1P2/6q1/1p1k4/4r3/R3K3 w Q - 0 1", "e1c1"),
    // Over a piece on the b-file.
    lure("fen 1B1N4/5q2/8/1P6/8/1r1kp3/6p1/Rn2K3 w Q - 0 1", "e1c1"),
    lure("fen 5r2/1N6/8/8/8/8/6qp/Rn2K2k w Q - 0 1", "e1c1"),
    // En passant would mate, but the double step is not the last move, or there was none.
    lure("fen 8/1bP2K1k/3p4/6pP/1q3N2/4n3/p6R/8 w - - 0 1", "h5g6"),
    lure("fen 3R4/5k2/1b3B2/pp1PpK2/8/r7/8/3q4 w - - 0 1", "d5e6"),
    lure("fen 8/1bP2Kpk/3p4/7P/1q3N2/4n3/p6R/8 b - - 0 1 moves g7g5 h2h1 d6d5 h1h2 d5d4", "h5g6"),
    // No pawn has moved since.
    lure("fen 8/1bP2Kpk/3p4/7P/1q3N2/4n3/p6R/8 b - - 0 1 moves g7g5 h2h1 e3d1 h1h2 d1e3", "h5g6"),
];

/// The move is legal and special, and every other one allows mate at once, or it is the only mate.
pub(super) const NEEDED: &[Lure] = &[
    // A knight mates where a queen does not.
    lure("fen 8/5P1k/p7/8/8/8/1B6/2B1K1R1 w - - 0 1", "f7f8n"),
    lure("fen 8/1N6/8/8/p7/qp2k3/6PP/4K2R w K - 0 1", "e1g1"),
    lure("fen 8/8/1k1r1P2/8/8/1P6/2q5/4K2R w K - 0 1", "e1g1"),
    lure("fen N7/4n3/1P6/2q5/8/2p5/PP5r/R3K2k w Q - 0 1", "e1c1"),
    lure("fen 8/8/4P3/4r3/8/4k3/N7/R3Kb1q w Q - 0 1", "e1c1"),
    // Only the rook crosses an attacked square.
    lure("fen 8/8/1q4P1/1n4k1/8/8/1r6/R3K3 w Q - 0 1", "e1c1"),
    lure("fen 8/3Nq1k1/8/8/4P3/7P/1r3Pp1/R3K3 w Q - 0 1", "e1c1"),
    // En passant mates.
    lure("fen 4R3/k4P2/3N4/KpP5/p2r1qP1/8/2np4/8 w - b6 0 1", "c5b6"),
    lure("fen 8/5K1k/8/6pP/3Nr2R/6b1/1q1B4/8 w - g6 0 1", "h5g6"),
    lure("fen 8/5Kpk/8/7P/3Nr2R/6b1/1q1B4/8 b - - 0 1 moves g7g5", "h5g6"),
    // En passant on the files at the edge.
    lure("fen 1k6/8/8/pP6/8/8/8/1RR1K1BB w - a6 0 1", "b5a6"),
    lure("fen 6k1/8/8/6Pp/8/8/8/BB1K1RR1 w - h6 0 1", "g5h6"),
    // Two pawns may take en passant, and one of them mates.
    lure("fen 8/5K1k/8/5PpP/3Nr2R/6b1/1q1B4/8 w - g6 0 1", "h5g6"),
    lure("fen 8/k1K5/8/PpP5/R2rN3/1b6/4B1q1/8 w - b6 0 1", "a5b6"),
    // In check: promotions that block or capture, en passant.
    lure("fen K2r4/1P3B2/k7/3n4/8/8/8/8 w - - 0 1", "b7b8n"),
    lure("fen 3nr2K/6PB/7k/B7/6B1/8/8/8 w - - 0 1", "g7g8n"),
    lure("fen n1K1q3/3P4/3q4/8/8/2k5/8/8 w - - 0 1", "d7e8n"),
    lure("fen 5kqK/5P2/3P4/8/8/2r5/5B2/8 w - - 0 1", "f7g8q"),
    lure("fen 2Kqk3/2P5/6n1/3B4/7r/8/8/8 w - - 0 1", "c7d8q"),
    lure("fen 8/8/5kr1/3Pp3/5K2/4P2b/3r4/8 w - e6 0 1", "d5e6"),
    lure("fen 8/8/8/6pP/7K/4q3/b7/k7 w - g6 0 1", "h5g6"),
    // Pinned pieces along their line.
    lure("fen 7b/2P5/P6k/7P/8/2q5/1P6/K7 w - - 0 1", "b2c3"),
    lure("fen 3b1k2/2P5/8/KP5Q/P7/1b6/1B6/8 w - - 0 1", "c7d8q"),
    lure("fen 3q4/7k/8/7K/6Q1/8/8/3b4 w - - 0 1", "g4d1"),
    lure("fen k2q2N1/2Q5/1K2R3/8/r7/8/8/8 w - - 0 1", "c7d8"),
    lure("fen 1b6/8/2k5/8/8/8/3r4/3r1RK1 w - - 0 1", "f1d1"),
];

#[cfg(test)]
mod tests {
    use super::super::transcript::asked_position;
    use super::*;
    use dyno_chess::{Position, Role};

    fn end(lure: &Lure) -> Position {
        asked_position(&format!("position {}", lure.position))
            .unwrap_or_else(|| panic!("{}", lure.position))
    }

    fn mates_in_one(position: &Position) -> bool {
        position.legal_moves().iter().any(|mv| position.play(*mv).is_checkmate())
    }

    #[test]
    fn what_is_forbidden_is_the_only_good_move() {
        for lure in FORBIDDEN {
            let position = end(lure);
            assert!(position.parse_uci(lure.mv).is_err(), "{}", lure.position);
            assert!(!mates_in_one(&position), "{}", lure.position);
            let is_pawn = lure
                .mv
                .get(..2)
                .and_then(|from| from.parse().ok())
                .is_some_and(|from| position.role_at(from) == Some(Role::Pawn));
            let all_lose =
                position.legal_moves().iter().all(|mv| mates_in_one(&position.play(*mv)));
            assert!(is_pawn || all_lose, "{}", lure.position);
        }
    }

    #[test]
    fn what_is_needed_is_the_only_good_move() {
        for lure in NEEDED {
            let position = end(lure);
            let needed = position.parse_uci(lure.mv).unwrap_or_else(|e| panic!("{e}"));
            for mv in &position.legal_moves() {
                let next = position.play(mv);
                let is_good = if position.play(needed).is_checkmate() {
                    next.is_checkmate()
                } else {
                    !mates_in_one(&next)
                };
                assert_eq!(is_good, mv == needed, "{}: {}", lure.position, position.uci(mv));
            }
        }
    }
}
