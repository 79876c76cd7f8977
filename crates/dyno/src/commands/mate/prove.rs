//! `dyno mate prove`: is every stated mate of a suite true?

use super::sources;
use crate::commands::position_args::SelectionArgs;
use crate::exit::Exit;
use crate::{history, interrupt};
use dyno_report::mate::terminal::fault_line;
use dyno_report::terminal::{Progress, Table, eprintln, println, right};
use dyno_report::{number, row};
use dyno_trials::mate::{Examined, Opinion, ProveEvent, ProvePlan, ProveResult, SuiteFault, prove};
use std::collections::BTreeMap;
use std::fmt::Write;

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
    selection: SelectionArgs,

    /// Positions the solver may look at for each problem
    #[arg(long, value_name = "N", default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,

    /// Solve this many problems at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: u16,

    /// Take away castling rights without their rook and impossible en-passant squares, with a
    /// warning, instead of skipping the position
    #[arg(long)]
    repair: bool,

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
    let plan = ProvePlan {
        sources: sources(&args.suites, &[])?,
        selection: args.selection.selection(),
        nodes: args.nodes,
        concurrency: args.concurrency.into(),
        repair: args.repair,
    };
    if let Some(seed) = plan.selection.seed {
        eprintln!("--seed {seed}");
    }
    let mut progress = None;
    let quiet = args.quiet || args.json;
    let saving = interrupt::hold();
    let result = prove(&plan, &interrupt::requested, &mut |event| match event {
        ProveEvent::Started { total } => {
            progress = Some(Progress::new("mates", Some(total), quiet));
        }
        ProveEvent::Examined(_) => progress.iter().for_each(Progress::advance),
    })?;
    drop((progress, saving));
    if result.examined.is_empty() && !interrupt::requested() {
        anyhow::bail!(nothing_examined(args, &result));
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&result)?);
    } else {
        println!("{}", text(&result.examined, &result.skipped));
    }
    history::keep(&result);
    let disputed = result.examined.iter().any(|one| !one.faults.is_empty());
    Ok(match disputed {
        _ if interrupt::requested() => Exit::Interrupted,
        true => Exit::Failed,
        false => Exit::Passed,
    })
}

fn nothing_examined(args: &Args, result: &ProveResult) -> String {
    match result.skipped.first() {
        _ if !args.selection.selection().ids.is_empty() => "no position matches --id".to_owned(),
        Some(fault) => format!(
            "no usable position among {} lines; the first: {}:{}: {}",
            result.skipped.len(),
            fault.suite,
            fault.line_no,
            fault.reason
        ),
        None => format!("{}: no position in it", args.suites.join(", ")),
    }
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
