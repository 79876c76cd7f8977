//! `dyno mate`: does an engine find forced mates, in the right number of moves, with a true line?

mod outputs;
mod problems;
mod prove;
mod solve;

use crate::engine_args::{EngineArgs, engine_error};
use crate::exit::Exit;
use anyhow::Context;
use dyno_driver::Go;
use dyno_trials::mate::{self, Limit, MateRun, Outcome, Plan, ProofLimits};
use outputs::Outputs;
use problems::Selection;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  dyno mate                                              Piston on all built-in mates
  dyno mate --engine ./build/engine --epd mate-in-2 --epd mate-in-3
  dyno mate --engine stockfish --epd mates2000.epd --nodes 10000 --threads 1 --hash 16
  dyno mate --engine ./engine --epd mates.epd --mate --min-score 95    for CI: exit 1 below 95 %
  dyno mate solve '8/8/8/8/8/5K2/4Q3/7k w - - 0 1' 1     our own solver on one position
  dyno mate prove mate_in_3.epd                          is every stated mate true?

A mate may be stated by dm, bm #N, ce, the length of pv, words such as \"mate in 3\" or the name of
the file; #-2 means that the side to move is mated in 2. Built-in: mate-in-1 to mate-in-5, and
documents (published examples, some of them wrong).

Exit codes: 0 done (and at least --min-score), 1 below --min-score, 2 bad usage or suite,
3 the engine could not be run or failed, 130 interrupted with every report written.";

/// Test an engine on forced mates, or solve and check mates without one
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,

    #[command(flatten)]
    run: RunArgs,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Prove the shortest mate in a position, or refute it
    Solve(solve::Args),
    /// Check every stated mate of a suite with our own solver, without an engine
    Prove(prove::Args),
}

/// Engines over mates.
#[derive(Debug, clap::Args)]
struct RunArgs {
    /// The mates: an EPD or PGN file, `-` for standard input, or a built-in name; repeat for more
    /// [default: mate-in-1 to mate-in-5]
    #[arg(long, value_name = "FILE|NAME")]
    epd: Vec<String>,

    /// Search every position so deep [default: 2N + 4 for a mate in N, at most 10 s]
    #[arg(long, value_name = "N", group = "limits", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,

    /// Search every position so many milliseconds
    #[arg(long, value_name = "MS", group = "limits", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,

    /// Search every position so many nodes
    #[arg(long, value_name = "N", group = "limits", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Search with `go mate N`; without a number, the stated one
    #[arg(long, value_name = "N", group = "limits", num_args = 0..=1, value_parser = clap::value_parser!(u32).range(1..))]
    mate: Option<Option<u32>>,

    /// Give up on a position after so many seconds [default: 10 where the limit follows from the
    /// mate, 2 × movetime + 5 s; none for depth and nodes]
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,

    #[command(flatten)]
    selection: Selection,

    /// Run so many positions at once, each on an engine process of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: u16,

    /// Stop a search when the right mate has stood for so many iterations
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..))]
    early_stop: Option<u32>,

    /// Positions our solver may look at for each problem; 0 turns it off
    #[arg(long, value_name = "N", default_value_t = ProofLimits::default().nodes)]
    proof_nodes: u64,

    /// Believe the suite about longer mates until the engine disputes them
    #[arg(long, value_name = "MOVES", default_value_t = ProofLimits::default().moves)]
    proof_depth: u32,

    /// Exit with 1 when fewer positions than this got the shortest mate
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

    /// Write a page with the totals and every miss as a board
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

    #[command(flatten)]
    engine: EngineArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    match &args.action {
        Some(Action::Solve(args)) => solve::run(args),
        Some(Action::Prove(args)) => prove::run(args),
        None => run_engines(&args.run),
    }
}

fn run_engines(args: &RunArgs) -> anyhow::Result<Exit> {
    let mut plan = plan(args)?;
    let problems = args.selection.read(&args.epd, plan.seed)?;
    let mut outputs = Outputs::open(args)?;
    plan.earlier = outputs.earlier()?;
    let outcome = mate::run(&plan, &problems, &mut |event| outputs.listen(&event));
    let outcome = outcome.map_err(engine_error)?;
    outputs.finish(&outcome.run)?;
    verdict(args, outcome)
}

fn verdict(args: &RunArgs, outcome: Outcome) -> anyhow::Result<Exit> {
    let Outcome { run, failure } = outcome;
    if let Some(error) = failure {
        return Err(engine_error(error));
    }
    if run.interrupted {
        return Ok(Exit::Interrupted);
    }
    if run.engines.iter().any(|engine| engine.totals.failed > 0) {
        return Ok(Exit::Engine);
    }
    Ok(if meets_bar(args, &run) { Exit::Passed } else { Exit::Failed })
}

#[allow(clippy::print_stderr, reason = "the reason of exit code 1")]
fn meets_bar(args: &RunArgs, run: &MateRun) -> bool {
    let Some(bar) = args.min_score else { return true };
    let mut met = true;
    for engine in &run.engines {
        let score = engine.totals.percent();
        if score.is_none_or(|score| score < bar) {
            let score = score.map_or("nothing scored".to_owned(), |s| format!("score {s:.2} %"));
            eprintln!("{}: {score}, below --min-score {bar}", engine.engine.name);
            met = false;
        }
    }
    met
}

fn plan(args: &RunArgs) -> anyhow::Result<Plan> {
    if let Some(bar) = args.min_score.filter(|bar| !(0.0..=100.0).contains(bar)) {
        anyhow::bail!("--min-score wants a number from 0 to 100, not {bar}");
    }
    let patience = args
        .timeout
        .map(Duration::try_from_secs_f64)
        .transpose()
        .context("--timeout wants a number of seconds")?;
    Ok(Plan {
        engines: args.engine.specs()?,
        settings: args.engine.settings()?,
        limit: limit(args),
        patience,
        early_stop: args.early_stop,
        proof: ProofLimits { nodes: args.proof_nodes, moves: args.proof_depth },
        concurrency: args.concurrency.into(),
        earlier: Vec::new(),
        seed: args.selection.seed(),
    })
}

fn limit(args: &RunArgs) -> Limit {
    match (args.depth, args.nodes, args.movetime, args.mate) {
        (Some(depth), ..) => Limit::Fixed(Go::depth(depth)),
        (_, Some(nodes), ..) => Limit::Fixed(Go::nodes(nodes)),
        (_, _, Some(ms), _) => Limit::Fixed(Go::movetime(ms)),
        (.., Some(None)) => Limit::GoMate,
        (.., Some(Some(moves))) => Limit::Fixed(Go { mate: Some(moves), ..Go::default() }),
        _ => Limit::FromMate,
    }
}
