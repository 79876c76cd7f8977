//! The command line as clap sees it: one variant a command.

use clap::{Parser, Subcommand};

use crate::commands::{
    annotate, bench, check, cluster, completions, elo, engine, history, init, man, match_cmd, mate,
    perft, puzzles, ratings, regress, report, serve, sprt, suite, suites, tune, worker,
};
use crate::version;

/// The test bench for chess engines.
#[derive(Debug, Parser)]
#[command(
    name = "dyno",
    version = version::VERSION,
    long_version = version::WITH_BUILD,
    about,
    propagate_version = true,
    arg_required_else_help = true
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,

    /// Do not record this run in the history; DYNO_HISTORY=off does the same for all
    #[arg(long, global = true, display_order = 1000)]
    pub no_history: bool,
}

/// The commands, in the order a user meets them.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Examine an engine from end to end and print its report card
    Check(Box<check::Args>),
    /// Count the leaves of the move tree: the proof of a move generator, and its speed
    Perft(perft::Args),
    /// Run EPD test suites (WAC, STS, ECM, any) on an engine
    Suite(Box<suite::Args>),
    /// Test an engine on forced mates, or solve and check mates without one
    Mate(Box<mate::Args>),
    /// Turn lichess puzzles into suites, put them to an engine, mine new ones from games
    Puzzles(Box<puzzles::Args>),
    /// Look at games again with an engine: evaluations, blunders, agreement
    Annotate(Box<annotate::Args>),
    /// Play engine against engine: matches, tournaments, SPRT; speaks the cutechess-cli dialect
    Match(match_cmd::Args),
    /// Show the Elo difference, its error bar and what it takes to know more
    Elo(elo::Args),
    /// Plan a sequential test (SPRT), or see where one stands
    Sprt(sprt::Args),
    /// Make a rating list from PGN files
    Ratings(ratings::Args),
    /// Measure nodes per second and the node signature; compare versions
    Bench(Box<bench::Args>),
    /// Tune an engine's parameters by games (SPSA), and prove the result by an SPRT
    Tune(tune::Args),
    /// Run a project's own battery from dyno.toml, against a baseline, for CI
    Regress(Box<regress::Args>),
    /// Make reports again from a saved result
    Report(report::Args),
    /// Set Dyno up in an engine's folder: engines.toml, dyno.toml, a CI workflow, the first check
    Init(Box<init::Args>),
    /// Look up earlier runs: list, show, compare, follow a figure over time
    History(history::Args),
    /// Show running and past runs in a browser
    Serve(serve::Args),
    /// Play the games of others on this machine: a board of a cluster
    Worker(worker::Args),
    /// Set up a server for matches on many machines, see what it does, stop it
    Cluster(cluster::Args),
    /// Run Piston, the built-in engine, on standard input and output
    Engine(engine::Args),
    /// List or export the suites that come with Dyno
    Suites(suites::Args),
    /// Print a completion script for your shell
    Completions(completions::Args),
    /// Print the manual page, or write all of them into a folder
    Man(man::Args),
}
