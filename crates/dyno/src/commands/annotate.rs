//! `dyno annotate`: games looked at again by an engine.

use crate::engine_args::{EngineArgs, engine_error};
use crate::exit::Exit;
use crate::interrupt;
use anyhow::Context;
use dyno_driver::{Go, default_deadline};
use dyno_report::annotate::annotate_summary;
use dyno_report::terminal::{Progress, eprintln, println};
use dyno_trials::annotate::{AnnotateError, AnnotateEvent, AnnotatePlan, annotate};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  dyno annotate games.pgn --engine stockfish --depth 14 -o annotated.pgn
  dyno annotate games.pgn.zst --engine stockfish --movetime 200 --concurrency 2
  dyno annotate games.pgn --engine stockfish --nodes 100000 --skip 16 --json

Every position is evaluated. The PGN gets [%eval] after each move and ?!, ? or ?? with the better
move where one threw chances away: a tenth, two or three tenths of the range from certain loss to
certain win. A player agrees when the engine would have played the same move.

Exit codes: 0 done, 2 bad usage or no game in the file, 3 the engine could not be run or crashed, 6
disk full, 130 interrupted with the games done so far written.";

/// Evaluate every move of games with an engine: [%eval], blunders, agreement
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The games: PGN, plain or compressed (.zst, .gz, .zip); `-` for standard input
    #[arg(value_name = "FILE")]
    input: PathBuf,

    /// Write the games with evaluations to this file; `-` for standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// How deep the engine looks at each position [default: 12, where nothing else limits it]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,

    /// Milliseconds for each position
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,

    /// Nodes for each position
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Leave out the first half-moves of each game
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: usize,

    /// List this many mistakes and blunders at the end
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,

    /// Look at this many positions at once, each with an engine process of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: u16,

    /// Print the result as JSON on standard output
    #[arg(long)]
    json: bool,

    /// No progress and no summary
    #[arg(long, short)]
    quiet: bool,

    #[command(flatten)]
    engine: EngineArgs,
}

impl Args {
    fn go(&self) -> Go {
        let unlimited = self.movetime.is_none() && self.nodes.is_none();
        let depth = self.depth.or(unlimited.then_some(12));
        Go { depth, movetime: self.movetime, nodes: self.nodes, ..Go::default() }
    }

    /// Where the games go.
    fn writer(&self) -> anyhow::Result<Option<BufWriter<Box<dyn Write>>>> {
        let Some(path) = &self.output else { return Ok(None) };
        let sink: Box<dyn Write> = match path.as_os_str() == "-" {
            true => Box::new(io::stdout()),
            false => Box::new(
                std::fs::File::create(path)
                    .with_context(|| format!("cannot write {}", path.display()))?,
            ),
        };
        Ok(Some(BufWriter::new(sink)))
    }
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let to_stdout = args.output.as_ref().is_some_and(|path| path.as_os_str() == "-");
    anyhow::ensure!(!(args.json && to_stdout), "--json and -o - both want standard output");
    let same = args.output.as_ref().is_some_and(|output| {
        let real = |path: &PathBuf| path.canonicalize().ok();
        real(output).is_some() && real(output) == real(&args.input)
    });
    anyhow::ensure!(!same, "-o names the input itself: write the games to another file");
    let go = args.go();
    let plan = AnnotatePlan {
        engine: args.engine.spec()?,
        settings: args.engine.settings()?,
        timeout: default_deadline(&go),
        go,
        skip: args.skip,
        workers: args.concurrency.into(),
    };
    let opened = dyno_formats::open(&args.input)?;
    let source = args.input.display().to_string();
    let mut out = args.writer()?;
    let progress = Progress::new("bytes", opened.progress.total(), args.quiet);
    let read = opened.progress.clone();
    let saving = interrupt::hold();
    let result = annotate(&plan, &source, opened, &mut |event| {
        match event {
            AnnotateEvent::Game(game) => {
                if let Some(out) = &mut out {
                    write!(out, "{game}")?;
                    // Games are dear: each is on disk at once.
                    out.flush()?;
                }
            }
            AnnotateEvent::BadGame(error) => progress.line(format!("{source}: {error}")),
            AnnotateEvent::Trouble(error) => progress.line(error),
            AnnotateEvent::Progress(games, positions) => {
                progress.set(read.read());
                progress.note(format!("{games} games, {positions} positions"));
            }
        }
        Ok(())
    });
    drop(saving);
    progress.finish();
    let result = result.map_err(|error| match error {
        AnnotateError::Engine(error) => engine_error(error),
        other => other.into(),
    })?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&result)?);
    } else if !args.quiet {
        let text = annotate_summary(&result, args.top);
        if to_stdout { eprintln!("{}", text.trim_end()) } else { println!("{}", text.trim_end()) }
    }
    if result.interrupted {
        return Ok(Exit::Interrupted);
    }
    anyhow::ensure!(result.games + result.bad_games > 0, "{source}: no game in it");
    anyhow::ensure!(result.games > 0, "{source}: none of its games could be read");
    Ok(if result.crashes > 0 { Exit::Engine } else { Exit::Passed })
}
