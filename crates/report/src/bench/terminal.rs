//! What stands at the prompt after a bench.

use super::{compared, duration, signature, speed, speeds, trouble, verdict};
use crate::Verdict;
use crate::number;
use crate::row;
use crate::terminal::{Table, bold, clean, left, right, verdict as mark, warning_mark};
use dyno_trials::bench::{BenchResult, Comparison, EngineBench, Measure};
use std::fmt::Write;

/// The whole result. `positions` adds the table of positions.
#[must_use]
pub fn report(result: &BenchResult, comparisons: &[Comparison], positions: bool) -> String {
    let mut out = String::new();
    let what = match &result.own {
        Some(command) => format!("its own bench, by `{command}`"),
        None => format!(
            "{}, {}, {}",
            number::plural(result.positions.len() as u64, "position", "positions"),
            result.source,
            result.limit_text()
        ),
    };
    let runs = number::plural(u64::from(result.runs), "run", "runs");
    let _ = writeln!(out, "{}, {runs}", clean(&what));
    if positions && result.own.is_none() {
        let _ = writeln!(out, "\n{}", position_table(result));
    } else {
        out.push('\n');
    }
    for engine in &result.engines {
        let _ = writeln!(out, "{}", engine_block(engine, result));
    }
    for ratio in &result.ratios {
        let name = |index: usize| result.engines[index].engine.name.as_str();
        let line = verdict(ratio, name(ratio.base), name(ratio.engine));
        let _ = writeln!(out, "{}", clean(&line));
    }
    for comparison in comparisons {
        let _ = write!(out, "{}", comparison_block(comparison));
    }
    for skipped in result.skipped.iter().take(10) {
        let _ = writeln!(
            out,
            "{}:{}: left out: {}",
            clean(&result.source),
            skipped.line,
            clean(&skipped.reason)
        );
    }
    if result.skipped.len() > 10 {
        let more = number::plural(result.skipped.len() as u64 - 10, "more line", "more lines");
        let _ = writeln!(out, "… and {more} left out");
    }
    for warning in &result.warnings {
        let _ = writeln!(out, "{} {}", warning_mark(), clean(warning));
    }
    if result.interrupted {
        let _ = writeln!(out, "Interrupted: these are the searches done so far.");
    }
    out
}

fn engine_block(engine: &EngineBench, result: &BenchResult) -> String {
    let options = engine.engine.options.iter().map(|(name, value)| format!("{name}={value}"));
    let head = std::iter::once(engine.engine.name.clone()).chain(options).collect::<Vec<_>>();
    let mut out = format!("{}\n", bold(clean(&head.join(", "))));
    if let Some(last) = engine.runs.iter().rev().find(|run| run.complete) {
        let _ = writeln!(out, "Nodes     {}", number::grouped(last.nodes));
        let _ = writeln!(out, "Time      {}", duration(last.time_ms));
    }
    match &engine.speed {
        Some(spread) => {
            let _ = writeln!(out, "Speed     {}", speeds(spread));
        }
        None => {
            let _ = writeln!(out, "Speed     not known: {}", why_no_speed(engine));
        }
    }
    if result.has_signature() {
        let _ = writeln!(out, "Signature {}", signature(engine));
    }
    let failures: Vec<&Measure> = engine.measures.iter().filter(|m| !m.status.counts()).collect();
    for failure in failures.iter().take(5) {
        let id = result.positions.get(failure.position).map_or("?", |p| p.id.as_str());
        let line = format!(" {} ({}): {}", id, trouble(failure), failure.trouble);
        let _ = writeln!(out, "{}{}", mark(Verdict::Fail), clean(&line));
    }
    if failures.len() > 5 {
        let _ = writeln!(out, "{} {} failures in all", mark(Verdict::Fail), failures.len());
    }
    if !engine.trouble.is_empty() {
        let _ = writeln!(out, "{} {}", mark(Verdict::Fail), clean(&engine.trouble));
    }
    out
}

fn why_no_speed(engine: &EngineBench) -> &'static str {
    match engine.runs.iter().any(|run| run.complete) {
        true => "the engine tells no nodes",
        false => "no run was completed",
    }
}

fn position_table(result: &BenchResult) -> Table {
    let several = result.engines.len() > 1;
    let mut heads = vec![right("#"), left("Position")];
    for engine in &result.engines {
        if several {
            heads.push(right(format!("{}: nodes", engine.engine.name)));
            heads.push(right("speed"));
        } else {
            heads.extend([right("Depth"), right("Nodes"), right("Time"), right("Speed")]);
        }
    }
    let is_odd = |e: &EngineBench| {
        !e.unsteady.is_empty() || e.measures.iter().any(|m| !trouble(m).is_empty())
    };
    if result.engines.iter().any(is_odd) {
        heads.push(left("Remark"));
    }
    let mut table = Table::new(heads);
    for (index, position) in result.positions.iter().enumerate() {
        let mut cells = row![index as u64 + 1, position.id.as_str()].to_vec();
        let mut remarks = Vec::new();
        for engine in &result.engines {
            cells.extend(figures(engine, index, several));
            let odd = engine.of_position(index).map(trouble).find(|text| !text.is_empty());
            remarks.extend(odd);
            remarks.extend(engine.unsteady.contains(&index).then_some("differs from run to run"));
        }
        cells.extend(row![remarks.join(", ")]);
        table.push(cells);
    }
    table
}

fn figures(engine: &EngineBench, index: usize, several: bool) -> Vec<crate::terminal::Cell> {
    let last = engine.of_position(index).filter(|m| m.status.counts()).last();
    let nodes = last.and_then(|m| m.nodes);
    let nps = engine.median_nps(index).map(speed).unwrap_or_default();
    if several {
        return row![nodes, nps].to_vec();
    }
    let time = engine.median_ms(index).map(duration).unwrap_or_default();
    row![last.and_then(|m| m.depth).map(u64::from), nodes, time, nps].to_vec()
}

fn comparison_block(comparison: &Comparison) -> String {
    let same = if comparison.same_file == Some(true) { " (the very same program)" } else { "" };
    let head = format!("{} against {} of the file{same}", comparison.engine, comparison.earlier);
    let mut out = format!("{}\n", bold(clean(&head)));
    for line in compared(comparison) {
        let _ = writeln!(out, "  {line}");
    }
    out += "  The two were not measured in turn. To be sure of a small difference, give both programs \
            as --engine.\n";
    out
}
