//! `dyno elo`: the Elo difference of a fixed number of games.

use dyno_report::statistics::EloReport;

use crate::exit::Exit;
use crate::games::GamesArgs;
use crate::stdout;

const EXAMPLES: &str = "\
Examples:
  136 won, 96 lost, 111 drawn:       dyno elo 136 96 111
  Pairs of one opening each:         dyno elo --penta 16,244,519,316,46
  A match that was played:           dyno elo games.pgn
  One player of a tournament:        dyno elo --pgn cup.pgn.zst --player Piston
  For a script:                      dyno elo 136 96 111 --json

The error bar holds for a number of games that was fixed beforehand. If a test
such as SPRT decided when to stop, use dyno sprt status.

Exit codes: 0 the figures were computed, 2 bad usage or input, 130 interrupted.";

/// Show the Elo difference, its error bar and what it takes to know more.
///
/// From wins, losses and draws, from pairs of games, or from PGN files. Pairs (one opening, the
/// colours reversed) are used wherever games come in pairs, for their error bar is smaller.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    games: GamesArgs,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Prints the figures.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let report = EloReport::new(args.games.input()?.games);
    stdout::report(&report, args.json)?;
    Ok(Exit::Passed)
}
