//! Limits that no careful GUI sends, and some do: an engine may answer what it likes, but it goes
//! on.

use super::Checked;
use super::engine::TestedEngine;
use super::needs::Need;
use super::outcome::{Finding, Findings};
use super::positions::SEARCHED;
use super::replay::Replay;
use super::script::Script;
use super::session::Session;
use super::stop::Stop;
use super::transcript::{Search, finish, listen, search, until_ready};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// How long a search may take that has a second or two on its clock.
const PATIENCE: Duration = Duration::from_secs(4);

/// A `go` that is odd, and what an engine makes of it that is not prepared.
struct Odd {
    go: &'static str,
    what: &'static str,
    cause: &'static str,
    /// Whether a game may bring it about.
    is_real: bool,
}

const fn odd(go: &'static str, what: &'static str, cause: &'static str, is_real: bool) -> Odd {
    Odd { go, what, cause, is_real }
}

/// Searches that have to end by themselves, with a legal move.
const ENDING: [Odd; 5] = [
    odd(
        "go binc 0 winc 0 movestogo 20 btime 1500 wtime 1500",
        "the words of go in another order",
        "the words are read at fixed places: look for each by its name",
        true,
    ),
    odd(
        "go wtime 1 btime 1",
        "one millisecond on the clock",
        "the time for the move comes to nothing or less than that, which is taken for no limit",
        true,
    ),
    odd(
        "go wtime 1000 btime 1000 movestogo 0",
        "movestogo 0",
        "the time is divided by movestogo: take 0 for not given",
        false,
    ),
    odd(
        "go wtime -40 btime -40",
        "a clock below zero, as some GUIs send it",
        "the time is read as unsigned, or less than nothing is taken for no limit",
        false,
    ),
    odd(
        "go depth 2 xyzzy 7 movetime 1000",
        "a word of go that is not known",
        "an unknown word ends the reading of go, or the engine",
        false,
    ),
];

/// Searches that may mean anything: they are told to stop.
const ANYTHING: [&str; 4] = ["go", "go depth 0", "go nodes 0", "go movetime 0"];

pub(super) fn odd_limits(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("odd limits");
    let mut engine = session.fresh()?;
    for odd in &ENDING {
        if session.time_is_up() || session.too_slow_for(1000)?.is_some() {
            break;
        }
        let position = format!("position fen {}", SEARCHED[3]);
        let answer = search(&mut engine, &position, odd.go, PATIENCE);
        findings.judge();
        let is_slow = answer.as_ref().is_ok_and(|found| found.overran);
        let seen = match answer {
            Ok(found) if found.overran => Some("does not end".to_owned()),
            Ok(found) => found.illegal_answer(),
            Err(stop) => Some(stop.failure()?.to_string()),
        };
        if let Some(seen) = seen {
            let finding = misled(odd, &position, &seen);
            findings.push(if is_slow { finding.perhaps_chance() } else { finding });
            engine = session.fresh()?;
        }
    }
    let stops = session.broken(Need::Stop)?.is_none();
    for go in ANYTHING.into_iter().filter(|_| stops) {
        if session.time_is_up() {
            break;
        }
        findings.judge();
        if let Err(stop) = stopped(&mut engine, go) {
            findings.push(falls_over(go, &stop.failure()?.to_string()));
            engine = session.fresh()?;
        }
    }
    if session.broken(Need::ReadsInput)?.is_none() {
        two_at_once(&mut engine, &findings)?;
    }
    Ok(findings.outcome("all survived"))
}

fn misled(odd: &Odd, position: &str, seen: &str) -> Finding {
    let seen = format!("`{}` ({}): {seen}", odd.go, odd.what);
    let finding = if odd.is_real { Finding::fail(seen) } else { Finding::warn(seen) };
    finding.expected("a legal move, soon").cause(odd.cause).root(odd.what).shown_by(
        Script::of_search(position, odd.go),
        |replay| {
            let last = replay.last_search()?;
            is_down(replay)
                .or_else(|| last.overran.then(|| "no bestmove".to_owned()))
                .or_else(|| last.illegal_answer())
        },
    )
}

fn is_down(replay: &Replay) -> Option<String> {
    replay.exited().map(str::to_owned).or_else(|| replay.silent().map(|what| format!("no {what}")))
}

/// Lets a search begin and stops it.
fn stopped(engine: &mut TestedEngine, go: &str) -> Result<(), Stop> {
    engine.send_line(&format!("position startpos\n{go}"))?;
    listen(engine, Duration::from_millis(60))?;
    engine.send_line("stop")?;
    until_ready(engine, 5 * SECOND)?;
    // An answer to `stop` may still come.
    listen(engine, Duration::from_millis(60))?;
    search(engine, "position startpos", "go depth 1", PATIENCE).map(drop)
}

fn falls_over(go: &str, seen: &str) -> Finding {
    let script = Script::new()
        .send("position startpos")
        .send(go)
        .pause(60)
        .send("stop")
        .ready()
        .search("position startpos", "go depth 1");
    Finding::warn(format!("`{go}`: {seen}"))
        .expected("whatever it means, the engine goes on")
        .cause("the number is used as it comes: a division, an index, or a loop that never ends")
        .root("odd limits")
        .shown_by(script, is_down)
}

/// A second `go` while the first search runs: no GUI should, but the engine must not die of it.
fn two_at_once(engine: &mut TestedEngine, findings: &Findings) -> Result<(), Stop> {
    let lines = ["position startpos", "go movetime 300", "go movetime 300"];
    let mut carry_out = || -> Result<Search, Stop> {
        let began = engine.send_line(&lines.join("\n"))?;
        let first = Search { overran: true, ..Search::default() };
        finish(engine, first, began, PATIENCE)?;
        listen(engine, Duration::from_millis(400))?;
        engine.send_line("stop")?;
        until_ready(engine, 5 * SECOND)?;
        listen(engine, Duration::from_millis(60))?;
        search(engine, "position startpos", "go depth 1", PATIENCE)
    };
    findings.judge();
    let seen = match carry_out() {
        Ok(found) => found.illegal_answer(),
        Err(stop) => Some(stop.failure()?.to_string()),
    };
    let Some(seen) = seen else { return Ok(()) };
    let script = Script::new()
        .together(&lines)
        .best_move()
        .pause(400)
        .send("stop")
        .ready()
        .pause(60)
        .search("position startpos", "go depth 1");
    findings.push(
        Finding::warn(format!("go while a search runs: {seen}"))
            .expected("the second is ignored, or carried out after the first")
            .cause("two searches share what belongs to one, or a thread is started that is still running")
            .root("two searches at once")
            .shown_by(script, |replay| {
                is_down(replay).or_else(|| replay.last_search()?.illegal_answer())
            }),
    );
    Ok(())
}
