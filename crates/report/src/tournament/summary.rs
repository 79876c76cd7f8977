//! What is shown when a match is over.

use super::lines::{elo_line, outcomes, sprt_line};
use crate::number::{fixed, grouped};
use crate::row;
use crate::terminal::{Table, left, llr_bar, right};
use dyno_stats::{Estimate, Verdict};
use dyno_tournament::{Ending, FaultKind, Summary};
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
    text += &ending(summary);
    text
}

/// Faults and latency by engine, and where the evidence is.
pub fn stability(summary: &Summary) -> String {
    let mut table = Table::new([
        left("Engine"),
        right("Moves"),
        right("Mean time"),
        right("Depth"),
        right("Latency"),
        right("Most"),
        right("Crashes"),
        right("Hangs"),
        right("Time losses"),
        right("Illegal moves"),
        right("Illegal PVs"),
        right("Table moves"),
    ]);
    for engine in &summary.engines {
        let mean = Duration::from_nanos(engine.nanos / engine.moves.max(1));
        table.push(row![
            engine.name.clone(),
            engine.moves,
            time(mean),
            engine.mean_depth().map(|d| fixed(d, 1)),
            engine.latency.mean().map(|us| time(Duration::from_nanos((us * 1e3) as u64))),
            (engine.latency.moves > 0).then(|| time(Duration::from_micros(engine.latency.most))),
            engine.fault(FaultKind::Crash),
            engine.fault(FaultKind::Hang),
            engine.fault(FaultKind::TimeLoss),
            engine.fault(FaultKind::IllegalMove),
            engine.fault(FaultKind::BadPv),
            engine.fault(FaultKind::TableMove)
        ]);
    }
    let title =
        if summary.header.plan.is_self_play() { "Stability in self-play" } else { "Engines" };
    let mut text = format!("\n{title}:\n{table}");
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
            let undecided = summary.sprt.is_some_and(|s| s.verdict == Verdict::Continue);
            let note = if undecided { "; the SPRT is undecided" } else { "" };
            format!("\nFinished match: {games} games{speed}{note}\n")
        }
        (Ending::Decided, _) => {
            let verdict = summary.sprt.map(|s| s.verdict);
            let which = if verdict == Some(Verdict::AcceptH1) { "H1" } else { "H0" };
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
