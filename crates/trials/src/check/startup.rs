//! Start-up and shut-down.

use super::engine::TestedEngine;
use super::outcome::{Finding, Findings};
use super::replay::Ending;
use super::script::Script;
use super::session::Session;
use super::stop::Stop;
use super::transcript::search;
use super::{CheckOutcome, Checked};
use dyno_driver::{EngineError, Exit};
use std::time::{Duration, Instant};

/// How long an engine may take to end.
const PATIENCE: Duration = Duration::from_secs(3);

fn ms(span: Duration) -> f64 {
    span.as_secs_f64() * 1000.0
}

pub(super) fn handshake(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("starts");
    let mut took = session.handshake;
    // The quickest of several: a busy machine delays some, a slow start is slow each time.
    while took > Duration::from_secs(2) && findings.judged() < 2 {
        let began = Instant::now();
        let engine = session.fresh()?;
        let waited = engine.waiting().since_start();
        took = took.min(began.elapsed().saturating_sub(waited));
        findings.judge();
    }
    findings.judge();
    let engine = session.engine()?;
    let (named, can_name) = (engine.identity().name.is_some(), engine.capabilities().names_itself);
    let slow = took > engine.patience(Duration::from_secs(2));
    let mut finding = if !named && !can_name {
        Finding::warn("it does not tell its name (feature myname)")
    } else if !named {
        Finding::fail("no `id name` before uciok: reports cannot name the engine")
            .expected("id name NAME, id author AUTHOR, the options, uciok")
            .cause("the answer to uci lacks the line")
    } else if slow {
        Finding::warn(format!("ready {:.0} ms after the start at best", ms(took)))
            .expected("an answer within a second")
            .cause("tables are computed or a large hash is allocated before uci is answered")
    } else {
        let text = format!("ready {:.0} ms after the start", ms(took));
        return Ok(findings.outcome(text).figure("start-up", ms(took), "ms"));
    };
    finding.reproduce = session.typed(&Script::new());
    findings.push(finding);
    Ok(findings.outcome("").figure("start-up", ms(took), "ms"))
}

pub(super) fn ready(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("answers");
    let mut quickest = Duration::MAX;
    let slow = session.engine()?.patience(Duration::from_millis(100));
    while findings.judged() < 3 || (findings.judged() < 20 && !session.time_is_up()) {
        let began = Instant::now();
        let asked = session.engine()?.is_ready(Duration::from_secs(5));
        if session.in_time(asked)?.is_none() {
            break;
        }
        quickest = quickest.min(began.elapsed());
        findings.judge();
    }
    if findings.judged() > 0 && quickest > slow {
        findings.push(
            Finding::warn(format!("readyok takes {:.0} ms at best, though idle", ms(quickest)))
                .expected("readyok at once")
                .cause("the main loop polls with a sleep instead of blocking on input")
                .shown_by(Script::new().ready(), |replay| {
                    let asked = replay.lines.first()?.at;
                    let came = replay.lines.iter().find(|said| said.text.trim() == "readyok")?.at;
                    let took = came.saturating_sub(asked);
                    (took > Duration::from_millis(100)).then(|| format!("{:.0} ms", ms(took)))
                })
                .every_time(),
        );
    }
    let text = format!("readyok within {:.1} ms at best", ms(quickest));
    Ok(findings.outcome(text).figure("quickest readyok", ms(quickest), "ms"))
}

/// What the end of a process says; `script` brings it about.
fn judge_end(
    findings: &Findings,
    (exit, forced, took): (Exit, bool, Duration),
    by: &str,
    script: Script,
) -> CheckOutcome {
    findings.judge();
    let ended = format!("ends {by} within {:.0} ms with exit code 0", ms(took));
    let finding = if forced {
        Finding::fail(format!("does not end {by}: it had to be killed after {:.0} ms", ms(took)))
            .expected("the end of the process, with exit code 0")
            .cause("a thread that is never told to stop or joined, or quit is not read")
            .root(format!("does not end {by}"))
            .shown_by(script, |replay| match replay.ending {
                Ending::Running | Ending::Silent(_) => Some("it still runs".to_owned()),
                Ending::Exited(_) => None,
            })
    } else if exit.signal.is_some() {
        Finding::fail(format!("{exit} {by}"))
            .expected("the end of the process, with exit code 0")
            .cause("a destructor that runs twice, or a thread that uses what main has freed")
            .root("crashes at the end")
            .shown_by(script, |replay| {
                replay.exited().filter(|how| how.contains("signal")).map(str::to_owned)
            })
    } else if !exit.is_clean() {
        Finding::warn(format!("{exit} {by}"))
            .expected("exit code 0")
            .cause("main returns something else, or exit is called with another code")
            .root("exit code")
            .shown_by(script, |replay| {
                let how = replay.exited()?;
                let clean = how.contains("exited with code 0") || how.contains("signal");
                (!clean).then(|| how.to_owned())
            })
    } else {
        return findings.outcome(ended).figure("end", ms(took), "ms");
    };
    findings.push(finding);
    findings.outcome("").figure("end", ms(took), "ms")
}

/// Says `quit`, keeps the input open and waits for the end: how it ended, whether it had to be
/// killed, and after how long.
fn end_on_quit(mut engine: TestedEngine) -> Result<(Exit, bool, Duration), Stop> {
    let began = engine.send_line("quit")?;
    let end = began + engine.patience(PATIENCE);
    loop {
        match engine.read_line(Some(end)) {
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(EngineError::Exited { exit, .. }) => return Ok((exit, false, began.elapsed())),
            Err(EngineError::ClosedOutput { .. }) => break,
            Err(error) => return Err(error.into()),
        }
    }
    let took = began.elapsed();
    Ok((engine.into_engine().kill(), true, took))
}

pub(super) fn quit(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("processes");
    let ended = end_on_quit(session.fresh()?)?;
    let script = Script::new().send("quit").pause(3000);
    Ok(judge_end(&findings, ended, "on quit", script))
}

pub(super) fn quit_while_searching(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("processes");
    let mut engine = session.fresh()?;
    engine.send_line("position startpos\ngo infinite")?;
    std::thread::sleep(Duration::from_millis(100));
    let ended = end_on_quit(engine)?;
    let begin = || Script::new().send("position startpos").send("go infinite").pause(100);
    let script = begin().send("quit").pause(3000);
    let by = "on quit during a search";
    let mut outcome = judge_end(&findings, ended, by, script);
    for finding in &mut outcome.findings {
        finding.roots.push("deaf while searching".to_owned());
        finding.roots.push("does not end on quit".to_owned());
    }
    Ok(outcome)
}

pub(super) fn end_of_input(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("processes");
    let engine = session.fresh()?;
    let began = Instant::now();
    let patience = engine.patience(PATIENCE);
    let (exit, forced) = engine.into_engine().close_input(patience);
    let script = Script::new().close_input();
    let by = "at the end of its input";
    let mut outcome = judge_end(&findings, (exit, forced, began.elapsed()), by, script);
    for finding in &mut outcome.findings {
        // UCI does not speak of it; a GUI that crashes leaves such an engine running.
        finding.verdict = super::Verdict::Warn;
        finding.cause =
            "a failed read is taken for an empty line: treat the end of file like quit".to_owned();
    }
    Ok(outcome)
}

pub(super) fn leftovers(session: &mut Session<'_>) -> Checked {
    if !cfg!(target_os = "linux") {
        return Ok(CheckOutcome::skip("needs /proc to look for processes"));
    }
    let findings = session.findings("processes");
    // What a busy machine has kept from ending in one process has ended in the other.
    let mut left = Vec::new();
    for _ in 0..2 {
        let Some((started, running)) = left_behind(session.fresh()?)? else {
            return Ok(CheckOutcome::skip("the engine itself does not end on quit"));
        };
        findings.judge_many(started + 1);
        left = running;
        if left.is_empty() {
            break;
        }
    }
    if !left.is_empty() {
        let count = left.len();
        let script = Script::new().search("position startpos", "go depth 1").send("quit");
        let mut finding = Finding::fail(format!(
            "{count} {} left running after quit",
            if count == 1 { "process is" } else { "processes are" }
        ))
        .expected("nothing that the engine has started still runs")
        .cause("a wrapper script that does not exec the engine, or helpers that are not ended")
        .evidence(left);
        finding.reproduce = session.typed(&script);
        findings.push(finding);
    }
    Ok(findings.outcome("no process is left behind after quit"))
}

/// How many processes an engine has started, and those that still run when it has ended; nothing
/// where it does not end.
fn left_behind(mut engine: TestedEngine) -> Result<Option<(usize, Vec<String>)>, Stop> {
    let pid = engine.pid();
    let before = descendants(pid);
    if engine.capabilities().uci_commands {
        search(&mut engine, "position startpos", "go depth 1", Duration::from_secs(5))?;
    }
    let started: Vec<u32> = descendants(pid).into_iter().chain(before).collect();
    // The driver clears away what an engine leaves as soon as it hears of its end, so nothing is
    // read from it before we have looked.
    engine.send_line("quit")?;
    let wait_for = |is_over: &dyn Fn() -> bool| {
        let end = Instant::now() + engine.patience(PATIENCE);
        while !is_over() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    wait_for(&|| alive(pid).is_none());
    if alive(pid).is_some() {
        return Ok(None);
    }
    // A helper may need a moment to follow.
    let running = || started.iter().filter_map(|pid| alive(*pid)).collect::<Vec<String>>();
    wait_for(&|| running().is_empty());
    Ok(Some((started.len(), running())))
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
