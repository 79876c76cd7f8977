//! `dyno`: the test bench for chess engines.
//!
//! Arguments become a plan, a trial runs it, a report shows it.

mod cli;
mod commands;
mod engine_args;
mod exit;
mod games;
mod history;
mod interrupt;
mod stdout;
mod suggest;
mod usage;
mod version;

fn main() -> std::process::ExitCode {
    let cli = usage::parse();
    interrupt::install();
    match commands::run(cli.command) {
        Ok(code) => code.into(),
        Err(error) => exit::report(&error).into(),
    }
}
