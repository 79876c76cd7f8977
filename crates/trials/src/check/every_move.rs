//! Mates in one with few other moves: whichever way an engine orders its moves, each place in the list
//! is the only good one somewhere. A root move that is left out shows at once.

use super::outcome::{Finding, Findings};
use super::positions::mirrored_word;
use super::scores::{cleared, flipped, flipped_word, told};
use super::session::Session;
use super::transcript::Search;
use super::{Checked, Stop};
use dyno_chess::Position;
use dyno_uci::Score;

/// Positions with two to four legal moves, one of which mates, and the move.
const MATES: &[(&str, &str)] = &[
    ("5R2/8/1r6/8/8/Pp6/1QK1k3/6Q1 w - - 0 1", "c2c3"),
    ("2r5/2N2pbR/6QK/8/7k/8/3r2p1/8 w - - 0 1", "h6g7"),
    ("1B6/6Q1/1p6/B7/8/2P5/4p3/2RK3k w - - 0 1", "d1e2"),
    ("8/1R6/5p2/pqBpR2p/1R4nk/8/1R3K2/4Q3 w - - 0 1", "f2g2"),
    ("N2b4/1pQ2q2/k7/1p1p4/Kp5B/R6p/3P4/4R3 w - - 0 1", "a4b4"),
    ("B4b2/4n2Q/5p2/1P3p2/7p/1p6/4q1Rr/1R2K2k w - - 0 1", "e1e2"),
    ("q2B3K/b4kP1/1n6/6n1/2r3P1/4bp2/7b/8 w - - 0 1", "g7g8q"),
    ("k3q3/1qP5/K1Pb4/3p3p/4RppP/5pB1/2P5/8 w - - 0 1", "c6b7"),
    ("k7/P7/KP3P2/4q3/5b2/8/8/8 w - - 0 1", "b6b7"),
    ("4n3/4p3/8/2P5/8/1Qq4n/1PNKP3/1k6 w - - 0 1", "b2c3"),
    ("k1K5/1bbP2p1/P7/1P2p3/3p2Q1/8/4p3/R5r1 w - - 0 1", "a6b7"),
    ("1kqK4/p2PP3/3P4/8/6p1/P3R1q1/1pP5/2b5 w - - 0 1", "d7c8q"),
    ("k1K4n/2q3P1/NP6/8/8/2P1n1P1/1Q1p3p/1q5r w - - 0 1", "a6c7"),
    ("8/3pB1q1/2pp1Q2/8/1P4p1/K1r5/8/k2N1Q2 w - - 0 1", "d1c3"),
    ("8/1r6/4nr2/8/1n1qP3/pr1PNr1K/5P2/4Q1Nk w - - 0 1", "g1f3"),
    ("4k3/1PQ4N/1Bp1Kr2/8/8/Q5q1/2n1pn2/2q1q3 w - - 0 1", "h7f6"),
    ("R1NkB1n1/1R4p1/Kr6/6r1/2P4p/8/1r6/8 w - - 0 1", "c8b6"),
    ("8/1R2r1p1/rN6/4N2p/8/1k5p/1N6/KRQ5 w - - 0 1", "b2a4"),
    ("k1K5/8/1Pr5/8/4B3/1R3P2/4p2R/8 w - - 0 1", "e4c6"),
    ("3r1K2/p7/1B3k2/3Q4/2p4b/1p2p1RP/8/3Q4 w - - 0 1", "b6d8"),
    ("7k/3pN3/8/bpPK4/3qQ3/4B3/2P5/8 w - - 0 1", "e3d4"),
    ("n7/q3B3/5K1k/6b1/3P3B/3P4/p3q2Q/8 w - - 0 1", "h4g5"),
    ("3B4/2K1qp2/1p6/2kp1P1p/2P5/2Qr4/1P6/8 w - - 0 1", "d8e7"),
    ("2n5/5K1k/1P1P4/3r1p1b/1r6/8/8/7R w - - 0 1", "h1h5"),
    ("4N3/8/8/1PP5/nb3P1n/6R1/1Q6/4k1qK w - - 0 1", "g3g1"),
    ("8/3p4/Q1q1QqB1/8/6p1/3K2n1/p2p2Q1/kq1R2R1 w - - 0 1", "d1b1"),
    ("Rr3kB1/1K6/6p1/3pNN2/1P6/q3b2b/n2p4/5B2 w - - 0 1", "a8b8"),
    ("n3Q3/6rk/2pK4/p7/8/1nP5/R6b/1r6 w - - 0 1", "a2h2"),
    ("4R3/8/pn5r/p7/Q7/2pkbP2/4p2p/2K3B1 w - - 0 1", "e8e3"),
    ("q3r2r/4P3/6K1/2PqRQq1/8/2p5/1Npk4/2N5 w - - 0 1", "f5g5"),
    ("3KQ3/3q4/2P5/n2k4/5Q1R/8/bb6/2R5 w - - 0 1", "e8d7"),
    ("1R1N4/8/3P4/4k1K1/2P2q2/8/3p3Q/1B6 w - - 0 1", "h2f4"),
    ("8/8/3r1p2/8/2n1p3/Qpk2r2/Kp3Q2/8 w - - 0 1", "a3b3"),
    ("8/2Qp4/q7/5n2/kqQ2pp1/2K5/8/8 w - - 0 1", "c4b4"),
    ("2N5/8/8/8/8/6QK/4p2r/7k w - - 0 1", "g3h2"),
];

/// A position as it is asked for.
#[derive(Clone)]
struct Problem {
    position: Position,
    mate: String,
}

/// Every position, also with colours exchanged, and with left and right.
fn problems() -> impl Iterator<Item = Problem> {
    let ways = [(false, false), (true, true), (true, false), (false, true)];
    let turned = |(fen, mate): &(&str, &str), (is_mirrored, is_flipped): (bool, bool)| {
        let (fen, mate) = match is_flipped {
            true => (flipped(fen), flipped_word(mate)),
            false => ((*fen).to_owned(), (*mate).to_owned()),
        };
        let position = Position::from_fen(&fen).ok()?;
        Some(match is_mirrored {
            true => Problem { position: position.mirrored(), mate: mirrored_word(&mate) },
            false => Problem { position, mate },
        })
    };
    ways.into_iter().flat_map(move |way| MATES.iter().filter_map(move |one| turned(one, way)))
}

impl Problem {
    /// What is played instead of the mate. A longer mate is a mate as well.
    fn missed(&self, found: &Search) -> Option<String> {
        let mates = matches!(found.score(), Some(Score::Mate(moves)) if moves > 0);
        let is_missed = !found.best.is_empty() && found.best != self.mate && !mates;
        is_missed.then(|| {
            let (best, score, mate) = (&found.best, told(found.score()), &self.mate);
            format!("bestmove {best} at {score}, though {mate} mates at once")
        })
    }
}

/// The depth at which a mate in one is seen by every sound search, and the one at which a miss is
/// tried again: some engines prune at the root, too.
const DEPTH: u32 = 3;
const LATER: u32 = 6;

pub(super) fn every_move(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("mates in one");
    let mut missed = Vec::new();
    for problem in problems() {
        if session.time_is_up() {
            break;
        }
        let asked = look(session, &findings, &problem);
        let Some(found) = session.in_time(asked)? else { break };
        missed.extend(found.map(|(found, seen)| (problem, found, seen)));
    }
    let is_told = report(&findings, missed);
    if !is_told {
        let asked = at_the_leaf(session, &findings);
        session.in_time(asked)?;
    }
    Ok(findings.outcome("every one is played"))
}

/// Mates that are not seen at depth 1, where the mated side is to move in quiescence. Some engines
/// leave that out on purpose.
fn at_the_leaf(session: &mut Session<'_>, findings: &Findings) -> Result<(), Stop> {
    let (mut asked, mut missed) = (0, Vec::new());
    for problem in problems().take(MATES.len()) {
        if session.time_is_up() {
            break;
        }
        let text = format!("position fen {}", problem.position.fen());
        let found = cleared(session, &text, "go depth 1")?;
        asked += 1;
        missed.extend(problem.missed(&found).map(|seen| (problem, found, seen)));
    }
    let count = missed.len();
    let Some((problem, found, seen)) = missed.into_iter().next() else { return Ok(()) };
    if count < 4 || 8 * count < asked {
        return Ok(());
    }
    findings.push(
        Finding::warn(format!("{seen}, at depth 1, and so in {count} of {asked} positions"))
            .expected(format!("bestmove {}: what mates is seen one half-move later", problem.mate))
            .cause(
                "quiescence stands pat in check, or looks at captures alone: a side that is in \
                 check has to search every way out, and is mated where there is none",
            )
            .board(&problem.position)
            .root("quiescence in check")
            .of(&found, move |search| problem.missed(search)),
    );
    Ok(())
}

/// A mate that is not played, not even when it is searched deeper.
fn look(
    session: &mut Session<'_>,
    findings: &Findings,
    problem: &Problem,
) -> Result<Option<(Search, String)>, Stop> {
    let text = format!("position fen {}", problem.position.fen());
    for depth in [DEPTH, LATER] {
        let found = cleared(session, &text, &format!("go depth {depth}"))?;
        let Some(seen) = problem.missed(&found) else { break };
        if depth == LATER {
            findings.judge();
            return Ok(Some((found, seen)));
        }
    }
    findings.judge();
    Ok(None)
}

/// One of many may be pruned; several are left out. Whether there was anything to tell.
fn report(findings: &Findings, missed: Vec<(Problem, Search, String)>) -> bool {
    let (count, judged) = (missed.len(), findings.judged());
    let lines: Vec<String> =
        missed.iter().map(|(one, _, seen)| format!("{}: {seen}", one.position.fen())).collect();
    let Some((problem, found, seen)) = missed.into_iter().next() else { return false };
    let text = format!("{seen}, and so in {count} of {judged} positions");
    let finding = match count {
        0 | 1 => return false,
        2 => Finding::warn(text),
        _ => Finding::fail(text),
    };
    findings.push(
        finding
            .expected(format!("bestmove {}", problem.mate))
            .cause(
                "a root move is never searched: a loop that begins at the second move or ends \
                 before the last, a move list that is cut short, or pruning at the root; or a \
                 side that is mated is not scored as mated",
            )
            .board(&problem.position)
            .evidence(lines)
            .root("root moves left out")
            .of(&found, move |search| problem.missed(search)),
    );
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_chess::Role;

    #[test]
    fn one_move_mates_and_few_do_not() {
        assert_eq!(problems().count(), 4 * MATES.len());
        for Problem { position, mate } in problems() {
            let moves = position.legal_moves();
            assert!((2..=4).contains(&moves.len()), "{}", position.fen());
            for mv in &moves {
                let is_mate = position.play(mv).is_checkmate();
                assert_eq!(is_mate, position.uci(mv) == mate, "{}", position.fen());
            }
        }
    }

    #[test]
    fn every_piece_mates() {
        let by = |role| {
            let is_it = |problem: &Problem| {
                let from = problem.mate.get(..2).and_then(|square| square.parse().ok());
                from.and_then(|from| problem.position.role_at(from)) == Some(role)
            };
            problems().filter(is_it).count()
        };
        for role in [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King] {
            assert!(by(role) >= 16, "{role:?}");
        }
    }
}
