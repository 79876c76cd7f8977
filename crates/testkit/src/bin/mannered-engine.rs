//! `mannered-engine [FAULT]`: the mannered engine over UCI, sound or with one bad manner.

use dyno_testkit::manners::{self, Fault};

#[allow(clippy::print_stderr, reason = "a command-line tool")]
fn main() -> std::process::ExitCode {
    let fault = match std::env::args().nth(1) {
        None => None,
        Some(name) => match Fault::from_name(&name) {
            Some(fault) => Some(fault),
            None => {
                eprintln!("unknown fault \"{name}\"; known ones:");
                Fault::ALL.iter().for_each(|fault| eprintln!("  {}", fault.name()));
                return std::process::ExitCode::from(2);
            }
        },
    };
    std::process::ExitCode::from(manners::run(std::io::stdin().lock(), fault))
}
