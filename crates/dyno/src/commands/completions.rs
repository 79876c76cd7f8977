//! `dyno completions`: what a shell needs to complete Dyno's commands and options.

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::exit::Exit;
use crate::stdout;

const EXAMPLES: &str = "\
Examples:
  Bash, for this session:   source <(dyno completions bash)
  Bash, for good:           dyno completions bash > ~/.local/share/bash-completion/completions/dyno
  Zsh (folder in $fpath):   dyno completions zsh > ~/.zfunc/_dyno
  Fish:                     dyno completions fish > ~/.config/fish/completions/dyno.fish
  PowerShell:               dyno completions powershell >> $PROFILE";

/// The shell to write for.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "dyno", &mut script);
    stdout::write_all(&script)?;
    Ok(Exit::Passed)
}
