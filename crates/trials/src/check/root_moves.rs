//! The moves at the root: `searchmoves`, MultiPV, and how castling is written.

use super::needs::Need;
use super::outcome::{Finding, Findings};
use super::positions::SEARCHED;
use super::script::Script;
use super::session::Session;
use super::stop::Stop;
use super::transcript::{InfoLine, Search, search, until_ready};
use super::{CheckOutcome, Checked};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

pub(super) fn search_moves(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("searches");
    findings.judge_many(2);
    match session.probe(Need::SearchMoves)? {
        Some(finding) => findings.push(finding),
        None => several_moves(session, &findings)?,
    }
    Ok(findings.outcome("searchmoves is kept"))
}

/// Every move that is named may be chosen, wherever it stands among them.
fn several_moves(session: &mut Session<'_>, findings: &Findings) -> Result<(), Stop> {
    let mut engine = session.fresh()?;
    for (fen, other, best) in PLAIN {
        let position = format!("position fen {fen}");
        for words in [format!("{other} {best}"), format!("{best} {other}")] {
            let go = format!("go depth 3 searchmoves {words}");
            let found = search(&mut engine, &position, &go, 5 * SECOND)?;
            findings.judge();
            if found.best != other {
                continue;
            }
            findings.push(
                Finding::fail(format!(
                    "`searchmoves {words}`: bestmove {other}, though {best} is mate"
                ))
                .expected(format!("bestmove {best}"))
                .cause("only the first or the last of the moves is kept")
                .root("one of searchmoves")
                .board_of(fen)
                .of(&found, move |search| {
                    (search.best == other).then(|| format!("bestmove {other}"))
                }),
            );
        }
    }
    Ok(())
}

/// Mates in one: no engine prefers another move, unless it may look at nothing else.
const PLAIN: [(&str, &str, &str); 2] = [
    ("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", "e1f2", "a1a8"),
    ("r3k3/8/8/8/8/8/5PPP/6K1 b q - 0 1", "e8f7", "a8a1"),
];

pub(super) fn search_moves_once(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("searches");
    let mut engine = session.fresh()?;
    for (fen, only, best) in PLAIN {
        let position = format!("position fen {fen}");
        let restricted = format!("go depth 3 searchmoves {only}");
        let free = search(&mut engine, &position, "go depth 3", 5 * SECOND)?;
        if free.best != best {
            continue;
        }
        search(&mut engine, &position, &restricted, 5 * SECOND)?;
        let after = search(&mut engine, &position, "go depth 3", 5 * SECOND)?;
        findings.judge();
        if after.best == only {
            let script =
                Script::new().search(&position, &restricted).search(&position, "go depth 3");
            let finding = Finding::fail(format!(
                "searchmoves {only} still restricts the next search: bestmove {only} instead of the mate {best}"
            ))
            .expected("a go without searchmoves looks at all moves")
            .cause("the list of root moves is set by go searchmoves and never cleared")
            .root("keeps searchmoves")
            .board_of(fen)
            .shown_by(script, move |replay| {
                (replay.last_search()?.best == only).then(|| format!("bestmove {only}"))
            });
            findings.push(finding);
            session.stays_restricted = true;
        }
    }
    Ok(findings.outcome_or_skip(
        "searchmoves holds for one search only",
        "the engine does not play the mates in one that this is tried with",
    ))
}

pub(super) fn multi_pv(session: &mut Session<'_>) -> Checked {
    if session.engine()?.option("MultiPV").is_none() {
        return Ok(CheckOutcome::skip("the engine does not declare the option MultiPV"));
    }
    let depth = session.depth_within(200)?.unwrap_or(2).min(6);
    let findings = session.findings("searches");
    let (four, one) = ("setoption name MultiPV value 4", "setoption name MultiPV value 1");
    let go = format!("go depth {depth}");
    for fen in [SEARCHED[3], SEARCHED[1]] {
        let position = format!("position fen {fen}");
        let engine = session.engine()?;
        engine.send_line(four)?;
        let found = search(engine, &position, &go, 6 * SECOND)?;
        engine.send_line(one)?;
        until_ready(engine, 5 * SECOND)?;
        let single = search(engine, &position, &go, 6 * SECOND)?;
        if found.overran || single.overran {
            continue;
        }
        findings.judge();
        let script = Script::new().send(four).search(&position, &go);
        if let Some(wrong) = lines_wrong(&found) {
            findings.push(
                Finding::fail(wrong)
                    .expected("four lines with different first moves")
                    .cause("root moves are not sorted again after each iteration, or lines of two iterations are mixed")
                    .root("multipv lines")
                    .evidence(last_lines(&found))
                    .shown_by(script, |replay| lines_wrong(&replay.last_search()?)),
            );
        } else if let Some(seen) = out_of_order(&found) {
            // Some order their lines by visits, and the protocol does not say by what.
            findings.push(
                Finding::warn(seen)
                    .expected("the best line first, then the next best")
                    .cause("root moves are not sorted again after each iteration")
                    .root("multipv order")
                    .evidence(last_lines(&found))
                    .shown_by(script, |replay| out_of_order(&replay.last_search()?)),
            );
        }
        if single.thoughts.iter().any(|t| t.multipv > 1) {
            let script = Script::new()
                .send(four)
                .search(&position, &go)
                .send(one)
                .ready()
                .search(&position, &go);
            findings.push(
                Finding::fail("several lines are still shown after MultiPV was set back to 1")
                    .expected("one line for each depth")
                    .cause("the option is read only once")
                    .root("multipv reset")
                    .shown_by(script, |replay| {
                        let last = replay.last_search()?;
                        last.thoughts.iter().find(|t| t.multipv > 1).map(|t| t.line.clone())
                    }),
            );
        }
    }
    Ok(findings.outcome_or_skip(
        "four different lines, the best first, and one again afterwards",
        format!("no search to depth {depth} with four lines ended in time"),
    ))
}

/// What was said last, as evidence.
fn last_lines(found: &Search) -> Vec<String> {
    let from = found.thoughts.len().saturating_sub(4);
    found.thoughts[from..].iter().map(|thought| thought.line.clone()).collect()
}

/// The lines of the last depth that has all four.
fn four_lines(found: &Search) -> Option<Vec<&InfoLine>> {
    let depths = found.thoughts.iter().filter(|t| t.multipv == 4).filter_map(|t| t.depth);
    let depth = depths.max()?;
    let line = |n: u32| {
        let mut all = found.thoughts.iter().rev();
        all.find(|t| t.multipv == n && t.depth == Some(depth) && !t.pv.is_empty())
    };
    Some((1..=4).filter_map(line).collect())
}

/// What is wrong with the four lines, if anything is.
fn lines_wrong(found: &Search) -> Option<String> {
    let Some(lines) = four_lines(found) else {
        return Some("MultiPV 4 does not show four lines".to_owned());
    };
    let mut firsts: Vec<&str> = lines.iter().map(|t| t.pv[0].as_str()).collect();
    firsts.sort_unstable();
    firsts.dedup();
    (firsts.len() < lines.len()).then(|| "two of the lines begin with the same move".to_owned())
}

fn out_of_order(found: &Search) -> Option<String> {
    let lines = four_lines(found)?;
    let scores: Vec<_> = lines.iter().filter(|t| t.exact).filter_map(|t| t.score).collect();
    let falls = scores.windows(2).all(|pair| pair[0] >= pair[1]);
    (!falls).then(|| "the lines are not ordered by score".to_owned())
}

/// Both sides may castle to both sides.
const CASTLING: &str = "position fen r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1";

pub(super) fn castling_notation(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("searches");
    let has_variant = session.engine()?.option("UCI_Chess960").is_some();
    // A process of its own: an engine may keep searchmoves.
    let mut engine = session.fresh()?;
    let on = "setoption name UCI_Chess960 value true";
    for (variant, written) in [(false, "e1g1"), (true, "e1h1")] {
        if variant && !has_variant {
            continue;
        }
        if variant {
            engine.send_line(on)?;
            until_ready(&mut engine, 5 * SECOND)?;
        }
        let go = format!("go depth 2 searchmoves {written}");
        let found = search(&mut engine, CASTLING, &go, 5 * SECOND)?;
        findings.judge();
        if found.best == written {
            continue;
        }
        let script = if variant { Script::new().send(on).ready() } else { Script::new() };
        let under = if variant { " with UCI_Chess960" } else { "" };
        findings.push(
            Finding::fail(format!(
                "castling is written {} instead of {written}{under}",
                found.best
            ))
            .expected(format!("bestmove {written}, the only move to search"))
            .cause("one notation is used for both: choose it in the one function that prints moves")
            .root("castling notation")
            .shown_by(script.search(CASTLING, &go), move |replay| {
                let best = replay.last_search()?.best;
                (best != written).then(|| format!("bestmove {best}"))
            }),
        );
    }
    Ok(findings.outcome(match has_variant {
        true => "castling is written e1g1, and e1h1 with UCI_Chess960",
        false => "castling is written e1g1; there is no option UCI_Chess960",
    }))
}
