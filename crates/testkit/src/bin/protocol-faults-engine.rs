//! `protocol-faults-engine [FAULT]`: a sound UCI engine, or one with a single protocol fault.

use dyno_testkit::protocol_faults::{self, ProtocolFault};

#[allow(clippy::print_stderr, reason = "a command-line tool")]
fn main() -> std::process::ExitCode {
    let fault = match std::env::args().nth(1) {
        None => None,
        Some(name) => match ProtocolFault::from_name(&name) {
            Some(fault) => Some(fault),
            None => {
                eprintln!("unknown fault \"{name}\"; known ones:");
                ProtocolFault::ALL.iter().for_each(|fault| eprintln!("  {}", fault.name()));
                return std::process::ExitCode::from(2);
            }
        },
    };
    std::process::ExitCode::from(protocol_faults::run(std::io::stdin().lock(), fault))
}
