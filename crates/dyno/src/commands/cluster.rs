//! `dyno cluster`: a server of one's own for matches on many machines.

use crate::exit::Exit;
use crate::{cluster, stdout};
use anyhow::Context as _;
use clap::Subcommand;
use dyno_cluster::{
    Address, ClusterStatus, MatchState, Server, ServerSetup, default_folder, status,
};
use dyno_report::number::plural;
use dyno_report::terminal::clean;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  dyno cluster up                                on this machine, for others to reach
  dyno cluster up --listen 127.0.0.1:4222        for this machine alone
  dyno cluster up --workers 40                   keys for forty workers; the server may run already
  dyno cluster status                            workers, matches, queue
  dyno cluster down                              stop the server; matches can be resumed later

`up` starts the nats-server that is installed, with JetStream, TLS and a key for every worker, and
prints a line for each of them to paste there.

Exit codes: 0 done, 2 bad usage, no nats-server, or a server that cannot be used.";

/// Set up a server for matches on many machines, see what it does, stop it
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Start a nats-server with JetStream, TLS and keys, and print the lines for the workers
    Up(Up),
    /// Show workers, matches and the queue
    Status(Status),
    /// Stop the server
    Down(Down),
}

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
struct Up {
    /// The address and port to listen on, 0 for a free port [default: as before, at first 0.0.0.0:4222]
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,

    /// The name or address by which workers reach this machine [default: as before, at first its address]
    #[arg(long, value_name = "HOST")]
    host: Option<String>,

    /// How many workers get a key
    #[arg(long, value_name = "N", default_value_t = 4)]
    workers: usize,

    /// The folder of the server: configuration, keys, data
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
struct Status {
    /// The cluster [default: DYNO_CLUSTER, or the one of --dir]
    #[arg(value_name = "SERVER")]
    server: Option<String>,

    /// The folder of the server
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    /// For programs
    #[arg(long)]
    json: bool,

    /// Ask an open server on another machine
    #[arg(long)]
    insecure: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
struct Down {
    /// The folder of the server
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    match &args.what {
        What::Up(args) => up(args),
        What::Status(args) => show(args),
        What::Down(args) => {
            let folder = args.dir.clone().unwrap_or_else(default_folder);
            let text = match Server::at(&folder).down()? {
                true => {
                    "the server has stopped; `dyno cluster up` starts it again with all it holds"
                }
                false => "no server of this folder is running",
            };
            stdout::text(&format!("{text}\n"))?;
            Ok(Exit::Passed)
        }
    }
}

/// How many workers' lines are printed; the others are in files.
const PRINTED: usize = 8;

fn up(args: &Up) -> anyhow::Result<Exit> {
    let folder = args.dir.clone().unwrap_or_else(default_folder);
    let folder = std::path::absolute(folder)?;
    let started = Server::up(&ServerSetup {
        folder: folder.clone(),
        listen: args.listen,
        host: args.host.clone(),
        workers: args.workers,
    })?;
    let mut text = String::new();
    let already = if started.was_running { "was running already" } else { "runs" };
    let _ = writeln!(text, "nats-server {already} (process {}) at {}", started.pid, started.url);
    let _ = writeln!(text, "\nOn each worker, one of these lines:");
    for (_, invitation) in started.workers.iter().take(PRINTED) {
        let _ = writeln!(text, "  dyno worker {invitation}");
    }
    if started.workers.len() > PRINTED {
        let more = started.workers.len() - PRINTED;
        let _ = writeln!(text, "  … and {more} more in {}", folder.join("workers").display());
    }
    let coordinator = started.coordinator.display();
    let _ = writeln!(text, "\nFor matches from here:");
    let _ = writeln!(text, "  export {}={coordinator}", cluster::VARIABLE);
    let _ = writeln!(text, "  dyno match … --cluster {coordinator}");
    stdout::text(&text)?;
    Ok(Exit::Passed)
}

fn show(args: &Status) -> anyhow::Result<Exit> {
    let folder = args.dir.clone().unwrap_or_else(default_folder);
    let own = || Server::at(&folder).coordinator().map(|path| path.display().to_string());
    let outside = std::env::var(cluster::VARIABLE).ok().filter(|_| args.dir.is_none());
    let server = args.server.clone().or(outside).or_else(own);
    let server = server.context(
        "which cluster? give its address, set DYNO_CLUSTER, or start one with `dyno cluster up`",
    )?;
    let status = status(&Address::parse(&server)?, args.insecure)?;
    if args.json {
        stdout::json(&status)?;
    } else {
        stdout::text(&picture(&status))?;
    }
    Ok(Exit::Passed)
}

fn picture(status: &ClusterStatus) -> String {
    let boards: usize = status.workers.iter().map(|worker| worker.beat.boards).sum();
    let busy: usize = status.workers.iter().map(|worker| worker.beat.pairs.len()).sum();
    let mut text = format!(
        "{} (nats-server {})\n{}, {}, {} being played; {} given out, {} on their way; {:.1} MB of files\n",
        status.server,
        status.server_version,
        plural(status.workers.len() as u64, "worker", "workers"),
        plural(boards as u64, "board", "boards"),
        plural(busy as u64, "pair", "pairs"),
        plural(status.queue, "pair", "pairs"),
        plural(status.waiting_results, "result", "results"),
        status.stored_bytes as f64 / 1e6,
    );
    if !status.workers.is_empty() {
        let _ = writeln!(
            text,
            "\nworker                boards  playing  finished  platform         factor"
        );
    }
    for worker in &status.workers {
        let beat = &worker.beat;
        let factors: Vec<String> = beat.factors.iter().map(|(_, f)| format!("{f:.3}")).collect();
        let _ = writeln!(
            text,
            "{:<20} {:>7} {:>8} {:>9}  {:<16} {}{}{}",
            clean(&beat.name),
            beat.boards,
            beat.pairs.len(),
            beat.finished,
            clean(&beat.platform),
            factors.join(" "),
            if worker.is_silent { "  SILENT" } else { "" },
            if beat.leaving { "  leaving" } else { "" },
        );
        for (_, reason) in &beat.unfit {
            let _ = writeln!(text, "  does not play: {}", clean(reason));
        }
    }
    status.matches.iter().for_each(|game| describe(&mut text, game));
    for reason in &status.unreadable {
        let _ = writeln!(text, "\n{}", clean(reason));
    }
    text
}

fn describe(text: &mut String, game: &MatchState) {
    let score = &game.score;
    let of = score.total.map_or_else(String::new, |total| format!(" of {total}"));
    let _ = writeln!(
        text,
        "\nmatch {}: {}\n  {}{of} games, {}; {} on boards, {} queued; share {}, priority {}{}",
        clean(&game.run),
        clean(&game.engines.join(" vs ")),
        score.games,
        if score.tally.is_empty() { "no result yet".to_owned() } else { clean(&score.tally) },
        plural(score.playing, "pair", "pairs"),
        score.queued,
        game.share,
        game.priority,
        if game.is_silent { "; its coordinator is SILENT" } else { "" },
    );
    if let Some(llr) = score.llr {
        let waiting = plural(score.waiting_pairs, "finished pair waits", "finished pairs wait");
        let _ = writeln!(text, "  LLR {llr:.2}; {waiting} for an earlier one");
    }
    if !score.parked.is_empty() {
        let games: Vec<String> = score.parked.iter().map(|pair| (pair + 1).to_string()).collect();
        let _ = writeln!(text, "  parked, from game: {}", games.join(", "));
    }
    if score.refused > 0 {
        let _ = writeln!(text, "  {} refused", plural(score.refused, "result", "results"));
    }
    if !game.excluded.is_empty() {
        let _ = writeln!(text, "  excluded: {}", clean(&game.excluded.join(", ")));
    }
    for suspicion in &score.suspicions {
        let _ = writeln!(text, "  SUSPECT: {}", clean(suspicion));
    }
}
