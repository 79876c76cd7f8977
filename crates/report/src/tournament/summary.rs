//! What is shown when a match is over.

use super::lines::{elo_line, outcomes, sprt_line};
use crate::number::{fixed, grouped};
use crate::row;
use crate::terminal::{Cell, Table, left, llr_bar, right};
use dyno_stats::{Estimate, SprtVerdict};
use dyno_tournament::{Ending, EngineStats, FaultKind, PonderStats, Summary, Wait};
use std::time::Duration;

/// The whole report of a finished match, below the score lines.
pub fn final_report(summary: &Summary) -> String {
    let mut text = String::new();
    if let Some(duel) = summary.duel().filter(|_| summary.engines.len() == 2) {
        text += &format!("{}\n", elo_line(&duel.tally));
        if duel.tally.pair_count() > 0 {
            text += &format!("Pairs (LL, LD, WL+DD, WD, WW): {:?}\n", duel.tally.pairs);
        }
    }
    if let Some(sprt) = &summary.sprt {
        text += &format!("{}\n", sprt_line(sprt));
        text += &format!("      {}\n", llr_bar(sprt.llr, sprt.lower, sprt.upper, 41));
        let uncounted = summary.games - sprt.tally.games();
        if uncounted > 0 {
            text += &format!(
                "      {uncounted} of {} games are beyond the last complete pair in order and are not counted by the test\n",
                summary.games
            );
        }
        if let Some(adjusted) = &sprt.adjusted {
            text += &format!(
                "Elo allowing for the stop of the test: {} [{}, {}]; a plain estimate ({}) is biased after an SPRT\n",
                fixed(adjusted.elo, 1),
                fixed(adjusted.elo_low, 1),
                fixed(adjusted.elo_high, 1),
                fixed(Estimate::of(&sprt.tally.best()).elo, 1)
            );
        }
    }
    text += &format!("\nHow the games ended:\n{}", outcomes(&summary.ends));
    text += &stability(summary);
    text += &workers(summary);
    text += &ending(summary);
    text
}

/// What came from which machine, and whose results stand out.
fn workers(summary: &Summary) -> String {
    if summary.workers.is_empty() {
        return String::new();
    }
    let mut table = Table::new([
        left("Worker"),
        right("Games"),
        right("Time factor"),
        right("Nodes/s"),
        right("Time losses"),
        right("Crashes"),
        left("Pairs (LL, LD, WL+DD, WD, WW)"),
    ]);
    for worker in summary.workers.iter().take(MOST_WORKERS) {
        table.push(row![
            worker.name.clone(),
            worker.games,
            worker.time_factor.map(|factor| fixed(factor, 3)),
            worker.nps.map(grouped),
            worker.time_losses,
            worker.crashes,
            format!("{:?}", worker.pairs)
        ]);
    }
    let mut text = format!("\nWorkers:\n{table}");
    if summary.workers.len() > MOST_WORKERS {
        text += &format!("… and {} more workers\n", summary.workers.len() - MOST_WORKERS);
    }
    for suspicion in &summary.suspicions {
        text += &format!(
            "SUSPECT: worker {}: {}; its games count, and `--resume --replay-worker {0}` plays them again\n",
            suspicion.worker, suspicion.detail
        );
    }
    text
}

/// The terminal shows this many workers; all are in the result itself.
const MOST_WORKERS: usize = 40;

/// Faults and latency by engine, and where the evidence is.
pub fn stability(summary: &Summary) -> String {
    let heads = ["Moves", "Mean time", "Depth", "Latency", "Most", "Own wait", "Dyno's"];
    let mut table = Table::new([left("Engine")].into_iter().chain(heads.map(right)));
    for engine in &summary.engines {
        let mean = Duration::from_nanos(engine.nanos / engine.moves.max(1));
        table.push(row![
            engine.name.clone(),
            engine.moves,
            time(mean),
            engine.mean_depth().map(|d| fixed(d, 1)),
            engine.latency.mean().map(|us| time(Duration::from_nanos((us * 1e3) as u64))),
            (engine.latency.moves > 0).then(|| time(Duration::from_micros(engine.latency.most))),
            waited(&engine.queued, engine.moves),
            waited(&engine.wake_up, engine.moves),
        ]);
    }
    let title =
        if summary.header.plan.is_self_play() { "Stability in self-play" } else { "Engines" };
    let mut text = format!("\n{title}:\n{table}");
    text += &ponder_hits(summary);
    text += &ends_by_engine(summary);
    text += &faults_by_engine(summary);
    for fault in summary.faults.iter().take(10) {
        let name = &summary.engines[fault.fault.engine].name;
        text += &format!(
            "  game {}: {name}: {}: {}\n",
            fault.game,
            fault.fault.kind.label(),
            fault.fault.detail
        );
        if let Some(evidence) = &fault.fault.evidence {
            text += &format!("    evidence: {evidence}\n");
        }
    }
    if summary.faults.len() > 10 {
        text += &format!("  and {} more\n", summary.faults.len() - 10);
    }
    if summary.faults.is_empty() && summary.games > 0 {
        text += "  no crash, hang, time loss, illegal move or illegal PV\n";
    }
    text
}

/// The mean of a wait for a processor; nothing where there was none.
fn waited(wait: &Wait, moves: u64) -> Option<String> {
    (wait.sum > 0).then(|| time(Duration::from_nanos(wait.sum / moves.max(1))))
}

fn ponder_hits(summary: &Summary) -> String {
    let pondered = summary.engines.iter().filter(|engine| engine.ponder.moves > 0);
    let line = |engine: &EngineStats| {
        let PonderStats { moves, hits } = engine.ponder;
        let share = fixed(100.0 * hits as f64 / moves as f64, 1);
        format!("  {}: {hits} of {moves} ponder moves hit ({share} %)\n", engine.name)
    };
    pondered.map(line).collect()
}

/// Why each engine's games ended, with its wins, losses and draws.
fn ends_by_engine(summary: &Summary) -> String {
    if summary.games == 0 {
        return String::new();
    }
    let mut table =
        Table::new([left("Engine"), left("Games ended by"), right("+"), right("-"), right("=")]);
    for engine in &summary.engines {
        let mut ends: Vec<_> = engine.ends.iter().collect();
        ends.sort_by_key(|(_, wdl)| std::cmp::Reverse(wdl.games()));
        for (end, wdl) in ends {
            table.push(row![engine.name.clone(), end.clone(), wdl.wins, wdl.losses, wdl.draws]);
        }
    }
    format!("\n{table}")
}

/// A table of its own, with the kinds of faults that happened alone: beside the other figures it
/// would not fit a terminal.
fn faults_by_engine(summary: &Summary) -> String {
    let happened = |kind: &FaultKind| summary.engines.iter().any(|e| e.fault(*kind) > 0);
    let faults: Vec<FaultKind> = FaultKind::ALL.into_iter().filter(happened).collect();
    if faults.is_empty() {
        return String::new();
    }
    let heads = faults.iter().map(|kind| right(kind.label()));
    let mut table = Table::new([left("Engine")].into_iter().chain(heads));
    for engine in &summary.engines {
        let counts = faults.iter().map(|kind| Cell::from(engine.fault(*kind)));
        table.push(row![engine.name.clone()].into_iter().chain(counts));
    }
    format!("\n{table}")
}

fn time(span: Duration) -> String {
    match span.as_secs_f64() {
        s if s >= 1.0 => format!("{} s", fixed(s, 2)),
        s if s >= 1e-3 => format!("{} ms", fixed(s * 1e3, 2)),
        s => format!("{} µs", fixed(s * 1e6, 0)),
    }
}

fn ending(summary: &Summary) -> String {
    let games = grouped(summary.games);
    let seconds = summary.header.seconds;
    let speed = match seconds > 0.0 {
        true => format!(" in {} s", fixed(seconds, 1)),
        false => String::new(),
    };
    let mut text = match (summary.ending, summary.total) {
        (Ending::Completed, _) => {
            let undecided = summary.sprt.is_some_and(|s| s.verdict == SprtVerdict::Continue);
            let note = if undecided { "; the SPRT is undecided" } else { "" };
            format!("\nFinished match: {games} games{speed}{note}\n")
        }
        (Ending::Decided, _) => {
            let verdict = summary.sprt.map(|s| s.verdict);
            let which = if verdict == Some(SprtVerdict::AcceptH1) { "H1" } else { "H0" };
            format!("\nFinished match: the SPRT accepted {which} after {games} games{speed}\n")
        }
        (Ending::Interrupted, Some(total)) => {
            format!("\nInterrupted after {games} of {} games{speed}\n", grouped(total))
        }
        (Ending::Interrupted, None) => format!("\nInterrupted after {games} games{speed}\n"),
        (Ending::Fault, _) => format!("\nStopped by a fault after {games} games{speed}\n"),
    };
    if let Some(champion) = summary.champion {
        text += &format!("Winner: {}\n", summary.engines[champion].name);
    }
    let unfinished = matches!(summary.ending, Ending::Interrupted | Ending::Fault);
    if let Some(journal) = summary.journal.as_ref().filter(|_| unfinished) {
        text += &format!("Go on with: dyno match --resume {journal}\n");
    }
    text
}
