//! Start-up and shut-down.

use super::session::Session;
use super::{CheckOutcome, Verdict};
use dyno_driver::{EngineError, Exit};
use std::time::{Duration, Instant};

type Checked = Result<CheckOutcome, EngineError>;

/// How long an engine may take to end.
const PATIENCE: Duration = Duration::from_secs(3);

fn ms(span: Duration) -> f64 {
    span.as_secs_f64() * 1000.0
}

pub(super) fn handshake(session: &mut Session<'_>) -> Checked {
    let took = session.handshake;
    let engine = session.engine()?;
    let named = engine.identity().name.is_some();
    let outcome = if !named && !engine.capabilities().names_itself {
        CheckOutcome::warn("it does not tell its name (feature myname)")
    } else if !named {
        CheckOutcome::fail("no `id name` before uciok: reports cannot name the engine")
    } else if took > engine.patience(Duration::from_secs(2)) {
        CheckOutcome::warn(format!(
            "ready {:.0} ms after the start; people expect less than a second",
            ms(took)
        ))
    } else {
        CheckOutcome::pass(format!("ready {:.0} ms after the start", ms(took)))
    };
    Ok(outcome.figure("start-up", ms(took), "ms").reproduce(["uci"]))
}

pub(super) fn ready(session: &mut Session<'_>) -> Checked {
    let engine = session.engine()?;
    let mut slowest = Duration::ZERO;
    for _ in 0..20 {
        let began = Instant::now();
        engine.is_ready(Duration::from_secs(5))?;
        slowest = slowest.max(began.elapsed());
    }
    let text = format!("readyok within {:.1} ms, twenty times", ms(slowest));
    let outcome = if slowest > engine.patience(Duration::from_millis(500)) {
        CheckOutcome::warn(text)
    } else {
        CheckOutcome::pass(text)
    };
    Ok(outcome.figure("slowest readyok", ms(slowest), "ms").reproduce(["uci", "isready"]))
}

/// What the end of a process says.
fn judged(exit: Exit, forced: bool, took: Duration, by: &str) -> CheckOutcome {
    if forced {
        return CheckOutcome::fail(format!(
            "does not end {by}: it had to be killed after {:.0} ms",
            ms(took)
        ));
    }
    match exit {
        exit if exit.is_clean() => {
            CheckOutcome::pass(format!("ends {by} within {:.0} ms with exit code 0", ms(took)))
        }
        exit if exit.signal.is_some() => CheckOutcome::fail(format!("{exit} {by}")),
        exit => CheckOutcome::warn(format!("{exit} {by}; 0 is the custom")),
    }
    .figure("end", ms(took), "ms")
}

pub(super) fn quit(session: &mut Session<'_>) -> Checked {
    let engine = session.fresh_with(|settings| settings.quit = PATIENCE)?;
    let patience = engine.patience(PATIENCE);
    let began = Instant::now();
    let exit = engine.into_engine().quit();
    let took = began.elapsed();
    Ok(judged(exit, took >= patience, took, "on quit").reproduce(["uci", "quit"]))
}

pub(super) fn quit_while_searching(session: &mut Session<'_>) -> Checked {
    let mut engine = session.fresh_with(|settings| settings.quit = PATIENCE)?;
    let patience = engine.patience(PATIENCE);
    engine.send_line("position startpos\ngo infinite")?;
    std::thread::sleep(Duration::from_millis(100));
    let began = Instant::now();
    let exit = engine.into_engine().quit();
    let took = began.elapsed();
    let mut outcome = judged(exit, took >= patience, took, "on quit during a search");
    // The protocol says "as soon as possible"; an engine that first finishes thinking is slow.
    if outcome.verdict == Verdict::Pass && took > patience / 3 {
        outcome.verdict = Verdict::Warn;
    }
    Ok(outcome.reproduce(["position startpos", "go infinite", "quit"]))
}

pub(super) fn end_of_input(session: &mut Session<'_>) -> Checked {
    let engine = session.fresh()?;
    let began = Instant::now();
    let patience = engine.patience(PATIENCE);
    let (exit, forced) = engine.into_engine().close_input(patience);
    let mut outcome = judged(exit, forced, began.elapsed(), "at the end of its input");
    if forced {
        outcome.verdict = Verdict::Warn;
        outcome.evidence.push("a GUI that crashes leaves this engine running for ever".into());
    }
    Ok(outcome.reproduce(["(close the engine's standard input)"]))
}

pub(super) fn leftovers(session: &mut Session<'_>) -> Checked {
    if !cfg!(target_os = "linux") {
        return Ok(CheckOutcome::skip("needs /proc to look for processes"));
    }
    let mut engine = session.fresh()?;
    let pid = engine.pid();
    let before = descendants(pid);
    engine.send_line("position startpos\ngo depth 1")?;
    engine.is_ready(Duration::from_secs(5))?;
    let started: Vec<u32> = descendants(pid).into_iter().chain(before).collect();
    // The driver clears away what an engine leaves as soon as it hears of its end, so nothing is
    // read from it before we have looked.
    engine.send_line("quit")?;
    let deadline = Instant::now() + engine.patience(Duration::from_secs(2));
    while alive(pid).is_some() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(30));
    let left: Vec<String> = started.iter().filter_map(|pid| alive(*pid)).collect();
    Ok(if left.is_empty() {
        CheckOutcome::pass("no process is left behind after quit")
    } else {
        CheckOutcome::fail(format!("{} processes are left behind after quit", left.len()))
            .evidence(left)
    })
}

/// What a process is called, if it still runs.
fn alive(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (name, rest) = stat.rsplit_once(')')?;
    let ended = matches!(rest.trim_start().chars().next(), Some('Z' | 'X'));
    let name = name.split_once('(')?.1;
    (!ended).then(|| format!("process {pid}: {name}"))
}

/// The processes that have this one as their parent, and theirs.
fn descendants(pid: u32) -> Vec<u32> {
    let Ok(all) = std::fs::read_dir("/proc") else { return Vec::new() };
    let parents: Vec<(u32, u32)> = all
        .flatten()
        .filter_map(|entry| {
            let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
            Some((pid, parent))
        })
        .collect();
    let mut family = vec![pid];
    let mut next = 0;
    while let Some(parent) = family.get(next).copied() {
        family.extend(parents.iter().filter(|(_, p)| *p == parent).map(|(child, _)| *child));
        next += 1;
    }
    family.split_off(1)
}
