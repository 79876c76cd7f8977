//! The command line as clap sees it: one variant a command.

use clap::{Parser, Subcommand};

/// The test bench for chess engines.
#[derive(Debug, Parser)]
#[command(name = "dyno", version, about, propagate_version = true, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// The commands, in the order a user meets them.
#[derive(Debug, Subcommand)]
pub enum Command {}
