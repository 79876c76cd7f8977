//! Search consistency: the same question, the same answer.

use super::mirror::{eval_of, static_eval};
use super::outcome::Finding;
use super::positions::{MATES, SEARCHED};
use super::scores::{cleared, told};
use super::script::Script;
use super::session::Session;
use super::transcript::{InfoLine, Search, search};
use super::{Checked, Stop, identity, table};
use dyno_uci::Score;
use std::time::Duration;

/// A search as it can be compared.
fn print(found: &Search) -> String {
    let nodes = found.nodes().map(|nodes| format!(", {nodes} nodes")).unwrap_or_default();
    format!("{}, {}{nodes}", found.best, told(found.score()))
}

/// Whether the second search took a fraction of the work, as with a table that is still full.
fn is_much_less(first: &Search, again: &Search) -> bool {
    first.nodes().zip(again.nodes()).is_some_and(|(a, b)| 3 * b < a)
}

/// What is left of earlier searches when everything should have been cleared.
pub(super) const NOT_CLEARED: &str = "not deterministic";

pub(super) fn determinism(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("positions");
    let most = session.profile().choose(9, 11, 13);
    let depth = session.depth_within(200)?.unwrap_or(4).clamp(2, most);
    let go = format!("go depth {depth}");
    // A table that is never cleared knows these positions from the checks before: then both
    // searches would agree.
    session.discard_engine();
    for (number, fen) in SEARCHED.iter().enumerate() {
        if session.time_is_up() {
            break;
        }
        // After a game that was about something else, which is not searched for its own sake.
        let other = format!("position fen {}", MATES[number % MATES.len()].1);
        let text = format!("position fen {fen}");
        let first = cleared(session, &text, &go)?;
        search(session.engine()?, &other, &go, Duration::from_secs(5))?;
        let again = cleared(session, &text, &go)?;
        if first.overran || again.overran {
            continue;
        }
        findings.judge();
        if print(&first) == print(&again) {
            continue;
        }
        let script = Script::new()
            .new_game()
            .search(&text, &go)
            .search(&other, &go)
            .new_game()
            .search(&text, &go);
        let text = format!("{}, and after ucinewgame {}: {fen}", print(&first), print(&again));
        // A fraction of the work is what a full table saves; a history left over changes it.
        let is_known = is_much_less(&first, &again);
        let finding = if is_known { Finding::fail(text) } else { Finding::warn(text) };
        findings.push(
            finding
                .expected("the same move, score and nodes with cleared tables and one thread")
                .cause(
                    "ucinewgame does not clear the table, the history or the killers; or something \
                     is random or not initialised",
                )
                .root(NOT_CLEARED)
                .shown_by(script, move |replay| {
                    let searches = replay.searches();
                    let (first, third) = (searches.first()?, searches.get(2)?);
                    let (a, b) = (print(first), print(third));
                    (a != b && (!is_known || is_much_less(first, third)))
                        .then(|| format!("{a}, and after ucinewgame {b}"))
                }),
        );
    }
    Ok(findings.outcome("the same move, score and nodes after ucinewgame"))
}

/// Two ways to a position, with equal half-move clocks: many evaluations look at them.
const PATHS: [(&str, &str); 4] = [
    ("e2e4 e7e5 g1f3 b8c6 f1c4 g8f6", "e2e4 e7e5 f1c4 g8f6 g1f3 b8c6"),
    ("d2d4 d7d5 c2c4 e7e6 b1c3 g8f6", "c2c4 e7e6 d2d4 d7d5 b1c3 g8f6"),
    ("g1f3 g8f6 b1c3 b8c6 d2d3 d7d6", "b1c3 b8c6 g1f3 g8f6 d2d3 d7d6"),
    ("g1f3 g8f6 f3g1 f6g8 e2e3 e7e6", "e2e3 e7e6"),
];

pub(super) fn path_independence(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("positions");
    let has_eval = static_eval(session.engine()?, "position startpos")?.is_some();
    let question = if has_eval { "eval" } else { "go depth 1" };
    for (one, other) in PATHS {
        let lines = [one, other].map(|moves| format!("position startpos moves {moves}"));
        let [a, b] = [value(session, has_eval, &lines[0])?, value(session, has_eval, &lines[1])?];
        let (Some(a), Some(b)) = (a, b) else { continue };
        findings.judge();
        if a == b {
            continue;
        }
        let seen = format!("{a} after {one}, {b} after {other} ({question})");
        let finding = if has_eval { Finding::fail(seen) } else { Finding::warn(seen) };
        let script = if has_eval {
            Script::new().send(&lines[0]).ask(question).send(&lines[1]).ask(question)
        } else {
            Script::new().search(&lines[0], question).new_game().search(&lines[1], question)
        };
        findings.push(
            finding
                .expected("one evaluation for one position")
                .cause("an incremental evaluation drifts, or a cache is keyed by something else")
                .root("path-dependent evaluation")
                .shown_by(script, move |replay| {
                    let (answers, searches) = (replay.answers("eval"), replay.searches());
                    let [a, b] = [0, 1].map(|number| match has_eval {
                        true => Some(format!("cp {:.0}", eval_of(answers.get(number)?)?)),
                        false => Some(told(Some(searches.get(number)?.score()?))),
                    });
                    let (a, b) = (a?, b?);
                    (a != b).then(|| format!("{a} and {b}"))
                }),
        );
    }
    // Where a key is printed, the positions after moves have been judged by that alone: what is
    // counted beside it (material, sums of the squares) shows only in a search.
    if identity::display(session)?.is_some() {
        table::after_moves(session, &findings)?;
    }
    Ok(findings.outcome_or_skip("one evaluation each", "the engine tells no evaluation"))
}

fn value(session: &mut Session<'_>, has_eval: bool, line: &str) -> Result<Option<String>, Stop> {
    if has_eval {
        let value = static_eval(session.engine()?, line)?;
        return Ok(value.map(|cp| format!("cp {cp:.0}")));
    }
    let found = cleared(session, line, "go depth 1")?;
    Ok(found.score().map(|score| told(Some(score))))
}

/// Quiet positions, where nothing should change much from depth to depth.
const QUIET: [usize; 4] = [0, 5, 6, 7];
/// More than this is not a matter of taste, in centipawns.
const JUMP: u32 = 250;

pub(super) fn depth_scores(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("iterations");
    let depth = session.depth_within(300)?.unwrap_or(4).clamp(3, 9);
    for fen in QUIET.map(|number| SEARCHED[number]) {
        if session.time_is_up() {
            break;
        }
        let text = format!("position fen {fen}");
        let found = cleared(session, &text, &format!("go depth {depth}"))?;
        findings.judge_many(by_depth(&found).len().saturating_sub(1));
        let Some(seen) = jump(&found) else { continue };
        findings.push(
            Finding::warn(format!("{seen}: {fen}"))
                .expected(
                    "scores of a quiet position that stay within 2.5 pawns from depth to depth",
                )
                .cause("a missing negation shows as a score that changes sign with the depth")
                .root("sign of scores")
                .of(&found, jump),
        );
    }
    Ok(findings
        .outcome_or_skip("no jump of more than 2.5 pawns", "the engine sends no exact scores"))
}

/// The last score of each iteration.
fn by_depth(found: &Search) -> Vec<(u32, i32)> {
    let score = |thought: &InfoLine| match (thought.depth, thought.score) {
        (Some(depth), Some(Score::Cp(score))) => Some((depth, score)),
        _ => None,
    };
    found.iterations().into_iter().filter_map(score).collect()
}

fn jump(found: &Search) -> Option<String> {
    by_depth(found).windows(2).find_map(|pair| {
        let [(depth, score), (next, then)] = *pair else { return None };
        (depth >= 2 && score.abs_diff(then) > JUMP)
            .then(|| format!("{score} at depth {depth}, {then} at depth {next}"))
    })
}

pub(super) fn mate_kept(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("mates");
    let depth = session.depth_within(300)?.unwrap_or(5).clamp(4, 10);
    for (moves, fen) in MATES {
        if session.time_is_up() {
            break;
        }
        let text = format!("position fen {fen}");
        let found = cleared(session, &text, &format!("go depth {depth}"))?;
        let is_mate = |t: &InfoLine| matches!(t.score, Some(Score::Mate(n)) if n > 0);
        findings.judge_many(usize::from(found.thoughts.iter().any(is_mate)));
        let Some(seen) = loses_mate(&found) else { continue };
        findings.push(
            Finding::fail(format!("{seen} (there is a mate in {moves}): {fen}"))
                .expected("a mate that was found at one depth is still a mate at the next")
                .cause("mate scores corrupted by the table; pruning or reducing in won positions")
                .root("mate scores")
                .of(&found, loses_mate),
        );
    }
    Ok(findings.outcome_or_skip("none is lost at a greater depth", "no mate was announced"))
}

/// A mate announced at one depth, and no mate at a greater one.
fn loses_mate(found: &Search) -> Option<String> {
    let mut mate: Option<(u32, i32)> = None;
    let lines = found.thoughts.iter().filter(|t| t.exact && t.multipv == 1 && !t.pv.is_empty());
    for thought in lines {
        match (thought.depth, thought.score, mate) {
            (Some(depth), Some(Score::Mate(n)), _) if n > 0 => mate = Some((depth, n)),
            (Some(depth), Some(score), Some((at, n))) if depth > at => {
                let then = told(Some(score));
                return Some(format!("mate in {n} at depth {at}, {then} at depth {depth}"));
            }
            _ => {}
        }
    }
    None
}
