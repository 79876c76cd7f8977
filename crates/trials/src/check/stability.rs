//! Stability: long sessions, hostile input, memory.

use super::engine::{Memory, TestedEngine};
use super::games::{Pace, play};
use super::needs::Need;
use super::outcome::Finding;
use super::positions::{HOSTILE, SEARCHED};
use super::replay::Replay;
use super::script::Script;
use super::session::Session;
use super::stop::Stop;
use super::transcript::{Search, search, until_ready};
use super::{CheckOutcome, Checked};
use dyno_uci::OptionKind;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

pub(super) fn games(session: &mut Session<'_>) -> Checked {
    let games = session.plan.games.unwrap_or(session.profile().choose(20, 60, 400));
    let go = session.short_search(session.profile().choose(4, 20, 50))?;
    let findings = session.findings("moves");
    let played = play(session, &findings, games, &Pace::Fixed(go.clone()))?;
    let text = format!("{played} games with `{go}`: no crash, every move and PV legal");
    Ok(findings.outcome_or_skip(text, "the games ended at once").figure(
        "games",
        f64::from(played),
        "",
    ))
}

/// The smallest table the engine offers: what a large one holds grows as it fills.
fn smallest_hash(engine: &TestedEngine) -> Option<String> {
    match engine.option("Hash").map(|option| option.kind.clone()) {
        Some(OptionKind::Spin { min, .. }) => {
            Some(format!("setoption name Hash value {}", min.max(1)))
        }
        _ => None,
    }
}

pub(super) fn memory(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("searches");
    let mut engine = session.fresh()?;
    if engine.memory().is_none() {
        return Ok(CheckOutcome::skip("memory cannot be read on this system"));
    }
    let small = smallest_hash(&engine).filter(|_| engine.capabilities().uci_commands);
    if let Some(line) = &small {
        engine.send_line(line)?;
        engine.is_ready(10 * SECOND)?;
    }
    let go = if engine.capabilities().depth_limit { "go depth 2" } else { "go movetime 20" };
    // As many as there is time for, and as many again: the first touch what is there anyway. A
    // leak then goes on at the same rate, while a table that fills comes to its end.
    let most = session.profile().choose(150, 600, 4000);
    let mut grown = |most: usize, share: u32| -> Result<(usize, Memory), Stop> {
        let before = engine.memory().unwrap_or_default();
        let (mut done, left) = (0, session.left() / share);
        while done < most && session.left() > left {
            engine.new_game()?;
            let text = format!("position fen {}", SEARCHED[done % SEARCHED.len()]);
            match search(&mut engine, &text, go, 10 * SECOND) {
                Err(Stop::OutOfTime) => break,
                other => drop(other?),
            }
            done += 1;
        }
        findings.judge_many(done);
        let after = engine.memory().unwrap_or_default();
        let resident = after.resident - before.resident;
        let writable = after.writable - before.writable;
        Ok((done, Memory { resident, writable, ..after }))
    };
    grown(most / 4, 2)?;
    let (first, Memory { resident: before, .. }) = grown(most, 2)?;
    let (second, Memory { resident: after, writable, .. }) = grown(most, 20)?;
    if first < 20 || second < 20 {
        return Ok(CheckOutcome::skip(format!(
            "only {} searches fit into the time: too few to see a leak",
            findings.judged()
        )));
    }
    let rate = after / second as f64;
    let text = format!(
        "{before:.1} MB more after {first} new games and searches, {after:.1} MB more after {second}"
    );
    let goes_on = rate > 0.4 * before / first as f64;
    if goes_on && after > 0.75 {
        let once =
            Script::new().send("ucinewgame").search(&format!("position fen {}", SEARCHED[0]), go);
        // Enough to grow by two megabytes, whatever else grows at first.
        let times = ((4.0 / rate) as usize).clamp(100, 2000);
        let script = small.into_iter().fold(Script::new(), Script::send).ready();
        // A collected heap grows as well until it is collected, but within what was reserved.
        let is_asked_for = writable > after / 2.0;
        let finding = match after > 3.0 && is_asked_for {
            true => Finding::fail(format!("{text}: memory leaks")),
            false => Finding::warn(format!("{text}: memory leaks, or is not collected yet")),
        };
        findings.push(
            finding
                .expected("memory that does not grow with the number of games")
                .cause("threads or tables allocated anew for each search or game and never freed")
                .root("leaks")
                .shown_by(script.repeat(times, once), |replay| {
                    let (before, after) = replay.memory?;
                    let more = after.resident - before.resident;
                    (more > 1.5).then(|| format!("{more:.1} MB more"))
                }),
        );
    }
    let passed = format!("memory does not grow ({after:+.1} MB in the last {second} searches)");
    Ok(findings.outcome(passed).figure("growth", after, "MB"))
}

pub(super) fn new_games(session: &mut Session<'_>) -> Checked {
    let rounds = session.profile().choose(2000, 5000, 20_000);
    let findings = session.findings("new games");
    let mut engine = session.fresh()?;
    if let Some(line) = smallest_hash(&engine) {
        engine.send_line(&line)?;
    }
    for round in 0..rounds {
        if session.time_is_up() {
            break;
        }
        engine.send_line("ucinewgame")?;
        if let Err(stop) = until_ready(&mut engine, 10 * SECOND) {
            let error = stop.failure()?;
            let script = Script::new().repeat(round + 1, Script::new().new_game());
            findings.push(
                Finding::fail(format!("after {} times ucinewgame: {error}", round + 1))
                    .expected("ucinewgame can be sent any number of times")
                    .cause("a thread, a file or a table for each new game, never given back")
                    .root("ends ucinewgame")
                    .shown_by(script, is_down)
                    .seen_in(Some(engine.mark())),
            );
            break;
        }
        findings.judge();
        if round % 50 == 0 && session.broken(Need::Depth)?.is_none() {
            search(&mut engine, "position startpos", "go depth 1", 10 * SECOND)?;
        }
    }
    Ok(findings.outcome("ucinewgame and isready without trouble"))
}

fn is_down(replay: &Replay) -> Option<String> {
    replay.exited().map(str::to_owned).or_else(|| replay.silent().map(|what| format!("no {what}")))
}

pub(super) fn hostile_input(session: &mut Session<'_>) -> Checked {
    let longer = "x".repeat(100_000);
    let inputs = HOSTILE.iter().map(|text| (*text).to_owned()).chain([longer]);
    let findings = session.findings("inputs");
    let mut engine = session.fresh()?;
    for input in inputs {
        if session.time_is_up() {
            break;
        }
        let script = Script::new()
            .send(input.as_str())
            .send("stop")
            .ready()
            .search("position startpos", "go depth 1");
        let failure = match survives(&mut engine, &input) {
            Ok(found) => found.illegal_answer().map(|bad| format!("afterwards {bad}")),
            Err(stop) => Some(stop.failure()?.to_string()),
        };
        findings.judge();
        let Some(failure) = failure else { continue };
        let shown: String = input.chars().take(90).collect();
        // No rule says what to do with what is not a position, so it is a warning.
        findings.push(
            Finding::warn(format!("`{shown}`: {failure}"))
                .expected("what cannot be read is ignored, and the engine goes on")
                .cause(
                    "FEN fields indexed without looking, kings assumed to be there, fixed buffers",
                )
                .root("hostile input")
                .shown_by(script, |replay| {
                    is_down(replay).or_else(|| replay.last_search()?.illegal_answer())
                }),
        );
        engine = session.fresh()?;
    }
    Ok(findings.outcome("all survived"))
}

fn survives(engine: &mut TestedEngine, input: &str) -> Result<Search, Stop> {
    engine.send_line(input)?;
    engine.send_line("stop")?;
    until_ready(engine, 5 * SECOND)?;
    // An engine may have taken a part of it for a search, which has ended now.
    search(engine, "position startpos", "go depth 1", 5 * SECOND)
}
