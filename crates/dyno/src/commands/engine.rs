//! `dyno engine`: Piston, the built-in engine, on standard input and output.

use std::fs::File;
use std::io::{self, BufReader, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use dyno_piston::replay::{Log, Replayed, replay};
use dyno_piston::search::Signals;
use dyno_piston::{bench, uci_loop};

use crate::exit::{Coded, Exit};

const EXAMPLES: &str = "\
Examples:
  dyno engine                         talk UCI, as a GUI or a match runner would
  dyno engine bench                   the node signature and the speed
  dyno engine bench 13                the same, deeper
  dyno engine --log games.log         record every search
  dyno engine --replay games.log      search them again and compare
  dyno engine --tunable               its search constants and weights as options, for dyno tune

Besides UCI it knows: d (the board), eval (term by term), bench [depth], go perft N.";

const BENCH_EXAMPLES: &str = "\
Examples:
  dyno engine bench                   the node signature and the speed
  dyno engine bench 13 --json         deeper, for machines";

/// How to run the engine.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// Record every search in a file: options, position, limits, answer
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Search everything a log recorded again and compare the answers
    #[arg(long, value_name = "FILE", conflicts_with = "log")]
    replay: Option<PathBuf>,
    /// Offer the constants of the search and the weights of the evaluation as UCI options
    #[arg(long, conflicts_with = "replay")]
    tunable: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Search a fixed set of positions and print the number of nodes, the engine's signature
    #[command(after_help = BENCH_EXAMPLES)]
    Bench {
        /// How deep to search
        #[arg(default_value_t = bench::DEPTH, value_parser = clap::value_parser!(u32).range(1..=64))]
        depth: u32,

        /// Print the result as JSON
        #[arg(long)]
        json: bool,
    },
}

/// Runs it.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    match (&args.action, &args.replay) {
        (Some(Action::Bench { depth, json }), _) => run_bench(*depth, *json),
        (None, Some(path)) => run_replay(path),
        (None, None) => talk(args.log.as_deref(), args.tunable),
    }
}

fn talk(log: Option<&Path>, tunable: bool) -> anyhow::Result<Exit> {
    let log = match log {
        Some(path) => {
            let file = File::create(path)
                .with_context(|| format!("cannot create the log {}", path.display()))?;
            Some(Log::new(file))
        }
        None => None,
    };
    uci_loop::run(BufReader::new(io::stdin()), io::stdout(), log, tunable)
        .map_err(|error| Coded { exit: Exit::Internal, message: error.to_string() })?;
    Ok(Exit::Passed)
}

fn run_bench(depth: u32, json: bool) -> anyhow::Result<Exit> {
    let mut out = io::stdout();
    let count = bench::POSITIONS.len();
    let mut positions = Vec::new();
    let each = |number: usize, fen: &str, nodes: u64| {
        if !json {
            let _ = writeln!(out, "Position: {number}/{count} ({fen}) {nodes}");
        }
        positions.push(serde_json::json!({ "fen": fen, "nodes": nodes }));
    };
    let signature = bench::run(depth, &Signals::default(), each).ok_or_else(|| Coded {
        exit: Exit::Internal,
        message: "not enough memory for the transposition table (16 MB)".to_owned(),
    })?;
    if json {
        crate::stdout::json(&serde_json::json!({
            "schema": 1,
            "dyno_version": env!("CARGO_PKG_VERSION"),
            "depth": depth,
            "signature": signature.nodes,
            "seconds": signature.time.as_secs_f64(),
            "nps": signature.speed(),
            "illegal_table_moves": signature.illegal_table_moves,
            "positions": positions,
        }))?;
        return Ok(Exit::Passed);
    }
    writeln!(io::stdout(), "{signature}")?;
    Ok(Exit::Passed)
}

fn run_replay(path: &Path) -> anyhow::Result<Exit> {
    let name = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    let mut out = io::stdout();
    let (mut searches, mut differing) = (0, 0);
    let each = |replayed: Replayed| {
        searches += 1;
        differing += usize::from(replayed.differs());
        // A closed pipe means that the rest is not wanted.
        let _ = show(&mut out, &replayed);
    };
    replay(&text, each)
        .map_err(|error| anyhow::anyhow!("{name}:{}: {}", error.line, error.what))?;
    writeln!(out, "{searches} searches, {differing} different")?;
    Ok(if differing == 0 { Exit::Passed } else { Exit::Failed })
}

fn show(out: &mut impl io::Write, replayed: &Replayed) -> io::Result<()> {
    let verdict = match (&replayed.logged, replayed.comparable) {
        (None, _) => "no answer in the log",
        (Some(_), false) => "not compared (several threads)",
        (Some(_), true) if replayed.differs() => "DIFFERENT",
        (Some(_), true) => "the same",
    };
    writeln!(out, "line {}: {verdict}: {}", replayed.line, replayed.found)?;
    if let Some(logged) = replayed.logged.as_ref().filter(|_| replayed.differs()) {
        writeln!(out, "  the log says: {logged}\n  position: {}", replayed.fen)?;
    }
    Ok(())
}
