//! Positions that are mixed up in the table: they differ in the side to move, the castling rights or
//! the en-passant square alone, and that decides everything.

use super::engine::TestedEngine;
use super::false_repeats::false_repeats;
use super::outcome::{Finding, Findings};
use super::positions::{mirrored_command, mirrored_word};
use super::script::Script;
use super::session::Session;
use super::transcript::{Search, asked_position, search, until_ready};
use super::{Checked, Stop, Verdict};
use dyno_chess::Position;
use dyno_uci::Score;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(5);

/// Two positions that differ in one thing alone. In the first the side to move is mated at once,
/// whatever it plays. The second position is one move before the other one of the pair, which is
/// not lost, and there is no mate in three.
struct Pair {
    what: &'static str,
    lost: &'static str,
    before: &'static str,
}

const fn pair(what: &'static str, lost: &'static str, before: &'static str) -> Pair {
    Pair { what, lost, before }
}

const RIGHTS: &str = "castling rights";
const EN_PASSANT: &str = "the en-passant square";
const SIDE: &str = "the side to move";

/// Searched one after the other, an engine whose key does not see the difference takes what it
/// knows of the lost position for the other, and announces a mate that is not there.
const PAIRS: &[Pair] = &[
    pair(
        RIGHTS,
        "8/2p5/1p6/6k1/8/8/1r6/q2bK2R w - - 0 1",
        "8/2p5/1p6/6k1/1r6/8/8/q2bK2R b K - 0 1",
    ),
    pair(
        RIGHTS,
        "1q6/8/5P2/6b1/8/8/P2r4/k3K2R w - - 0 1",
        "1q6/8/5P2/6b1/8/3r4/P7/k3K2R b K - 0 1",
    ),
    pair(RIGHTS, "8/8/3kb3/8/8/8/p1q5/4K2R w - - 0 1", "8/8/3kb3/8/q7/8/p7/4K2R b K - 0 1"),
    pair(RIGHTS, "8/1b6/7n/8/7q/3pk1p1/8/R3K3 w - - 0 1", "8/1b6/7n/8/4k2q/3p2p1/8/R3K3 b Q - 0 1"),
    pair(RIGHTS, "8/8/5r2/8/8/7P/7q/R3K1k1 w - - 0 1", "8/8/5r2/8/8/7P/6kq/R3K3 b Q - 0 1"),
    pair(
        RIGHTS,
        "8/8/8/2B5/3P4/1p1k4/3P2qP/R3K3 w - - 0 1",
        "8/8/8/2B5/3P4/1p6/2kP2qP/R3K3 b Q - 0 1",
    ),
    pair(EN_PASSANT, "8/8/8/6pP/4K3/1b6/2k2q2/8 w - - 0 1", "8/6p1/8/7P/4K3/1b6/2k2q2/8 b - - 0 1"),
    pair(
        EN_PASSANT,
        "8/8/1q5p/2pP4/K7/5N2/2B5/k7 w - - 0 1",
        "8/2p5/1q5p/3P4/K7/5N2/2B5/k7 b - - 0 1",
    ),
    pair(
        EN_PASSANT,
        "6kN/8/3B4/P5Pp/1p1p3K/8/r3q3/7n w - - 0 1",
        "6kN/7p/3B4/P5P1/1p1p3K/8/r3q3/7n b - - 0 1",
    ),
    pair(
        EN_PASSANT,
        "8/2p1k3/P7/Pp4P1/1K2p3/8/4q3/2b5 w - - 0 1",
        "8/1pp1k3/P7/P5P1/1K2p3/8/4q3/2b5 b - - 0 1",
    ),
    pair(SIDE, "1K6/7r/8/8/3k2P1/8/1P6/7q w - - 0 1", "2K5/7r/8/8/3k2P1/8/1P6/7q w - - 0 1"),
    pair(SIDE, "8/6P1/3q4/p7/kP6/3b4/p4r2/7K w - - 0 1", "8/6P1/3q4/p7/kP6/3b4/p4r2/6K1 w - - 0 1"),
    pair(SIDE, "1r6/1p6/5k1K/8/6q1/7b/8/3B4 w - - 0 1", "1r6/1p6/5k1K/8/6q1/7b/2B5/8 w - - 0 1"),
    pair(SIDE, "2K5/q6r/8/8/8/k4P2/8/8 w - - 0 1", "3K4/q6r/8/8/8/k4P2/8/8 w - - 0 1"),
];

/// A position with two moves to choose from. After the first the other side mates at once; after
/// the second it does not, unless it is taken for another position, which differs in one thing
/// alone and in which the side to move mates at once. An engine that does so says that it is mated,
/// and nothing heals it: moves that seem to lose are not searched again.
struct Trap {
    what: &'static str,
    fen: &'static str,
    /// The move that loses, and the one that does not.
    moves: [&'static str; 2],
    taken_for: &'static str,
}

const fn trap(
    what: &'static str,
    fen: &'static str,
    moves: [&'static str; 2],
    taken_for: &'static str,
) -> Trap {
    Trap { what, fen, moves, taken_for }
}

const TRAPS: &[Trap] = &[
    trap(
        RIGHTS,
        "2N5/2N1R3/r7/8/5k2/8/1b4R1/4K2R b - - 0 1",
        ["b2a1", "f4f3"],
        "2N5/2N1R3/r7/8/8/5k2/1b4R1/4K2R w K - 0 1",
    ),
    trap(
        EN_PASSANT,
        "8/7Q/p7/6pP/2n1R3/7k/5K2/R7 b - - 0 1",
        ["g5g4", "h3h2"],
        "8/7Q/p7/6pP/2n1R3/8/5K1k/R7 w - g6 0 1",
    ),
    trap(
        SIDE,
        "1R2q3/1r4p1/2p5/K5pR/8/1p6/3R3R/6k1 b - - 0 1",
        ["b7b8", "e8e2"],
        "1R6/1r4p1/2p5/K5pR/8/1p6/3Rq2R/6k1 b - - 0 1",
    ),
    trap(
        RIGHTS,
        "8/4R3/N2N4/8/2pk4/2p3p1/8/R3K3 b - - 0 1",
        ["g3g2", "d4d3"],
        "8/4R3/N2N4/8/2p5/2pk2p1/8/R3K3 w Q - 0 1",
    ),
    trap(
        EN_PASSANT,
        "1Q2n3/3kp3/5R2/2pP2bR/8/1N6/1K1b4/8 b - - 0 1",
        ["e8f6", "d2e3"],
        "1Q2n3/3kp3/5R2/2pP2bR/8/1N2b3/1K6/8 w - c6 0 1",
    ),
    trap(
        SIDE,
        "7Q/8/1p6/N2k4/1P6/7K/3q3B/7r b - - 0 1",
        ["d2b4", "d2f4"],
        "7Q/8/1p6/N2k4/1P3q2/7K/7B/7r b - - 0 1",
    ),
    trap(
        RIGHTS,
        "8/2Q5/p7/8/3k4/P1N1p3/8/R3K1b1 b - - 0 1",
        ["a6a5", "d4d3"],
        "8/2Q5/p7/8/8/P1Nkp3/8/R3K1b1 w Q - 0 1",
    ),
    trap(
        EN_PASSANT,
        "8/r4p2/3BQ3/1pP4R/1kp5/2p5/Q2p4/1K1n4 b - - 0 1",
        ["f7e6", "a7a4"],
        "8/5p2/3BQ3/1pP4R/rkp5/2p5/Q2p4/1K1n4 w - b6 0 1",
    ),
    trap(
        SIDE,
        "1q6/2qQ4/5b2/8/q7/p3K3/1P6/1qk5 b - - 0 1",
        ["a3b2", "b1c2"],
        "1q6/2qQ4/5b2/8/q7/p3K3/1Pq5/2k5 b - - 0 1",
    ),
    trap(
        RIGHTS,
        "8/8/3pR3/6p1/3k4/4p3/2R5/R3K3 b - - 0 1",
        ["g5g4", "d4d3"],
        "8/8/3pR3/6p1/8/3kp3/2R5/R3K3 w Q - 0 1",
    ),
    trap(
        EN_PASSANT,
        "2B5/pK4p1/8/4Pp2/p3Q3/1Q1b2pk/7p/8 b - - 0 1",
        ["a4b3", "g7g6"],
        "2B5/pK6/6p1/4Pp2/p3Q3/1Q1b2pk/7p/8 w - f6 0 1",
    ),
    trap(
        SIDE,
        "4r2Q/6p1/5B2/8/8/3p4/4rp2/1K3k1q b - - 0 1",
        ["g7f6", "e2c2"],
        "4r2Q/6p1/5B2/8/8/3p4/2r2p2/1K3k1q b - - 0 1",
    ),
    trap(
        RIGHTS,
        "2n1RB1r/8/6p1/8/q4k2/8/6R1/1Q2K2R b - - 0 1",
        ["h8f8", "f4f3"],
        "2n1RB1r/8/6p1/8/q7/5k2/6R1/1Q2K2R w K - 0 1",
    ),
    trap(
        EN_PASSANT,
        "6B1/2p5/6R1/2Pp4/3p3N/8/k1N3nn/2K5 b - - 0 1",
        ["g2h4", "c7c6"],
        "6B1/8/2p3R1/2Pp4/3p3N/8/k1N3nn/2K5 w - d6 0 1",
    ),
    trap(
        SIDE,
        "8/6r1/8/5R1K/8/6k1/5R2/q1N5 b - - 0 1",
        ["a1c1", "a1f6"],
        "8/6r1/5q2/5R1K/8/6k1/5R2/2N5 b - - 0 1",
    ),
    trap(
        RIGHTS,
        "6n1/6n1/4R3/3R4/p4k2/7p/p5R1/2n1K2R b - - 0 1",
        ["h3h2", "f4f3"],
        "6n1/6n1/4R3/3R4/p7/5k1p/p5R1/2n1K2R w K - 0 1",
    ),
    trap(
        EN_PASSANT,
        "4b1K1/b3k3/R7/b3Pp2/qp6/3Q4/1nR5/8 b - - 0 1",
        ["a4c2", "b2c4"],
        "4b1K1/b3k3/R7/b3Pp2/qpn5/3Q4/2R5/8 w - f6 0 1",
    ),
    trap(
        SIDE,
        "3r2N1/8/8/2r5/4N1p1/8/Q7/5K1k b - - 0 1",
        ["d8g8", "c5c2"],
        "3r2N1/8/8/8/4N1p1/8/Q1r5/5K1k b - - 0 1",
    ),
    trap(
        RIGHTS,
        "R7/2Q5/8/8/3k4/2N1pp2/b7/R3K3 b - - 0 1",
        ["a2b1", "d4d3"],
        "R7/2Q5/8/8/8/2Nkpp2/b7/R3K3 w Q - 0 1",
    ),
    trap(
        EN_PASSANT,
        "8/p7/R7/Pp2R1n1/2N5/7R/8/k1K5 b - - 0 1",
        ["b5c4", "g5f3"],
        "8/p7/R7/Pp2R3/2N5/5n1R/8/k1K5 w - b6 0 1",
    ),
    trap(
        SIDE,
        "3qR3/8/1Q6/8/8/7K/NBp5/3nq2k b - - 0 1",
        ["d1b2", "d1e3"],
        "3qR3/8/1Q6/8/8/4n2K/NBp5/4q2k b - - 0 1",
    ),
    trap(
        RIGHTS,
        "1N2R3/2p5/5n2/8/5k2/8/6R1/4K2R b - - 0 1",
        ["c7c6", "f4f3"],
        "1N2R3/2p5/5n2/8/8/5k2/6R1/4K2R w K - 0 1",
    ),
    trap(
        EN_PASSANT,
        "3K1N1Q/b4k2/7P/5Pp1/r7/8/3R4/q7 b - - 0 1",
        ["g5g4", "a7d4"],
        "3K1N1Q/5k2/7P/5Pp1/r2b4/8/3R4/q7 w - g6 0 1",
    ),
    trap(
        SIDE,
        "4QR2/6q1/1Q2Qq2/1n6/5k2/8/2Kpp2p/8 b - - 0 1",
        ["f6f8", "f4g3"],
        "4QR2/6q1/1Q2Qq2/1n6/8/6k1/2Kpp2p/8 b - - 0 1",
    ),
    trap(
        RIGHTS,
        "5bb1/8/p4N2/4R3/5k1B/8/1Bp5/4K2R b - - 0 1",
        ["a6a5", "f4f3"],
        "5bb1/8/p4N2/4R3/7B/5k2/1Bp5/4K2R w K - 0 1",
    ),
    trap(
        EN_PASSANT,
        "3R4/k1K5/2R5/Pp1p3p/1N6/8/8/4r3 b - - 0 1",
        ["d5d4", "e1c1"],
        "3R4/k1K5/2R5/Pp1p3p/1N6/8/8/2r5 w - b6 0 1",
    ),
    trap(
        SIDE,
        "QB6/b7/b2b4/8/3q2B1/4k3/1r6/4K3 b - - 0 1",
        ["d6b8", "a6e2"],
        "QB6/b7/3b4/8/3q2B1/4k3/1r2b3/4K3 b - - 0 1",
    ),
    trap(
        RIGHTS,
        "4R3/p6N/n1N5/8/5k2/4p3/6R1/4K2R b - - 0 1",
        ["a6b4", "f4f3"],
        "4R3/p6N/n1N5/8/8/4pk2/6R1/4K2R w K - 0 1",
    ),
    trap(
        EN_PASSANT,
        "Q6b/2K1k3/4q1Q1/R2pP3/1p1b4/1p6/p3Q3/8 b - - 0 1",
        ["b3b2", "e6g8"],
        "Q5qb/2K1k3/6Q1/R2pP3/1p1b4/1p6/p3Q3/8 w - d6 0 1",
    ),
    trap(
        SIDE,
        "4k3/p5K1/6R1/1N5q/8/3R1q2/5P2/8 b - - 0 1",
        ["f3f2", "f3g2"],
        "4k3/p5K1/6R1/1N5q/8/3R4/5Pq1/8 b - - 0 1",
    ),
];

/// The depths at which a trap is searched: what is deeper may see a mate that is there.
const DEPTHS: [u32; 2] = [2, 3];
/// How deep the other position is searched before.
const DEEP: u32 = 7;

pub(super) fn mixed_up(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("pairs");
    false_repeats(session, &findings)?;
    if session.keeps_searchmoves()? {
        spring_all(session, &findings)?;
    }
    let depth = session.depth_within(80)?.unwrap_or(4).clamp(3, 6);
    for pair in PAIRS {
        let positions = [pair.lost, pair.before].map(|fen| format!("position fen {fen}"));
        let mirrored = [mirrored_command(&positions[0]), mirrored_command(&positions[1])];
        for positions in [mirrored, positions] {
            if session.time_is_up() {
                break;
            }
            mistake(session, &findings, pair.what, &positions, depth)?;
        }
    }
    Ok(findings.outcome_or_skip(
        "told apart in the table",
        "the engine does not see that the lost positions are lost",
    ))
}

/// Searches the traps, as far as half of the time goes. One that springs may be chance; two of a
/// kind are not.
fn spring_all(session: &mut Session<'_>, findings: &Findings) -> Result<(), Stop> {
    let half = session.left() / 2;
    let mut sprung: Vec<(&'static str, Finding)> = Vec::new();
    for is_mirrored in [false, true] {
        for trap in TRAPS {
            if session.left() <= half {
                break;
            }
            let asked = spring(session, findings, trap, is_mirrored);
            let Some(found) = session.in_time(asked)? else { break };
            sprung.extend(found.map(|finding| (trap.what, finding)));
        }
    }
    let counts: Vec<&'static str> = sprung.iter().map(|(what, _)| *what).collect();
    for (what, mut finding) in sprung {
        if counts.iter().filter(|other| **other == what).count() < 2 {
            finding.verdict = Verdict::Warn;
        }
        findings.push(finding);
    }
    Ok(())
}

/// Searches a trap with an empty table and right after the position it may be taken for.
fn spring(
    session: &mut Session<'_>,
    findings: &Findings,
    trap: &'static Trap,
    is_mirrored: bool,
) -> Result<Option<Finding>, Stop> {
    let [position, other] = [trap.fen, trap.taken_for].map(|fen| {
        let command = format!("position fen {fen}");
        if is_mirrored { mirrored_command(&command) } else { command }
    });
    let [loses, holds] = trap.moves.map(|word| match is_mirrored {
        true => mirrored_word(word),
        false => word.to_owned(),
    });
    let deep = format!("go depth {DEEP}");
    for depth in DEPTHS {
        let go = format!("go depth {depth} searchmoves {loses} {holds}");
        let cold = from_scratch(session.engine()?, &[(&position, &go)])?;
        if cold.score().is_none() || claims_mated(&cold).is_some() || cold.best != holds {
            continue;
        }
        let first = from_scratch(session.engine()?, &[(&other, &deep)])?;
        // Only what it has found to be won can be mistaken for won.
        if !first.score().is_some_and(is_mating) {
            return Ok(None);
        }
        let warm = search(session.engine()?, &position, &go, PATIENCE)?;
        findings.judge();
        let Some(seen) = claims_mated(&warm) else { return Ok(None) };
        let Some(board) = asked_position(&position) else { return Ok(None) };
        let script = Script::new().search(&other, &deep).search(&position, &go);
        let seen = format!("{seen}, though {holds} does not allow it");
        return Ok(Some(
            mix_up(trap.what, seen, &board)
                .shown_by(script, |replay| claims_mated(&replay.last_search()?)),
        ));
    }
    Ok(None)
}

/// The last of some searches, the first with a cleared table.
pub(super) fn from_scratch(
    engine: &mut TestedEngine,
    asked: &[(&str, &str)],
) -> Result<Search, Stop> {
    engine.new_game()?;
    until_ready(engine, PATIENCE)?;
    let mut last = Search::default();
    for (position, go) in asked {
        last = search(engine, position, go, PATIENCE)?;
    }
    Ok(last)
}

fn is_mating(score: Score) -> bool {
    match score {
        Score::Mate(moves) => moves > 0,
        Score::Cp(cp) => cp > 5_000,
    }
}

/// An announced loss that is not there: mate in two at most, which neither position has.
fn claims_mated(found: &Search) -> Option<String> {
    match found.score()? {
        Score::Mate(moves @ -2..=-1) => Some(format!("score mate {moves}")),
        Score::Cp(cp) if cp < -5_000 => Some(format!("score cp {cp}")),
        _ => None,
    }
}

fn mix_up(what: &str, seen: String, board: &Position) -> Finding {
    Finding::fail(format!(
        "{seen}, right after a position was searched that differs from one move later in {what} \
         alone"
    ))
    .expected("no such mate: the two positions are not the same")
    .cause(format!("the key does not see {what}, or not where a FEN gives it"))
    .board(board)
    .root(format!("key without {what}"))
}

/// Searches a lost position, then one before a position that is nearly the same.
fn mistake(
    session: &mut Session<'_>,
    findings: &Findings,
    what: &'static str,
    [lost, before]: &[String; 2],
    depth: u32,
) -> Result<(), Stop> {
    let deep = format!("go depth {}", depth + 1);
    let shallow = format!("go depth {}", depth.min(4));
    let first = from_scratch(session.engine()?, &[(lost, &deep)])?;
    // Only what it has found to be lost can be mistaken for lost.
    if !matches!(first.score(), Some(Score::Mate(moves)) if moves < 0) {
        return Ok(());
    }
    let second = search(session.engine()?, before, &shallow, PATIENCE)?;
    findings.judge();
    let Some(seen) = false_mate(&second) else { return Ok(()) };
    // What it says with an empty table as well does not come from there.
    if false_mate(&from_scratch(session.engine()?, &[(before, &shallow)])?).is_some() {
        return Ok(());
    }
    // Nor is the key to blame for what comes of other positions as well.
    for other in nearly_the_same(lost) {
        let asked = [(other.as_str(), deep.as_str()), (before.as_str(), shallow.as_str())];
        if false_mate(&from_scratch(session.engine()?, &asked)?).is_some() {
            return Ok(());
        }
    }
    let Some(board) = asked_position(before) else { return Ok(()) };
    let script = Script::new().search(lost, &deep).search(before, &shallow);
    findings.push(
        mix_up(what, seen, &board).shown_by(script, |replay| false_mate(&replay.last_search()?)),
    );
    Ok(())
}

/// Some positions with one piece less, which no key takes for the same.
fn nearly_the_same(command: &str) -> Vec<String> {
    let fen = command.trim_start_matches("position fen ");
    let (board, rest) = fen.split_once(' ').unwrap_or((fen, ""));
    let without = |at: usize| {
        let board = [&board[..at], "1", &board[at + 1..]].concat();
        let fen = Position::from_fen(&format!("{} {rest}", counted(&board))).ok()?.fen();
        Some(format!("position fen {fen}"))
    };
    // Pawns first: they matter least.
    let pawns = board.match_indices(['P', 'p']);
    let pieces = board.match_indices(['N', 'n', 'B', 'b']);
    pawns.chain(pieces).filter_map(|(at, _)| without(at)).take(3).collect()
}

/// The board of a FEN with every run of empty squares as one number.
fn counted(board: &str) -> String {
    let (mut text, mut empty) = (String::new(), 0);
    for letter in board.chars().chain(['/']) {
        match letter.to_digit(10) {
            Some(squares) => empty += squares,
            None => {
                if empty > 0 {
                    text += &std::mem::take(&mut empty).to_string();
                }
                text.push(letter);
            }
        }
    }
    text.trim_end_matches('/').to_owned()
}

/// An announced mate that is not there: there is none in three.
fn false_mate(found: &Search) -> Option<String> {
    match found.score()? {
        Score::Mate(moves) if (1..=3).contains(&moves) => Some(format!("score mate {moves}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_solver::{Budget, Solver};

    fn parse(fen: &str) -> Position {
        Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
    }

    #[test]
    fn pairs_are_what_they_say() {
        let mut solver = Solver::new(16);
        for pair in PAIRS {
            let lost = parse(pair.lost);
            assert_eq!(solver.mated_in(&lost, 1, &Budget::NONE), Ok(Some(1)), "{}", pair.lost);
            let before = parse(pair.before);
            assert_eq!(solver.shortest(&before, 3, &Budget::NONE), Ok(None), "{}", pair.before);
            let board = |fen: &str| fen.split(' ').next().map(str::to_owned);
            let leads_there = |mv: &dyno_chess::Move| {
                let next = before.play(*mv);
                board(&next.fen()) == board(pair.lost) && !next.is_same(&lost)
            };
            assert!(before.legal_moves().iter().any(leads_there), "{}", pair.before);
        }
    }

    #[test]
    fn what_is_nearly_the_same_is_not_the_same() {
        for pair in PAIRS {
            let lost = format!("position fen {}", pair.lost);
            let others = nearly_the_same(&lost);
            assert!(!others.is_empty() || !pair.lost.contains(['P', 'p']), "{}", pair.lost);
            for other in others {
                let men = asked_position(&other).map(|position| position.occupied().count());
                assert_eq!(men, Some(parse(pair.lost).occupied().count() - 1), "{other}");
            }
        }
    }

    #[test]
    fn traps_are_what_they_say() {
        let mut solver = Solver::new(16);
        for trap in TRAPS {
            let position = parse(trap.fen);
            let [lost, held] = trap.moves.map(|word| {
                position.play(position.parse_uci(word).unwrap_or_else(|e| panic!("{word}: {e}")))
            });
            assert_eq!(solver.mates_within(&lost, 1, &Budget::NONE), Ok(true), "{}", trap.fen);
            assert_eq!(solver.mates_within(&held, 2, &Budget::NONE), Ok(false), "{}", trap.fen);
            let other = parse(trap.taken_for);
            assert_eq!(solver.mates_within(&other, 1, &Budget::NONE), Ok(true), "{}", trap.fen);
            let board = |position: &Position| position.fen().split(' ').next().map(str::to_owned);
            assert_eq!(board(&held), board(&other), "{}", trap.fen);
            assert!(!held.is_same(&other), "{}", trap.fen);
        }
    }
}
