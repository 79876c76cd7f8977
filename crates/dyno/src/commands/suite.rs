//! `dyno suite`: an EPD suite, an engine, a score.

use super::outputs::Outputs;
use super::position_args::{TestArgs, source, test_error};
use crate::exit::Exit;
use crate::interrupt;
use anyhow::Context;
use dyno_driver::Go;
use dyno_report::suite::terminal;
use dyno_trials::Kind;
use dyno_trials::position_test::TestOutcome;
use dyno_trials::suite::{self, Rules, SuitePlan, SuiteResult};

const EXAMPLES: &str = "\
Examples:
  dyno suite wac                                          Piston on Win at Chess
  dyno suite sts.epd.gz --engine ./build/engine --movetime 2000
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
    /// The suites: EPD files, `-` for standard input, or built-in names such as wac
    #[arg(value_name = "FILE|NAME", required_unless_present = "epd")]
    suites: Vec<String>,

    /// The same as an option; repeat for more
    #[arg(long, value_name = "FILE|NAME")]
    epd: Vec<String>,

    /// Search every position to this depth
    #[arg(long, value_name = "N", group = "limits", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,

    /// Search every position for this many milliseconds [default: 2000]
    #[arg(long, value_name = "MS", group = "limits", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,

    /// Search this many nodes in every position
    #[arg(long, value_name = "N", group = "limits", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

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

    #[command(flatten)]
    test: TestArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut plan = plan(args)?;
    let limit = plan.limit.to_string().trim_start_matches("go ").to_owned();
    let mut outputs = Outputs::open(&args.test, limit)?;
    plan.test.earlier = outputs.earlier()?;
    plan.test.count_first = outputs.shows_progress();
    let saving = interrupt::hold();
    let outcome = suite::run(&plan, &mut |event| {
        outputs.listen(&event, |defect| Some(terminal::defect_line(defect)));
    });
    drop(saving);
    let outcome = outcome.map_err(test_error)?;
    outputs.finish(&outcome.result, outcome.result.interrupted)?;
    verdict(args, outcome)
}

fn verdict(args: &Args, outcome: TestOutcome<SuiteResult>) -> anyhow::Result<Exit> {
    let TestOutcome { result, failure } = outcome;
    if let Some(error) = failure {
        return Err(test_error(error));
    }
    if result.interrupted {
        return Ok(Exit::Interrupted);
    }
    let totals = || result.engines.iter().map(|e| &e.totals);
    if totals().all(|t| t.run == 0) {
        anyhow::bail!(nothing_run(args, &result));
    }
    if totals().all(|t| t.scored == 0) && !args.test.has_bar() {
        anyhow::bail!(nothing_scored(&result));
    }
    if totals().any(|t| t.crashes + t.timeouts > 0) {
        return Ok(Exit::Engine);
    }
    let scores = result.engines.iter().map(|e| (e.engine.name.as_str(), e.totals.score_percent()));
    Ok(if args.test.meets_bar(scores) { Exit::Passed } else { Exit::Failed })
}

fn nothing_run(args: &Args, result: &SuiteResult) -> String {
    let suites = result.suites.join(", ");
    let selection = args.test.selection.selection();
    let filtered = !selection.ids.is_empty() || !args.theme.is_empty();
    match result.defect_count {
        0 if filtered => format!("{suites}: no position matches --id and --theme"),
        0 => format!("{suites}: no position in it"),
        1 => format!("{suites}: no usable position (1 bad line)"),
        n => format!("{suites}: no usable position ({n} bad lines)"),
    }
}

/// A list of FENs is not a suite: without a solution nothing was tested.
fn nothing_scored(result: &SuiteResult) -> String {
    format!(
        "{}: no line states a solution: a suite has bm, dm or points after the position (moves to \
         avoid count with --score-am)",
        result.suites.join(", ")
    )
}

fn plan(args: &Args) -> anyhow::Result<SuitePlan> {
    let named = args.suites.iter().map(|name| source(Kind::Epd, name));
    let options = args.epd.iter().map(|name| source(Kind::Epd, name).context("--epd"));
    let mut test = args.test.plan(named.chain(options).collect::<anyhow::Result<_>>()?)?;
    test.selection.themes.clone_from(&args.theme);
    let limit = match (args.depth, args.nodes) {
        (Some(depth), _) => Go::depth(depth),
        (_, Some(nodes)) => Go::nodes(nodes),
        _ => Go::movetime(args.movetime.unwrap_or(2000)),
    };
    let rules = Rules { strict: args.strict, score_avoid: args.score_am };
    Ok(SuitePlan { test, limit, rules, repair: args.repair })
}
