//! A small table, filled with other positions, and plain questions in between: entries that are used
//! for whatever position falls into their place give themselves away.

use super::outcome::Finding;
use super::positions::SEARCHED;
use super::replay::Replay;
use super::scores::{Turned, refuses};
use super::script::Script;
use super::session::Session;
use super::transcript::{Search, search, until_ready};
use super::{CheckOutcome, Checked, Stop};
use crate::check::engine::TestedEngine;
use dyno_uci::OptionKind;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(5);
/// So little that every entry is deep enough to be used.
const GO: &str = "go depth 2";
/// What fills the table.
const FILLING: [&str; 3] = [SEARCHED[1], SEARCHED[3], SEARCHED[4]];
/// How long it is filled, in milliseconds of the engine's own time.
const FILL: u64 = 250;

pub(super) fn full(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("questions");
    let Some(depth) = session.depth_within(FILL)? else {
        return Ok(CheckOutcome::skip("no search to a depth ends soon enough"));
    };
    let fill = format!("go depth {depth}");
    let mut engine = session.fresh()?;
    let small = smallest(&engine);
    if let Some(line) = &small {
        engine.send_line(line)?;
    }
    let known = answered(session, &mut engine)?;
    engine.new_game()?;
    until_ready(&mut engine, PATIENCE)?;
    let mut script = small.iter().fold(Script::new(), |script, line| script.send(line));
    let mut wrong = Vec::new();
    'filled: for fen in FILLING {
        let text = format!("position fen {fen}");
        let filled = search(&mut engine, &text, &fill, PATIENCE);
        if session.in_time(filled)?.is_none() {
            break;
        }
        script = script.search(&text, &fill);
        for turned in &known {
            if session.time_is_up() {
                break 'filled;
            }
            let Some(found) = ask(&mut engine, *turned)? else { continue };
            findings.judge();
            if let Some(seen) = refuses(*turned, &found) {
                wrong.push((*turned, script.clone().and(found.script()), found.mark, seen));
            }
        }
    }
    engine.into_engine().kill();
    // A few may have another cause; entries of other positions give themselves away again and again.
    let lines: Vec<String> = wrong.iter().map(|(_, _, _, seen)| seen.clone()).collect();
    let is_often = lines.len() >= 3 && 25 * lines.len() >= findings.judged();
    let first = wrong.into_iter().next().filter(|_| is_often);
    if let Some((turned, script, mark, seen)) = first {
        let finding = Finding::fail(format!(
            "{seen}, in {} of {} questions, though not with an empty table",
            lines.len(),
            findings.judged()
        ))
        .expected("the answer of an empty table: it is another position")
        .cause(
            "an entry of the table is used without comparing the key, or with too few of its bits; \
             an index is taken for the key",
        )
        .evidence(lines)
        .root("entries of other positions");
        let finding = match turned.position() {
            Some(position) => finding.board(&position),
            None => finding,
        };
        let judge = move |replay: &Replay| refuses(turned, &replay.last_search()?);
        findings.push(finding.shown_by(script, judge).seen_in(mark));
    }
    Ok(findings.outcome_or_skip("answered as with an empty table", "no question is answered"))
}

/// The line that makes the table as small as it can be.
fn smallest(engine: &TestedEngine) -> Option<String> {
    let hash = engine.options().iter().find(|option| option.name.eq_ignore_ascii_case("hash"))?;
    let OptionKind::Spin { min, .. } = &hash.kind else { return None };
    Some(format!("setoption name {} value {}", hash.name, (*min).max(1)))
}

/// The questions that are answered rightly with an empty table.
fn answered(session: &mut Session<'_>, engine: &mut TestedEngine) -> Result<Vec<Turned>, Stop> {
    let half = session.left() / 3;
    let mut known = Vec::new();
    for turned in Turned::all() {
        if session.left() < half {
            break;
        }
        engine.new_game()?;
        until_ready(engine, PATIENCE)?;
        let found = ask(engine, turned)?;
        known.extend(found.filter(|found| refuses(turned, found).is_none()).map(|_| turned));
    }
    Ok(known)
}

fn ask(engine: &mut TestedEngine, turned: Turned) -> Result<Option<Search>, Stop> {
    let Some(position) = turned.position() else { return Ok(None) };
    let text = format!("position fen {}", position.fen());
    search(engine, &text, GO, PATIENCE).map(Some)
}
