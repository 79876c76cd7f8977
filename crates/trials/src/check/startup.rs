//! Start-up and shut-down.

use super::lab::Lab;
use super::{Outcome, Verdict};
use dyno_driver::{EngineError, Exit};
use std::time::{Duration, Instant};

type Checked = Result<Outcome, EngineError>;

fn ms(span: Duration) -> f64 {
    span.as_secs_f64() * 1000.0
}

pub(super) fn handshake(lab: &mut Lab<'_>) -> Checked {
    let took = lab.handshake;
    let named = lab.engine()?.identity().name.is_some();
    let outcome = if !named {
        Outcome::fail("no `id name` before uciok: reports cannot name the engine")
    } else if took > Duration::from_secs(2) {
        Outcome::warn(format!(
            "ready {:.0} ms after the start; people expect less than a second",
            ms(took)
        ))
    } else {
        Outcome::pass(format!("ready {:.0} ms after the start", ms(took)))
    };
    Ok(outcome.figure("start-up", ms(took), "ms").reproduce(["uci"]))
}

pub(super) fn ready(lab: &mut Lab<'_>) -> Checked {
    let engine = lab.engine()?;
    let mut slowest = Duration::ZERO;
    for _ in 0..20 {
        let began = Instant::now();
        engine.is_ready(Duration::from_secs(5))?;
        slowest = slowest.max(began.elapsed());
    }
    let text = format!("readyok within {:.1} ms, twenty times", ms(slowest));
    let outcome = if slowest > Duration::from_millis(500) {
        Outcome::warn(text)
    } else {
        Outcome::pass(text)
    };
    Ok(outcome.figure("slowest readyok", ms(slowest), "ms").reproduce(["uci", "isready"]))
}

/// What the end of a process says.
fn judged(exit: Exit, forced: bool, took: Duration, by: &str) -> Outcome {
    if forced {
        return Outcome::fail(format!(
            "does not end {by}: it had to be killed after {:.0} ms",
            ms(took)
        ));
    }
    match exit {
        exit if exit.is_clean() => {
            Outcome::pass(format!("ends {by} within {:.0} ms with exit code 0", ms(took)))
        }
        exit if exit.signal.is_some() => Outcome::fail(format!("{exit} {by}")),
        exit => Outcome::warn(format!("{exit} {by}; 0 is the custom")),
    }
    .figure("end", ms(took), "ms")
}

pub(super) fn quit(lab: &mut Lab<'_>) -> Checked {
    let engine = lab.fresh_with(|settings| settings.quit = Duration::from_secs(3))?;
    let began = Instant::now();
    let exit = engine.quit();
    let took = began.elapsed();
    Ok(judged(exit, took >= Duration::from_secs(3), took, "on quit").reproduce(["uci", "quit"]))
}

pub(super) fn quit_while_searching(lab: &mut Lab<'_>) -> Checked {
    let mut engine = lab.fresh_with(|settings| settings.quit = Duration::from_secs(3))?;
    engine.send_line("position startpos\ngo infinite")?;
    std::thread::sleep(Duration::from_millis(100));
    let began = Instant::now();
    let exit = engine.quit();
    let took = began.elapsed();
    let mut outcome = judged(exit, took >= Duration::from_secs(3), took, "on quit during a search");
    // The protocol says "as soon as possible"; an engine that first finishes thinking is slow.
    if outcome.verdict == Verdict::Pass && took > Duration::from_secs(1) {
        outcome.verdict = Verdict::Warn;
    }
    Ok(outcome.reproduce(["position startpos", "go infinite", "quit"]))
}

pub(super) fn end_of_input(lab: &mut Lab<'_>) -> Checked {
    let engine = lab.fresh()?;
    let began = Instant::now();
    let patience = Duration::from_secs(3);
    let (exit, forced) = engine.close_input(patience);
    let mut outcome = judged(exit, forced, began.elapsed(), "at the end of its input");
    if forced {
        outcome.verdict = Verdict::Warn;
        outcome.evidence.push("a GUI that crashes leaves this engine running for ever".into());
    }
    Ok(outcome.reproduce(["(close the engine's standard input)"]))
}

pub(super) fn leftovers(lab: &mut Lab<'_>) -> Checked {
    if !cfg!(target_os = "linux") {
        return Ok(Outcome::skip("needs /proc to look for processes"));
    }
    let mut engine = lab.fresh()?;
    let pid = engine.pid();
    let before = descendants(pid);
    engine.send_line("position startpos\ngo depth 1")?;
    engine.is_ready(Duration::from_secs(5))?;
    let started: Vec<u32> = descendants(pid).into_iter().chain(before).collect();
    engine.quit();
    std::thread::sleep(Duration::from_millis(50));
    let left: Vec<String> = started
        .iter()
        .filter_map(|pid| {
            std::fs::read_to_string(format!("/proc/{pid}/comm")).ok().map(|name| (pid, name))
        })
        .map(|(pid, name)| format!("process {pid}: {}", name.trim()))
        .collect();
    Ok(if left.is_empty() {
        Outcome::pass("no process is left behind after quit")
    } else {
        Outcome::fail(format!("{} processes are left behind after quit", left.len())).evidence(left)
    })
}

/// The processes that have this one as their parent, and theirs.
fn descendants(pid: u32) -> Vec<u32> {
    let children = format!("/proc/{pid}/task/{pid}/children");
    let direct: Vec<u32> = std::fs::read_to_string(children)
        .unwrap_or_default()
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    let further: Vec<u32> = direct.iter().flat_map(|pid| descendants(*pid)).collect();
    direct.into_iter().chain(further).collect()
}
