//! Stability: long sessions, hostile input, memory.

use super::Outcome;
use super::lab::Lab;
use super::positions::{HOSTILE, SEARCHED};
use super::talk::{search, until_ready};
use crate::tournament::{self, Contender, Control, FaultKind, Limits, Plan, Setup, Summary};
use dyno_driver::{Engine, EngineError, Program};
use dyno_uci::OptionKind;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

type Checked = Result<Outcome, EngineError>;

const MB: f64 = 1024.0 * 1024.0;

/// Plays games of the engine against itself; an outcome to build on.
pub(super) fn self_play(
    lab: &mut Lab<'_>,
    games: u32,
    tc: &str,
) -> Result<(Option<Summary>, Outcome), EngineError> {
    let spec = &lab.plan.engine;
    let contender = |name: &str| Contender {
        name: name.into(),
        cmd: match &spec.program {
            Program::Builtin => "builtin".into(),
            Program::Path(path) => path.display().to_string(),
        },
        args: spec.args.clone(),
        dir: spec.dir.clone(),
        options: spec.options.iter().map(|(name, value)| format!("{name}={value}")).collect(),
        limits: Limits { tc: tc.parse().ok(), ..Limits::default() },
        ..Contender::default()
    };
    let mut plan = Plan { seed: lab.plan.seed, ..Plan::default() };
    plan.engines = vec![contender("One"), contender("Other")];
    plan.tournament.games = games;
    plan.machine.concurrency = lab.plan.concurrency.max(1) as u32;
    plan.machine.recover = true;
    let interrupts = lab
        .plan
        .settings
        .interrupt
        .as_ref()
        .map_or_else(|| Arc::new(AtomicUsize::new(0)), |i| i.counter());
    let control = Control::new(interrupts, plan.machine.concurrency);
    let setup = Setup { control: &control, journal: None, log: None };
    match tournament::run(&plan, setup, &mut |_| {}) {
        Ok(summary) => {
            if summary.games < u64::from(games) && control.winding_down() {
                return Err(EngineError::Interrupted);
            }
            let faults = summary
                .faults
                .iter()
                .map(|fault| format!("game {}: {:?}", fault.game, fault.fault));
            let evidence: Vec<String> = faults.collect();
            let outcome = Outcome::pass("").evidence(evidence).reproduce([format!(
                "dyno match -engine cmd={0} -engine cmd={0} -each tc={tc} -games {games}",
                spec.label()
            )]);
            Ok((Some(summary), outcome))
        }
        Err(tournament::MatchError::Engine(error)) => Err(error),
        Err(error) => Ok((None, Outcome::skip(format!("the games could not be played: {error}")))),
    }
}

pub(super) fn games(lab: &mut Lab<'_>) -> Checked {
    let (games, tc) = lab.profile().choose((10, "0.6+0.006"), (40, "2+0.02"), (200, "5+0.05"));
    let games = lab.plan.games.unwrap_or(games);
    let (played, mut outcome) = self_play(lab, games, tc)?;
    let Some(summary) = played else { return Ok(outcome) };
    let count = |kind| summary.engines.iter().map(|e| e.fault(kind)).sum::<u64>();
    let grave = count(FaultKind::Crash) + count(FaultKind::Hang) + count(FaultKind::IllegalMove);
    let pv = count(FaultKind::BadPv);
    let late = count(FaultKind::TimeLoss);
    let text = format!("{} games, {} moves", summary.games, summary.plies);
    let judged = if grave > 0 {
        Outcome::fail(format!(
            "{text}: {} crashes, {} hangs, {} illegal moves",
            count(FaultKind::Crash),
            count(FaultKind::Hang),
            count(FaultKind::IllegalMove)
        ))
    } else if pv > 0 {
        Outcome::fail(format!("{text}: {pv} principal variations with an illegal move"))
    } else if late > 0 {
        Outcome::warn(format!("{text}: {late} losses on time at {tc}"))
    } else {
        Outcome::pass(format!("{text}: no crash, no illegal move, every PV legal"))
    };
    outcome.verdict = judged.verdict;
    outcome.summary = judged.summary;
    Ok(outcome.figure("games", summary.games as f64, "").figure("moves", summary.plies as f64, ""))
}

pub(super) fn memory(lab: &mut Lab<'_>) -> Checked {
    let rounds = lab.profile().choose(60, 300, 2000);
    let mut engine = lab.fresh()?;
    let work = |engine: &mut Engine, rounds: usize| -> Result<(), EngineError> {
        for round in 0..rounds {
            engine.new_game()?;
            let text = format!("position fen {}", SEARCHED[round % SEARCHED.len()]);
            search(engine, &text, "go nodes 4000", Duration::from_secs(10))?;
        }
        Ok(())
    };
    // The first rounds touch what is allocated anyway.
    work(&mut engine, 2 * SEARCHED.len())?;
    let Some(before) = resident(engine.pid()) else {
        return Ok(Outcome::skip("memory cannot be read on this system"));
    };
    work(&mut engine, rounds)?;
    let after = resident(engine.pid()).unwrap_or(before);
    let grown = (after as f64 - before as f64) / MB;
    let text = format!("{grown:.1} MB more after {rounds} games' worth of searches");
    Ok(if grown > 64.0 {
        Outcome::fail(format!("{text}: memory leaks"))
    } else if grown > 8.0 {
        Outcome::warn(text)
    } else {
        Outcome::pass(format!(
            "memory stays the same over {rounds} games' worth of searches ({grown:+.1} MB)"
        ))
    }
    .figure("growth", grown, "MB")
    .figure("resident", after as f64 / MB, "MB"))
}

/// The memory a process holds now, in bytes.
fn resident(pid: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

pub(super) fn hash_honoured(lab: &mut Lab<'_>) -> Checked {
    let Some(option) = lab.engine()?.option("Hash").cloned() else {
        return Ok(Outcome::skip("the engine does not declare the option Hash"));
    };
    let OptionKind::Spin { min, max, .. } = option.kind else {
        return Ok(Outcome::fail("the option Hash is not a spin"));
    };
    let (small, large) = (min.max(1), 256.min(max));
    if large < small + 32 {
        return Ok(Outcome::skip(format!("Hash goes from {min} to {max}: too narrow to compare")));
    }
    let mut held = Vec::new();
    for megabytes in [small, large] {
        let mut engine = lab.fresh()?;
        engine.set_option("Hash", &megabytes.to_string())?;
        engine.new_game()?;
        engine.is_ready(Duration::from_secs(20))?;
        let text = format!("position fen {}", SEARCHED[1]);
        search(&mut engine, &text, "go movetime 300", Duration::from_secs(10))?;
        let Some(bytes) = resident(engine.pid()) else {
            return Ok(Outcome::skip("memory cannot be read on this system"));
        };
        held.push(bytes as f64 / MB);
    }
    let (with_small, with_large) = (held[0], held[1]);
    let text =
        format!("{with_small:.0} MB with Hash {small}, {with_large:.0} MB with Hash {large}");
    Ok(if with_large > large as f64 + with_small + 128.0 {
        Outcome::fail(format!("{text}: far more than asked for"))
    } else if with_large < with_small + 0.05 * (large - small) as f64 {
        Outcome::warn(format!(
            "{text}: Hash seems to make no difference (or is only touched as it fills)"
        ))
    } else {
        Outcome::pass(text)
    }
    .reproduce([format!("setoption name Hash value {large}"), "isready".into()]))
}

pub(super) fn new_games(lab: &mut Lab<'_>) -> Checked {
    let rounds = lab.profile().choose(300, 3000, 20_000);
    let mut engine = lab.fresh()?;
    engine.set_option("Hash", "1")?;
    let began = std::time::Instant::now();
    for round in 0..rounds {
        engine.send_line("ucinewgame")?;
        until_ready(&mut engine, Duration::from_secs(10))?;
        if round % 50 == 0 {
            search(&mut engine, "position startpos", "go depth 1", Duration::from_secs(10))?;
        }
        // A slow clearing of tables is not a fault, but need not be waited for.
        if began.elapsed() > Duration::from_secs(lab.profile().choose(6, 60, 300)) {
            let text = format!("{} new games in {:.0} s", round + 1, began.elapsed().as_secs_f64());
            return Ok(Outcome::pass(format!("{text}; no crash, though each takes its time")));
        }
    }
    Ok(Outcome::pass(format!("{rounds} times ucinewgame and isready without trouble")))
}

pub(super) fn hostile_input(lab: &mut Lab<'_>) -> Checked {
    let long = format!("position startpos moves {}", "g1f3 g8f6 f3g1 f6g8 ".repeat(400));
    let longer = "x".repeat(100_000);
    let inputs = HOSTILE.iter().map(|text| (*text).to_owned()).chain([long, longer]);
    let mut broken = Vec::new();
    let mut asked = Vec::new();
    let mut engine = lab.fresh()?;
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
        engine = lab.fresh()?;
    }
    // No rule says what to do with what is no position, so it is a warning.
    Ok(if broken.is_empty() {
        Outcome::pass(format!("{tried} hostile inputs survived"))
    } else {
        Outcome::warn(format!(
            "{} of {tried} hostile inputs bring the engine down or leave it useless",
            broken.len()
        ))
        .evidence(broken)
    }
    .reproduce(asked))
}
