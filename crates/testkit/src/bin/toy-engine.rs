//! `toy-engine [BUG]`: the toy engine over UCI, sound or with one planted bug.

use dyno_testkit::toy::{self, Bug};

#[allow(clippy::print_stderr, reason = "a command-line tool")]
fn main() -> std::process::ExitCode {
    let bug = match std::env::args().nth(1) {
        None => None,
        Some(name) => match Bug::from_name(&name) {
            Some(bug) => Some(bug),
            None => {
                eprintln!("unknown bug \"{name}\"; known ones:");
                Bug::ALL.iter().for_each(|bug| eprintln!("  {}", bug.name()));
                return std::process::ExitCode::from(2);
            }
        },
    };
    match toy::run(std::io::stdin().lock(), std::io::stdout(), bug) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(_) => std::process::ExitCode::from(4),
    }
}
