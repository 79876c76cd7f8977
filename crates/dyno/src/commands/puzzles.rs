//! `dyno puzzles`: the lichess puzzle database as suites and as an examination, and new suites
//! mined from games.

mod convert;

use crate::exit::Exit;

/// Turn lichess puzzles into suites, put them to an engine, mine new ones from games
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Turn the lichess puzzle database into EPD
    Convert(convert::Args),
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Convert(args) => convert::run(args),
    }
}

/// `--themes mateIn1,mateIn2 --themes endgame`: one of the first two, and the third.
fn theme_lists(themes: &[String]) -> Vec<Vec<String>> {
    let list = |text: &String| {
        text.split([',', ' ']).filter(|theme| !theme.is_empty()).map(str::to_owned).collect()
    };
    themes.iter().map(list).filter(|list: &Vec<String>| !list.is_empty()).collect()
}
