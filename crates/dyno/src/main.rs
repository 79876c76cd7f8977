//! `dyno`: the test bench for chess engines.
//!
//! Arguments become a plan, a trial runs it, a report shows it.

mod cli;
mod cluster;
mod commands;
mod engine_args;
mod exit;
mod games;
mod history;
mod interrupt;
mod jail;
mod live;
mod page_file;
mod right_form;
mod short_help;
mod stdout;
mod suggest;
mod usage;
mod version;

#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    if let Err(error) = dyno_driver::become_jailed_engine(std::env::args_os()) {
        return exit::report(&exit::Coded { exit: exit::Exit::Engine, message: error }.into())
            .into();
    }
    let cli = usage::parse();
    interrupt::install();
    history::prepare(cli.no_history);
    let exit = commands::run(cli.command).unwrap_or_else(|error| exit::report(&error));
    history::record(exit);
    exit.into()
}
