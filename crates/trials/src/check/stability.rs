//! Stability: long sessions, hostile input, memory.

use super::CheckOutcome;
use super::engine::TestedEngine;
use super::positions::{HOSTILE, SEARCHED};
use super::session::Session;
use super::transcript::{search, until_ready};
use dyno_driver::EngineError;
use dyno_tournament::{Control, EngineEntry, Fanout, FaultKind, Limits, Plan, Setup, Summary};
use dyno_uci::OptionKind;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

type Checked = Result<CheckOutcome, EngineError>;

const MB: f64 = 1024.0 * 1024.0;

/// How games of self-play are limited.
#[derive(Clone, Copy)]
pub(super) enum Pace {
    Clock(&'static str),
    LaxClock(&'static str),
    /// For an engine that something slows down.
    Depth(u32),
}

impl Pace {
    fn limits(self) -> Limits {
        match self {
            Pace::Clock(tc) => Limits { tc: tc.parse().ok(), ..Limits::default() },
            // No game is to end by the clock: what comes after would not be seen.
            Pace::LaxClock(tc) => {
                Limits { tc: tc.parse().ok(), timemargin: Some(5000), ..Limits::default() }
            }
            Pace::Depth(depth) => Limits { depth: Some(depth), ..Limits::default() },
        }
    }

    fn text(self) -> String {
        match self {
            Pace::Clock(tc) => format!("tc={tc}"),
            Pace::LaxClock(tc) => format!("tc={tc} timemargin=5000"),
            Pace::Depth(depth) => format!("tc=inf depth={depth}"),
        }
    }
}

/// Plays games of the engine against itself, so many at a time; an outcome to build on.
pub(super) fn self_play(
    session: &mut Session<'_>,
    games: u32,
    pace: Pace,
    concurrency: usize,
) -> Result<(Option<Summary>, CheckOutcome), EngineError> {
    let spec = &session.plan.engine;
    let entry = |name: &str| EngineEntry::new(name, spec, pace.limits());
    let mut plan = Plan { seed: session.plan.seed, ..Plan::default() };
    plan.engines = vec![entry("One"), entry("Other")];
    plan.tournament.games = games;
    plan.machine.concurrency = concurrency.max(1) as u32;
    plan.machine.recover = true;
    let startup = session.plan.settings.handshake.mul_f64(session.plan.slowness);
    plan.machine.startup_ms = startup.as_millis() as u64;
    let interrupts = session
        .plan
        .settings
        .interrupt
        .as_ref()
        .map_or_else(|| Arc::new(AtomicUsize::new(0)), |i| i.counter());
    let control = Control::new(interrupts, plan.machine.concurrency);
    match dyno_tournament::run(&plan, Setup::new(&control), Fanout::new()) {
        Ok(summary) => {
            if summary.games < u64::from(games) && control.winding_down() {
                return Err(EngineError::Interrupted);
            }
            let faults = summary.faults.iter().map(|found| {
                let fault = &found.fault;
                format!("game {}: {}: {}", found.game, fault.kind.label(), fault.detail)
            });
            let evidence: Vec<String> = faults.collect();
            let outcome = CheckOutcome::pass("").evidence(evidence).reproduce([format!(
                "dyno match -engine cmd={0} -engine cmd={0} -each {1} -games {games}",
                spec.label(),
                pace.text()
            )]);
            Ok((Some(summary), outcome))
        }
        Err(dyno_tournament::MatchError::Engine(error)) => Err(error),
        Err(error) => {
            Ok((None, CheckOutcome::skip(format!("the games could not be played: {error}"))))
        }
    }
}

pub(super) fn games(session: &mut Session<'_>) -> Checked {
    let (games, pace) = if session.runs_at_speed() {
        let (games, tc) =
            session.profile().choose((20, "0.3+0.003"), (40, "2+0.02"), (200, "5+0.05"));
        (games, Pace::LaxClock(tc))
    } else {
        (session.profile().choose(2, 10, 50), Pace::Depth(2))
    };
    let games = session.plan.games.unwrap_or(games);
    // What is looked for here does not depend on the clock: every processor may be used.
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let at_a_time = session.plan.concurrency.max(processors.min(8));
    let (played, mut outcome) = self_play(session, games, pace, at_a_time)?;
    let Some(summary) = played else { return Ok(outcome) };
    let count = |kind| summary.engines.iter().map(|e| e.fault(kind)).sum::<u64>();
    let grave = count(FaultKind::Crash) + count(FaultKind::Hang) + count(FaultKind::IllegalMove);
    let pv = count(FaultKind::BadPv);
    let table = count(FaultKind::TableMove);
    let late = count(FaultKind::TimeLoss);
    let text = format!("{} games, {} moves", summary.games, summary.plies);
    let judged = if grave > 0 {
        CheckOutcome::fail(format!(
            "{text}: {} crashes, {} hangs, {} illegal moves",
            count(FaultKind::Crash),
            count(FaultKind::Hang),
            count(FaultKind::IllegalMove)
        ))
    } else if pv > 0 {
        CheckOutcome::fail(format!("{text}: {pv} principal variations with an illegal move"))
    } else if table > 0 {
        CheckOutcome::warn(format!(
            "{text}: {table} illegal moves from its own table, refused: hash keys collide"
        ))
    } else if late > 0 {
        CheckOutcome::warn(format!(
            "{text}: {late} moves took more than five seconds beyond the clock"
        ))
    } else {
        CheckOutcome::pass(format!(
            "{text}: no crash, no illegal move, every PV legal, no illegal table move told"
        ))
    };
    outcome.verdict = judged.verdict;
    outcome.summary = judged.summary;
    Ok(outcome
        .figure("games", summary.games as f64, "")
        .figure("moves", summary.plies as f64, "")
        .figure("illegal_table_moves", table as f64, ""))
}

/// The smallest table the engine offers: what a large one holds grows as it fills.
fn smallest_hash(engine: &mut TestedEngine) -> Result<(), EngineError> {
    match engine.option("Hash").map(|option| option.kind.clone()) {
        Some(OptionKind::Spin { min, .. }) => engine.set_option("Hash", &min.max(1).to_string()),
        _ => Ok(()),
    }
}

pub(super) fn memory(session: &mut Session<'_>) -> Checked {
    let rounds = session.profile().choose(150, 600, 4000);
    let mut engine = session.fresh()?;
    smallest_hash(&mut engine)?;
    let depth_limit = engine.capabilities().depth_limit;
    let go = if depth_limit { "go depth 2" } else { "go movetime 20" };
    let mut searches =
        |session: &Session<'_>, most: usize| -> Result<(usize, Option<f64>), EngineError> {
            let mut done = 0;
            while done < most && !session.time_is_up() {
                engine.new_game()?;
                let text = format!("position fen {}", SEARCHED[done % SEARCHED.len()]);
                search(&mut engine, &text, go, Duration::from_secs(10))?;
                done += 1;
            }
            Ok((done, resident(engine.pid()).map(|bytes| bytes as f64 / MB)))
        };
    // The first searches touch what is there anyway. A leak then goes on at the same rate, while
    // a table that fills comes to its end.
    searches(session, rounds / 4)?;
    let marks = [searches(session, 1)?, searches(session, rounds)?, searches(session, rounds)?];
    let [(_, Some(start)), (first, Some(middle)), (second, Some(end))] = marks else {
        return Ok(CheckOutcome::skip("memory cannot be read on this system"));
    };
    let (before, grown) = (middle - start, end - middle);
    let searches = first + second;
    let text = format!(
        "{before:.1} MB more after {first} games' worth of searches, {grown:.1} MB more after {second}"
    );
    let goes_on = second > 0 && grown > 0.4 * before * second as f64 / first.max(1) as f64;
    Ok(if goes_on && grown > 3.0 {
        CheckOutcome::fail(format!("{text}: memory leaks"))
    } else if goes_on && grown > 0.75 {
        CheckOutcome::warn(format!("{text}: perhaps a leak"))
    } else {
        CheckOutcome::pass(format!(
            "memory does not grow over {searches} games' worth of searches ({grown:+.1} MB in the \
             last {second})"
        ))
    }
    .figure("growth", grown, "MB")
    .figure("resident", end, "MB")
    .reproduce([
        "setoption name Hash value 1",
        "ucinewgame",
        "position startpos",
        "go depth 4",
    ]))
}

/// The memory a process holds now, in bytes.
fn resident(pid: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

pub(super) fn hash_honoured(session: &mut Session<'_>) -> Checked {
    let Some(option) = session.engine()?.option("Hash").cloned() else {
        return Ok(CheckOutcome::skip("the engine does not declare the option Hash"));
    };
    let OptionKind::Spin { min, max, .. } = option.kind else {
        return Ok(CheckOutcome::fail("the option Hash is not a spin"));
    };
    let (small, large) = (min.max(1), 256.min(max));
    if large < small + 32 {
        return Ok(CheckOutcome::skip(format!(
            "Hash goes from {min} to {max}: too narrow to compare"
        )));
    }
    let held = |session: &Session<'_>, megabytes: i64, movetime: u64| -> Result<_, EngineError> {
        let mut engine = session.fresh()?;
        engine.set_option("Hash", &megabytes.to_string())?;
        engine.new_game()?;
        engine.is_ready(Duration::from_secs(20))?;
        let text = format!("position fen {}", SEARCHED[1]);
        let go = format!("go movetime {movetime}");
        search(&mut engine, &text, &go, Duration::from_secs(10))?;
        Ok(resident(engine.pid()).map(|bytes| bytes as f64 / MB))
    };
    let makes_a_difference = |one: f64, other: f64| other > one + 0.05 * (large - small) as f64;
    let (Some(with_small), Some(mut with_large)) =
        (held(session, small, 300)?, held(session, large, 300)?)
    else {
        return Ok(CheckOutcome::skip("memory cannot be read on this system"));
    };
    if !makes_a_difference(with_small, with_large) {
        // A table that is only touched as it fills needs longer to show.
        with_large = held(session, large, 2000)?.unwrap_or(with_large);
    }
    let text =
        format!("{with_small:.0} MB with Hash {small}, {with_large:.0} MB with Hash {large}");
    Ok(if with_large > large as f64 + with_small + 128.0 {
        CheckOutcome::fail(format!("{text}: far more than asked for"))
    } else if !makes_a_difference(with_small, with_large) {
        CheckOutcome::warn(format!("{text}: Hash makes no difference to the memory used"))
    } else {
        CheckOutcome::pass(text)
    }
    .reproduce([format!("setoption name Hash value {large}"), "isready".into()]))
}

pub(super) fn new_games(session: &mut Session<'_>) -> Checked {
    let rounds = session.profile().choose(2000, 5000, 20_000);
    let mut engine = session.fresh()?;
    smallest_hash(&mut engine)?;
    let began = std::time::Instant::now();
    for round in 0..rounds {
        engine.send_line("ucinewgame")?;
        until_ready(&mut engine, Duration::from_secs(10))?;
        if round % 50 == 0 {
            search(&mut engine, "position startpos", "go depth 1", Duration::from_secs(10))?;
        }
        // A slow clearing of tables is not a fault, but need not be waited for.
        if session.time_is_up() {
            let text = format!("{} new games in {:.0} s", round + 1, began.elapsed().as_secs_f64());
            return Ok(CheckOutcome::pass(format!("{text}; no crash, though each takes its time")));
        }
    }
    Ok(CheckOutcome::pass(format!("{rounds} times ucinewgame and isready without trouble")))
}

pub(super) fn hostile_input(session: &mut Session<'_>) -> Checked {
    let long = format!("position startpos moves {}", "g1f3 g8f6 f3g1 f6g8 ".repeat(400));
    let longer = "x".repeat(100_000);
    let inputs = HOSTILE.iter().map(|text| (*text).to_owned()).chain([long, longer]);
    let mut broken = Vec::new();
    let mut asked = Vec::new();
    let mut engine = session.fresh()?;
    let mut tried = 0;
    for input in inputs {
        tried += 1;
        let result = engine
            .send_line(&input)
            .and_then(|_| engine.send_line("stop"))
            .and_then(|_| until_ready(&mut engine, Duration::from_secs(5)))
            .and_then(|_| {
                search(&mut engine, "position startpos", "go depth 1", Duration::from_secs(5))
            });
        let failure = match result {
            Ok(found) if found.best.len() >= 4 => continue,
            Ok(found) => format!("afterwards it plays {}", found.best),
            Err(EngineError::Interrupted) => return Err(EngineError::Interrupted),
            Err(error) => error.to_string(),
        };
        let shown: String = input.chars().take(90).collect();
        broken.push(format!("{shown}: {failure}"));
        if asked.is_empty() {
            asked = vec![shown, "isready".into()];
        }
        engine = session.fresh()?;
    }
    // No rule says what to do with what is no position, so it is a warning.
    Ok(if broken.is_empty() {
        CheckOutcome::pass(format!("{tried} hostile inputs survived"))
    } else {
        CheckOutcome::warn(format!(
            "{} of {tried} hostile inputs bring the engine down or leave it useless",
            broken.len()
        ))
        .evidence(broken)
    }
    .reproduce(asked))
}
