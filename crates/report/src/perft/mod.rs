//! What `dyno perft` shows.

pub mod html;

use crate::Verdict;
use crate::number::{duration, grouped, plural};
use crate::row;
use crate::terminal::{Table, bold, dim, left, right};
use dyno_trials::perft::{CountResult, Defect, PEER_RECIPE, SpeedResult, SuiteResult, SuiteRow};
use serde::Serialize;
use std::fmt::Write as _;
use std::time::Duration;

/// Any result as JSON.
pub fn json(result: &impl Serialize) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(result)?;
    text.push('\n');
    Ok(text)
}

/// A count: the position, the leaves, the time and the speed.
#[must_use]
pub fn count(result: &CountResult) -> String {
    let mut text = format!("{}  {}\n\n", bold(&result.name), dim(&result.fen));
    let found = big(result.nodes);
    let nodes = if result.complete { found } else { format!("{found} so far") };
    let table = Table::new([right("depth"), right("leaves"), right("time"), right("speed")])
        .row(row![result.depth, nodes, time(result.header.seconds), speed(result.nps)]);
    let _ = writeln!(text, "{table}");
    text.push_str(&published(result));
    text
}

/// Whether the count is the one that others have published.
#[must_use]
pub fn published(result: &CountResult) -> String {
    match result.published.as_ref().filter(|_| result.complete) {
        Some(known) if known.nodes == result.nodes => {
            format!("{}: the published count (suite {})\n", verdict(true), known.suite)
        }
        Some(known) => {
            let nodes = big(known.nodes);
            format!("{}: the published count is {nodes} (suite {})\n", verdict(false), known.suite)
        }
        None => String::new(),
    }
}

/// The leaves below each move, as other programs print them, so that they can be compared.
#[must_use]
pub fn divide(result: &CountResult) -> String {
    let mut text = String::new();
    for found in result.moves.iter().filter(|found| found.complete) {
        let _ = writeln!(text, "{}: {}", found.mv, found.nodes);
    }
    let label = if result.complete { "Nodes searched" } else { "Nodes searched so far" };
    let _ = writeln!(text, "\n{label}: {}", result.nodes);
    text
}

/// Time and speed on one line.
#[must_use]
pub fn pace(result: &CountResult) -> String {
    let hash = match result.hash_bytes {
        Some(size) => format!(", table of {}", crate::number::bytes(size as u64)),
        None => String::new(),
    };
    let threads = plural(result.threads as u64, "thread", "threads");
    format!("{}, {} ({threads}{hash})", time(result.header.seconds), speed(result.nps))
}

/// The kinds of the leaves of every depth.
#[must_use]
pub fn detail(result: &CountResult) -> String {
    let heads = [
        "depth",
        "leaves",
        "captures",
        "e.p.",
        "castles",
        "promotions",
        "checks",
        "discovered",
        "double",
        "mates",
    ];
    let mut table = Table::new(heads.map(right));
    for d in &result.detail {
        table.push(row![
            d.depth,
            d.nodes,
            d.captures,
            d.en_passants,
            d.castles,
            d.promotions,
            d.checks,
            d.discovered_checks,
            d.double_checks,
            d.mates
        ]);
    }
    table.to_string()
}

/// What is known of a count that was stopped.
#[must_use]
pub fn interrupted(result: &CountResult) -> String {
    // The kinds are looked at last, when all is counted.
    if !result.detail.is_empty() {
        let leaves = big(result.nodes);
        return format!(
            "interrupted: all {leaves} leaves are counted, but the table is not complete"
        );
    }
    let done = result.moves.iter().filter(|found| found.complete).count();
    format!(
        "interrupted: {done} of {} moves counted to the end, {} leaves so far",
        result.moves.len(),
        big(result.nodes)
    )
}

/// A suite: every count in a table.
#[must_use]
pub fn suite(result: &SuiteResult) -> String {
    let mut table = Table::new([
        left("position"),
        right("depth"),
        right("expected"),
        right("found"),
        left("verdict"),
        right("time"),
        right("speed"),
    ]);
    for row in &result.rows {
        let verdict = if row.agrees { Verdict::Pass } else { Verdict::Fail };
        table.push(row![
            label(row),
            row.depth,
            big(row.expected),
            big(row.found),
            verdict,
            time(row.seconds),
            speed(row.nps)
        ]);
    }
    table.to_string()
}

/// A suite in a line or two, every mismatch named.
#[must_use]
pub fn suite_summary(result: &SuiteResult) -> String {
    let mut text = String::new();
    for row in result.rows.iter().filter(|row| !row.agrees) {
        let _ = writeln!(
            text,
            "{}: {}: {} at depth {}: expected {}, found {}",
            verdict(false),
            place(result, row.line),
            row.fen,
            row.depth,
            big(row.expected),
            big(row.found)
        );
    }
    let counts = result.rows.len();
    let right = counts - result.mismatches;
    let _ = write!(
        text,
        "{}: {}: {} of {} right in {}, {} leaves in {}, {}",
        verdict(result.mismatches == 0 && counts > 0),
        result.suite,
        grouped(right as i128),
        plural(counts as u64, "count", "counts"),
        plural(result.positions as u64, "position", "positions"),
        big(result.nodes),
        time(result.header.seconds),
        speed(result.nps)
    );
    if result.left_out > 0 {
        let left_out = plural(result.left_out as u64, "count", "counts");
        let _ = write!(text, "; {left_out} left out by the limits");
    }
    if !result.complete {
        text.push_str("; interrupted");
    }
    text.push('\n');
    text
}

/// The lines of a suite that could not be read.
#[must_use]
pub fn defects(result: &SuiteResult) -> Vec<String> {
    let text = |d: &Defect| format!("{}: {}: skipped", place(result, d.line), d.why);
    result.defects.iter().map(text).collect()
}

/// A line of a suite as other tools name it.
fn place(result: &SuiteResult, line: usize) -> String {
    format!("{}:{line}", result.suite)
}

/// The bench: our speed on every position and together, and how to compare it.
#[must_use]
pub fn bench(result: &SpeedResult) -> String {
    let mut table = Table::new([
        left("position"),
        right("depth"),
        right("leaves"),
        right("time"),
        right("speed"),
    ]);
    for r in &result.rows {
        let nps = r.nodes as f64 / r.dyno_seconds;
        table.push(row![&r.name, r.depth, r.nodes, time(r.dyno_seconds), speed(nps)]);
    }
    if result.complete {
        let nodes: u64 = result.rows.iter().map(|r| r.nodes).sum();
        let seconds = result.rows.iter().map(|r| r.dyno_seconds).sum();
        table.push(row!["together", "", nodes, time(seconds), speed(result.dyno_nps)]);
    }
    format!(
        "{table}\nSingle thread, no table, last ply bulk-counted; CPU time, best of {}.\n\
         Against cozy-chess and shakmaty, turn by turn in one run:\n  {PEER_RECIPE}\n",
        plural(result.rounds as u64, "round", "rounds"),
    )
}

fn label(row: &SuiteRow) -> String {
    row.id.clone().unwrap_or_else(|| row.fen.clone())
}

fn verdict(right: bool) -> String {
    crate::terminal::verdict(if right { Verdict::Pass } else { Verdict::Fail })
}

fn big(nodes: u128) -> String {
    grouped(i128::try_from(nodes).unwrap_or(i128::MAX))
}

fn time(seconds: f64) -> String {
    duration(Duration::from_secs_f64(seconds.max(0.0)))
}

/// Million leaves a second, the customary unit.
fn speed(nps: f64) -> String {
    let millions = nps / 1e6;
    if millions < 10.0 {
        format!("{millions:.1} Mnps")
    } else {
        format!("{} Mnps", grouped(millions.round() as i128))
    }
}
