//! A file of counts, each compared with our own.

use super::{Defect, Line, PerftError, PerftFile, nps};
use dyno_chess::perft::{self, Options};
use dyno_driver::RunHeader;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Instant;

/// Which counts to compare.
#[derive(Clone, Debug)]
pub struct PerftSuitePlan {
    /// What the user calls the file.
    pub name: String,
    /// What it holds.
    pub file: PerftFile,
    /// Counts above this are left out.
    pub max_nodes: Option<u128>,
    /// Depths below this are left out.
    pub max_depth: Option<u32>,
    /// How many threads share the work.
    pub threads: usize,
    /// The size of the table in mebibytes.
    pub hash_mb: Option<usize>,
    /// Whether every position's moves are written in the Chess960 way.
    pub chess960: bool,
}

/// What happened while a suite ran.
#[derive(Clone, Copy, Debug)]
pub enum PerftSuiteEvent<'a> {
    /// This many counts will be compared.
    Started {
        /// How many.
        counts: usize,
    },
    /// One was compared.
    Compared(&'a SuiteRow),
}

/// One count compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteRow {
    /// The position's line in the file.
    pub line: usize,
    /// Its name in the file.
    pub id: Option<String>,
    /// The position.
    pub fen: String,
    /// The depth.
    pub depth: u32,
    /// What the file says.
    pub expected: u128,
    /// What was found.
    pub found: u128,
    /// Whether they agree.
    pub agrees: bool,
    /// How long it took.
    pub seconds: f64,
    /// Leaves a second.
    pub nps: f64,
}

/// A suite compared.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SuiteResult {
    /// What the run was.
    #[serde(flatten)]
    pub header: RunHeader<Value>,
    /// What the user calls the file.
    pub suite: String,
    /// The threads that shared the work.
    pub threads: usize,
    /// The size of the table in mebibytes.
    pub hash_mb: Option<usize>,
    /// Positions with at least one count compared.
    pub positions: usize,
    /// Every count.
    pub rows: Vec<SuiteRow>,
    /// Counts that differ.
    pub mismatches: usize,
    /// Counts left out by the limits.
    pub left_out: usize,
    /// Lines that could not be read.
    pub defects: Vec<Defect>,
    /// All leaves counted.
    pub nodes: u128,
    /// Leaves a second.
    pub nps: f64,
    /// Whether it came to its end.
    pub complete: bool,
}

/// Compares every count of a suite. A run that is stopped returns what is done.
pub fn run_suite(
    plan: &PerftSuitePlan,
    stop: &(dyn Fn() -> bool + Sync),
    sink: &mut dyn FnMut(PerftSuiteEvent),
) -> Result<SuiteResult, PerftError> {
    let wanted = |&(depth, nodes): &(u32, u128)| {
        plan.max_depth.is_none_or(|max| depth <= max)
            && plan.max_nodes.is_none_or(|max| nodes <= max)
    };
    let all = plan.file.lines.iter().map(|line| line.counts.len()).sum::<usize>();
    let jobs: Vec<(&Line, u32, u128)> = plan
        .file
        .lines
        .iter()
        .flat_map(|line| line.counts.iter().filter(|c| wanted(c)).map(move |(d, n)| (line, *d, *n)))
        .collect();
    sink(PerftSuiteEvent::Started { counts: jobs.len() });
    let mut header = RunHeader::begin(
        "perft suite",
        json!({
            "suite": plan.name,
            "max_nodes": plan.max_nodes.map(|nodes| nodes.to_string()),
            "max_depth": plan.max_depth,
            "threads": plan.threads,
            "hash_mb": plan.hash_mb,
            "chess960": plan.chess960,
        }),
    );
    let start = Instant::now();
    let mut rows = Vec::with_capacity(jobs.len());
    let mut complete = true;
    for &(line, depth, expected) in &jobs {
        match compare(plan, line, depth, expected, stop)? {
            Some(row) => {
                sink(PerftSuiteEvent::Compared(&row));
                rows.push(row);
            }
            None => {
                complete = false;
                break;
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    header.seconds = seconds;
    let nodes = rows.iter().map(|row| row.found).sum();
    let mut lines: Vec<usize> = rows.iter().map(|row| row.line).collect();
    lines.dedup();
    Ok(SuiteResult {
        header,
        suite: plan.name.clone(),
        threads: plan.threads,
        hash_mb: plan.hash_mb,
        positions: lines.len(),
        mismatches: rows.iter().filter(|row| !row.agrees).count(),
        left_out: all - jobs.len(),
        defects: plan.file.defects.clone(),
        nodes,
        nps: nps(nodes, seconds),
        complete,
        rows,
    })
}

/// Compares one count; nothing when it was stopped.
fn compare(
    plan: &PerftSuitePlan,
    line: &Line,
    depth: u32,
    expected: u128,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Option<SuiteRow>, PerftError> {
    let start = Instant::now();
    let table = match plan.hash_mb {
        // Small counts are done before a table is ready.
        Some(megabytes) if expected > 1_000_000 => {
            Some(perft::fitting_table(&line.position, depth, megabytes)?)
        }
        _ => None,
    };
    let options = Options {
        threads: if expected > 100_000 { plan.threads } else { 1 },
        table: table.as_ref(),
        stop,
        ..Options::default()
    };
    let counted = perft::count(&line.position, depth, &options);
    let seconds = start.elapsed().as_secs_f64();
    let mut position = line.position;
    position.set_chess960(position.is_chess960() || plan.chess960);
    Ok(counted.complete.then(|| SuiteRow {
        line: line.number,
        id: line.id.clone(),
        fen: position.fen(),
        depth,
        expected,
        found: counted.nodes,
        agrees: counted.nodes == expected,
        seconds,
        nps: nps(counted.nodes, seconds),
    }))
}
