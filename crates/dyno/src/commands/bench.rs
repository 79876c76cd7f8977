//! `dyno bench`: how fast an engine searches, and what it counts.

mod history;

use crate::engine_args::{EngineArgs, engine_error};
use crate::exit::Exit;
use crate::{interrupt, stdout};
use anyhow::Context;
use dyno_driver::Go;
use dyno_report::bench::{html, terminal};
use dyno_report::number::plural;
use dyno_report::terminal::{Progress, eprintln, println};
use dyno_trials::bench::{
    self, BenchEvent, BenchPlan, BenchResult, Comparison, Narrow, PositionList, Skipped, Task,
    builtin_positions, compare,
};
use history::History;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  dyno bench --engine ./engine                            depth 12 on 24 positions
  dyno bench --engine ./engine --runs 5 --save bench.jsonl
  dyno bench --engine ./new --engine ./old                which is faster? measured in turn
  dyno bench --engine ./new --engine ./old --precision 0.5 --max-time 600
  dyno bench --engine ./engine --compare bench.jsonl --max-slowdown 5
  dyno bench --engine ./engine --signature 4211187        for CI: exit 1 when it differs
  dyno bench --engine stockfish --own                     the engine's own bench command
  dyno bench --engine ./engine --movetime 500 --epd mine.epd

Exit codes: 0 done, 1 another --signature or slower than --max-slowdown allows, 2 bad usage or
file, 3 the engine could not be run, crashed or did not end a search, 130 interrupted with
everything done so far reported.";

/// How long one search by depth or nodes may take.
const SEARCH_SECONDS: u64 = 120;
/// How long an engine's own bench may take.
const OWN_SECONDS: u64 = 600;

/// Measure nodes per second and the node signature; compare versions
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    engine: EngineArgs,

    /// Search every position so deep [default: 12]
    #[arg(long, value_name = "N", group = "limits", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,

    /// Search every position this many nodes
    #[arg(long, value_name = "N", group = "limits", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Search every position this many milliseconds: for engines that know neither depth nor nodes
    #[arg(long, value_name = "MS", group = "limits", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,

    /// Run the engine's own bench instead: as an argument, or over UCI [default command: bench]
    #[arg(long, value_name = "COMMAND", num_args = 0..=1, require_equals = true, default_missing_value = "bench", group = "limits")]
    own: Option<String>,

    /// The positions: an EPD file, `-` for standard input [default: the built-in 24]
    #[arg(long, value_name = "FILE", conflicts_with = "own")]
    epd: Option<PathBuf>,

    /// Take away castling rights without their rook and impossible en-passant squares, with a
    /// warning, instead of leaving the line out
    #[arg(long)]
    repair: bool,

    /// Only the first N positions
    #[arg(long, value_name = "N", conflicts_with = "own", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,

    /// Measure everything this many times: shows the spread, and whether the signature is reproducible
    /// [default: 1; several engines: until --precision or --max-time is reached]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    runs: Option<u32>,

    /// Compare several engines until the interval is this wide to either side
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, conflicts_with = "runs")]
    precision: f64,

    /// Begin no further run that would end after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120.0, conflicts_with = "runs")]
    max_time: f64,

    /// Give up on a search after this many seconds [default: 120; 600 for --own; 2 × movetime + 5]
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,

    /// The signature the first engine must have
    #[arg(long, value_name = "NODES")]
    signature: Option<u64>,

    /// Compare with an earlier bench: a file of --json, --report-json or --save
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,

    /// Exit with 1 when the first engine is surely slower by more than this
    #[arg(long, value_name = "PERCENT", requires = "compare")]
    max_slowdown: Option<f64>,

    /// Add the result to this file, a line a bench
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// Write everything as JSON
    #[arg(long, value_name = "FILE")]
    report_json: Option<PathBuf>,

    /// Write a page with charts and every figure
    #[arg(long, value_name = "FILE")]
    report_html: Option<PathBuf>,

    /// Print everything as JSON on standard output
    #[arg(long)]
    json: bool,

    /// No progress and no table of positions, only the result
    #[arg(long, short)]
    quiet: bool,
}

/// The result with what it was compared to.
#[derive(serde::Serialize)]
struct Reported<'a> {
    #[serde(flatten)]
    result: &'a BenchResult,
    comparisons: &'a [Comparison],
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let plan = plan(args)?;
    let earlier = args.compare.as_deref().map(History::read).transpose()?;
    let mut save = args.save.as_deref().map(History::open).transpose()?;
    let mut files = Files::open(args)?;
    let result = measure(args, &plan)?;
    let comparisons = match &earlier {
        Some(history) => against(&result, history)?,
        None => Vec::new(),
    };
    let history = match &mut save {
        Some(history) => history.add(&result)?,
        None => Vec::new(),
    };
    files.write(&result, &comparisons, &history)?;
    show(args, &result, &comparisons)?;
    crate::history::keep(&Reported { result: &result, comparisons: &comparisons });
    verdict(args, &result, &comparisons)
}

fn measure(args: &Args, plan: &BenchPlan) -> anyhow::Result<BenchResult> {
    let _saving = interrupt::hold();
    let mut progress = None;
    let mut names: Vec<String> = Vec::new();
    bench::run(plan, &mut |event| match event {
        BenchEvent::Started { engines, total } => {
            names = engines.iter().map(|e| e.name.clone()).collect();
            let things = if args.own.is_some() { "benches" } else { "searches" };
            progress = Some(Progress::new(things, total, args.quiet));
        }
        BenchEvent::Warning(_) => {}
        BenchEvent::Measured { engine, measure } => {
            let Some(progress) = &progress else { return };
            progress.advance();
            if let (Some(nps), Some(name)) = (measure.nps(), names.get(engine)) {
                progress.note(format!("{name} {}/s", dyno_report::number::compact(nps)));
            }
        }
    })
    .map_err(engine_error)
}

fn plan(args: &Args) -> anyhow::Result<BenchPlan> {
    if let Some(most) = args.max_slowdown.filter(|most| !(0.0..100.0).contains(most)) {
        anyhow::bail!("--max-slowdown wants a number from 0 to 100, not {most}");
    }
    let task = task(args)?;
    let usual = match &task {
        Task::Own { .. } => Duration::from_secs(OWN_SECONDS),
        Task::Search { limit, .. } => {
            dyno_driver::default_deadline(limit).unwrap_or(Duration::from_secs(SEARCH_SECONDS))
        }
    };
    let patience = args
        .timeout
        .map(Duration::try_from_secs_f64)
        .transpose()
        .context("--timeout wants a number of seconds")?;
    let engines = args.engine.specs()?;
    let until = match args.runs {
        None if engines.len() > 1 => Some(narrow(args)?),
        _ => None,
    };
    Ok(BenchPlan {
        engines,
        settings: args.engine.settings()?,
        task,
        runs: args.runs.unwrap_or(1),
        until,
        patience: patience.unwrap_or(usual),
    })
}

/// When several engines have been compared for long enough.
fn narrow(args: &Args) -> anyhow::Result<Narrow> {
    anyhow::ensure!(
        (0.01..=50.0).contains(&args.precision),
        "--precision wants a number from 0.01 to 50, not {}",
        args.precision
    );
    let limit = Duration::try_from_secs_f64(args.max_time);
    let limit = limit.context("--max-time wants a number of seconds")?;
    Ok(Narrow { width: args.precision / 100.0, limit })
}

fn task(args: &Args) -> anyhow::Result<Task> {
    if let Some(command) = &args.own {
        let command = dyno_driver::split_command_line(command).context("--own")?;
        anyhow::ensure!(
            !command.is_empty(),
            "--own wants a command, for example --own=\"bench 16\""
        );
        return Ok(Task::Own { command });
    }
    let limit = match (args.depth, args.nodes, args.movetime) {
        (_, Some(nodes), _) => Go::nodes(nodes),
        (_, _, Some(ms)) => Go::movetime(ms),
        (depth, ..) => Go::depth(depth.unwrap_or(12)),
    };
    let mut list = match &args.epd {
        None => builtin_positions(),
        Some(path) => PositionList::open(path, args.repair).context("--epd")?,
    };
    if !list.repaired.is_empty() {
        let count = plural(list.repaired.len() as u64, "field", "fields");
        let Skipped { line, reason } = &list.repaired[0];
        eprintln!("warning: {}: {count} repaired, the first on line {line}: {reason}", list.source);
    }
    if let Some(most) = args.limit {
        list.positions.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    }
    Ok(Task::Search { list, limit: Box::new(limit) })
}

/// The latest bench of the file that fits this one; without any, why the latest does not.
fn against(result: &BenchResult, history: &History) -> anyhow::Result<Vec<Comparison>> {
    let mut reason = None;
    for earlier in history.benches.iter().rev() {
        match compare(result, earlier) {
            Ok(comparisons) => return Ok(comparisons),
            Err(error) => reason = reason.or(Some(error)),
        }
    }
    let reason = reason.map_or("there is no bench in it".to_owned(), |r| r.to_string());
    anyhow::bail!("--compare {}: {reason}", history.path.display())
}

/// The report files, opened before anything is measured.
struct Files {
    json: Option<(File, PathBuf)>,
    html: Option<(File, PathBuf)>,
}

impl Files {
    fn open(args: &Args) -> anyhow::Result<Self> {
        let create = |path: &Option<PathBuf>| -> anyhow::Result<_> {
            let Some(path) = path else { return Ok(None) };
            let file =
                File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
            Ok(Some((file, path.clone())))
        };
        Ok(Self { json: create(&args.report_json)?, html: create(&args.report_html)? })
    }

    fn write(
        &mut self,
        result: &BenchResult,
        comparisons: &[Comparison],
        history: &[BenchResult],
    ) -> anyhow::Result<()> {
        let failed = |path: &Path| format!("cannot write {}", path.display());
        if let Some((file, path)) = &mut self.json {
            let mut text = serde_json::to_vec_pretty(&Reported { result, comparisons })?;
            text.push(b'\n');
            file.write_all(&text).with_context(|| failed(path))?;
        }
        if let Some((file, path)) = &mut self.html {
            let page = html::page(result, comparisons, history);
            file.write_all(page.as_bytes()).with_context(|| failed(path))?;
        }
        Ok(())
    }
}

fn show(args: &Args, result: &BenchResult, comparisons: &[Comparison]) -> anyhow::Result<()> {
    if args.json {
        let mut text = serde_json::to_vec_pretty(&Reported { result, comparisons })?;
        text.push(b'\n');
        return stdout::write_all(&text);
    }
    println!("{}", terminal::report(result, comparisons, !args.quiet).trim_end());
    Ok(())
}

fn verdict(args: &Args, result: &BenchResult, comparisons: &[Comparison]) -> anyhow::Result<Exit> {
    if result.interrupted {
        return Ok(Exit::Interrupted);
    }
    if result.engines.iter().any(|e| e.failures() > 0 || e.measures.is_empty()) {
        return Ok(Exit::Engine);
    }
    let mut exit = Exit::Passed;
    if let (Some(wanted), Some(engine)) = (args.signature, result.engines.first())
        && engine.signature != Some(wanted)
    {
        let found = engine.signature.map_or("no signature".to_owned(), |s| s.to_string());
        eprintln!("{}: --signature {wanted} is wanted, found {found}", engine.engine.name);
        exit = Exit::Failed;
    }
    if let (Some(most), Some(comparison)) = (args.max_slowdown, comparisons.first()) {
        let loss = comparison.slowdown();
        if loss.is_none_or(|loss| loss > most) {
            let loss =
                loss.map_or("its speed is not known".to_owned(), |l| format!("{l:.1} % slower"));
            eprintln!("{}: {loss}, --max-slowdown {most} allows no more", comparison.engine);
            exit = Exit::Failed;
        }
    }
    Ok(exit)
}
