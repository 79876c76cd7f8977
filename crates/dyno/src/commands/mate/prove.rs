//! `dyno mate prove`: is every stated mate of a suite true?

use super::problems::Selection;
use crate::exit::Exit;
use crate::interrupt;
use dyno_driver::RunHeader;
use dyno_report::mate::terminal::fault_line;
use dyno_report::terminal::{Progress, Table, println, right};
use dyno_report::{number, row};
use dyno_trials::mate::{Examined, Opinion, ProveResult, SuiteFault, prove};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  dyno mate prove mate_in_2.epd mate_in_3.epd
  dyno mate prove documents                     a built-in suite with published mistakes
  dyno mate prove mates.pgn --nodes 50000000 --concurrency 2 --json

Exit codes: 0 nothing disputed, 1 something disputed, 2 bad usage or suite, 130 interrupted.";

/// Check every stated mate of a suite with our own solver, without an engine
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// EPD or PGN files, `-` for standard input, or built-in names
    #[arg(value_name = "FILE|NAME", required = true)]
    suites: Vec<String>,

    #[command(flatten)]
    selection: Selection,

    /// Positions the solver may look at for each problem
    #[arg(long, value_name = "N", default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,

    /// Solve so many problems at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: u16,

    /// Print everything as JSON
    #[arg(long)]
    json: bool,

    /// No progress
    #[arg(long, short)]
    quiet: bool,
}

/// How many of one stated length are true.
#[derive(Default)]
struct Count {
    confirmed: u64,
    disputed: u64,
    not_settled: u64,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let seed = args.selection.seed();
    let problems = args.selection.read(&args.suites, seed)?;
    let began = Instant::now();
    let plan = json!({
        "suites": args.suites,
        "nodes": args.nodes,
        "concurrency": args.concurrency,
    });
    let mut header = RunHeader::begin("mate prove", plan).seed(seed);
    let total = problems.iter().flatten().count() as u64;
    let progress = Progress::new("mates", Some(total), args.quiet || args.json);
    let mut examined: Vec<Examined> = Vec::new();
    let stop = interrupt::requested;
    prove(&problems, args.nodes, args.concurrency.into(), &stop, |one| {
        progress.advance();
        examined.push(one);
    });
    progress.finish();
    header.seconds = began.elapsed().as_secs_f64();
    let skipped = problems.into_iter().filter_map(|p| p.err().map(|fault| *fault)).collect();
    let result = ProveResult { header, examined, skipped };
    if args.json {
        println!("{}", serde_json::to_string_pretty(&result)?);
    } else {
        println!("{}", text(&result.examined, &result.skipped));
    }
    let disputed = result.examined.iter().any(|one| !one.faults.is_empty());
    Ok(match disputed {
        _ if interrupt::requested() => Exit::Interrupted,
        true => Exit::Failed,
        false => Exit::Passed,
    })
}

fn text(examined: &[Examined], skipped: &[SuiteFault]) -> String {
    let mut counts: BTreeMap<(bool, u32), Count> = BTreeMap::new();
    for one in examined {
        let count = counts.entry((one.stated < 0, one.stated.unsigned_abs())).or_default();
        match one.opinion() {
            Opinion::Confirmed => count.confirmed += 1,
            Opinion::Disputed => count.disputed += 1,
            Opinion::NotSettled => count.not_settled += 1,
        }
    }
    let heads = [right("Mate"), right("Confirmed"), right("Disputed"), right("Not settled")];
    let rows = counts.iter().map(|((mated, moves), count)| {
        let sign = if *mated { "-" } else { "" };
        row![format!("#{sign}{moves}"), count.confirmed, count.disputed, count.not_settled]
    });
    let mut out = Table::new(heads).rows(rows).to_string();
    let faults: Vec<&SuiteFault> =
        skipped.iter().chain(examined.iter().flat_map(|one| &one.faults)).collect();
    if !faults.is_empty() {
        let count = number::plural(faults.len() as u64, "defect", "defects");
        let _ = writeln!(out, "\n{count} of the suite");
    }
    for fault in faults {
        let _ = writeln!(out, "{}", fault_line(fault));
        if !fault.fen.is_empty() {
            let _ = writeln!(out, "    {}", fault.fen);
        }
    }
    out.trim_end().to_owned()
}
