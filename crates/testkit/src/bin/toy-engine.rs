//! `toy-engine [BUG] [HABIT...]`: the toy engine over UCI, sound or with one planted bug.

use dyno_testkit::toy::{self, Bug, Habit};

#[allow(clippy::print_stderr, reason = "a command-line tool")]
fn main() -> std::process::ExitCode {
    let (mut bug, mut habits) = (None, Vec::new());
    for name in std::env::args().skip(1) {
        match (Bug::from_name(&name), Habit::from_name(&name)) {
            (Some(known), _) => bug = Some(known),
            (None, Some(habit)) => habits.push(habit),
            (None, None) => {
                eprintln!("unknown bug \"{name}\"; known ones:");
                Bug::ALL.iter().for_each(|bug| eprintln!("  {}", bug.name()));
                eprintln!("and habits:");
                Habit::ALL.iter().for_each(|(_, name)| eprintln!("  {name}"));
                return std::process::ExitCode::from(2);
            }
        }
    }
    match toy::run(std::io::stdin().lock(), std::io::stdout(), bug, &habits) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(_) => std::process::ExitCode::from(4),
    }
}
