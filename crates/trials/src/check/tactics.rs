//! Tactics: a short set of Win at Chess, and mates in one to three. By nodes, so that a busy machine
//! changes nothing.

use super::needs::Need;
use super::outcome::Finding;
use super::positions::MATES;
use super::session::Session;
use super::stop::Stop;
use super::transcript::{Search, search};
use super::{CheckOutcome, Checked};
use crate::builtin_suite;
use dyno_formats::epd::EpdReader;
use dyno_solver::{Budget, Solver};
use std::time::Duration;

/// The limit of a tactical search: nodes where the engine keeps them, a depth otherwise; where
/// neither is within its reach in this time, what that comes to.
fn limit(
    session: &mut Session<'_>,
    (nodes, ms): (u64, u64),
    what: &str,
) -> Result<Result<String, CheckOutcome>, Stop> {
    let reach = session.reach()?;
    if let Some((id, why)) = session.broken(Need::Nodes)? {
        if let Some((id, why)) = session.broken(Need::Depth)? {
            return Ok(Err(CheckOutcome::because(id, why)));
        }
        // Less deep, a miss says nothing.
        let depth = reach.depth_within(ms).filter(|depth| *depth >= 6);
        return Ok(depth
            .map(|depth| format!("go depth {depth}"))
            .ok_or_else(|| CheckOutcome::because(id, why)));
    }
    let needs = |speed: f64| nodes as f64 / speed * 1000.0;
    let fits = reach.speed.is_none_or(|speed| needs(speed) <= 20.0 * ms as f64);
    let skip = || CheckOutcome::skip(format!("{what} are out of the engine's reach"));
    Ok(fits.then(|| format!("go nodes {nodes}")).ok_or_else(skip))
}

/// A search in a new game.
fn solve(session: &mut Session<'_>, fen: &str, go: &str) -> Result<Search, Stop> {
    let engine = session.engine()?;
    engine.new_game()?;
    search(engine, &format!("position fen {fen}"), go, Duration::from_secs(8))
}

pub(super) fn win_at_chess(session: &mut Session<'_>) -> Checked {
    let Some(suite) = builtin_suite("wac") else {
        return Ok(CheckOutcome::skip("the suite is not built in"));
    };
    let (count, nodes, ms) =
        session.profile().choose((30, 30_000, 60), (100, 200_000, 400), (300, 1_000_000, 2000));
    let what = format!("{nodes} nodes for each position");
    let go = match limit(session, (nodes, ms), &what)? {
        Ok(go) => go,
        Err(unfit) => return Ok(unfit),
    };
    let findings = session.findings("positions");
    let (mut solved, mut missed) = (0, Vec::new());
    // Every tenth, and so on: a fair sample of the whole.
    let records: Vec<_> = EpdReader::new(suite.text.as_bytes()).flatten().collect();
    let step = (records.len() / count).max(1);
    for record in records.iter().step_by(step).take(count) {
        if session.time_is_up() {
            break;
        }
        let position = record.position;
        let asked = solve(session, &position.fen(), &go);
        let Some(found) = session.in_time(asked)? else { break };
        findings.judge();
        let best = record.best_moves().moves;
        match position.parse_uci(&found.best) {
            Ok(mv) if best.contains(&mv) => solved += 1,
            _ => missed.push(format!(
                "{}: {} instead of {}",
                record.id().unwrap_or_default(),
                found.best,
                best.iter().map(|mv| position.uci(*mv)).collect::<Vec<_>>().join(" or ")
            )),
        }
    }
    let judged = findings.judged();
    if judged < 10 {
        return Ok(CheckOutcome::skip(format!("only {judged} positions fit into the time")));
    }
    let text = format!("{solved} of {judged} Win at Chess positions are solved with `{go}`");
    // A depth says nothing of the effort: some engines are done with it in a thousand nodes.
    if !go.starts_with("go nodes") && 10 * solved < judged {
        return Ok(CheckOutcome::skip(format!("{text}: a depth says nothing of the effort")));
    }
    if go.starts_with("go nodes") && 3 * solved < judged {
        let mut finding = Finding::warn(text.clone())
            .expected("at least a third of them")
            .cause("no quiescence search, or one that stands pat in check; too much pruning; a sign lost")
            .evidence(missed);
        let limit = go.replacen("go ", "--", 1);
        finding.reproduce =
            vec![format!("dyno suite --epd wac {limit} --engine '{}'", session.plan.engine)];
        findings.push(finding);
    }
    let solved = f64::from(u32::try_from(solved).unwrap_or(u32::MAX));
    Ok(findings.outcome(text).figure("solved", solved, &format!("of {judged}")))
}

pub(super) fn mates(session: &mut Session<'_>) -> Checked {
    let nodes = session.profile().choose(60_000, 300_000, 1_000_000);
    let go = match limit(session, (nodes, 400), "mates in three")? {
        Ok(go) => go,
        Err(unfit) => return Ok(unfit),
    };
    let findings = session.findings("mates");
    let (mut solved, mut later, mut missed) = (0, 0, Vec::new());
    for (moves, fen) in MATES {
        if session.time_is_up() {
            break;
        }
        let asked = solve(session, fen, &go);
        let Some(found) = session.in_time(asked)? else { break };
        findings.judge();
        let within = *moves;
        if keeps(&found, within) {
            solved += 1;
        } else if within > 1 && keeps(&found, within + 1) {
            // A mate is a mate: one that takes a move more has been found, too.
            solved += 1;
            later += 1;
        } else {
            let seen =
                format!("a mate in {within} is missed: bestmove {} does not keep it", found.best);
            let finding = if within == 1 { Finding::fail(seen) } else { Finding::warn(seen) };
            let finding = finding
                .expected(format!("a move that keeps the mate in {within}"))
                .cause("mate scores below other scores, a sign lost, or mating moves pruned")
                .root(format!("misses a mate in {}", if within == 1 { "one" } else { "more" }))
                .board_of(fen)
                .of(&found, move |search| {
                    (!keeps(search, within + u32::from(within > 1)))
                        .then(|| format!("bestmove {}", search.best))
                });
            missed.push((within, finding));
        }
    }
    // Good engines overlook one of the longer ones at so few nodes.
    let is_much = 3 * missed.len() > findings.judged();
    for (within, finding) in missed {
        if within == 1 || is_much {
            findings.push(finding);
        }
    }
    let text = match later {
        0 => format!("{solved} mates in one to three are played"),
        _ => format!("{solved} mates in one to three are played, {later} of them a move later"),
    };
    Ok(findings.outcome(text).figure("mates", f64::from(solved), &format!("of {}", MATES.len())))
}

/// Whether the move played keeps a mate within this many moves.
fn keeps(found: &Search, within: u32) -> bool {
    let Some(position) = found.position() else { return false };
    let mut solver = Solver::new(16);
    position.parse_uci(&found.best).is_ok_and(|mv| {
        solver.keeps_mate(&position, mv, within, &Budget::nodes(2_000_000)) == Ok(true)
    })
}
