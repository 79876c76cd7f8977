//! `dyno tune texel`: evaluation weights from labelled positions.

use super::parameters::{Wanted, resolve};
use super::words::check_outputs;
use crate::engine_args::{EngineArgs, engine_error};
use crate::exit::{Coded, Exit};
use crate::{interrupt, stdout};
use anyhow::Context as _;
use dyno_report::number::grouped;
use dyno_report::terminal::{Progress, eprintln};
use dyno_report::texel as report;
use dyno_tournament::tune::Parameter;
use dyno_trials::texel::{self, TexelError, TexelEvent, TexelPlan, TexelResult, read_positions};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  dyno tune texel --engine 'dyno engine --tunable' --positions games.pgn --params-from 'material*'
  dyno tune texel --engine ./mine --positions quiet-labeled.epd --param KnightMg=200..400 \\
                  --report-html texel.html --out-toml fitted.toml

Positions: EPD with a result in any usual spelling (c9 \"1-0\", [0.5], ; 1.0), or PGN, of which the
quiet positions after the opening are taken. Every fifth line or game is held out.

Exit codes: 0 better on the positions held out, 1 not better, 2 bad usage or positions, 3 the engine
could not be run or has no eval, 130 interrupted.";

/// Fit evaluation weights to the results of positions
#[derive(Debug, clap::Parser)]
#[command(name = "dyno tune texel", bin_name = "dyno tune texel", after_help = EXAMPLES)]
pub struct Args {
    /// Positions with results, EPD or PGN, plain or compressed
    #[arg(long, value_name = "FILE")]
    positions: PathBuf,

    /// A spin option of the engine and its range, NAME=MIN..MAX or NAME=START@MIN..MAX
    #[arg(long, value_name = "NAME=MIN..MAX")]
    param: Vec<String>,

    /// Parameters from a file: TOML or OpenBench's lines, as for dyno tune
    #[arg(long, value_name = "FILE")]
    params: Vec<PathBuf>,

    /// All spin options whose names match, such as 'material*'
    #[arg(long, value_name = "PATTERN")]
    params_from: Vec<String>,

    /// Take at most this many positions, at random from the whole file
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    limit: usize,

    /// Measure the slopes of the evaluation at most this often
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,

    /// Write the fitted values as a --params file
    #[arg(long, value_name = "FILE")]
    out_toml: Option<PathBuf>,

    /// Write a row a parameter
    #[arg(long, value_name = "FILE")]
    out_csv: Option<PathBuf>,

    /// Write a page
    #[arg(long, value_name = "FILE")]
    report_html: Option<PathBuf>,

    /// Write everything as JSON
    #[arg(long, value_name = "FILE")]
    report_json: Option<PathBuf>,

    /// Print everything as JSON on standard output
    #[arg(long)]
    json: bool,

    /// No progress
    #[arg(long, short)]
    quiet: bool,

    #[command(flatten)]
    engine: EngineArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    check_outputs([&args.report_html, &args.report_json, &args.out_toml, &args.out_csv])?;
    let engine = args.engine.spec()?;
    let params = args.param.iter().map(|text| Parameter::parse(text));
    let wanted = Wanted {
        params: params.collect::<Result<_, _>>()?,
        files: args.params.clone(),
        patterns: args.params_from.clone(),
    };
    let parameters = resolve(&wanted, &engine)?;
    let positions = read_positions(&args.positions, args.limit)?;
    if positions.found > args.limit as u64 && !args.quiet {
        let (taken, found) = (grouped(args.limit as u64), grouped(positions.found));
        eprintln!("{taken} of {found} positions are taken, at random (--limit)");
    }
    let plan =
        TexelPlan { engine, settings: args.engine.settings()?, parameters, rounds: args.rounds };
    let saving = interrupt::hold();
    let progress = Progress::new("evaluations", None, args.quiet);
    let mut done = 0;
    let result = texel::fit(&plan, &positions, &mut |event| match event {
        TexelEvent::Started { evaluations } => progress.set_total(evaluations),
        TexelEvent::Evaluated { evaluations } => {
            done += evaluations;
            progress.set(done);
        }
        TexelEvent::Round { number, loss } => {
            progress.note(format!("round {number}: loss {loss:.6}"));
        }
    });
    progress.finish();
    let result = result.map_err(|error| match error {
        TexelError::Engine(error) => engine_error(error),
        error @ TexelError::NoEval { .. } => {
            Coded { exit: Exit::Engine, message: error.to_string() }.into()
        }
        other => other.into(),
    })?;
    drop(saving);
    if args.json {
        stdout::json(&result)?;
    } else {
        stdout::text(&report::summary(&result))?;
        stdout::text(&report::setoptions(&result))?;
    }
    for (path, text) in outputs(args, &result)? {
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(match (result.interrupted, result.is_better()) {
        (true, _) => Exit::Interrupted,
        (false, true) => Exit::Passed,
        (false, false) => Exit::Failed,
    })
}

/// The files that were asked for, each with its text.
fn outputs<'a>(args: &'a Args, result: &TexelResult) -> anyhow::Result<Vec<(&'a Path, String)>> {
    let json = serde_json::to_string_pretty(result).context("the result as JSON")? + "\n";
    let all = [
        (&args.report_html, report::page(result)),
        (&args.report_json, json),
        (&args.out_toml, report::toml(result)),
        (&args.out_csv, report::csv(result)),
    ];
    Ok(all.into_iter().filter_map(|(path, text)| Some((path.as_deref()?, text))).collect())
}
