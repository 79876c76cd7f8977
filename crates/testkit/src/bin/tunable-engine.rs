//! `tunable-engine`: an engine with a known best setting, for tests of tuning.

fn main() -> std::process::ExitCode {
    match dyno_testkit::tunable::run(std::io::stdin().lock(), std::io::stdout()) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(_) => std::process::ExitCode::from(4),
    }
}
