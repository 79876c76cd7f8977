//! `dyno serve`: all running and past runs of a project in a browser.

use crate::exit::Exit;
use crate::live::{self, PageArgs};
use crate::{history, interrupt};
use anyhow::Context as _;
use dyno_report::terminal::eprintln;
use dyno_web::{Project, Site};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  dyno serve --open                     the runs of this project, in your browser
  dyno serve 8080 --control             with buttons to pause and stop what runs
  dyno serve 0.0.0.0:8443 --tls cert.pem,key.pem --allow-host bench.example.org
  dyno serve --behind-proxy dyno.example.org

Off loopback TLS and a token are needed: DYNO_TOKEN, or a new one that is printed with the address.
One running match has a page of its own with dyno match … --live.

Exit codes: 0 ended by Ctrl-C, 2 the address cannot be served.";

/// Show running and past runs in a browser
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    page: PageArgs,

    /// Open the page in your browser
    #[arg(long)]
    open: bool,

    /// Show this history instead of the project's
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let history = match &args.history {
        Some(path) => path.clone(),
        None => history::path().context("DYNO_HISTORY=off: there is no history to show")?,
    };
    let live = live::folder(&history).context("the history is not in a folder")?;
    let site = || Site::of_project(Project { history: history.clone(), live: live.clone() });
    let server = args.page.serve(site)?;
    eprintln!("serving {}\nopen {} (Ctrl-C ends it)", history.display(), server.url());
    if args.open
        && let Err(error) = open(server.url())
    {
        eprintln!("no browser could be started: {error}");
    }
    // Ctrl-C is the usual end of it.
    let _pages = interrupt::hold();
    while !interrupt::requested() {
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(Exit::Passed)
}

fn open(url: &str) -> std::io::Result<()> {
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let mut browser = Command::new(program);
    browser.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    browser.spawn().map(drop)
}
