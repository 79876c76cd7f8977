//! The files that `dyno regress --init` and `dyno init` write to start from.

use crate::commands::init::ci;
use crate::commands::init::find::Found;
use anyhow::Context;
use dyno_report::terminal::println;
use std::path::{Path, PathBuf};

const CONFIG: &str = include_str!("starter.toml");

/// The path that stands where no engine was found.
const PLACEHOLDER: &str = "./build/engine";

/// A commented `dyno.toml` for an engine.
pub fn config(found: Option<&Found>) -> String {
    let command = found.map_or(PLACEHOLDER, |found| &found.command);
    let perft = match found.is_none_or(|found| found.has_perft) {
        true => "[perft]\ndepth = 4",
        false => {
            "# The engine has no perft command that Dyno knows, so this section is off.\n# [perft]\n# depth = 4"
        }
    };
    CONFIG.replace("{COMMAND}", &quoted(command)).replace("{PERFT}", perft)
}

/// A TOML string.
pub fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// A file of a folder, without a `./` that says nothing.
pub fn inside(folder: &Path, name: &str) -> PathBuf {
    if folder == Path::new(".") { PathBuf::from(name) } else { folder.join(name) }
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// It is new, or was overwritten as asked.
    Wrote,
    /// It was there already.
    Kept,
}

/// Writes the files that are missing; those that are there are overwritten only if asked for.
pub fn write_missing(files: &[(PathBuf, String)], force: bool) -> anyhow::Result<Vec<Written>> {
    let write = |(path, text): &(PathBuf, String)| {
        if path.exists() && !force {
            return Ok(Written::Kept);
        }
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        }
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Written::Wrote)
    };
    files.iter().map(write).collect()
}

/// Says what became of each file, and what is left to replace in the new ones.
pub fn tell(files: &[(PathBuf, String)], written: &[Written]) {
    for ((path, text), written) in files.iter().zip(written) {
        match written {
            Written::Wrote => {
                println!("wrote {}", path.display());
                for place in ci::to_replace(text) {
                    println!("      to replace in it: {place}");
                }
            }
            Written::Kept => println!("kept {} (--force overwrites it)", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use dyno_trials::regress::{Config, Section};

    #[test]
    fn the_starter_is_a_valid_file() {
        let found = Found { command: "./my \"engine\"".into(), name: "x".into(), has_perft: false };
        for found in [None, Some(&found)] {
            let text = config(found);
            let parsed = Config::parse(Path::new("dyno.toml"), &text).unwrap();
            assert_eq!(parsed.sections().contains(&Section::Perft), found.is_none());
            assert_eq!(parsed.engine.command, found.map_or(PLACEHOLDER, |f| &f.command));
            assert!(!text.contains('{') || text.contains("options = {"), "{text}");
        }
        // What is commented out must be right as well, once somebody uncomments it.
        let all: String = config(None)
            .lines()
            .map(|line| line.strip_prefix("#: ").unwrap_or(line).to_owned() + "\n")
            .collect();
        let parsed = Config::parse(Path::new("dyno.toml"), &all).unwrap();
        assert_eq!(parsed.sections(), Section::ALL);
    }
}
