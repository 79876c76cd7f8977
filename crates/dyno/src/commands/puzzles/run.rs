//! `dyno puzzles run`: an engine over puzzles, move by move.

use super::{puzzle_error, source_name, theme_lists};
use crate::engine_args::EngineArgs;
use crate::exit::Exit;
use anyhow::Context;
use dyno_driver::Go;
use dyno_report::puzzles::{attempt_line, run_summary};
use dyno_report::terminal::{Progress, println};
use dyno_trials::puzzles::{
    Attempt, PuzzleVerdict, RatingRange, RunEvent, RunPlan, RunResult, Selection,
    run as run_puzzles,
};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  dyno puzzles run lichess_db_puzzle.csv.zst --limit 1000                  Piston on 1,000 puzzles
  dyno puzzles run puzzles.csv --engine stockfish --nodes 10000 --concurrency 2
  dyno puzzles run puzzles.csv --engine ./engine --rating 1500..2000 --themes fork,pin --misses 20
  dyno puzzles run puzzles.csv --engine ./engine --limit 500 --min-score 70      for CI

The engine must find every move of its side; a move that mates at once is right as well.

Exit codes: 0 done (and at least --min-score), 1 below --min-score, 2 bad usage or not a puzzle
file, 3 the engine could not be run or crashed, 130 interrupted with what is done shown.";

/// Put puzzles to an engine, move by move
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The puzzles: a lichess CSV, plain or compressed (.zst, .gz, .zip); `-` for standard input
    #[arg(value_name = "FILE")]
    input: PathBuf,

    #[command(flatten)]
    engine: EngineArgs,

    /// Search every move so deep
    #[arg(long, value_name = "N", group = "limits", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,

    /// Search every move so many milliseconds [default: 100]
    #[arg(long, value_name = "MS", group = "limits", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,

    /// Search every move so many nodes
    #[arg(long, value_name = "N", group = "limits", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Only puzzles with one of these themes (separated by commas); repeat to ask for more at once
    #[arg(long, value_name = "THEMES")]
    themes: Vec<String>,

    /// Only puzzles with such a rating: 1500..2000, 1500.. or ..2000
    #[arg(long, value_name = "FROM..TO")]
    rating: Option<RatingRange>,

    /// Run at most so many puzzles
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,

    /// Take away castling rights without their rook and impossible en-passant squares, instead of
    /// rejecting the row
    #[arg(long)]
    repair: bool,

    /// Run so many puzzles at once, each on an engine process of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: u16,

    /// Exit with 1 when fewer puzzles than this are solved
    #[arg(long, value_name = "PERCENT")]
    min_score: Option<f64>,

    /// List so many failures in the end
    #[arg(long, value_name = "N", default_value_t = 10)]
    misses: usize,

    /// Write everything, every puzzle included, as JSON
    #[arg(long, value_name = "FILE")]
    report_json: Option<PathBuf>,

    /// Print everything as JSON on standard output
    #[arg(long)]
    json: bool,

    /// No progress, only the result
    #[arg(long, short)]
    quiet: bool,
}

/// What `--json` holds: the sums and every puzzle.
#[derive(serde::Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    result: &'a RunResult,
    puzzles: &'a [Attempt],
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if let Some(bar) = args.min_score.filter(|bar| !(0.0..=100.0).contains(bar)) {
        anyhow::bail!("--min-score wants a number from 0 to 100, not {bar}");
    }
    let plan = RunPlan {
        engine: args.engine.spec()?,
        settings: args.engine.settings()?,
        limit: limit(args),
        selection: Selection { themes: theme_lists(&args.themes), rating: args.rating },
        most: args.limit,
        repair: args.repair,
        concurrency: args.concurrency.into(),
    };
    let opened = dyno_formats::open(&args.input)?;
    // Opened before the work: nobody wants to learn after an hour that it cannot be written.
    let report = match &args.report_json {
        None => None,
        Some(path) => Some(
            std::fs::File::create(path)
                .with_context(|| format!("cannot write {}", path.display()))?,
        ),
    };
    let keep_all = args.json || report.is_some();
    let progress = Progress::new("puzzles", args.limit, args.quiet);
    let (mut attempts, mut misses) = (Vec::new(), Vec::new());
    let (mut tried, mut solved) = (0u64, 0u64);
    let source = source_name(&args.input);
    let outcome = run_puzzles(&plan, &source, opened, &mut |event| match event {
        RunEvent::Started { .. } => {}
        RunEvent::Rejected { line, reject } => {
            progress.line(format!("{source}:{line}: {reject}"));
        }
        RunEvent::Attempt(attempt) => {
            tried += 1;
            solved += u64::from(attempt.verdict == PuzzleVerdict::Solved);
            progress.advance();
            progress.note(format!("{solved} of {tried} solved"));
            if attempt.verdict != PuzzleVerdict::Solved && misses.len() < args.misses {
                misses.push(attempt.clone());
            }
            if keep_all {
                attempts.push(attempt.clone());
            }
        }
    });
    progress.finish();
    let (result, failure) = outcome.map_err(puzzle_error)?;
    let full = Report { result: &result, puzzles: &attempts };
    if let Some(file) = report {
        serde_json::to_writer_pretty(file, &full).context("cannot write the JSON report")?;
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&full)?);
    } else {
        let listed: String = misses.iter().map(attempt_line).collect();
        println!("{}{}", listed, run_summary(&result).trim_end());
    }
    match failure {
        Some(error) => Err(puzzle_error(error)),
        None => verdict(args, &result),
    }
}

#[allow(clippy::print_stderr, reason = "the reason of exit code 1")]
fn verdict(args: &Args, result: &RunResult) -> anyhow::Result<Exit> {
    if result.interrupted {
        return Ok(Exit::Interrupted);
    }
    anyhow::ensure!(result.total.tried > 0, "{}: no puzzle to run", result.source);
    if result.crashes > 0 {
        return Ok(Exit::Engine);
    }
    let percent = 100.0 * result.total.solved as f64 / result.total.tried as f64;
    if let Some(bar) = args.min_score.filter(|bar| percent < *bar) {
        eprintln!("{percent:.2} % solved, below --min-score {bar}");
        return Ok(Exit::Failed);
    }
    Ok(Exit::Passed)
}

fn limit(args: &Args) -> Go {
    match (args.depth, args.nodes) {
        (Some(depth), _) => Go::depth(depth),
        (_, Some(nodes)) => Go::nodes(nodes),
        _ => Go::movetime(args.movetime.unwrap_or(100)),
    }
}
