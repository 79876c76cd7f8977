//! `dyno mate`: does an engine find forced mates, in the right number of moves, with a true line?

mod prove;
mod solve;

use super::outputs::Outputs;
use super::position_args::{TestArgs, source, test_error};
use crate::exit::Exit;
use crate::interrupt;
use anyhow::Context;
use dyno_driver::Go;
use dyno_report::mate as report;
use dyno_trials::mate::{self, MateLimit, MatePlan, MateRun, ProofLimits};
use dyno_trials::position_test::{Source, TestOutcome};
use dyno_trials::{Kind, builtins};

const EXAMPLES: &str = "\
Examples:
  dyno mate                                              Piston on all built-in mates
  dyno mate mate-in-2 mate-in-3 --engine ./build/engine
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
    /// The mates: EPD or PGN files, `-` for standard input, or built-in names [default: mate-in-1
    /// to mate-in-5]
    #[arg(value_name = "FILE|NAME")]
    suites: Vec<String>,

    /// The same as an option; repeat for more
    #[arg(long, value_name = "FILE|NAME")]
    epd: Vec<String>,

    /// Search every position to this depth [default: 2N + 4 for a mate in N, at most 10 s]
    #[arg(long, value_name = "N", group = "limits", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,

    /// Search every position for this many milliseconds
    #[arg(long, value_name = "MS", group = "limits", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,

    /// Search this many nodes in every position
    #[arg(long, value_name = "N", group = "limits", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Search with `go mate N`; without a number, the stated one
    #[arg(long, value_name = "N", group = "limits", num_args = 0..=1, value_parser = clap::value_parser!(u32).range(1..))]
    mate: Option<Option<u32>>,

    /// Positions our solver may look at for each problem; 0 turns it off
    #[arg(long, value_name = "N", default_value_t = ProofLimits::default().nodes)]
    proof_nodes: u64,

    /// Believe the suite about longer mates until the engine disputes them
    #[arg(long, value_name = "MOVES", default_value_t = ProofLimits::default().moves)]
    proof_depth: u32,

    /// Take away castling rights without their rook and impossible en-passant squares, with a
    /// warning, instead of skipping the position
    #[arg(long)]
    repair: bool,

    #[command(flatten)]
    test: TestArgs,
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
    let mut outputs = Outputs::open(&args.test, report::limit(&plan.limit))?;
    plan.test.earlier = outputs.earlier()?;
    plan.test.count_first = outputs.shows_progress();
    let saving = interrupt::hold();
    // Faults of the suite are listed at the end, with those that the solver finds.
    let outcome = mate::run(&plan, &mut |event| outputs.listen(&event, |_| None));
    drop(saving);
    let outcome = outcome.map_err(test_error)?;
    outputs.finish(&outcome.result, outcome.result.interrupted)?;
    verdict(args, outcome)
}

fn verdict(args: &RunArgs, outcome: TestOutcome<MateRun>) -> anyhow::Result<Exit> {
    let TestOutcome { result, failure } = outcome;
    if let Some(error) = failure {
        return Err(test_error(error));
    }
    if result.interrupted {
        return Ok(Exit::Interrupted);
    }
    if result.engines.iter().all(|engine| engine.totals.run == 0) {
        anyhow::bail!(nothing_run(args, &result));
    }
    if result.engines.iter().any(|engine| engine.totals.failed > 0) {
        return Ok(Exit::Engine);
    }
    let scores = result.engines.iter().map(|e| (e.engine.name.as_str(), e.totals.percent()));
    Ok(if args.test.meets_bar(scores) { Exit::Passed } else { Exit::Failed })
}

fn nothing_run(args: &RunArgs, result: &MateRun) -> String {
    match result.faults.first() {
        _ if !args.test.selection.selection().ids.is_empty() => {
            "no position matches --id".to_owned()
        }
        Some(fault) => format!(
            "no usable position among {} lines; the first: {}:{}: {}",
            result.faults.len(),
            fault.suite,
            fault.line_no,
            fault.reason
        ),
        None => format!("{}: no position in it", result.suites.join(", ")),
    }
}

/// The named suites; all built-in mates when none is named.
fn sources(suites: &[String], epd: &[String]) -> anyhow::Result<Vec<Source>> {
    if suites.is_empty() && epd.is_empty() {
        let builtin = builtins(Kind::Mate).filter(|suite| suite.name.starts_with("mate-in-"));
        let builtin = builtin.map(|suite| Source::Builtin { name: suite.name, text: suite.text });
        return Ok(builtin.collect());
    }
    let named = suites.iter().map(|name| source(Kind::Mate, name));
    let options = epd.iter().map(|name| source(Kind::Mate, name).context("--epd"));
    named.chain(options).collect()
}

fn plan(args: &RunArgs) -> anyhow::Result<MatePlan> {
    Ok(MatePlan {
        test: args.test.plan(sources(&args.suites, &args.epd)?)?,
        limit: limit(args),
        proof: ProofLimits { nodes: args.proof_nodes, moves: args.proof_depth },
        repair: args.repair,
    })
}

fn limit(args: &RunArgs) -> MateLimit {
    match (args.depth, args.nodes, args.movetime, args.mate) {
        (Some(depth), ..) => MateLimit::Fixed(Go::depth(depth)),
        (_, Some(nodes), ..) => MateLimit::Fixed(Go::nodes(nodes)),
        (_, _, Some(ms), _) => MateLimit::Fixed(Go::movetime(ms)),
        (.., Some(None)) => MateLimit::GoMate,
        (.., Some(Some(moves))) => MateLimit::Fixed(Go { mate: Some(moves), ..Go::default() }),
        _ => MateLimit::FromMate,
    }
}
