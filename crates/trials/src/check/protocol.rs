//! The conversation: commands ignored or answered, searches that go on when they should.

use super::engine::TestedEngine;
use super::needs::{Need, stop, unanswered_isready};
use super::outcome::Finding;
use super::script::{Awaited, Script};
use super::session::Session;
use super::stop::Stop;
use super::transcript::{
    Search, asked_position, finish, is_no_move, is_over, listen, ready_or_not, search, until_ready,
};
use super::{CheckOutcome, Checked};
use dyno_driver::EngineError;
use std::time::{Duration, Instant};

const SECOND: Duration = Duration::from_secs(1);

fn ms(span: Duration) -> f64 {
    span.as_secs_f64() * 1000.0
}

pub(super) fn best_moves(lines: &[String]) -> Vec<String> {
    let is_best = |line: &&String| line.split_whitespace().next() == Some("bestmove");
    lines.iter().filter(is_best).cloned().collect()
}

pub(super) fn unknown_commands(session: &mut Session<'_>) -> Checked {
    let words = ["xyzzy", "joho debug on", "go_away now", "positio startpos", "", "   ", "\t"];
    let findings = session.findings("commands");
    let engine = session.engine()?;
    // A word that begins like `go` may start a search: not of an empty board.
    engine.send_line("position startpos")?;
    for word in words {
        engine.send_line(word)?;
        let mut said = until_ready(engine, 5 * SECOND)?;
        // No GUI sends what begins like a command; a search that it has begun is not left running.
        let is_alike = word.starts_with("go");
        if is_alike {
            engine.send_line("stop")?;
            said.extend(until_ready(engine, 5 * SECOND)?);
            said.extend(listen(engine, Duration::from_millis(150))?);
        }
        findings.judge();
        if let Some(stray) = best_moves(&said).first() {
            let seen = format!("the unknown command {word:?} is answered with {stray}");
            let finding = if is_alike { Finding::warn(seen) } else { Finding::fail(seen) };
            findings.push(
                finding
                    .expected("no answer, or an info string")
                    .cause("commands are compared by their beginning, so that others match too")
                    .root("answers unknown commands")
                    .shown_by(alike_script(word), |replay| {
                        (replay.count("bestmove") > 0).then(|| "bestmove".to_owned())
                    }),
            );
        }
    }
    let found = search(engine, "position startpos", "go depth 1", 10 * SECOND)?;
    if let Some(bad) = found.illegal_answer() {
        let alone = words.iter().filter(|word| !word.starts_with("go"));
        let script = alone.fold(Script::new(), |script, word| script.ask(word));
        findings.push(
            Finding::fail(format!("after unknown commands: {bad}"))
                .expected("a legal move")
                .shown_by(script.search("position startpos", "go depth 1"), |replay| {
                    replay.last_search()?.illegal_answer()
                })
                .perhaps_chance(),
        );
    }
    Ok(findings.outcome("unknown and empty commands are ignored"))
}

/// An unknown command as it was sent.
fn alike_script(word: &str) -> Script {
    Script::new().send("position startpos").ask(word).ask("stop").pause(150)
}

pub(super) fn ready_while_searching(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("searches");
    if let Some(finding) = session.probe(Need::ReadsInput)? {
        findings.push(finding);
        return Ok(findings.outcome(""));
    }
    let mut quickest = Duration::MAX;
    let (mut asked, mut unanswered) = (0, 0);
    for _ in 0..ASKED {
        if asked > 1 && session.left() < SECOND {
            break;
        }
        asked += 1;
        let engine = session.engine()?;
        engine.send_line("position startpos\ngo infinite")?;
        listen(engine, Duration::from_millis(80))?;
        let (began, waiting) = (Instant::now(), engine.waiting());
        let (lines, answered) = ready_or_not(engine, SECOND)?;
        // On a busy machine the slowest says nothing; an engine that polls is slow each time.
        let late = engine.waiting().since(&waiting);
        quickest = quickest.min(began.elapsed().saturating_sub(late));
        findings.judge();
        // What ends the search may answer first.
        let after = if answered { listen(engine, AFTERWARDS)? } else { Vec::new() };
        if !best_moves(&lines).is_empty() || !best_moves(&after).is_empty() {
            session.discard_engine();
            findings.push(ends_search(answered));
            return Ok(findings.outcome(""));
        }
        if !answered {
            unanswered += 1;
            session.discard_engine();
            continue;
        }
        stop(engine)?;
    }
    if unanswered == asked {
        findings.push(thrown_away());
        return Ok(findings.outcome(""));
    }
    if quickest > session.engine()?.patience(Duration::from_millis(500)) {
        let seen = format!("readyok takes {:.0} ms or more during a search", ms(quickest));
        let script = Script::new().send("position startpos").send("go infinite").pause(100).ready();
        findings.push(
            Finding::warn(seen)
                .expected("readyok at once")
                .cause("input is polled, and too rarely")
                .shown_by(script, |replay| {
                    let asked = replay.lines.iter().find(|said| said.text == "isready")?.at;
                    let ready = replay.lines.iter().find(|said| said.text.trim() == "readyok")?.at;
                    let took = ready.saturating_sub(asked).saturating_sub(replay.waited);
                    (took > Duration::from_millis(500)).then(|| format!("{:.0} ms", ms(took)))
                })
                .every_time(),
        );
    }
    let text = format!("readyok within {:.1} ms during a search", ms(quickest));
    Ok(findings.outcome(text).figure("readyok", ms(quickest), "ms"))
}

/// How often `isready` is sent during a search.
const ASKED: u32 = 4;

/// `isready` is read and not answered, though `stop` is.
fn thrown_away() -> Finding {
    unanswered_isready("isready is not answered during a search, though stop is").cause(
        "while it searches, the engine knows stop and quit alone and throws the other words away",
    )
}

/// How long a search that was ended by `isready` may take to send its move.
const AFTERWARDS: Duration = Duration::from_millis(120);

/// `isready` ends the search, and is answered or swallowed.
fn ends_search(answered: bool) -> Finding {
    let script =
        Script::new().send("position startpos").send("go infinite").pause(100).ready().pause(500);
    let (seen, cause) = match answered {
        true => ("isready ends the search", "any input sets the stop flag"),
        false => (
            "isready ends the search, and is not answered",
            "the search looks whether there is input, reads it away and stops, whatever it says",
        ),
    };
    Finding::fail(seen)
        .expected("readyok, and a search that goes on until stop")
        .cause(cause)
        .root("input ends the search")
        .shown_by(script, |replay| {
            (replay.count("bestmove") > 0).then(|| "bestmove without stop".to_owned())
        })
}

pub(super) fn infinite(session: &mut Session<'_>) -> Checked {
    // Where there is nothing to think about, an engine is tempted to answer.
    let tempting = [
        ("mate in one", "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1"),
        ("one legal move", "7k/5K2/8/8/8/8/8/6R1 b - - 0 1"),
        ("kings only", "8/8/4k3/8/8/4K3/8/8 w - - 0 1"),
    ];
    let findings = session.findings("positions");
    if let Some(finding) = session.probe(Need::Infinite)? {
        findings.push(finding);
        return Ok(findings.outcome(""));
    }
    // Asked now: the answer takes searches of its own. Engines that do not stop are told by another
    // check.
    let stops = session.broken(Need::Stop)?.is_none();
    let span = Duration::from_millis(session.profile().choose(700, 2000, 5000));
    for (name, fen) in tempting {
        let position = format!("position fen {fen}");
        let engine = session.engine()?;
        engine.send_line(&format!("{position}\ngo infinite"))?;
        let early = best_moves(&listen(engine, span)?);
        findings.judge();
        let Some(first) = early.first() else {
            if stops {
                stop(session.engine()?)?;
            } else {
                session.discard_engine();
            }
            continue;
        };
        until_ready(engine, 5 * SECOND)?;
        // An engine that sees that the game is over has nothing to go on with.
        let word = first.split_whitespace().nth(1).unwrap_or_default();
        if is_no_move(word) && asked_position(&position).is_some_and(|here| is_over(&here)) {
            continue;
        }
        let script = Script::new().send(position.as_str()).send("go infinite").pause(1500).ready();
        let finding = Finding::fail(format!("go infinite ends by itself ({name}): {first}"))
            .expected("no bestmove before stop")
            .cause("the loop ends at its greatest depth or at a mate, and prints")
            .root("infinite ends")
            .board_of(fen)
            .shown_by(script, |replay| {
                (replay.count("bestmove") > 0).then(|| "bestmove without stop".to_owned())
            });
        findings.push(finding);
    }
    Ok(findings.outcome("go infinite goes on until stop, even with nothing to think about"))
}

pub(super) fn ponder(session: &mut Session<'_>) -> Checked {
    if session.engine()?.option("Ponder").is_none() {
        return Ok(CheckOutcome::skip("the engine does not declare the option Ponder"));
    }
    let on = "setoption name Ponder value true";
    let position = "position startpos moves e2e4 e7e5 g1f3";
    if let Some(slow) = session.too_slow_for(1000)? {
        return Ok(CheckOutcome::skip(slow));
    }
    let go = "go ponder wtime 1000 btime 1000 winc 10 binc 10";
    let begin = || Script::new().send(on).send(position).send(go);
    let findings = session.findings("searches");
    // Pondering may leave traces: a process of its own.
    let mut engine = session.fresh()?;
    engine.send_line(&format!("{on}\n{position}\n{go}"))?;
    let early = best_moves(&listen(&mut engine, Duration::from_millis(600))?);
    findings.judge();
    if let Some(early) = early.first() {
        findings.push(
            Finding::fail(format!("answers while it should ponder: {early}"))
                .expected("no bestmove before ponderhit or stop")
                .cause("the word ponder is not read, so that the clock ends the search")
                .shown_by(begin().pause(1500).ready(), |replay| {
                    (replay.count("bestmove") > 0).then(|| "bestmove while pondering".to_owned())
                }),
        );
        return Ok(findings.outcome(""));
    }
    let began = engine.send_line("ponderhit")?;
    let hit = match finish(&mut engine, Search::default(), began, 2 * SECOND) {
        Err(Stop::Engine(EngineError::Hung { .. })) => {
            findings.judge();
            findings.push(waits_for_ever(begin()));
            return Ok(findings.outcome(""));
        }
        other => other?,
    };
    findings.judge();
    let late =
        |search: &Search| hit_too_late(search).then(|| format!("{:.0} ms", ms(search.elapsed)));
    if hit_too_late(&hit) {
        let script = begin().pause(300).send("ponderhit").wait_for(Awaited::BestMove, 2 * SECOND);
        findings.push(
            Finding::fail(match hit.overran {
                true => "ponderhit does not turn pondering into a timed search: no bestmove \
                         for 2 s with 1 s on the clock"
                    .to_owned(),
                false => format!(
                    "takes {:.0} ms after ponderhit with 1000 ms on the clock",
                    ms(hit.own_time())
                ),
            })
            .expected("a bestmove within the time on the clock")
            .cause("ponderhit is ignored; it has to set the time limit of the running search")
            .shown_by(script, move |replay| late(&replay.last_search()?))
            .every_time(),
        );
        return Ok(findings.outcome(""));
    }
    if let Some(finding) = hit_at_once(&mut engine, [on, position, go])? {
        findings.judge();
        findings.push(finding);
        return Ok(findings.outcome(""));
    }
    engine.send_line(&format!("{position}\n{go}"))?;
    listen(&mut engine, Duration::from_millis(150))?;
    let mut missed = stop(&mut engine)?;
    missed.asked = vec![position.to_owned(), go.to_owned()];
    findings.judge();
    if let Some(bad) = missed.illegal_answer() {
        findings.push(
            Finding::fail(format!("stopped while pondering: {bad}"))
                .expected("a legal bestmove")
                .cause("the search has no move yet when it is stopped before its first iteration")
                .shown_by(begin().pause(150).send("stop").best_move(), |replay| {
                    replay.last_search()?.illegal_answer()
                }),
        );
    }
    if let Some(finding) = ponders_on(&mut engine, on)? {
        findings.push(finding);
    }
    findings.judge();
    let text = format!("ponders, answers {:.0} ms after ponderhit, and on stop", ms(hit.elapsed));
    Ok(findings.outcome(text))
}

/// Neither `ponderhit` nor `stop` ends a search that ponders.
fn waits_for_ever(begin: Script) -> Finding {
    let script = begin
        .pause(300)
        .send("ponderhit")
        .wait_for(Awaited::BestMove, 2 * SECOND)
        .send("stop")
        .best_move();
    Finding::fail("no bestmove after ponderhit with 1 s on the clock, and stop does not help")
        .expected("a bestmove within the time on the clock")
        .cause("the search waits for a word that never comes: ponderhit and stop have to end the waiting, too")
        .shown_by(script, |replay| replay.silent().map(|what| format!("no {what}")))
}

/// A search that has nothing left to think about waits for `ponderhit` all the same.
fn ponders_on(engine: &mut TestedEngine, on: &str) -> Result<Option<Finding>, Stop> {
    let fen = "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1";
    let (position, go) = (format!("position fen {fen}"), "go ponder wtime 1000 btime 1000");
    engine.send_line(&format!("{position}\n{go}"))?;
    let early = best_moves(&listen(engine, Duration::from_millis(500))?);
    let Some(first) = early.first() else { return Ok(None) };
    let script = Script::new().send(on).send(position.as_str()).send(go).pause(1500).ready();
    Ok(Some(
        Finding::fail(format!("answers while it should ponder (mate in one): {first}"))
            .expected("no bestmove before ponderhit or stop")
            .cause("the loop ends at its greatest depth or at a mate, and prints without waiting")
            .board_of(fen)
            .shown_by(script, |replay| {
                (replay.count("bestmove") > 0).then(|| "bestmove while pondering".to_owned())
            }),
    ))
}

/// `ponderhit` may come before the search has begun: the opponent had the answer ready.
fn hit_at_once(
    engine: &mut TestedEngine,
    [on, position, go]: [&str; 3],
) -> Result<Option<Finding>, Stop> {
    let lines = [position, go, "ponderhit"];
    let began = engine.send_line(&lines.join("\n"))?;
    let hit = finish(engine, Search::default(), began, 2 * SECOND)?;
    let script = Script::new().send(on).together(&lines).wait_for(Awaited::BestMove, 2 * SECOND);
    Ok(hit_too_late(&hit).then(|| {
        Finding::fail("a ponderhit that comes at once is lost: no bestmove within the time on the clock")
            .expected("a bestmove within the time on the clock")
            .cause("the starting search clears what ponderhit has set: clear it before the thread is started")
            .root("ponderhit lost")
            .shown_by(script, |replay| {
                hit_too_late(&replay.last_search()?).then(|| "no bestmove".to_owned())
            })
    }))
}

/// Whether a search has taken far more than the second that its clock had.
fn hit_too_late(search: &Search) -> bool {
    search.overran || search.own_time() > 2 * SECOND
}
