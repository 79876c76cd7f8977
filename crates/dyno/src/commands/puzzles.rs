//! `dyno puzzles`: the lichess puzzle database as suites and as an examination, and new suites
//! mined from games.

mod convert;
mod mine;
mod run;

use crate::engine_args::engine_error;
use crate::exit::Exit;
use dyno_trials::puzzles::PuzzleError;
use std::path::Path;

const EXAMPLES: &str = "\
Examples:
  dyno puzzles convert lichess_db_puzzle.csv.zst -o mates/        mates by their length, as EPD
  dyno puzzles run lichess_db_puzzle.csv.zst --engine ./my-engine --limit 1000 --movetime 100
  dyno puzzles mine games.pgn -o mined.epd                        proved mates from games";

/// Turn lichess puzzles into suites, put them to an engine, mine new ones from games
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Turn the lichess puzzle database into EPD
    Convert(convert::Args),
    /// Put puzzles to an engine, move by move
    Run(Box<run::Args>),
    /// Make suites from games: proved mates and single best moves
    Mine(Box<mine::Args>),
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Convert(args) => convert::run(args),
        Command::Run(args) => run::run(args),
        Command::Mine(args) => mine::run(args),
    }
}

/// What the input is called in messages.
fn source_name(input: &Path) -> String {
    if input.as_os_str() == "-" {
        return "standard input".to_owned();
    }
    input.display().to_string()
}

/// The error with the exit code that fits.
fn puzzle_error(error: PuzzleError) -> anyhow::Error {
    match error {
        PuzzleError::Engine(error) => engine_error(error),
        other => other.into(),
    }
}

/// `--themes mateIn1,mateIn2 --themes endgame`: one of the first two, and the third.
fn theme_lists(themes: &[String]) -> Vec<Vec<String>> {
    let list = |text: &String| {
        text.split([',', ' ']).filter(|theme| !theme.is_empty()).map(str::to_owned).collect()
    };
    themes.iter().map(list).filter(|list: &Vec<String>| !list.is_empty()).collect()
}
