//! What the prompt shows: a line for each position during a run, and the summary after it.

use super::{correct, engine_line, expected, has_themes, limit, played, points};
use crate::Verdict;
use crate::number;
use crate::row;
use crate::terminal::{Table, bars, clean, dim, left, right, verdict};
use dyno_trials::suite::{EngineResult, PositionResult, SuiteDefect, SuiteResult};
use std::fmt::Write;
use std::time::Duration;

/// One position on one line, for people who watch.
#[must_use]
pub fn position_line(result: &PositionResult, engine: Option<&str>) -> String {
    let sign = match result.correct {
        Some(true) => Verdict::Pass,
        Some(false) => Verdict::Fail,
        None => Verdict::Skip,
    };
    let mut line = format!("{} {:<12}", verdict(sign), clean(&result.id));
    let _ = write!(line, "  {:<8}", clean(&played(result)));
    if result.correct != Some(true) {
        let _ = write!(line, "  expected {:<12}", clean(&expected(result)));
    }
    let depth = result.depth.map(|d| format!(", depth {d}")).unwrap_or_default();
    let _ = write!(line, "  {}", dim(format!("{:.0} ms{depth}", result.time_ms)));
    if let Some(points) = result.points.filter(|_| result.max_points.is_some()) {
        let _ = write!(line, "  {points} points");
    }
    if let Some(engine) = engine {
        let _ = write!(line, "  {}", dim(clean(engine)));
    }
    line
}

/// The running score for a progress bar.
#[must_use]
pub fn running(correct: u64, scored: u64) -> String {
    format!("{correct}/{scored} right ({})", number::percent(correct, scored))
}

/// A defect of the suite: where, what, which part.
#[must_use]
pub fn defect_line(defect: &SuiteDefect) -> String {
    let SuiteDefect { suite, line_no, id, reason, token, kept } = defect;
    let id =
        if id.is_empty() || id.starts_with("line ") { String::new() } else { format!(" ({id})") };
    let token = if token.is_empty() { String::new() } else { format!(": \"{token}\"") };
    let what = if *kept { "ignored" } else { "skipped" };
    clean(&format!("{suite}:{line_no}{id}: {what}: {reason}{token}"))
}

/// The first misses, as they are listed at the end.
#[must_use]
pub fn misses(misses: &[PositionResult], all: u64, engines: &[String]) -> String {
    if misses.is_empty() {
        return String::new();
    }
    let several = engines.len() > 1;
    let mut heads = vec![
        left("Id"),
        right("Line"),
        left("Engine move"),
        left("Expected"),
        right("Score"),
        right("Depth"),
        right("Time"),
    ];
    if several {
        heads.push(left("Engine"));
    }
    let rows = misses.iter().map(|miss| {
        row![
            &miss.id,
            miss.line_no,
            played(miss),
            expected(miss),
            miss.score.map(|s| s.to_string()).unwrap_or_default(),
            miss.depth.map(u64::from),
            format!("{:.0} ms", miss.time_ms),
            engines.get(miss.engine).map(String::as_str).unwrap_or_default()
        ]
    });
    let table = Table::new(heads).rows(rows);
    let shown = misses.len() as u64;
    let which =
        if shown < all { format!("The first {shown} of {all} misses") } else { "Misses".into() };
    format!("{which}\n{table}\n")
}

/// The whole result.
#[must_use]
pub fn summary(result: &SuiteResult) -> String {
    let mut out = String::new();
    for engine in &result.engines {
        let _ = writeln!(out, "{}", clean(&engine_line(engine)));
        let _ = write!(out, "{}", engine_summary(engine, result));
        out.push('\n');
    }
    if result.engines.len() > 1 {
        let _ = writeln!(out, "{}", side_by_side(result));
    }
    if result.defect_count > 0 {
        let lines = number::plural(result.defect_count, "line", "lines");
        let _ = writeln!(out, "{lines} of the suite could not be used and did not count.");
    }
    if result.ignored_count > 0 {
        let parts = number::plural(result.ignored_count, "part of a line", "parts of lines");
        let _ = writeln!(out, "{parts} ignored; the positions count.");
    }
    if let Some(seed) = result.header.seed {
        let _ = writeln!(out, "In random order: --randomize --seed {seed} gives the same again.");
    }
    if result.interrupted {
        let _ = writeln!(out, "Interrupted: these are the positions done so far.");
    }
    out
}

fn engine_summary(engine: &EngineResult, result: &SuiteResult) -> String {
    let totals = &engine.totals;
    let mut out = format!("Correct {}\n", correct(engine));
    if let Some(points) = points(engine) {
        let _ = writeln!(out, "Points  {points}");
    }
    if let Some(rating) = &engine.sts_rating {
        let _ = writeln!(out, "STS rating estimate: {} Elo ({})", rating.elo, rating.conditions);
    }
    if let Some(reason) = &engine.no_sts_rating {
        let _ = writeln!(out, "No STS rating estimate: {reason}");
    }
    let elapsed = result.header.elapsed();
    let _ = writeln!(out, "Limit   {}, {} in all", limit(result), number::duration(elapsed));
    if let Some(ms) = totals.mean_solved_ms() {
        let depth = totals.mean_solved_depth().map(|d| format!(", at depth {d:.1}"));
        let _ = writeln!(
            out,
            "Solved  on average after {}{}",
            number::duration(Duration::from_secs_f64(ms / 1e3)),
            depth.unwrap_or_default()
        );
    }
    if totals.unscored > 0 {
        let avoid = match totals.only_avoid {
            0 => String::new(),
            n => format!("; {n} of them with only moves to avoid: --score-am counts those"),
        };
        let _ = writeln!(out, "{} not scored (no solution{avoid})", totals.unscored);
    }
    for (count, what) in [
        (totals.illegal, "illegal moves"),
        (totals.no_move, "positions without a move"),
        (totals.timeouts, "timeouts"),
        (totals.crashes, "crashes"),
    ] {
        if count > 0 {
            let _ = writeln!(out, "{} {count} {what}", verdict(Verdict::Fail));
        }
    }
    if !engine.findings.is_empty() {
        let _ = writeln!(out, "{}", findings(engine));
    }
    if has_themes(engine) {
        let _ = write!(out, "\n{}", themes(engine));
    }
    out
}

fn findings(engine: &EngineResult) -> String {
    let kinds = engine.findings.counts().map(|(code, count)| format!("{code} ×{count}"));
    let kinds = kinds.collect::<Vec<_>>().join(", ");
    let first = engine.findings.examples().first();
    let first = first.map(|f| format!("; first: {}: {:?}", f.deviation, f.line));
    let line = format!(" protocol deviations: {kinds}{}", first.unwrap_or_default());
    format!("{}{}", verdict(Verdict::Warn), clean(&line))
}

fn themes(engine: &EngineResult) -> String {
    let has_points = engine.totals.max_points > 0;
    let rows = engine.themes.iter().map(|theme| {
        let totals = &theme.totals;
        let share = if has_points { totals.points_percent() } else { totals.percent() };
        let share = share.unwrap_or(0.0);
        let mut text = format!("{}/{}", totals.correct, totals.scored);
        if has_points {
            text = format!("{text}, {}/{} points", totals.points, totals.max_points);
        }
        let name = if theme.theme.is_empty() { "(none)" } else { &theme.theme };
        (name.to_owned(), share, format!("{share:5.1}%  {text}"))
    });
    bars(rows, 100.0, 20)
}

fn side_by_side(result: &SuiteResult) -> Table {
    let heads = [
        left("Engine"),
        right("Correct"),
        right("%"),
        right("Points"),
        right("Mean time to solution"),
        right("Nodes"),
    ];
    let rows = result.engines.iter().map(|engine| {
        let totals = &engine.totals;
        row![
            &engine.engine.name,
            format!("{}/{}", totals.correct, totals.scored),
            totals.percent().map(|p| format!("{p:.1}")).unwrap_or_default(),
            if totals.max_points > 0 { totals.points.to_string() } else { String::new() },
            totals.mean_solved_ms().map(|ms| format!("{ms:.0} ms")).unwrap_or_default(),
            number::grouped(totals.nodes)
        ]
    });
    Table::new(heads).rows(rows)
}
