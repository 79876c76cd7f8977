//! The files that `dyno regress --init` and `dyno init` write to start from.

use crate::commands::init::find::Found;
use anyhow::Context;
use std::path::{Path, PathBuf};

const CONFIG: &str = include_str!("starter.toml");
const WORKFLOW: &str = include_str!("workflow.yml");

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

/// A workflow for GitHub Actions that builds the engine and runs the battery.
pub fn workflow(folder: &Path, found: Option<&Found>) -> String {
    let command = found.map_or(PLACEHOLDER, |found| &found.command);
    let path = command.trim_start_matches("./");
    WORKFLOW.replace("{BUILD}", build_command(folder)).replace("{ENGINE}", path)
}

/// How a project of this kind is built.
fn build_command(folder: &Path) -> &'static str {
    let has = |name: &str| folder.join(name).exists();
    match () {
        () if has("Cargo.toml") => "cargo build --release",
        () if has("Makefile") || has("makefile") || has("GNUmakefile") => "make",
        () if has("src/Makefile") || has("src/makefile") => "make -C src",
        () if has("CMakeLists.txt") => {
            "cmake -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build"
        }
        () if has("meson.build") => "meson setup build --buildtype=release && ninja -C build",
        () if has("go.mod") => "go build",
        () => "make # write here how the engine is built",
    }
}

/// A TOML string.
pub fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// A file of a folder, without a `./` that says nothing.
pub fn inside(folder: &Path, name: &str) -> PathBuf {
    if folder == Path::new(".") { PathBuf::from(name) } else { folder.join(name) }
}

/// Writes all files or none: nothing that is there is overwritten unless asked for.
pub fn write_all(files: &[(PathBuf, String)], force: bool) -> anyhow::Result<()> {
    let there: Vec<String> = files
        .iter()
        .filter(|(path, _)| path.exists())
        .map(|(path, _)| path.display().to_string())
        .collect();
    anyhow::ensure!(
        there.is_empty() || force,
        "{} {} there already: --force overwrites",
        there.join(", "),
        if there.len() == 1 { "is" } else { "are" }
    );
    for (path, text) in files {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        }
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
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

    #[test]
    fn the_workflow_has_no_gaps() {
        let text = workflow(Path::new(env!("CARGO_MANIFEST_DIR")), None);
        assert!(text.contains("cargo build --release") && text.contains("build/engine"));
        assert!(!text.contains("{BUILD}") && !text.contains("{ENGINE}"));
    }
}
