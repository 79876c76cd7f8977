//! `dyno worker`: the boards of this machine, for a cluster.

use crate::exit::{Coded, Exit};
use crate::{cluster, interrupt};
use anyhow::{Context as _, ensure};
use dyno_cluster::{Address, ClusterError, WorkerNews, WorkerSetup, default_cache, run_worker};
use dyno_report::terminal::{clean, eprintln};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  dyno worker dyno1:eyJ1cmwi…                   the line that `dyno cluster up` printed
  dyno worker nats://127.0.0.1:4222              a server of this machine, without keys
  dyno worker w7.invitation --boards 6           six games at once

A worker plays pairs of games for whichever match is at hand. It fetches engines, nets and books
from the cluster, checks them by their hash, and proves by the node signature that they run the
same here.
Engines run in a jail: no network, no files but their own; --trust does without.
Ctrl-C finishes the running pairs; a second one gives them back at once. It may also just be killed.

Exit codes: 0 ended by the user, 2 bad usage, a key that is refused, or a server that cannot be
used.";

/// Play the games of others on this machine: a board of a cluster
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The cluster: nats://host:4222, an invitation, or the file of one [env: DYNO_CLUSTER]
    #[arg(value_name = "SERVER")]
    server: Option<String>,

    /// Games at once [default: one a processor]
    #[arg(long, value_name = "N")]
    boards: Option<usize>,

    /// What this worker is called [default: the machine's name; a key has its own]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// Run engines without a jail: for those who know who gives out the work
    #[arg(long)]
    trust: bool,

    /// Where engines and nets are kept
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,

    /// Gigabytes kept there; what was used longest ago goes first
    #[arg(long, value_name = "GB", default_value_t = 10.0)]
    cache_size: f64,

    /// Folders with Syzygy tables of this machine, for matches that adjudicate by them
    #[arg(long, value_name = "PATHS")]
    tb: Option<String>,

    /// Take work from an open server on another machine
    #[arg(long)]
    insecure: bool,

    /// Say nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub fn run(args: Args) -> anyhow::Result<Exit> {
    let server = args.server.or_else(|| std::env::var(cluster::VARIABLE).ok());
    let server = server.context(
        "which cluster? give its address (nats://host:4222) or the line that `dyno cluster up` printed",
    )?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let boards = args.boards.unwrap_or(cores);
    ensure!((1..=4096).contains(&boards), "--boards must be 1 to 4096, not {boards}");
    ensure!(args.cache_size > 0.0, "--cache-size must be greater than 0");
    let quiet = args.quiet;
    let setup = WorkerSetup {
        address: Address::parse(&server)?,
        insecure: args.insecure,
        name: args.name.unwrap_or_else(|| format!("{}-{}", machine_name(), std::process::id())),
        boards,
        cache: args.cache.unwrap_or_else(default_cache),
        cache_bytes: (args.cache_size * 1e9) as u64,
        tablebases: args.tb,
        trust: args.trust,
        interrupts: interrupt::counter(),
        tell: Box::new(move |news| {
            if !quiet {
                // Names and reasons are those of others.
                eprintln!("{}", clean(&words(&news)));
            }
        }),
    };
    // The first Ctrl-C finishes the games, the second gives them back.
    interrupt::in_two_steps();
    let _games = interrupt::hold();
    match run_worker(setup) {
        Ok(()) => Ok(Exit::Passed),
        Err(error @ ClusterError::Server(_)) => {
            Err(Coded { exit: Exit::Internal, message: error.to_string() }.into())
        }
        Err(error) => Err(error.into()),
    }
}

fn words(news: &WorkerNews) -> String {
    let short = |run: &str| run.chars().take(11).collect::<String>();
    match news {
        WorkerNews::Connected { server, name, boards } => {
            let s = if *boards == 1 { "" } else { "s" };
            format!("worker {name}: {boards} board{s}, connected to {server}; Ctrl-C leaves")
        }
        WorkerNews::Waiting(reason) => format!("waiting: {reason}"),
        WorkerNews::JailGap(gap) => format!("the jail of engines: {gap}"),
        WorkerNews::Lost => "the server is gone; games go on, and results wait".to_owned(),
        WorkerNews::Back => "the server is back".to_owned(),
        WorkerNews::Preparing { run, name } => format!("match {}: {name}", short(run)),
        WorkerNews::Ready { run, factor, nps } => {
            let speed = nps.map_or_else(String::new, |nps| format!("{nps} nodes a second, "));
            format!("match {}: ready, {speed}time factor {factor:.3}", short(run))
        }
        WorkerNews::Unfit { run, reason } => {
            format!("match {}: not played here: {reason}", short(run))
        }
        WorkerNews::Finished { run, pair, results } => {
            format!("match {}: game {} and on: {}", short(run), pair + 1, results.join(" "))
        }
        WorkerNews::MatchOver { run } => format!("match {}: over", short(run)),
        WorkerNews::Leaving { pairs } => {
            format!("leaving: {pairs} to finish; Ctrl-C again gives them back at once")
        }
    }
}

fn machine_name() -> String {
    let from_file = || std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let from_variable = |name| std::env::var(name).ok();
    let name =
        from_file().or_else(|| from_variable("COMPUTERNAME")).or_else(|| from_variable("HOSTNAME"));
    name.map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .unwrap_or("worker".into())
}
