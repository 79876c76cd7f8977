//! What the prompt shows: a line for each position during a run, and the summary after it.

use super::{BY_SCORE, answer, correct, engine_line, fault, limit, mate, place, truth};
use crate::Verdict;
use crate::number;
use crate::row;
use crate::terminal::{Cell, Table, clean, dim, right, verdict};
use dyno_trials::mate::{
    EngineMates, LineVerdict, MateResult, MateRun, MateTotals, MateVerdict, SuiteFault,
};
use std::fmt::Write;
use std::time::Duration;

/// One position on one line, for people who watch.
#[must_use]
pub fn position_line(result: &MateResult, engine: Option<&str>) -> String {
    let sign = match result.verdict {
        MateVerdict::Best | MateVerdict::Better => Verdict::Pass,
        MateVerdict::Found => Verdict::Warn,
        MateVerdict::Unscored => Verdict::Skip,
        _ => Verdict::Fail,
    };
    let mut line = format!("{} {:<8}", verdict(sign), result.verdict.word());
    let _ = write!(line, " {:>4}  {:<14}", mate(result.stated), clean(&result.id));
    let _ = write!(line, "  {:<14}", clean(&answer(result)));
    let depth = result.depth.map(|d| format!(", depth {d}")).unwrap_or_default();
    let _ = write!(line, "  {}", dim(format!("{:.0} ms{depth}", result.time_ms)));
    if let Some(bad) = result.line_verdict.filter(|v| *v != LineVerdict::Ok) {
        let _ = write!(line, "  line {bad}");
    }
    if let Some(engine) = engine {
        let _ = write!(line, "  {}", dim(clean(engine)));
    }
    line
}

/// The running score for a progress bar.
#[must_use]
pub fn running(correct: u64, scored: u64) -> String {
    format!("{correct}/{scored} best ({})", number::percent(correct, scored))
}

/// A fault of the suite: where, what, the proof.
#[must_use]
pub fn fault_line(at: &SuiteFault) -> String {
    clean(&format!("{}: {}", place(&at.suite, at.line_no, &at.id), fault(at)))
}

/// The first misses with position and both lines; `all` is how many there are.
#[must_use]
pub fn miss_list(misses: &[MateResult], all: u64, engines: &[String]) -> String {
    if misses.is_empty() {
        return String::new();
    }
    let shown = misses.len() as u64;
    let which =
        if shown < all { format!("The first {shown} of {all} misses") } else { "Misses".into() };
    let mut out = format!("{which}\n");
    for miss in misses {
        let engine = engines.get(miss.engine).filter(|_| engines.len() > 1);
        let engine = engine.map(|name| format!(", {name}")).unwrap_or_default();
        let _ = writeln!(
            out,
            "{} {}, {}{}",
            verdict(Verdict::Fail),
            clean(&place(&miss.suite, miss.line_no, &miss.id)),
            miss.verdict.word(),
            clean(&engine)
        );
        let _ = writeln!(out, "    FEN       {}", miss.fen);
        let expected = if miss.expected_line.is_empty() { "–" } else { &miss.expected_line };
        let _ = writeln!(
            out,
            "    expected  {} ({})  {}",
            mate(miss.stated),
            truth(miss),
            clean(expected)
        );
        let _ =
            writeln!(out, "    engine    {}  {}", clean(&answer(miss)), clean(&miss.engine_line));
        for remark in [&miss.remark, &miss.line_fault, &miss.trouble] {
            if !remark.is_empty() {
                let _ = writeln!(out, "    {}", clean(remark));
            }
        }
    }
    out.push('\n');
    out
}

/// The whole result.
#[must_use]
pub fn summary(run: &MateRun) -> String {
    let mut out = String::new();
    for engine in &run.engines {
        let _ = writeln!(out, "{}", clean(&engine_line(engine)));
        out.push_str(&engine_summary(engine, run));
        out.push('\n');
    }
    out.push_str(&faults(run));
    if run.interrupted {
        let _ = writeln!(out, "Interrupted: these are the positions done so far.");
    }
    out
}

fn engine_summary(engine: &EngineMates, run: &MateRun) -> String {
    let totals = &engine.totals;
    let elapsed = number::duration(run.header.elapsed());
    let mut out = format!("{}\n", depth_table(engine));
    let _ = writeln!(out, "Correct   {} (best, or better than stated)", correct(engine));
    let _ = writeln!(out, "Limit     {}, {elapsed} in all", limit(&run.limit));
    let score = &engine.by_score;
    let _ = writeln!(
        out,
        "By score  {} positions, {} mates found, {} best, {} better, {} for the wrong side, {} bad \
         lines",
        score.total, score.found, score.best, score.better, score.wrong_side, score.bad_lines
    );
    let _ = writeln!(out, "          {}", dim(format!("({BY_SCORE})")));
    let _ = writeln!(out, "Lines     {}", all_lines(totals));
    let _ = writeln!(
        out,
        "Moves     {} of {} keep the mate, announced or not",
        number::grouped(totals.right_moves),
        number::grouped(totals.known_moves)
    );
    if totals.false_claims > 0 {
        let times = number::plural(totals.false_claims, "announcement", "announcements");
        let _ = writeln!(
            out,
            "{} {times} of a mate that is not there, on the way or in the end",
            verdict(Verdict::Warn)
        );
    }
    if totals.failed > 0 {
        let times = number::plural(totals.failed, "position", "positions");
        let _ = writeln!(out, "{} {times} without a usable answer", verdict(Verdict::Fail));
    }
    if !engine.findings.is_empty() {
        let kinds = engine.findings.counts().map(|(code, count)| format!("{code} ×{count}"));
        let kinds = kinds.collect::<Vec<_>>().join(", ");
        let _ = writeln!(out, "{} protocol deviations: {}", verdict(Verdict::Warn), clean(&kinds));
    }
    out
}

fn all_lines(totals: &MateTotals) -> String {
    let kinds: Vec<String> = totals
        .mate_lines
        .each()
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| format!("{} {kind}", number::grouped(count)))
        .collect();
    if kinds.is_empty() {
        return "none with a mate score".to_owned();
    }
    format!("all that came with a mate score: {}", kinds.join(", "))
}

fn depth_table(engine: &EngineMates) -> Table {
    let heads = [
        right("Mate"),
        right("Positions"),
        right("Best"),
        right("Found"),
        right("Better"),
        right("Missed"),
        right("Wrong"),
        right("Bad lines"),
        right("Median time"),
        right("Median nodes"),
    ];
    let rows = engine.depths.iter().map(|d| depth_row(mate(d.mate), &d.totals));
    let all = (engine.depths.len() > 1).then(|| depth_row("all".to_owned(), &engine.totals));
    Table::new(heads).rows(rows.chain(all))
}

fn depth_row(name: String, totals: &MateTotals) -> [Cell; 10] {
    let time = totals.median_ms.map(|ms| number::duration(Duration::from_secs_f64(ms / 1e3)));
    row![
        name,
        totals.run,
        totals.best,
        totals.found,
        totals.better,
        totals.missed + totals.failed,
        totals.wrong,
        totals.bad_lines,
        time,
        totals.median_nodes
    ]
}

fn faults(run: &MateRun) -> String {
    if run.faults.is_empty() {
        return String::new();
    }
    let count = number::plural(run.faults.len() as u64, "defect", "defects");
    let mut out = format!("{count} of the suite\n");
    for fault in run.faults.iter().take(20) {
        let _ = writeln!(out, "  {}", fault_line(fault));
    }
    if run.faults.len() > 20 {
        let _ = writeln!(out, "  … and {} more (--report-json has all)", run.faults.len() - 20);
    }
    out
}
