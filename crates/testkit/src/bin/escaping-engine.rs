//! `escaping-engine`: tries to get at what is not its own, for tests of the jail.

fn main() -> std::process::ExitCode {
    match dyno_testkit::escapes::run(std::io::stdin().lock(), std::io::stdout()) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(_) => std::process::ExitCode::from(4),
    }
}
