//! `-h` lists what is wanted every day, `--help` everything, with examples.

use clap::Command;

/// Options that `-h` leaves out, of whatever command.
const RARE: &[&str] = &[
    "annotations",
    "chess960",
    "early-stop",
    "engine-dir",
    "engine-env",
    "engines-file",
    "force",
    "id",
    "jail",
    "log",
    "max-depth",
    "max-slowdown",
    "min-score",
    "no-history",
    "precision",
    "proof-depth",
    "proof-nodes",
    "protocol",
    "randomize",
    "repair",
    "report-json",
    "report-svg",
    "rounds",
    "score-am",
    "save-baseline",
    "seed",
    "slowness",
    "startup-timeout",
    "strict",
    "timeout",
    "top-misses",
    "wrap",
];

/// The command and those below it with a short help beside the long one.
pub fn beside_the_long_one(command: Command) -> Command {
    below(command, String::new())
}

fn below(command: Command, path: String) -> Command {
    let path = format!("{path}{}", command.get_name());
    let is_rare = |name: Option<&str>| name.is_some_and(|name| RARE.contains(&name));
    let mut command = command.mut_args(|arg| match is_rare(arg.get_long()) {
        true => arg.hide_short_help(true),
        false => arg,
    });
    if let Some(examples) = command.get_after_help().cloned()
        && command.get_after_long_help().is_none()
    {
        let more = format!("All options, and examples: {path} --help");
        command = command.after_long_help(examples).after_help(more);
    }
    let path = path + " ";
    command.mut_subcommands(|below_it| below(below_it, path.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use crate::commands::tune::texel;
    use clap::CommandFactory as _;

    /// Every command's two helps.
    fn helps(command: &mut Command, found: &mut Vec<(String, String, String)>) {
        let short = command.render_help().to_string();
        let long = command.render_long_help().to_string();
        found.push((command.get_name().to_owned(), short, long));
        command.get_subcommands_mut().for_each(|below| helps(below, found));
    }

    #[test]
    fn the_short_help_fits_a_screen_and_the_long_one_has_examples() {
        let mut command = beside_the_long_one(Cli::command());
        let mut found = Vec::new();
        helps(&mut command, &mut found);
        helps(&mut beside_the_long_one(texel::Args::command()), &mut found);
        // `match` and `tune` have helps of their own.
        let own = ["match", "tune"];
        for (name, short, long) in found.iter().filter(|found| !own.contains(&found.0.as_str())) {
            assert!(short.lines().count() <= 45, "{name}: {} lines", short.lines().count());
            assert!(short.len() < long.len() && !short.contains("Examples:"), "{name}");
        }
        let names: Vec<_> = command.get_subcommands().flat_map(Command::get_arguments).collect();
        let longs: Vec<_> = names.iter().filter_map(|arg| arg.get_long()).collect();
        for rare in RARE.iter().filter(|rare| **rare != "no-history") {
            assert!(longs.contains(rare), "{rare}: no command has it");
        }
    }
}
