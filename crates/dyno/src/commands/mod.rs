//! One file a command: its arguments, its plan, the trial it runs, the report it shows.

pub mod annotate;
pub mod bench;
pub mod check;
pub mod cluster;
pub mod completions;
pub mod elo;
pub mod engine;
pub mod history;
pub mod init;
mod live_rows;
pub mod man;
pub mod match_cmd;
pub mod mate;
mod outputs;
pub mod perft;
mod position_args;
pub mod puzzles;
pub mod ratings;
pub mod regress;
pub mod report;
pub mod serve;
pub mod sprt;
pub mod suite;
pub mod suites;
pub mod tune;
pub mod worker;

use crate::cli::Command;
use crate::exit::Exit;

/// Runs the command and says how the process should end.
pub fn run(command: Command) -> anyhow::Result<Exit> {
    match command {
        Command::Annotate(args) => annotate::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Cluster(args) => cluster::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Elo(args) => elo::run(&args),
        Command::Engine(args) => engine::run(&args),
        Command::History(args) => history::run(&args),
        Command::Init(args) => init::run(&args),
        Command::Man(args) => man::run(&args),
        Command::Mate(args) => mate::run(&args),
        Command::Match(args) => match_cmd::run(&args),
        Command::Puzzles(args) => puzzles::run(&args),
        Command::Suite(args) => suite::run(&args),
        Command::Ratings(args) => ratings::run(&args),
        Command::Regress(args) => regress::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Sprt(args) => sprt::run(&args),
        Command::Perft(args) => perft::run(&args),
        Command::Suites(args) => suites::run(&args),
        Command::Tune(args) => tune::run(&args),
        Command::Worker(args) => worker::run(args),
    }
}
