//! `dyno history`: what was measured, found again.

use crate::exit::Exit;
use crate::history;
use crate::stdout;
use anyhow::Context as _;
use clap::Subcommand;
use dyno_report::history::{Comparison, RunList, RunView, TrendView, outcomes, run_of_saved};
use dyno_report::terminal;
use dyno_store::{Filter, History, Retention, TrendQuery};
use std::io::{BufReader, BufWriter, Write as _};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const EXAMPLES: &str = "\
Examples:
  dyno history import wac.json bench.json     take in saved results
  dyno history                               the latest runs
  dyno history list --kind bench mine        benches of an engine, build or commit called \"mine\"
  dyno history show last                     one run with all its figures
  dyno history compare 3f2a91c0 last         two runs side by side
  dyno history trend nps                     a figure over time, and where it changed
  dyno history export > runs.jsonl           all of it, one JSON object a run
  dyno history prune --keep-days 90          drop old details; figures stay

Results saved with --report-json are taken in by `import`. The history is .dyno/history.db beside the
nearest dyno.toml, else in the user's data folder; DYNO_HISTORY=FILE names another file.

Exit codes: 0 done, 2 bad usage, no such run, or a file that holds no result.";

/// Look up earlier runs: list, show, compare, follow a figure over time
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,

    #[command(flatten)]
    list: List,
}

#[derive(Debug, Subcommand)]
enum What {
    /// The runs, the latest first
    List(List),
    /// One run with all its figures
    Show(Show),
    /// Two runs side by side: figures, positions, checks
    Compare(Compare),
    /// One figure over time, and the builds at which it changed
    Trend(Trend),
    /// Write runs as lines of JSON to standard output
    Export(List),
    /// Take in runs that were exported, or results saved with --report-json
    Import(Import),
    /// Drop the details of old runs; figures and baselines stay
    Prune(Prune),
    /// Make a run the one that later ones of its plan are compared with
    Baseline(Baseline),
}

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
struct List {
    /// Only runs with an engine, build, commit, branch or title of this name
    #[arg(value_name = "TEXT")]
    text: Option<String>,

    /// Only runs of this kind: check, suite, match, bench …
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,

    /// At most this many; 0 for all
    #[arg(long, value_name = "N")]
    limit: Option<usize>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
struct Show {
    /// The run: the beginning or the end of its name, or "last"
    #[arg(value_name = "RUN", default_value = "last")]
    run: String,

    /// Print JSON, with the whole result
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
struct Compare {
    /// The earlier run
    #[arg(value_name = "A")]
    a: String,

    /// The later run
    #[arg(value_name = "B", default_value = "last")]
    b: String,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
struct Trend {
    /// The figure: nps, solved, elo …; without one they are listed
    #[arg(value_name = "METRIC")]
    metric: Option<String>,

    /// Only of this engine, position or check
    #[arg(long, value_name = "NAME")]
    subject: Option<String>,

    /// Only runs of this kind
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
struct Import {
    /// Files of `dyno history export`, or results of --report-json; plain or compressed
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[group(required = true, multiple = true)]
struct Prune {
    /// Keep the details of runs of the last days
    #[arg(long, value_name = "DAYS")]
    keep_days: Option<u64>,

    /// Keep the details of the latest runs, this many
    #[arg(long, value_name = "N")]
    keep_runs: Option<u64>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
struct Baseline {
    /// The run: the beginning or the end of its name, or "last"
    #[arg(value_name = "RUN")]
    run: String,
}

/// Lists are for people: more does not fit a screen.
const SCREENFUL: usize = 30;

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let path = history::path().context("DYNO_HISTORY=off: there is no history to look at")?;
    if let Some(What::Import(import)) = &args.what {
        return import_files(&mut History::open(&path)?, &import.files);
    }
    let mut open = History::open_existing(&path)?;
    match args.what.as_ref() {
        None => list(&open, &args.list)?,
        Some(What::List(args)) => list(&open, args)?,
        Some(What::Show(args)) => show(&open, args)?,
        Some(What::Compare(args)) => compare(&open, args)?,
        Some(What::Trend(args)) => trend(&open, args)?,
        Some(What::Export(args)) => export(&open, args)?,
        Some(What::Prune(args)) => prune(&mut open, args)?,
        Some(What::Baseline(args)) => {
            let id = open.find(&args.run)?;
            open.set_baseline(id)?;
            terminal::eprintln!("{} is the baseline of its plan", id.short());
        }
        Some(What::Import(_)) => {}
    }
    Ok(Exit::Passed)
}

impl List {
    fn filter(&self, usual: Option<usize>) -> Filter {
        Filter {
            kind: self.kind.clone(),
            text: self.text.clone(),
            limit: self.limit.or(usual).filter(|limit| *limit > 0),
            ..Filter::default()
        }
    }
}

fn list(history: &History, args: &List) -> anyhow::Result<()> {
    let runs = history.runs(&args.filter(Some(SCREENFUL)))?;
    if args.json {
        return stdout::json(&runs);
    }
    if runs.is_empty() {
        terminal::eprintln!("no such run in {}", history.path().display());
    }
    stdout::text(&RunList { runs: &runs })
}

fn show(history: &History, args: &Show) -> anyhow::Result<()> {
    let run = history.run(&args.run)?;
    if args.json { stdout::json(&run) } else { stdout::text(&RunView { run: &run }) }
}

fn compare(history: &History, args: &Compare) -> anyhow::Result<()> {
    let (a, b) = (history.run(&args.a)?, history.run(&args.b)?);
    stdout::report(&Comparison::new(&a, &b, outcomes), args.json)
}

fn trend(history: &History, args: &Trend) -> anyhow::Result<()> {
    let Some(metric) = &args.metric else {
        for (metric, runs) in history.metrics()? {
            terminal::println!("{metric} ({runs})");
        }
        return Ok(());
    };
    let query = TrendQuery {
        metric: metric.clone(),
        subject: args.subject.clone(),
        kind: args.kind.clone(),
        plan_hash: None,
    };
    let series = history.trend(&query)?;
    if series.is_empty() {
        let known: Vec<String> = history.metrics()?.into_iter().map(|(name, _)| name).collect();
        anyhow::bail!("no run has a figure {metric}; there are {}", known.join(", "));
    }
    if args.json {
        return stdout::json(&series);
    }
    let columns = terminal::width().unwrap_or(80).clamp(30, 120) - 20;
    stdout::text(&TrendView { metric, series: &series, columns })
}

fn export(history: &History, args: &List) -> anyhow::Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    history.export(&args.filter(None), &mut out)?;
    out.flush().context("cannot write to standard output")
}

/// Each file is a saved result, or the lines of an export.
fn import_files(history: &mut History, files: &[PathBuf]) -> anyhow::Result<Exit> {
    for file in files {
        let name = file.display().to_string();
        let text = dyno_formats::open_text(file)?.into_text()?;
        let done = match run_of_saved(&text) {
            Ok(run) => history.add(&[run])?,
            Err(reason) if is_result(&text) => return Err(reason).context(name),
            Err(_) => history.import(&name, BufReader::new(text.as_bytes()))?,
        };
        terminal::eprintln!("{name}: {} new, {} known already", done.new, done.known);
    }
    Ok(Exit::Passed)
}

/// Whether a text is one result rather than lines of runs, each of which is an object by itself.
fn is_result(text: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text).is_ok_and(|value| value.get("id").is_none())
}

fn prune(history: &mut History, args: &Prune) -> anyhow::Result<()> {
    let since = args.keep_days.and_then(|days| {
        let past = Duration::from_secs(days.checked_mul(86_400)?);
        let since = SystemTime::now().checked_sub(past)?.duration_since(UNIX_EPOCH).ok()?;
        i64::try_from(since.as_millis()).ok()
    });
    let done = history.prune(Retention { since_ms: since, latest: args.keep_runs })?;
    terminal::eprintln!(
        "details of {} runs dropped; {} of {} KB left",
        done.runs,
        done.after / 1024,
        done.before / 1024
    );
    Ok(())
}
