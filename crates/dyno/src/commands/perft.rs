//! `dyno perft`: counts, suites of counts, their speed, and the search for an engine's wrong move.

mod bisect;

use crate::exit::{Coded, Exit};
use crate::page_file::PageFile;
use crate::suggest::{hint, no_such_suite};
use crate::{history, interrupt, stdout};
use anyhow::Context as _;
use dyno_chess::Position;
use dyno_formats::open_text;
use dyno_report::perft::{self as report, html};
use dyno_report::terminal::{self, Progress, warning_mark};
use dyno_trials::perft::{
    self as trial, CountEvent, CountPlan, PerftFile, PerftSuiteEvent, PerftSuitePlan, SpeedEvent,
};
use dyno_trials::{Kind, builtins};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const EXAMPLES: &str = "\
Examples:
  dyno perft 6                                   count from the start position
  dyno perft 5 --position kiwipete --divide      the count below each move, to compare
  dyno perft 8 --threads 2 --hash 1024           share the work and remember what is known
  dyno perft 4 --position kiwipete --detail      captures, checks, mates... of every depth
  dyno perft 5 --fen \"4k3/8/8/7R/8/8/6b1/4K2R b K - 0 1\"
  dyno perft --suite standard --max-nodes 20000000
  dyno perft --suite my.epd --threads 2
  dyno perft 4 --engine ./my-engine              compare the engine's counts, hunt down a wrong one
  dyno perft --suite standard --engine ./my-engine --max-nodes 10000   every rule, in seconds
  dyno perft --suite standard --engine ./my-engine --fail-fast
  dyno perft --suite standard --engine ./my-engine --report-html perft.html
  dyno perft --bench                             speed on six well-known positions

Positions: startpos, kiwipete, position3 to position6, chess960-0 to chess960-959.
Exit codes: 0 done and right, 1 a count differs from the suite's or the engine's, 2 bad usage or
input, 3 the engine could not be run or has no perft, 130 interrupted (what is known is printed).";

/// Count the leaves of the move tree: the proof of a move generator, and its speed
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// How deep to count, in half-moves
    #[arg(value_name = "DEPTH", required_unless_present_any = ["suite", "bench"],
          value_parser = clap::value_parser!(u32).range(0..=100))]
    depth: Option<u32>,

    /// The position: a FEN, X-FEN or Shredder-FEN of four to six fields
    #[arg(long, value_name = "FEN", conflicts_with = "position")]
    fen: Option<String>,

    /// The position by name: startpos, kiwipete, position3 to position6, chess960-N
    #[arg(long, value_name = "NAME")]
    position: Option<String>,

    /// Print the count below each move, sorted, as other programs do
    #[arg(long, conflicts_with_all = ["suite", "bench"])]
    divide: bool,

    /// Print captures, castlings, promotions, checks and mates of every depth; slow
    #[arg(long, conflicts_with_all = ["suite", "bench", "divide"])]
    detail: bool,

    /// Share the work among this many threads
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,

    /// Keep counts in a table of at most this many MiB
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    hash: Option<u32>,

    /// Write castling as king takes rook, and read castling rights that way
    #[arg(long)]
    chess960: bool,

    /// Compare all counts of a suite: standard, chess960 or a file
    #[arg(long, value_name = "NAME|FILE", conflicts_with_all = ["depth", "fen", "position", "bench"])]
    suite: Option<String>,

    /// Leave out counts above this
    #[arg(long, value_name = "N", requires = "suite")]
    max_nodes: Option<u64>,

    /// Leave out depths beyond this
    #[arg(long, value_name = "N", requires = "suite")]
    max_depth: Option<u32>,

    /// Compare this engine's counts with the right ones and hunt down every wrong move
    #[arg(long, value_name = "ENGINE", conflicts_with_all = ["bench", "divide", "detail"])]
    engine: Option<String>,

    /// End at the first position that the engine gets wrong
    #[arg(long, requires = "engine")]
    fail_fast: bool,

    /// Set an engine option; repeat for more
    #[arg(long = "engine-option", value_name = "NAME=VALUE", requires = "engine")]
    engine_options: Vec<String>,

    /// Write everything said to and by the engine to this file
    #[arg(long, value_name = "FILE", requires = "engine")]
    log: Option<PathBuf>,

    /// Measure the speed on the six named positions
    #[arg(long, conflicts_with_all = ["depth", "fen", "position"])]
    bench: bool,

    /// Measure each position this many times; the best counts
    #[arg(long, value_name = "N", requires = "bench", default_value_t = 3,
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    rounds: u16,

    /// Write a page
    #[arg(long, value_name = "FILE", conflicts_with = "bench")]
    report_html: Option<PathBuf>,

    /// Print the result as JSON
    #[arg(long)]
    json: bool,

    /// No progress
    #[arg(long, short)]
    quiet: bool,
}

impl Args {
    fn page(&self) -> anyhow::Result<Option<PageFile>> {
        self.report_html.as_deref().map(PageFile::create).transpose()
    }
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if args.bench {
        bench(args)
    } else if let Some(engine) = &args.engine {
        bisect::run(args, engine)
    } else if let Some(suite) = &args.suite {
        compare(args, suite)
    } else {
        count(args)
    }
}

fn count(args: &Args) -> anyhow::Result<Exit> {
    let page = args.page()?;
    let saving = interrupt::hold();
    let plan = count_plan(args)?;
    let watch = Watch::new(args, "parts");
    let stop = stopper();
    let sink = |CountEvent::Progress(progress): CountEvent| {
        let leaves = dyno_report::number::compact(progress.nodes as f64);
        watch.show(progress.done, progress.parts, &format!("{leaves} leaves"));
    };
    let result = trial::count(&plan, &stop, &sink)?;
    drop(saving);
    watch.finish();
    if let Some(page) = page {
        page.write(&html::count_page(&result))?;
    }
    if args.json {
        stdout::write_all(report::json(&result)?.as_bytes())?;
    } else if args.divide {
        terminal::print!("{}", report::divide(&result));
        terminal::eprintln!("{}", report::pace(&result));
    } else if args.detail && !result.detail.is_empty() {
        terminal::print!("{}", report::detail(&result));
    } else {
        terminal::print!("{}", report::count(&result));
    }
    if !result.complete {
        terminal::eprintln!("{}", report::interrupted(&result));
        return Ok(Exit::Interrupted);
    }
    let wrong = result.published.is_some_and(|known| known.nodes != result.nodes);
    Ok(if wrong { Exit::Failed } else { Exit::Passed })
}

fn count_plan(args: &Args) -> anyhow::Result<CountPlan> {
    let (name, mut position) = match (&args.fen, &args.position) {
        (Some(fen), _) if !fen.trim().eq_ignore_ascii_case("startpos") => {
            let position = Position::from_fen(fen)
                .with_context(|| format!("--fen \"{fen}\"{}", epd_hint(fen)))?;
            ("position".to_owned(), position)
        }
        (_, Some(name)) => {
            let position = trial::named(name).with_context(|| {
                let names: Vec<&str> = trial::NAMED.iter().map(|named| named.name).collect();
                format!(
                    "no position is called \"{name}\"; there are {} and chess960-0 to chess960-959{}",
                    names.join(", "),
                    hint(name, names.iter().copied())
                )
            })?;
            (name.clone(), position)
        }
        _ => ("startpos".to_owned(), Position::startpos()),
    };
    position.set_chess960(position.is_chess960() || args.chess960);
    Ok(CountPlan {
        name,
        position,
        depth: args.depth.unwrap_or_default(),
        threads: usize::from(args.threads),
        hash_mb: args.hash.map(|size| size as usize),
        detail: args.detail,
    })
}

/// People copy lines of a suite.
fn epd_hint(fen: &str) -> &'static str {
    match fen.contains(';') {
        true => " looks like a line of an EPD file: give only the position, its first four fields",
        false => "",
    }
}

fn compare(args: &Args, suite: &str) -> anyhow::Result<Exit> {
    let plan = suite_plan(args, suite)?;
    let page = args.page()?;
    let watch = Watch::new(args, "counts");
    let (mut total, mut done, mut wrong) = (0, 0, 0);
    let saving = interrupt::hold();
    let result = trial::run_suite(&plan, &stopper(), &mut |event| match event {
        PerftSuiteEvent::Started { counts } => total = counts,
        PerftSuiteEvent::Compared(row) => {
            done += 1;
            wrong += usize::from(!row.agrees);
            watch.show(done, total, &format!("{wrong} wrong"));
        }
    })?;
    drop(saving);
    watch.finish();
    if let Some(page) = page {
        page.write(&html::suite_page(&result))?;
    }
    if args.json {
        stdout::write_all(report::json(&result)?.as_bytes())?;
    } else if !result.rows.is_empty() {
        terminal::print!("{}\n{}", report::suite(&result), report::suite_summary(&result));
    }
    history::keep(&result);
    for defect in report::defects(&result) {
        terminal::eprintln!("{} {defect}", warning_mark());
    }
    if !result.complete {
        return Ok(Exit::Interrupted);
    }
    if result.rows.is_empty() {
        let why = match result.left_out {
            0 => "no counts in it",
            _ => "every count is beyond --max-nodes or --max-depth",
        };
        anyhow::bail!("{suite}: {why}");
    }
    Ok(if result.mismatches == 0 { Exit::Passed } else { Exit::Failed })
}

fn suite_plan(args: &Args, suite: &str) -> anyhow::Result<PerftSuitePlan> {
    let file = match builtins(Kind::Perft).find(|builtin| builtin.is_named(suite)) {
        Some(builtin) => PerftFile::read(builtin.text),
        None => {
            let path = Path::new(suite);
            let names: Vec<&str> = builtins(Kind::Perft).map(|builtin| builtin.name).collect();
            anyhow::ensure!(suite == "-" || path.exists(), no_such_suite(suite, &names));
            PerftFile::read(&open_text(path)?.into_text()?)
        }
    };
    Ok(PerftSuitePlan {
        name: suite.to_owned(),
        file,
        max_nodes: args.max_nodes.map(u128::from),
        max_depth: args.max_depth,
        threads: usize::from(args.threads),
        hash_mb: args.hash.map(|size| size as usize),
        chess960: args.chess960,
    })
}

fn bench(args: &Args) -> anyhow::Result<Exit> {
    let watch = Watch::new(args, "positions");
    let mut done = 0;
    let saving = interrupt::hold();
    let result = trial::measure_speed(usize::from(args.rounds), &stopper(), &mut |event| {
        let SpeedEvent::Measured(row) = event;
        done += 1;
        watch.show(done, trial::NAMED.len(), &row.name);
    });
    drop(saving);
    // A wrong count is a bug of ours, not bad input.
    let result =
        result.map_err(|error| Coded { exit: Exit::Internal, message: error.to_string() })?;
    watch.finish();
    if args.json {
        stdout::write_all(report::json(&result)?.as_bytes())?;
    } else {
        terminal::print!("{}", report::bench(&result));
    }
    Ok(if result.complete { Exit::Passed } else { Exit::Interrupted })
}

/// Asks cheaply whether the user wants to stop.
fn stopper() -> impl Fn() -> bool + Sync {
    let interrupts = interrupt::counter();
    move || interrupts.load(Ordering::Relaxed) > 0
}

/// Progress, once the work turns out to be long.
struct Watch {
    start: Instant,
    things: &'static str,
    quiet: bool,
    bar: Mutex<Option<Progress>>,
}

impl Watch {
    fn new(args: &Args, things: &'static str) -> Watch {
        Watch { start: Instant::now(), things, quiet: args.quiet, bar: Mutex::new(None) }
    }

    fn show(&self, done: usize, total: usize, note: &str) {
        if self.quiet || self.start.elapsed() < Duration::from_secs(1) {
            return;
        }
        let mut bar = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        let bar = bar.get_or_insert_with(|| Progress::new(self.things, Some(total as u64), false));
        bar.set(done as u64);
        bar.note(note);
    }

    fn finish(&self) {
        // Dropping the bar removes it from the screen.
        self.bar.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}
