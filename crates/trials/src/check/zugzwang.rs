//! Mates in pawn endings that come about by zugzwang: a search that lets the side to move pass, as a
//! null move does, cannot see them.

use super::offers::GREAT;
use super::outcome::{Finding, Findings};
use super::scores::{cleared, told};
use super::session::Session;
use super::transcript::Search;
use super::{CheckOutcome, Checked};
use dyno_chess::Position;
use dyno_uci::Score;

/// King and pawns alone, and a mate in three to eight that needs every move of the other side to
/// be forced.
const ZUGZWANGS: [&str; 12] = [
    "6k1/7p/4K2P/5P2/4p1p1/4P1P1/8/8 w - - 0 1",
    "7k/3K3p/7P/8/4pP2/4P3/8/8 w - - 0 1",
    "4k3/4p1p1/3KP1P1/5p2/5P2/8/8/8 w - - 0 1",
    "4k3/4p2p/3KP2P/5p2/5P2/8/8/8 w - - 0 1",
    "3K2k1/7p/5p1P/5P2/6p1/6P1/8/8 w - - 0 1",
    "6k1/7p/3K3P/8/5Pp1/6P1/8/8 w - - 0 1",
    "8/7k/4K2p/7P/4P3/8/8/8 w - - 0 1",
    "8/4K2k/7p/4P2P/6p1/6P1/8/8 w - - 0 1",
    "7k/8/4K3/4P2p/6pP/6P1/8/8 w - - 0 1",
    "7k/3K3p/5P1P/4p3/4P3/8/8/8 w - - 0 1",
    "7k/4K3/6p1/4P1P1/4p3/4P3/8/8 w - - 0 1",
    "6k1/4K2p/5p1P/5P2/8/8/8/8 w - - 0 1",
];
/// Twice the depth of most of the mates; some ten thousand nodes in such endings.
const GO: &str = "go depth 14";
/// Fewer than this are too few to judge.
const ENOUGH: usize = 9;

pub(super) fn zugzwang(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("endings");
    let mut missed = Vec::new();
    for fen in ZUGZWANGS {
        if session.time_is_up() {
            break;
        }
        let asked = cleared(session, &format!("position fen {fen}"), GO);
        let Some(found) = session.in_time(asked)? else { break };
        if found.overran || found.score().is_none() {
            continue;
        }
        findings.judge();
        if let Some(seen) = sees_no_mate(&found) {
            missed.push((fen, found, seen));
        }
    }
    let judged = findings.judged();
    if judged < ENOUGH {
        let why = format!("only {judged} endings could be judged with `{GO}`");
        return Ok(CheckOutcome::skip(why));
    }
    let seen = judged - missed.len();
    report(&findings, missed);
    Ok(findings.outcome(format!("{seen} of {judged} mates by zugzwang are seen")))
}

/// Sound engines miss up to four of twelve; those that prune boldly many, but not nearly all.
fn report(findings: &Findings, missed: Vec<(&str, Search, String)>) {
    let (count, judged) = (missed.len(), findings.judged());
    let lines: Vec<String> = missed.iter().map(|(fen, _, seen)| format!("{fen}: {seen}")).collect();
    let Some((fen, found, seen)) = missed.into_iter().next() else { return };
    let text = format!("{seen}, though zugzwang mates, and so in {count} of {judged} endings");
    let finding = match (12 * count >= 11 * judged, 2 * count >= judged) {
        (true, _) => Finding::fail(text),
        (_, true) => Finding::warn(text),
        _ => return,
    };
    let finding = finding
        .expected("a mate, at a depth of twice its length")
        .cause(
            "null moves are tried with king and pawns alone, where to pass would be the best move: \
             leave them out when the side to move has no pieces, or verify them; or quiet moves are \
             pruned for good",
        )
        .evidence(lines)
        .root("zugzwang")
        .of(&found, sees_no_mate);
    findings.push(match Position::from_fen(fen) {
        Ok(position) => finding.board(&position),
        Err(_) => finding,
    });
}

/// What is said in place of a mate.
fn sees_no_mate(found: &Search) -> Option<String> {
    let is_mate = match found.score()? {
        Score::Mate(moves) => moves > 0,
        Score::Cp(cp) => cp >= GREAT,
    };
    (!is_mate).then(|| format!("score {}", told(found.score())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_chess::Role;
    use dyno_solver::{Budget, Solver};

    #[test]
    fn every_ending_is_a_mate_with_king_and_pawns_alone() {
        for fen in ZUGZWANGS {
            let position = Position::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
            let pieces = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
            assert!(pieces.iter().all(|role| position.by_role(*role).is_empty()), "{fen}");
            let mut solver = Solver::new(16);
            let best = position.legal_moves().iter().any(|mv| {
                solver.keeps_mate(&position, *mv, 8, &Budget::nodes(20_000_000)) == Ok(true)
            });
            assert!(best, "{fen}");
        }
    }
}
