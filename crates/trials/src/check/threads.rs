//! Several threads: legal moves, mates that one thread finds, lines of their own, and `stop`.

use super::engine::TestedEngine;
use super::needs::{Need, stop};
use super::outcome::{Finding, Findings};
use super::positions::{MATES, SEARCHED};
use super::script::Script;
use super::session::Session;
use super::stop::Stop;
use super::stopping::STOP_LOST;
use super::transcript::{Search, listen, search};
use super::{CheckOutcome, Checked};
use dyno_uci::{OptionKind, Score};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// Several threads: legal moves, an end when told, and nothing left behind when set back to one.
pub(super) fn threads(session: &mut Session<'_>) -> Checked {
    let option = session.engine()?.option("Threads").map(|option| option.kind.clone());
    let most = match option {
        Some(OptionKind::Spin { max, .. }) if max > 1 => max,
        _ => return Ok(CheckOutcome::skip("the engine has no option Threads beyond 1")),
    };
    let findings = session.findings("searches");
    let depth = session.depth_within(20)?.unwrap_or(1);
    let patience = session.patience_for_move(5 * SECOND)?;
    for threads in [2, 4.min(most), 1] {
        let set = format!("setoption name Threads value {threads}");
        let mut engine = session.fresh()?;
        engine.send_line(&set)?;
        engine.is_ready(10 * SECOND)?;
        for (number, fen) in SEARCHED.iter().enumerate() {
            if session.time_is_up() && number > 2 {
                break;
            }
            let position = format!("position fen {fen}");
            let go = [format!("go depth {depth}"), "go movetime 30".to_owned()][number % 2].clone();
            let found = search(&mut engine, &position, &go, patience)?;
            findings.judge();
            let overran = found.overran.then(|| "the search does not end".to_owned());
            if let Some(bad) = overran.or_else(|| found.illegal_answer()) {
                let script = Script::new().ask(&set).search(&position, &go);
                findings.push(
                    Finding::fail(format!("with {threads} threads, `{go}`: {bad}"))
                        .expected("a legal move, as with one thread")
                        .cause("the threads share something that each should have for itself, or the first does not wait for the others")
                        .root("threads")
                        .shown_by(script, |replay| {
                            let last = replay.last_search()?;
                            last.overran
                                .then(|| "no bestmove".to_owned())
                                .or_else(|| last.illegal_answer())
                        })
                        .seen_in(found.mark.clone()),
                );
                return Ok(findings.outcome(""));
            }
        }
        if !stopped_often(session, &findings, &mut engine, &set)? {
            return Ok(findings.outcome(""));
        }
        if threads > 1 {
            plays_well(session, &findings, &mut engine, &set)?;
        }
        if threads > 2 {
            keeps_its_lines(session, &findings, &mut engine, &set)?;
        }
    }
    Ok(findings.outcome("legal moves with 2 and more threads, and on stop"))
}

/// How often a mate is asked for: what several threads do is not the same each time.
const AGAIN: usize = 4;

/// A mate in one that is played with one thread is played with several.
fn plays_well(
    session: &mut Session<'_>,
    findings: &Findings,
    engine: &mut TestedEngine,
    set: &str,
) -> Result<(), Stop> {
    let depth = session.depth_within(50)?.unwrap_or(3).clamp(3, 6);
    let go = format!("go depth {depth}");
    for (_, fen) in MATES.iter().filter(|(moves, _)| *moves == 1) {
        let position = format!("position fen {fen}");
        let alone = search(session.engine()?, &position, &go, 5 * SECOND)?;
        if misses_mate(&alone).is_some() {
            continue;
        }
        for _ in 0..AGAIN {
            if session.time_is_up() {
                return Ok(());
            }
            let found = search(engine, &position, &go, 5 * SECOND)?;
            findings.judge();
            let Some(seen) = misses_mate(&found) else { continue };
            let again = Script::of_search(&position, &go);
            findings.push(
                Finding::fail(format!("after `{set}`, `{go}`: {seen}"))
                    .expected(format!("bestmove {}, as with one thread", alone.best))
                    .cause("the move of a thread that has hardly begun, or of another search, is taken: vote among the threads by depth and score, or play the first one's")
                    .board_of(fen)
                    .root("threads play worse")
                    .shown_by(Script::new().ask(set).repeat(5 * AGAIN, again), |replay| {
                        replay.searches().iter().find_map(misses_mate)
                    }),
            );
            return Ok(());
        }
    }
    Ok(())
}

/// How many lines of greater depth there were, and how many of them break off at once.
#[derive(Clone, Copy, Debug, Default)]
struct Lines {
    all: usize,
    short: usize,
}

impl Lines {
    fn add(&mut self, found: &Search) {
        let is_open = |score| matches!(score, Some(Score::Cp(cp)) if cp != 0);
        // Within an iteration lines break off where the window fails.
        let last = found.iterations();
        let deep = last.iter().filter(|t| t.depth.is_some_and(|depth| depth >= 6));
        for line in deep.filter(|t| t.exact && is_open(t.score)) {
            self.all += 1;
            self.short += usize::from(line.pv.len() <= 3);
        }
    }

    /// Many short ones, where one thread has hardly any.
    fn are_broken(self, alone: Lines) -> Option<String> {
        let is_so = 10 * alone.short <= alone.all && self.short >= 4 && 6 * self.short >= self.all;
        is_so.then(|| {
            format!(
                "{} of {} lines of depth 6 and more break off after three moves, with one thread \
                 {} of {}",
                self.short, self.all, alone.short, alone.all
            )
        })
    }
}

/// The line of each iteration is as long with several threads as with one.
fn keeps_its_lines(
    session: &mut Session<'_>,
    findings: &Findings,
    engine: &mut TestedEngine,
    set: &str,
) -> Result<(), Stop> {
    let depth = session.depth_within(60)?.unwrap_or(6).clamp(7, 12);
    let go = format!("go depth {depth}");
    let (mut alone, mut together) = (Lines::default(), Lines::default());
    let mut script = Script::new().ask(set);
    for fen in SEARCHED {
        if session.time_is_up() {
            break;
        }
        let position = format!("position fen {fen}");
        alone.add(&search(session.engine()?, &position, &go, 5 * SECOND)?);
        together.add(&search(engine, &position, &go, 5 * SECOND)?);
        script = script.search(&position, &go);
        findings.judge();
    }
    let Some(seen) = together.are_broken(alone) else { return Ok(()) };
    findings.push(
        Finding::warn(format!("after `{set}`, {seen}"))
            .expected("lines as long as with one thread")
            .cause("the threads write to one principal variation or one score: each needs its own")
            .root("threads share a line")
            .shown_by(script, move |replay| {
                let mut again = Lines::default();
                replay.searches().iter().for_each(|found| again.add(found));
                again.are_broken(alone)
            }),
    );
    Ok(())
}

/// A search that has not chosen a mate in one.
fn misses_mate(found: &Search) -> Option<String> {
    let position = found.position()?;
    let mates = |mv| position.play(mv).is_checkmate();
    let played = position.parse_uci(&found.best).is_ok_and(mates);
    let best = &found.best;
    (!played && !found.overran).then(|| format!("bestmove {best}, though there is a mate in one"))
}

/// Stops searches soon after they began; whether each ended, so that the engine can be asked more.
fn stopped_often(
    session: &mut Session<'_>,
    findings: &Findings,
    engine: &mut TestedEngine,
    set: &str,
) -> Result<bool, Stop> {
    if session.broken(Need::Stop)?.is_some() || session.broken(Need::Infinite)?.is_some() {
        return Ok(true);
    }
    for wait in [0, 5, 20, 0, 5, 20] {
        engine.send_line("position startpos\ngo infinite")?;
        if wait > 0 {
            listen(engine, Duration::from_millis(wait))?;
        }
        findings.judge();
        if let Err(stopped) = stop(engine) {
            let error = stopped.failure()?;
            let script = Script::new()
                .ask(set)
                .send("position startpos")
                .send("go infinite")
                .pause(wait)
                .send("stop")
                .best_move();
            let finding = Finding::fail(format!("after `{set}`, go infinite and stop: {error}"))
                .expected("a bestmove as soon as possible")
                .cause("a helper thread that misses the stop, or is waited for without an end")
                .root("threads")
                .shown_by(script, |replay| {
                    let down = replay.exited().map(str::to_owned);
                    down.or_else(|| replay.silent().map(|what| format!("no {what}")))
                })
                .seen_in(Some(engine.mark()));
            // One thread may lose it as well.
            findings.push(if wait == 0 { finding.root(STOP_LOST) } else { finding });
            return Ok(false);
        }
    }
    Ok(true)
}
