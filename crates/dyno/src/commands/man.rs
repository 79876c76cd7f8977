//! `dyno man`: the manual pages, one for Dyno and one for each command.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::CommandFactory as _;

use crate::cli::Cli;
use crate::exit::Exit;
use crate::stdout;

const EXAMPLES: &str = "\
Examples:
  Read it now:           dyno man | man -l -
  Install all of them:   dyno man --out ~/.local/share/man/man1
                         man dyno-completions";

/// Where the pages go.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Write every page (dyno.1, dyno-COMMAND.1) into this folder, which is made if need
    /// be; without it, dyno.1 goes to standard output
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints or writes the pages.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    match &args.out {
        Some(folder) => {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder {}", folder.display()))?;
            clap_mangen::generate_to(Cli::command(), folder).with_context(|| {
                format!("cannot write the manual pages into {}", folder.display())
            })?;
        }
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut page)?;
            stdout::write_all(&page)?;
        }
    }
    Ok(Exit::Passed)
}
