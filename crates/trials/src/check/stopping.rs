//! `stop`: at once, at any time, once.

use super::limits::NO_MOVE_YET;
use super::needs::{Need, stop};
use super::outcome::{Finding, Findings};
use super::positions::{SEARCHED, SPECIAL};
use super::protocol::best_moves;
use super::script::{Awaited, Script};
use super::session::Session;
use super::stop::Stop;
use super::transcript::{Search, finish, listen, until_ready};
use super::{CheckOutcome, Checked};
use dyno_driver::EngineError;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// The cause of a search that goes on though it was stopped as it began.
pub(super) const STOP_LOST: &str = "stop lost";
/// After so long without an answer a `stop` has been lost.
const LOST: Duration = Duration::from_millis(1500);

fn ms(span: Duration) -> f64 {
    span.as_secs_f64() * 1000.0
}

pub(super) fn stops(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("searches");
    if let Some(finding) = session.probe(Need::Stop)? {
        findings.push(finding);
        return Ok(findings.outcome(""));
    }
    at_once(session, &findings)?;
    let slowest = after_a_while(session, &findings)?;
    let text = format!(
        "a legal bestmove each time; within {:.1} ms when stopped later, also when stopped at once",
        ms(slowest)
    );
    Ok(findings.outcome(text).figure("slowest stop", ms(slowest), "ms"))
}

/// `go` and `stop` in one write, many times: an engine that starts a thread may lose the `stop`, or
/// have no move yet.
fn at_once(session: &mut Session<'_>, findings: &Findings) -> Result<(), Stop> {
    let rounds = session.profile().choose(300, 1500, 10_000);
    let fens: Vec<&str> =
        SEARCHED.iter().copied().chain(SPECIAL.iter().map(|(_, fen)| *fen)).collect();
    // Half of the share: the rest is for what is stopped later.
    let half = session.left() / 2;
    for round in 0..rounds {
        if session.left() < half {
            break;
        }
        let position = format!("position fen {}", fens[round % fens.len()]);
        let go = if round % 2 == 0 { "go infinite" } else { "go wtime 60000 btime 60000" };
        let engine = session.engine()?;
        let began = engine.send_line(&format!("{position}\n{go}\nstop"))?;
        let asked = vec![position.clone(), go.to_owned()];
        let begun = Search { asked, overran: true, ..Search::default() };
        let found = match finish(engine, begun, began, LOST) {
            Err(Stop::Engine(EngineError::Hung { .. }) | Stop::OutOfTime) => {
                session.discard_engine();
                findings.judge();
                findings.push(lost_stop(&position, go));
                return Ok(());
            }
            other => other?,
        };
        findings.judge();
        if let Some(bad) = found.illegal_answer() {
            let script = Script::new().together(&[&position, go, "stop"]).best_move();
            let mut finding = Finding::fail(format!("stopped at once: {bad}"))
                .expected("a legal move, however early stop comes")
                .cause("no move is known before the first iteration ends: start with the first legal one, and do not clear the stop flag after the thread has been started")
                .root(NO_MOVE_YET)
                .shown_by(script, |replay| replay.last_search()?.illegal_answer())
                .seen_in(found.mark.clone());
            finding.fen = found.position().map(|position| position.fen());
            findings.push(finding);
            return Ok(());
        }
    }
    Ok(())
}

/// A `stop` that was lost: nothing ends the search. Whether it is lost is a matter of chance in most
/// engines, so that it is tried many times.
fn lost_stop(position: &str, go: &str) -> Finding {
    let once = Script::new().together(&[position, go, "stop"]);
    let script = Script::new().repeat(20, once.wait_for(Awaited::BestMove, LOST));
    Finding::fail("a stop that comes at once is lost: the search goes on")
        .expected("a bestmove as soon as possible, however early stop comes")
        .cause("the starting search clears the stop flag after stop has set it: clear it before the thread is started")
        .root(STOP_LOST)
        .shown_by(script, |replay| replay.silent().map(|_| "no bestmove after stop".to_owned()))
}

/// Stopped after some time; the slowest answer, by the engine's own time.
fn after_a_while(session: &mut Session<'_>, findings: &Findings) -> Result<Duration, Stop> {
    let mut slowest = Duration::ZERO;
    for (wait, fen) in [(20, SEARCHED[0]), (60, SEARCHED[1]), (60, SEARCHED[2]), (200, SEARCHED[3])]
    {
        let position = format!("position fen {fen}");
        let mut took = Duration::MAX;
        // The quickest of several: a busy machine delays some, a deaf engine is late each time.
        for _ in 0..3 {
            let engine = session.engine()?;
            engine.send_line(&format!("{position}\ngo infinite"))?;
            listen(engine, Duration::from_millis(wait))?;
            let found = stop(engine)?;
            findings.judge();
            took = took.min(found.late);
            if took < Duration::from_millis(50) {
                break;
            }
        }
        slowest = slowest.max(took);
        if took > session.engine()?.patience(Duration::from_millis(300)) {
            let script = Script::new()
                .send(position.as_str())
                .send("go infinite")
                .pause(wait)
                .send("stop")
                .best_move();
            findings.push(
                Finding::warn(format!("bestmove comes {:.0} ms after stop", ms(took)))
                    .expected("a bestmove as soon as possible: a few milliseconds")
                    .cause(
                        "the stop flag is looked at too rarely; every few thousand nodes is enough",
                    )
                    .root("stops late")
                    .shown_by(script, |replay| {
                        let asked = replay.lines.iter().find(|said| said.text == "stop")?.at;
                        let best = |text: &str| text.trim().starts_with("bestmove");
                        let came = replay.lines.iter().find(|said| best(&said.text))?.at;
                        let took = came.saturating_sub(asked);
                        (took > Duration::from_millis(300)).then(|| format!("{:.0} ms", ms(took)))
                    })
                    .every_time(),
            );
        }
    }
    Ok(slowest)
}

pub(super) fn stop_twice(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("searches");
    let engine = session.engine()?;
    engine.send_line("position startpos\ngo infinite")?;
    if !best_moves(&listen(engine, Duration::from_millis(60))?).is_empty() {
        return Ok(CheckOutcome::skip(
            "needs a search that goes on, but go infinite ends by itself",
        ));
    }
    let began = engine.send_line("stop\nstop")?;
    finish(engine, Search { overran: true, ..Search::default() }, began, 3 * SECOND)?;
    let mut more = until_ready(engine, 5 * SECOND)?;
    more.extend(listen(engine, Duration::from_millis(150))?);
    findings.judge();
    if let Some(second) = best_moves(&more).first() {
        let script = Script::new()
            .send("position startpos")
            .send("go infinite")
            .pause(100)
            .together(&["stop", "stop"])
            .best_move()
            .ready()
            .pause(150);
        findings.push(
            Finding::fail(format!("a second stop is answered with a second bestmove: {second}"))
                .expected("one bestmove for each go")
                .cause(
                    "stop prints the move itself; print it in one place, where the search returns",
                )
                .root("answers every stop")
                .shown_by(script, |replay| {
                    let count = replay.count("bestmove");
                    (count > 1).then(|| format!("{count} times bestmove for one go"))
                }),
        );
    }
    // And once more when nothing runs.
    engine.send_line("stop")?;
    let mut idle = until_ready(engine, 5 * SECOND)?;
    idle.extend(listen(engine, Duration::from_millis(150))?);
    findings.judge();
    if let Some(stray) = best_moves(&idle).first() {
        let script = Script::new().ask("stop").wait_for(Awaited::BestMove, SECOND / 5);
        findings.push(
            Finding::fail(format!("stop is answered although nothing was being searched: {stray}"))
                .expected("no bestmove without go")
                .cause(
                    "stop prints the move itself; print it in one place, where the search returns",
                )
                .root("answers every stop")
                .shown_by(script, |replay| {
                    (replay.count("bestmove") > 0).then(|| "bestmove without go".to_owned())
                })
                .seen_in(Some(engine.mark())),
        );
    }
    Ok(findings.outcome("one bestmove however often stop is sent; none when idle"))
}
