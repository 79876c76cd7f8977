//! The conversation: commands ignored or answered, searches that stop when told and only then.

use super::CheckOutcome;
use super::engine::TestedEngine;
use super::positions::SEARCHED;
use super::session::Session;
use super::transcript::{Search, finish, listen, search, until_ready};
use dyno_driver::EngineError;
use std::time::{Duration, Instant};

type Checked = Result<CheckOutcome, EngineError>;

const SECOND: Duration = Duration::from_secs(1);

fn ms(span: Duration) -> f64 {
    span.as_secs_f64() * 1000.0
}

fn commands(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

fn best_moves(lines: &[String]) -> Vec<String> {
    lines.iter().filter(|line| line.trim().starts_with("bestmove")).cloned().collect()
}

pub(super) fn unknown_commands(session: &mut Session<'_>) -> Checked {
    let engine = session.engine()?;
    let words = ["xyzzy", "joho debug on", "go_away now", "positio startpos", "", "   ", "\t"];
    for word in words {
        engine.send_line(word)?;
    }
    let said = until_ready(engine, Duration::from_secs(5))?;
    let stray = best_moves(&said);
    let found = search(engine, "position startpos", "go depth 1", Duration::from_secs(10))?;
    Ok(if !stray.is_empty() {
        CheckOutcome::fail("an unknown command is answered with a bestmove").evidence(stray)
    } else if found.best.len() < 4 {
        CheckOutcome::fail(format!("after unknown commands: bestmove {}", found.best))
    } else {
        CheckOutcome::pass(format!("{} unknown and empty commands are passed over", words.len()))
    }
    .reproduce(words.iter().take(4).copied()))
}

pub(super) fn ready_while_searching(session: &mut Session<'_>) -> Checked {
    session.said = commands(&["position startpos", "go infinite", "isready", "stop"]);
    let engine = session.engine()?;
    engine.send_line("position startpos\ngo infinite")?;
    if has_ended(&listen(engine, Duration::from_millis(150))?) {
        return Ok(ends_by_itself());
    }
    let began = Instant::now();
    let answered = until_ready(engine, 2 * SECOND);
    let took = began.elapsed();
    let ended = stop(engine)?;
    let how = ["position startpos", "go infinite", "isready"];
    Ok(match answered {
        Err(EngineError::NotReady { .. }) => CheckOutcome::fail(
            "isready is not answered during a search: a GUI takes the engine for dead",
        ),
        Err(error) => return Err(error),
        Ok(lines) if !best_moves(&lines).is_empty() => {
            CheckOutcome::fail("isready ends the search").evidence(best_moves(&lines))
        }
        Ok(_) if ended.best.is_empty() => CheckOutcome::fail("no bestmove after isready and stop"),
        Ok(_) if took > engine.patience(Duration::from_millis(500)) => {
            CheckOutcome::warn(format!("readyok only after {:.0} ms during a search", ms(took)))
        }
        Ok(_) => CheckOutcome::pass(format!("readyok after {:.1} ms during a search", ms(took))),
    }
    .figure("readyok", ms(took), "ms")
    .reproduce(how))
}

/// Whether the search has been answered already.
fn has_ended(said: &[String]) -> bool {
    !best_moves(said).is_empty()
}

/// What needs a search that goes on cannot be judged where none does; that is a finding of its own.
fn ends_by_itself() -> CheckOutcome {
    CheckOutcome::skip("needs a search that goes on, but go infinite ends by itself")
}

/// Stops a running search and waits for its answer.
fn stop(engine: &mut TestedEngine) -> Result<Search, EngineError> {
    let began = engine.send_line("stop")?;
    finish(engine, Search { overran: true, ..Search::default() }, began, 3 * SECOND)
}

pub(super) fn stops(session: &mut Session<'_>) -> Checked {
    let mut slowest = Duration::ZERO;
    // Whether there is much to do or little must not matter.
    for (wait, position) in
        [(0, "position startpos"), (20, "position startpos"), (200, "position startpos")]
            .into_iter()
            .chain(SEARCHED.iter().take(3).map(|fen| (60, *fen)))
    {
        let position = if position.starts_with("position") {
            position.to_owned()
        } else {
            format!("position fen {position}")
        };
        session.said = commands(&[&position, "go infinite", &format!("stop (after {wait} ms)")]);
        let engine = session.engine()?;
        engine.send_line(&format!("{position}\ngo infinite"))?;
        if wait > 0 && has_ended(&listen(engine, Duration::from_millis(wait))?) {
            return Ok(ends_by_itself());
        }
        let ended = stop(engine)?;
        slowest = slowest.max(ended.elapsed);
        if ended.best.len() < 4 {
            return Ok(CheckOutcome::fail(format!(
                "stopped after {wait} ms, it has no move: bestmove {}",
                ended.best
            ))
            .reproduce([position, "go infinite".into(), "stop".into()]));
        }
    }
    let text = format!("bestmove within {:.1} ms of stop, also when stopped at once", ms(slowest));
    Ok(if slowest > session.engine()?.patience(Duration::from_millis(300)) {
        CheckOutcome::warn(text)
    } else {
        CheckOutcome::pass(text)
    }
    .figure("slowest stop", ms(slowest), "ms")
    .reproduce(["position startpos", "go infinite", "stop"]))
}

pub(super) fn stop_twice(session: &mut Session<'_>) -> Checked {
    session.said = commands(&["position startpos", "go infinite", "stop", "stop"]);
    let engine = session.engine()?;
    engine.send_line("position startpos\ngo infinite")?;
    if has_ended(&listen(engine, Duration::from_millis(60))?) {
        return Ok(ends_by_itself());
    }
    let began = engine.send_line("stop\nstop")?;
    finish(engine, Search { overran: true, ..Search::default() }, began, 3 * SECOND)?;
    let mut more = until_ready(engine, 5 * SECOND)?;
    more.extend(listen(engine, Duration::from_millis(150))?);
    // And once more when nothing runs.
    engine.send_line("stop")?;
    let mut idle = until_ready(engine, 5 * SECOND)?;
    idle.extend(listen(engine, Duration::from_millis(150))?);
    let how = ["position startpos", "go infinite", "stop", "stop"];
    Ok(if !best_moves(&more).is_empty() {
        CheckOutcome::fail("a second stop is answered with a second bestmove")
            .evidence(best_moves(&more))
            .reproduce(how)
    } else if !best_moves(&idle).is_empty() {
        CheckOutcome::fail("stop is answered with a bestmove although nothing was being searched")
            .evidence(best_moves(&idle))
            .reproduce(["stop"])
    } else {
        CheckOutcome::pass("one bestmove however often stop is sent; none when idle").reproduce(how)
    })
}

pub(super) fn infinite(session: &mut Session<'_>) -> Checked {
    // Where there is nothing to think about, an engine is tempted to answer.
    let tempting = [
        ("mate in one", "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1"),
        ("one legal move", "7k/5K2/8/8/8/8/8/6R1 b - - 0 1"),
        ("kings only", "8/8/4k3/8/8/4K3/8/8 w - - 0 1"),
    ];
    let span = Duration::from_millis(session.profile().choose(700, 2000, 5000));
    let engine = session.engine()?;
    for (name, fen) in tempting {
        let position = format!("position fen {fen}");
        engine.send_line(&format!("{position}\ngo infinite"))?;
        let said = listen(engine, span)?;
        let early = best_moves(&said);
        if early.is_empty() {
            stop(engine)?;
            continue;
        }
        until_ready(engine, 5 * SECOND)?;
        return Ok(CheckOutcome::fail(format!(
            "go infinite ends by itself ({name}): a GUI still in analysis loses the engine"
        ))
        .evidence(early)
        .reproduce([position, "go infinite".into()]));
    }
    Ok(CheckOutcome::pass("go infinite goes on until stop, even with nothing to think about")
        .reproduce([format!("position fen {}", tempting[0].1), "go infinite".into()]))
}

pub(super) fn ponder(session: &mut Session<'_>) -> Checked {
    let engine = session.engine()?;
    if engine.option("Ponder").is_none() {
        return Ok(CheckOutcome::skip("the engine does not declare the option Ponder"));
    }
    let position = "position startpos moves e2e4 e7e5 g1f3";
    let go = "go ponder wtime 3000 btime 3000 winc 10 binc 10";
    let how = [position, go, "ponderhit"];
    engine.send_line("setoption name Ponder value true")?;
    engine.send_line(&format!("{position}\n{go}"))?;
    let early = best_moves(&listen(engine, Duration::from_millis(600))?);
    if !early.is_empty() {
        engine.send_line("setoption name Ponder value false")?;
        return Ok(CheckOutcome::fail("answers while it should ponder")
            .evidence(early)
            .reproduce(how));
    }
    let began = engine.send_line("ponderhit")?;
    let hit = finish(engine, Search::default(), began, 4 * SECOND)?;
    engine.send_line(&format!("{position}\n{go}"))?;
    listen(engine, Duration::from_millis(150))?;
    let missed = stop(engine)?;
    engine.send_line("setoption name Ponder value false")?;
    until_ready(engine, 5 * SECOND)?;
    Ok(if hit.overran {
        CheckOutcome::fail(
            "ponderhit does not turn pondering into a timed search: it had to be stopped",
        )
    } else if hit.elapsed > engine.patience(3 * SECOND) {
        CheckOutcome::fail(format!(
            "took {:.0} ms after ponderhit with 3000 ms on the clock",
            ms(hit.elapsed)
        ))
    } else if missed.best.len() < 4 {
        CheckOutcome::fail(format!("stopped while pondering: bestmove {}", missed.best))
    } else {
        CheckOutcome::pass(format!(
            "ponders, answers {:.0} ms after ponderhit, and on stop",
            ms(hit.elapsed)
        ))
    }
    .reproduce(how))
}

pub(super) fn search_moves(session: &mut Session<'_>) -> Checked {
    let position = "position startpos";
    // One move might be the engine's choice anyway; two cannot both be.
    for asked in ["a2a3", "h2h4"] {
        let go = format!("go depth 4 searchmoves {asked}");
        let found = search(session.engine()?, position, &go, 10 * SECOND)?;
        session.keeps_searchmoves = Some(found.best == asked);
        if found.best != asked {
            let text = format!("searchmoves {asked} is passed over: bestmove {}", found.best);
            return Ok(CheckOutcome::warn(text).reproduce([position.to_owned(), go]));
        }
    }
    Ok(CheckOutcome::pass("searchmoves is kept").reproduce([
        position,
        "go depth 4 searchmoves a2a3",
        "go depth 4 searchmoves h2h4",
    ]))
}

pub(super) fn multi_pv(session: &mut Session<'_>) -> Checked {
    let engine = session.engine()?;
    if engine.option("MultiPV").is_none() {
        return Ok(CheckOutcome::skip("the engine does not declare the option MultiPV"));
    }
    engine.send_line("setoption name MultiPV value 4")?;
    let position = format!("position fen {}", SEARCHED[3]);
    let go = "go depth 6";
    let found = search(engine, &position, go, 6 * SECOND)?;
    engine.send_line("setoption name MultiPV value 1")?;
    until_ready(engine, 5 * SECOND)?;
    let how = ["setoption name MultiPV value 4".to_owned(), position, go.to_owned()];
    Ok(judge_multi_pv(&found).reproduce(how))
}

fn judge_multi_pv(found: &Search) -> CheckOutcome {
    let complete = |depth: u32| {
        (1..=4).all(|n| {
            found
                .thoughts
                .iter()
                .any(|t| t.multipv == n && t.depth == Some(depth) && !t.pv.is_empty())
        })
    };
    let Some(depth) = (1..=64).rev().find(|depth| complete(*depth)) else {
        return CheckOutcome::fail("MultiPV 4 does not give four lines at any depth");
    };
    let mut lines: Vec<_> = (1..=4)
        .filter_map(|n| {
            let mut all = found.thoughts.iter().rev();
            all.find(|t| t.multipv == n && t.depth == Some(depth) && !t.pv.is_empty())
        })
        .collect();
    lines.sort_by_key(|t| t.multipv);
    let shown = lines.iter().map(|t| t.line.clone());
    let mut firsts: Vec<&str> = lines.iter().map(|t| t.pv[0].as_str()).collect();
    firsts.sort_unstable();
    firsts.dedup();
    let falling = lines
        .windows(2)
        .all(|pair| pair[0].score >= pair[1].score || !pair[0].exact || !pair[1].exact);
    if firsts.len() < lines.len() {
        CheckOutcome::fail("two of the lines begin with the same move").evidence(shown)
    } else if !falling {
        CheckOutcome::fail("the lines are not ordered by score").evidence(shown)
    } else {
        CheckOutcome::pass(format!("four different lines at depth {depth}, the best first"))
    }
}

pub(super) fn castling_notation(session: &mut Session<'_>) -> Checked {
    if session.keeps_searchmoves != Some(true) {
        return Ok(CheckOutcome::skip("needs searchmoves to make the engine castle"));
    }
    let chess960 = session.engine()?.option("UCI_Chess960").is_some();
    let engine = session.engine()?;
    let position = "position fen r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1";
    let standard = search(engine, position, "go depth 2 searchmoves e1g1", 10 * SECOND)?;
    if standard.best != "e1g1" {
        return Ok(CheckOutcome::fail(format!(
            "castling is written {} instead of e1g1",
            standard.best
        ))
        .reproduce([position, "go depth 2 searchmoves e1g1"]));
    }
    if !chess960 {
        return Ok(CheckOutcome::pass("castling is written e1g1; no option UCI_Chess960")
            .reproduce([position, "go depth 2 searchmoves e1g1"]));
    }
    let on = "setoption name UCI_Chess960 value true";
    engine.send_line(on)?;
    until_ready(engine, 5 * SECOND)?;
    let variant = search(engine, position, "go depth 2 searchmoves e1h1", 10 * SECOND)?;
    engine.send_line("setoption name UCI_Chess960 value false")?;
    until_ready(engine, 5 * SECOND)?;
    Ok(if variant.best == "e1h1" {
        CheckOutcome::pass("castling is written e1g1, and e1h1 with UCI_Chess960")
    } else {
        CheckOutcome::fail(format!(
            "with UCI_Chess960, castling is written {} instead of e1h1",
            variant.best
        ))
    }
    .reproduce([on, position, "go depth 2 searchmoves e1h1"]))
}
