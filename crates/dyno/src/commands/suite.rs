//! `dyno suite`: an EPD suite, an engine, a score.

mod outputs;

use crate::engine_args::{EngineArgs, engine_error};
use crate::exit::Exit;
use crate::suggest::no_such_suite;
use anyhow::Context;
use dyno_driver::Go;
use dyno_trials::builtin_suite;
use dyno_trials::suite::{self, Filter, Outcome, Plan, Rules, Source, SuiteError, SuiteResult};
use outputs::Outputs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const EXAMPLES: &str = "\
Examples:
  dyno suite --epd wac                                    Piston on Win at Chess
  dyno suite --engine ./build/engine --epd sts.epd --movetime 2000
  dyno suite --engine stockfish --epd wac --nodes 100000 --hash 16 --concurrency 2 \\
             --report wac.csv --report-html wac.html
  dyno suite --engine ./new --engine ./old --epd wac --depth 8
  dyno suite --engine ./engine --epd wac --nodes 50000 --min-score 80    for CI: exit 1 below 80 %

Exit codes: 0 done (and at least --min-score), 1 below --min-score, 2 bad usage or suite,
3 the engine could not be run or crashed, 130 interrupted with every report written.";

/// Run EPD test suites (WAC, STS, ECM, any) on an engine
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    engine: EngineArgs,

    /// The suite: an EPD file, `-` for standard input, or a built-in name such as wac; repeat for
    /// more
    #[arg(long, value_name = "FILE|NAME", required = true)]
    epd: Vec<String>,

    /// Search every position so deep
    #[arg(long, value_name = "N", group = "limits", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,

    /// Search every position so many milliseconds [default: 2000]
    #[arg(long, value_name = "MS", group = "limits", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,

    /// Search every position so many nodes
    #[arg(long, value_name = "N", group = "limits", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Give up on a position after so many seconds [default: 2 × movetime + 5 s; none for depth
    /// and nodes]
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,

    /// Run at most so many positions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,

    /// Run the positions in random order
    #[arg(long)]
    randomize: bool,

    /// The random order to use [default: from the clock, and printed]
    #[arg(long, value_name = "N", requires = "randomize")]
    seed: Option<u64>,

    /// Only positions with this text in their id; repeat for more
    #[arg(long, value_name = "TEXT")]
    id: Vec<String>,

    /// Only positions with this text in their theme; repeat for more
    #[arg(long, value_name = "TEXT")]
    theme: Vec<String>,

    /// Take away castling rights without their rook and impossible en-passant squares, with a
    /// warning, instead of skipping the line
    #[arg(long)]
    repair: bool,

    /// The engine's move must be exactly the solution's UCI text, and a line without a solution is
    /// a miss
    #[arg(long)]
    strict: bool,

    /// Score lines that only name moves to avoid: any other move is right
    #[arg(long)]
    score_am: bool,

    /// Run so many positions at once, each on an engine process of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: u16,

    /// Stop a search when the solution has stood in the PV for so many iterations
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..))]
    early_stop: Option<u32>,

    /// Exit with 1 when the score is below this: points where the suite has points, right answers
    /// otherwise
    #[arg(long, value_name = "PERCENT")]
    min_score: Option<f64>,

    /// List so many misses in the end
    #[arg(long, value_name = "N", default_value_t = 10)]
    top_misses: usize,

    /// Write the positions as CSV; `-` is standard output
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Write everything as JSON
    #[arg(long, value_name = "FILE")]
    report_json: Option<PathBuf>,

    /// Write a page with the totals, the themes and every miss as a board
    #[arg(long, value_name = "FILE")]
    report_html: Option<PathBuf>,

    /// Print everything as JSON on standard output
    #[arg(long)]
    json: bool,

    /// Go on from the positions already in --report
    #[arg(long, requires = "report")]
    resume: bool,

    /// No progress and no table, only the result
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut plan = plan(args)?;
    let mut outputs = Outputs::open(args)?;
    if args.resume {
        plan.resume = outputs.resume()?;
    }
    plan.count_first = outputs.shows_progress();
    let outcome = suite::run(&plan, &mut |event| outputs.listen(&event));
    let outcome = outcome.map_err(|error| match error {
        SuiteError::Engine(error) => engine_error(error),
        other => anyhow::Error::new(other),
    })?;
    outputs.finish(&outcome.result)?;
    verdict(args, outcome)
}

fn verdict(args: &Args, outcome: Outcome) -> anyhow::Result<Exit> {
    let Outcome { result, failure } = outcome;
    if let Some(error) = failure {
        return Err(engine_error(error));
    }
    if result.interrupted {
        return Ok(Exit::Interrupted);
    }
    let totals = || result.engines.iter().map(|e| &e.totals);
    if totals().all(|t| t.run == 0) {
        anyhow::bail!(nothing_run(args, &result));
    }
    if totals().all(|t| t.scored == 0) && args.min_score.is_none() {
        anyhow::bail!(nothing_scored(&result));
    }
    if totals().any(|t| t.crashes + t.timeouts > 0) {
        return Ok(Exit::Engine);
    }
    Ok(if meets_bar(args, &result) { Exit::Passed } else { Exit::Failed })
}

fn nothing_run(args: &Args, result: &SuiteResult) -> String {
    let suites = result.suites.join(", ");
    let filtered = !args.id.is_empty() || !args.theme.is_empty();
    match result.defect_count {
        0 if filtered => format!("{suites}: no position matches --id and --theme"),
        0 => format!("{suites}: no position in it"),
        n => format!("{suites}: no usable position ({n} bad lines)"),
    }
}

/// A list of FENs is no suite: without a solution nothing was tested.
fn nothing_scored(result: &SuiteResult) -> String {
    format!(
        "{}: no line states a solution: a suite has bm, dm or points after the position (moves to \
         avoid count with --score-am)",
        result.suites.join(", ")
    )
}

#[allow(clippy::print_stderr, reason = "the reason of exit code 1")]
fn meets_bar(args: &Args, result: &SuiteResult) -> bool {
    let Some(bar) = args.min_score else { return true };
    let mut met = true;
    for engine in &result.engines {
        let score = engine.totals.score_percent();
        if score.is_none_or(|score| score < bar) {
            let score = score.map_or("nothing scored".to_owned(), |s| format!("score {s:.2} %"));
            eprintln!("{}: {score}, below --min-score {bar}", engine.engine.name);
            met = false;
        }
    }
    met
}

fn plan(args: &Args) -> anyhow::Result<Plan> {
    if let Some(bar) = args.min_score.filter(|bar| !(0.0..=100.0).contains(bar)) {
        anyhow::bail!("--min-score wants a number from 0 to 100, not {bar}");
    }
    let patience = args
        .timeout
        .map(Duration::try_from_secs_f64)
        .transpose()
        .context("--timeout wants a number of seconds")?;
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    Ok(Plan {
        sources: args.epd.iter().map(|name| source(name)).collect::<anyhow::Result<_>>()?,
        engines: args.engine.specs()?,
        settings: args.engine.settings()?,
        limit: limit(args),
        patience,
        rules: Rules { strict: args.strict, score_avoid: args.score_am },
        filter: Filter { ids: args.id.clone(), themes: args.theme.clone(), repair: args.repair },
        most: args.limit,
        seed: args.randomize.then(|| args.seed.unwrap_or_else(clock)),
        concurrency: args.concurrency.into(),
        early_stop: args.early_stop,
        resume: None,
        count_first: false,
    })
}

fn limit(args: &Args) -> Go {
    match (args.depth, args.nodes) {
        (Some(depth), _) => Go::depth(depth),
        (_, Some(nodes)) => Go::nodes(nodes),
        _ => Go::movetime(args.movetime.unwrap_or(2000)),
    }
}

/// `nodes 100000`: what the rows of a report were made with.
fn limit_text(args: &Args) -> String {
    limit(args).to_string().trim_start_matches("go ").to_owned()
}

/// A file where there is one, a built-in suite otherwise.
fn source(name: &str) -> anyhow::Result<Source> {
    let path = Path::new(name);
    // A folder of a suite's name does not hide the suite.
    let is_file = name == "-" || (path.exists() && !path.is_dir());
    if let Some(suite) = builtin_suite(name).filter(|_| !is_file) {
        return Ok(Source::Builtin { name: suite.name, text: suite.text });
    }
    if is_file || path.is_dir() {
        return Ok(Source::File(path.to_owned()));
    }
    let names: Vec<&str> = dyno_trials::builtins(dyno_trials::Kind::Epd).map(|s| s.name).collect();
    anyhow::bail!("--epd {}", no_such_suite(name, &names))
}
