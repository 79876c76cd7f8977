//! The scripted engine; its words are described in `dyno_testkit::scripted`.

use dyno_testkit::scripted::{self, Scripted};
use std::process::ExitCode;

#[allow(clippy::print_stderr, reason = "a program of its own")]
fn main() -> ExitCode {
    let script: Result<Vec<Scripted>, _> = std::env::args().skip(1).map(|w| w.parse()).collect();
    let script = match script {
        Ok(script) => script,
        Err(error) => {
            eprintln!("scripted-engine: {error}");
            return ExitCode::from(2);
        }
    };
    match scripted::run(&script) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
