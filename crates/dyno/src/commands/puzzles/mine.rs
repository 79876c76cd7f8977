//! `dyno puzzles mine`: suites made from games.

use super::{puzzle_error, source_name};
use crate::engine_args::EngineArgs;
use crate::exit::Exit;
use crate::interrupt;
use anyhow::Context;
use dyno_report::puzzles::mine_summary;
use dyno_report::terminal::{Progress, eprintln, println};
use dyno_trials::puzzles::{MineEvent, MinePlan, mine};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  dyno puzzles mine games.pgn -o mined.epd                        proved mates in at most 3 moves
  dyno puzzles mine games.pgn -o mined.epd --engine stockfish --depth 14 --concurrency 2
  dyno puzzles mine games.pgn.zst -o tactics.epd --engine stockfish --mate 0 --gap 250 --limit 100

Without --engine only mates are mined, by our solver. With one, its two best moves are compared: a
position is kept when the first is better by --gap at each of the last --held depths and the move
decides something. Every line names the game it comes from.

Exit codes: 0 done, 2 bad usage or no game in the file, 3 the engine could not be run or crashed,
130 interrupted with everything found so far kept.";

/// Make suites from games: proved mates and single best moves
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The games: PGN, plain or compressed (.zst, .gz, .zip); `-` for standard input
    #[arg(value_name = "FILE")]
    input: PathBuf,

    /// The EPD file to write; `-` for standard output
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,

    #[command(flatten)]
    engine: EngineArgs,

    /// How deep the engine looks
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(2..))]
    depth: u32,

    /// How much better the best move must be than the second, in centipawns
    #[arg(long, value_name = "CP", default_value_t = 200, value_parser = clap::value_parser!(i32).range(1..))]
    gap: i32,

    /// At how many depths in a row the gap must hold
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    held: u32,

    /// The longest mate to look for; 0 for none
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(..=10))]
    mate: u32,

    /// Positions the solver may make for each position it is asked about
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    solver_nodes: u64,

    /// Leave out the first half-moves of each game
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: usize,

    /// Stop after this many finds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,

    /// Work on this many positions at once, each with an engine process of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: u16,

    /// Take away castling rights without their rook and impossible en-passant squares, with a
    /// warning, instead of rejecting the game
    #[arg(long)]
    repair: bool,

    /// Print what was done as JSON on standard output
    #[arg(long)]
    json: bool,

    /// No progress and no summary
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let to_stdout = args.output.as_os_str() == "-";
    anyhow::ensure!(!(args.json && to_stdout), "--json and -o - both want standard output");
    let with_engine = !args.engine.engines.is_empty();
    anyhow::ensure!(
        with_engine || args.mate > 0,
        "--mate 0 without --engine leaves nothing to mine"
    );
    let plan = MinePlan {
        engine: if with_engine { Some(args.engine.spec()?) } else { None },
        settings: args.engine.settings()?,
        depth: args.depth,
        gap: args.gap,
        held: args.held,
        mate: args.mate,
        nodes: args.solver_nodes,
        skip: args.skip,
        limit: args.limit,
        workers: args.concurrency.into(),
        repair: args.repair,
    };
    let opened = dyno_formats::open(&args.input)?;
    let read = opened.progress.clone();
    let cannot_write = || format!("cannot write {}", args.output.display());
    let mut out: BufWriter<Box<dyn Write>> = BufWriter::new(if to_stdout {
        Box::new(io::stdout())
    } else {
        Box::new(std::fs::File::create(&args.output).with_context(cannot_write)?)
    });
    let progress = Progress::new("bytes", read.total(), args.quiet);
    let source = source_name(&args.input);
    let saving = interrupt::hold();
    let result = mine(&plan, &source, opened, &mut |event| {
        match event {
            MineEvent::Found(found) => {
                writeln!(out, "{}", found.line)?;
                // Finds are rare and dear: each is on disk at once.
                out.flush()?;
            }
            MineEvent::BadGame(error) => progress.line(format!("{source}: {error}")),
            MineEvent::Trouble(error) => progress.line(error),
            MineEvent::Progress(so_far) => {
                progress.set(read.read());
                let (games, mates, tactics) = (so_far.games, so_far.mates, so_far.tactics);
                progress.note(format!("{games} games, {mates} mates, {tactics} tactics"));
            }
        }
        Ok(())
    });
    drop(saving);
    progress.finish();
    let result = result.map_err(puzzle_error)?;
    out.flush().with_context(cannot_write)?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&result)?);
    } else if !args.quiet {
        let text = mine_summary(&result);
        if to_stdout { eprintln!("{}", text.trim_end()) } else { println!("{}", text.trim_end()) }
    }
    if result.interrupted {
        return Ok(Exit::Interrupted);
    }
    anyhow::ensure!(result.games + result.bad_games > 0, "{source}: no game in it");
    anyhow::ensure!(result.games > 0, "{source}: none of its games could be read");
    Ok(if result.crashes > 0 { Exit::Engine } else { Exit::Passed })
}
