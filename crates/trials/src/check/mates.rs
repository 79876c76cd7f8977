//! Mates from both sides: announced with the right sign and number, when mating and when being
//! mated, and on the way to the mate, when the table already knows it.

use super::outcome::{Finding, Findings};
use super::positions::MATES;
use super::scores::{cleared, told};
use super::script::Script;
use super::session::Session;
use super::transcript::{InfoLine, Search, asked_position, search, until_ready};
use super::{Checked, Stop, Verdict};
use dyno_chess::Position;
use dyno_solver::{Budget, Solver};
use dyno_uci::Score;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(4);
/// More than this is too much to prove or disprove on the way.
const MOST: u32 = 5;

/// Mates in three and four with few pieces, so that the table is full of mates of other lengths.
const LONGER: &[(u32, &str)] =
    &[(3, "8/8/8/8/8/2k5/1r6/K7 b - - 0 1"), (4, "8/8/8/8/8/3k4/r7/2K5 b - - 0 1")];

pub(super) fn distance(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("mate scores");
    let depth = session.depth_within(200)?.unwrap_or(5).clamp(3, 8);
    let mut solver = Solver::new(16);
    let mut lines = MatingLines::default();
    for (moves, fen) in MATES.iter().chain(LONGER) {
        let Ok(position) = Position::from_fen(fen) else { continue };
        let Ok(line) = solver.line(&position, *moves, &Budget::nodes(2_000_000)) else { continue };
        for (start, is_mirrored) in [(position, false), (position.mirrored(), true)] {
            if session.time_is_up() {
                break;
            }
            let words = words_of(&position, &line, is_mirrored);
            // Towards the mate, and away from it: what the table keeps of one root is read at
            // another distance from the next.
            let towards: Vec<usize> = (0..words.len()).collect();
            let away: Vec<usize> = towards.iter().rev().copied().collect();
            let mut is_late = false;
            for order in [towards, away] {
                let asked = along(session, &findings, (&start, &words), &order, depth, &mut lines);
                is_late |= session.in_time(asked)?.is_none();
            }
            if is_late {
                break;
            }
        }
    }
    lines.report(&findings);
    if findings.judged() == 0 {
        no_mates_at_all(session, &findings, depth)?;
    }
    Ok(findings.outcome_or_skip("every one true", "the engine announces no mates"))
}

/// A line in UCI's words, for either colour.
fn words_of(position: &Position, line: &[dyno_chess::Move], is_mirrored: bool) -> Vec<String> {
    let mut here = *position;
    let mut words = Vec::new();
    for mv in line {
        let word = here.uci(*mv);
        words.push(if is_mirrored { super::positions::mirrored_word(&word) } else { word });
        here = here.play(*mv);
    }
    words
}

/// Searches the positions of a mating line in this order, without clearing the table.
fn along(
    session: &mut Session<'_>,
    findings: &Findings,
    (start, words): (&Position, &[String]),
    order: &[usize],
    depth: u32,
    lines: &mut MatingLines,
) -> Result<(), Stop> {
    let go = format!("go depth {depth}");
    let engine = session.engine()?;
    engine.new_game()?;
    until_ready(engine, Duration::from_secs(10))?;
    let mut script = Script::new();
    for &played in order {
        let moves = if played == 0 { "" } else { " moves " };
        let text = format!("position fen {}{moves}{}", start.fen(), words[..played].join(" "));
        script = script.search(&text, &go);
        let found = search(session.engine()?, &text, &go, PATIENCE)?;
        let Some(here) = asked_position(&text) else { return Ok(()) };
        let left = words.len() - played;
        let claims = claims(&found);
        findings.judge_many(claims.len());
        let finding = |seen: String| {
            Finding::fail(seen)
                .expected(expectation(left))
                .cause(
                    "the sign or the number is lost where the score is printed (moves, not \
                     half-moves; negative when being mated), or mate scores go into the table \
                     and come back without adding and subtracting the ply",
                )
                .board(&here)
                .root("mate scores")
        };
        if let Some(seen) = falsehood(&here, &found, left) {
            findings.push(finding(seen).shown_by(script.clone(), move |replay| {
                falsehood(&here, &replay.last_search()?, left)
            }));
            return Ok(());
        }
        let Some(otherwise) = mating_line(&found, left) else { continue };
        lines.count += 1;
        if let Some(seen) = otherwise {
            lines.otherwise += 1;
            let shown = finding(seen)
                .shown_by(script.clone(), move |replay| mating_line(&replay.last_search()?, left)?);
            lines.example = lines.example.take().or(Some(shown));
        }
    }
    Ok(())
}

fn expectation(half_moves_left: usize) -> String {
    let moves = half_moves_left.div_ceil(2);
    match half_moves_left % 2 {
        1 => format!("score mate {moves}: mate can be forced in {moves}"),
        _ => format!("score mate -{}: the side to move is mated in {moves}", half_moves_left / 2),
    }
}

/// The mates announced at the end of each iteration.
fn claims(found: &Search) -> Vec<i32> {
    let mate = |thought: &InfoLine| match thought.score {
        Some(Score::Mate(moves)) => Some(moves),
        _ => None,
    };
    found.iterations().into_iter().filter_map(mate).collect()
}

/// An announced mate that is not true of the position, from which a forced mate takes `left`
/// half-moves.
fn falsehood(position: &Position, found: &Search, left: usize) -> Option<String> {
    let is_mating = left % 2 == 1;
    let mut solver = Solver::new(4);
    for claim in claims(found) {
        let says = format!("score mate {claim}");
        if (claim > 0) != is_mating || claim == 0 {
            let truth = if is_mating { "mates" } else { "is mated" };
            return Some(format!("{says}, though the side to move {truth}"));
        }
        let most = claim.unsigned_abs();
        if most > MOST || 2 * most as usize >= left {
            continue;
        }
        // Shorter than the line: true only if there is a shorter mate.
        let budget = Budget::nodes(400_000);
        let is_true = match is_mating {
            true => solver.mates_within(position, most, &budget),
            false => solver.mated_within(position, most, &budget),
        };
        if is_true == Ok(false) {
            return Some(format!("{says}, which is too short: there is no such mate"));
        }
    }
    None
}

/// Lines that end in mate, and how many of them in another number of moves than their score says.
#[derive(Default)]
struct MatingLines {
    count: usize,
    otherwise: usize,
    example: Option<Finding>,
}

impl MatingLines {
    /// All of them wrong are a matter of counting. A line that is read from the table may now and
    /// then be shorter than the score.
    fn report(self, findings: &Findings) {
        let Some(mut finding) = self.example else { return };
        if self.count < 2 || self.otherwise < self.count {
            finding.verdict = Verdict::Warn;
        }
        findings.push(finding);
    }
}

/// Whether the last line ends in mate, and what was seen where that takes another number of moves
/// than the score says.
fn mating_line(found: &Search, left: usize) -> Option<Option<String>> {
    let last = found.thoughts.iter().rev().find(|t| t.exact && t.multipv == 1)?;
    let Some(Score::Mate(claim)) = last.score else { return None };
    let plies = last.pv.len();
    let said = if left % 2 == 1 {
        2 * claim.unsigned_abs() as usize - 1
    } else {
        2 * claim.unsigned_abs() as usize
    };
    // The line ends in mate sooner than the score says.
    let mates = found.position().is_some_and(|mut here| {
        for word in &last.pv {
            let Ok(mv) = here.parse_uci(word) else { return false };
            here = here.play(mv);
        }
        here.is_checkmate()
    });
    mates.then(|| {
        (plies != said).then(|| {
            let line = &last.line;
            format!("score mate {claim} with a line that mates in {plies} half-moves: {line}")
        })
    })
}

/// Scores are told, but no mate: not even one in one.
fn no_mates_at_all(session: &mut Session<'_>, findings: &Findings, depth: u32) -> Result<(), Stop> {
    let text = format!("position fen {}", MATES[0].1);
    let found = cleared(session, &text, &format!("go depth {depth}"))?;
    let Some(score) = found.score() else { return Ok(()) };
    // A great score is another way to say it.
    let is_silent = |score: Score| matches!(score, Score::Cp(cp) if cp < 5_000);
    if !is_silent(score) {
        return Ok(());
    }
    findings.judge();
    findings.push(
        Finding::fail(format!("score {} though there is a mate in one", told(Some(score))))
            .expected("score mate 1")
            .cause("a side without legal moves is not scored as mated when it is in check")
            .root("mate scores")
            .of(&found, move |search| {
                search.score().filter(|s| is_silent(*s)).map(|s| format!("score {}", told(Some(s))))
            }),
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_mates_are_mates() {
        for (moves, fen) in LONGER {
            let position = Position::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
            let found = Solver::new(16).shortest(&position, *moves, &Budget::NONE);
            assert_eq!(found, Ok(Some(*moves)), "{fen}");
        }
    }
}
