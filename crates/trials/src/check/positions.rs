//! The positions the checks are made of.

use dyno_chess::{Position, STARTPOS, SplitMix64};

/// Middlegames and endgames of every kind, for searches.
pub(super) const SEARCHED: &[&str] = &[
    STARTPOS,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
    "8/8/1p2k1p1/3p1p2/1P1P1P2/3K2P1/8/8 b - - 0 40",
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 9",
];

/// Positions where a careless engine plays something illegal or falls over, with what is special.
pub(super) const SPECIAL: &[(&str, &str)] = &[
    ("one legal move", "7k/5K2/8/8/8/8/8/6R1 b - - 0 1"),
    ("one legal move, a capture", "k7/1Q6/8/8/8/8/8/6K1 b - - 0 1"),
    ("double check", "4k3/8/8/8/4r3/5n2/8/2B1K2R w K - 0 1"),
    ("en passant exposes the king", "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1"),
    ("en passant exposes the king on a diagonal", "8/8/8/5k2/3Pp3/8/8/1B2K3 b - d3 0 1"),
    ("en passant answers the check", "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1"),
    ("promotion under check", "1r2k3/P7/8/8/8/8/8/4K2r w - - 0 1"),
    ("promotions with captures", "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"),
    ("underpromotion needed", "8/2P5/8/8/8/k7/8/K7 w - - 0 1"),
    ("castling through attack", "r3k2r/8/8/8/8/8/5r2/R3K2R w KQkq - 0 1"),
    ("castling right after the rook is attacked", "r3k2r/8/8/8/8/8/6b1/R3K2R b KQkq - 0 1"),
    ("218 moves", "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1"),
    ("kings only", "8/8/4k3/8/8/4K3/8/8 w - - 0 1"),
    ("fifty moves nearly over", "8/8/4k3/8/8/4K3/4R3/8 w - - 99 120"),
    ("fifty moves over", "8/8/4k3/8/8/4K3/4R3/8 w - - 100 120"),
    ("high move number", "8/8/4k3/8/8/4K3/4R3/8 w - - 0 5899"),
    ("mate in one", "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1"),
    ("mated next move whatever is played", "7k/8/5K2/6Q1/8/8/8/8 b - - 0 1"),
    ("six queens", "2q4k/8/8/8/8/1QQ5/8/QQQQ2K1 b - - 0 1"),
    ("all pieces blocked", "8/8/8/1k1p1p2/1p1P1P2/1P1K4/8/8 w - - 0 1"),
];

/// Positions whose only moves are of one kind: an engine that has forgotten it sees none.
pub(super) const ONLY: &[(&str, &str)] = &[
    ("only en passant", "1r5k/8/8/3pP3/2K1n3/8/8/3r4 w - d6 0 1"),
    ("only a double step", "k1b1b1r1/8/8/8/r6K/8/3P4/8 w - - 0 1"),
    ("only promotions", "r6K/3P4/8/8/8/8/8/kb4r1 w - - 0 1"),
    ("only promotions by capture", "4r2K/3P4/8/8/8/8/8/kb4r1 w - - 0 1"),
];

/// Games that are over, as a position and moves from there. In most, one move that breaks a rule
/// would go on, so that an engine which breaks it shows it, perft or not; in the last, one wrongly
/// made move would leave something to play.
pub(super) const ENDED: &[(&str, &str, &str)] = &[
    ("stalemate", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", ""),
    ("checkmate", "R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", ""),
    ("smothered mate", "6rk/5Npp/8/8/8/8/8/6K1 b - - 0 1", ""),
    ("a pinned piece could block", "4k2r/8/8/8/8/8/6PN/r6K w - - 0 1", ""),
    ("one of two checks could be answered", "1k4rr/8/8/8/4b3/R7/8/7K w - - 0 1", ""),
    ("the king could step back along the line", "4k3/8/8/8/8/8/7r/2K4r w - - 0 1", ""),
    ("a pinned piece could move", "6rr/8/8/8/8/8/7B/k6K w - - 0 1", ""),
    ("a pinned pawn could step", "1b6/bb6/8/8/8/8/6P1/k6K w - - 0 1", ""),
    ("en passant would expose the king", "1rb1b3/3p4/4p3/K3P2r/8/8/8/6k1 b - - 0 1", "d7d5"),
    ("en passant is over", "1r5k/8/8/3pP3/2K1n3/8/8/3r4 w - - 0 1", ""),
    ("a double step would jump", "k1b1b1r1/8/8/8/r6K/3p4/3P4/8 w - - 0 1", ""),
    ("a double step from the third rank", "k5r1/8/8/r6K/8/3P4/8/2b1b3 w - - 0 1", ""),
    ("a push would capture", "7k/8/8/8/8/5nnp/5P2/6K1 w - - 0 1", ""),
    ("a pawn would take nothing", "7r/b7/8/8/8/8/6P1/k6K w - - 0 1", ""),
    ("a knight would leave the board", "rr5k/8/8/8/7N/8/8/K7 w - - 0 1", ""),
    ("kings would touch", "8/8/8/8/8/k7/p7/K7 w - - 0 1", ""),
    ("the king would take what is protected", "k7/1Q6/8/8/8/5B2/8/4K3 b - - 0 1", ""),
    ("castling mates", "5k2/2N4R/p6N/8/8/8/8/4K2R w K - 0 1", "e1g1"),
    ("castling long mates", "3k4/R5N1/1N5p/8/8/8/8/R3K3 w Q - 0 1", "e1c1"),
    ("en passant takes the last pawn", "k7/2Q5/8/3pP3/8/8/8/2K5 w - d6 0 1", "e5d6"),
    ("a promotion to a knight mates", "8/5P1k/p7/8/8/8/1B6/2B1K1R1 w - - 0 1", "f7f8n"),
];

/// Where a stalemate is at hand and a mate is not: an engine that confuses them says so.
pub(super) const STALEMATES: &[&str] =
    &["k7/8/8/8/8/8/2Q5/2K5 w - - 0 1", "2k5/2q5/8/8/8/8/8/K7 b - - 0 1"];

/// Chess960 positions with strange castling.
pub(super) const CHESS960: &[&str] = &[
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
    "6k1/8/8/8/8/8/8/1RK4R w HB - 0 1",
    "rk2r3/8/8/8/8/8/8/RK2R3 w EAea - 0 1",
];

/// Mates that every engine should see, with the number of moves.
pub(super) const MATES: &[(u32, &str)] = &[
    (1, "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1"),
    (1, "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"),
    (1, "8/8/8/8/8/5K2/4Q3/7k w - - 0 1"),
    (1, "6k1/p1p3pp/4N3/1p6/2q1r1n1/2B5/PP4PP/3R1R1K w - - 0 1"),
    (2, "r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq - 0 1"),
    (2, "2bqkbn1/2pppp2/np2N3/r3P1p1/p2N2B1/5Q2/PPPPKPP1/RNB2r2 w - - 0 1"),
    (2, "8/6K1/1p1B1RB1/8/2Q5/2n1kP1N/3b4/4n3 w - - 0 1"),
    (2, "B7/K1B1p1Q1/5r2/7p/1P1kp1bR/3P3R/1P1NP3/2n5 w - - 0 1"),
    (3, "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1"),
    (3, "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1"),
];

/// Texts that no engine should die of; most are no positions at all.
pub(super) const HOSTILE: &[&str] = &[
    "position",
    "position fen",
    "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
    "position fen rnbqkbnr/pppppppp/8/8 w KQkq - 0 1",
    "position fen 9/9/9/9/9/9/9/9 w - - 0 1",
    "position fen kkkkkkkk/8/8/8/8/8/8/KKKKKKKK w - - 0 1",
    "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
    "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq z9 0 1",
    "position fen 4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1",
    "position fen 4k3/8/8/8/8/8/8/4K3 w - - -5 -7",
    "position fen 4k3/8/8/8/8/8/8/4K3 w - - 99999999999 99999999999",
    "position startpos moves e2e5",
    "position startpos moves e2e4 e2e4",
    "position startpos moves xyzzy",
    "position startpos moves 0000",
    "go depth",
    "go depth abc",
    "go wtime",
    "setoption",
    "setoption name",
    "setoption name Hash",
    "setoption name Hash value",
    "setoption name Hash value -1",
    "setoption name Hash value abc",
    "setoption name \u{fffd}\u{1f600} value \u{1f600}",
];

/// A move seen from the other side of the board.
pub(super) fn mirrored_word(word: &str) -> String {
    let other = |c: char| c.to_digit(10).and_then(|rank| char::from_digit(9 - rank, 10));
    word.chars().map(|c| other(c).unwrap_or(c)).collect()
}

/// A `position` command with colours exchanged.
pub(super) fn mirrored_command(command: &str) -> String {
    let (start, moves) = command.split_once(" moves ").unwrap_or((command, ""));
    let fen = start.trim_start_matches("position ").trim_start_matches("fen ");
    let Ok(start) = Position::from_fen(fen) else { return command.to_owned() };
    let mut text = format!("position fen {}", start.mirrored().fen());
    if !moves.is_empty() {
        text += " moves";
    }
    for word in moves.split_whitespace() {
        text += " ";
        text += &mirrored_word(word);
    }
    text
}

/// Positions of random games from some starts, each with at least one legal move.
pub(super) fn random_positions(starts: &[&str], count: usize, seed: u64) -> Vec<Position> {
    let mut random = SplitMix64::new(seed);
    let mut found = Vec::with_capacity(count);
    while found.len() < count {
        let start = starts[random.below(starts.len())];
        let Ok(mut position) = Position::from_fen(start) else { continue };
        for _ in 0..random.below(80) {
            let moves = position.legal_moves();
            let Some(mv) = moves.get(random.below(moves.len())) else { break };
            position = position.play(*mv);
        }
        if position.outcome().is_none() {
            found.push(position);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_solver::{Budget, Solver};

    #[test]
    fn all_positions_are_what_they_are_said_to_be() {
        for fen in SEARCHED.iter().chain(CHESS960) {
            let position = Position::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
            assert!(position.outcome().is_none(), "{fen}");
        }
        for (name, fen) in SPECIAL {
            let position = Position::from_fen(fen).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(position.has_legal_move(), "{name}");
        }
        for (name, fen, moves) in ENDED {
            let mut position = Position::from_fen(fen).unwrap_or_else(|e| panic!("{name}: {e}"));
            for word in moves.split_whitespace() {
                let mv = position.parse_uci(word).unwrap_or_else(|e| panic!("{name}: {e}"));
                position = position.play(mv);
            }
            assert!(!position.has_legal_move(), "{name}");
        }
        for (name, fen) in ONLY {
            let position = Position::from_fen(fen).unwrap_or_else(|e| panic!("{name}: {e}"));
            let moves = position.legal_moves();
            assert!(moves.len() == if name.contains("promotion") { 4 } else { 1 }, "{name}");
        }
        for fen in STALEMATES {
            let position = Position::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
            let stalemates = |p: Position| !p.is_check() && !p.has_legal_move();
            assert!(
                position.legal_moves().iter().any(|mv| stalemates(position.play(*mv))),
                "{fen}"
            );
        }
    }

    #[test]
    fn the_ways_out_of_ended_games_break_the_rule_named() {
        use dyno_chess::diagnose::{Surplus, surplus};
        let ways = [
            ("h2f1", "4k2r/8", Surplus::PinnedPieceMoves { role: dyno_chess::Role::Knight }),
            ("a3f3", "1k4rr", Surplus::DoubleCheckNotByKing),
            ("c1b1", "4k3/8/8/8/8/8/7r", Surplus::KingBackAlongLine),
            ("h2g3", "6rr/8", Surplus::PinnedPieceMoves { role: dyno_chess::Role::Bishop }),
            ("e5d6", "1rb1b3", Surplus::EnPassantExposesKing),
            ("e5d6", "1r5k/8", Surplus::EnPassantNotPossible),
            ("d2d4", "k1b1b1r1", Surplus::PawnDoubleStepOverPiece),
            ("d3d5", "k5r1", Surplus::PawnDoubleStepFromWrongRank),
            ("f2f3", "7k/8", Surplus::PawnPushesIntoPiece),
            ("g2h3", "7r/b7", Surplus::PawnTakesNothing),
            ("h4a3", "rr5k", Surplus::WrapsAround),
            ("a1b2", "8/8/8/8/8/k7", Surplus::KingsAdjacent),
            ("a8b7", "k7/1Q6", Surplus::KingIntoAttack),
        ];
        for (word, start, kind) in ways {
            let (_, fen, moves) = ENDED
                .iter()
                .find(|(_, fen, _)| fen.starts_with(start))
                .unwrap_or_else(|| panic!("{start}"));
            let mut position = Position::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
            for word in moves.split_whitespace() {
                let mv = position.parse_uci(word).unwrap_or_else(|e| panic!("{fen}: {e}"));
                position = position.play(mv);
            }
            assert_eq!(surplus(&position, word, &[]), kind, "{fen}");
        }
    }

    #[test]
    fn all_mates_are_proved() {
        for (moves, fen) in MATES {
            let position = Position::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
            let found = Solver::new(16).shortest(&position, *moves, &Budget::NONE);
            assert_eq!(found, Ok(Some(*moves)), "{fen}");
        }
    }
}
