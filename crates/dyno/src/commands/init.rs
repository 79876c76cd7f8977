//! `dyno init`: from an engine's folder to its first report card.

pub mod ci;
pub mod find;

use crate::cli::Cli;
use crate::commands::regress::starter::{self, FittingBench, Written, quoted};
use crate::engine_args::EngineArgs;
use crate::exit::Exit;
use ci::Ci;
use clap::Parser as _;
use dyno_report::terminal::println;
use find::Found;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  cd my-engine && dyno init               find the engine, write the files, examine it
  dyno init --engine \"./engine --uci\"     this engine
  dyno init --no-check                    only write the files
  dyno init --ci gitlab                   with a job for GitLab, not a workflow for GitHub

Programs are looked for in this folder and in target/release, build, bin, src and their like; only
native programs are tried, never scripts. Files that are there already are kept; --force overwrites
them.

Exit codes: 0 done, 1 the quick check failed, 2 bad usage or a file that cannot be written, 3 no
engine was found or it could not be run.";

/// Set Dyno up in an engine's folder: engines.toml, dyno.toml, a CI workflow, the first check
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    engine: EngineArgs,

    /// The engine's folder
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,

    /// The CI server to write a file for; unless told, GitLab's where the folder shows it, else
    /// GitHub's
    #[arg(long, value_enum, value_name = "SERVER")]
    ci: Option<Ci>,

    /// Overwrite files that are there already
    #[arg(long)]
    force: bool,

    /// Do not examine the engine
    #[arg(long)]
    no_check: bool,

    /// Print what was found and written as JSON, and do not examine the engine
    #[arg(long)]
    json: bool,

    /// No progress
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    anyhow::ensure!(args.folder.is_dir(), "{} is not a folder", args.folder.display());
    let settings = args.engine.settings()?;
    let found = match args.engine.engines.as_slice() {
        [] => find::engines(&args.folder, &settings, args.quiet),
        engines => {
            let specs = args.engine.specs()?;
            engines.iter().zip(&specs).map(|(e, s)| Found::named(e, s, &settings)).collect()
        }
    };
    let Some(first) = found.first() else {
        return Err(crate::exit::Coded {
            exit: Exit::Engine,
            message: nothing_found(&args.folder),
        }
        .into());
    };
    let config = starter::inside(&args.folder, "dyno.toml");
    let bench = match args.force || !config.exists() {
        true => FittingBench::of(first, &settings, args.quiet),
        false => None,
    };
    let mut files = vec![
        (starter::inside(&args.folder, "engines.toml"), engines_file(&found)),
        (config, starter::config(Some(first), bench)),
    ];
    let server = args.ci.unwrap_or_else(|| Ci::of(&args.folder));
    files.extend(server.file(&args.folder, Some(first)));
    let written = starter::write_missing(&files, args.force)?;
    if args.json {
        let engines = found.iter().zip(names(&found)).map(|(engine, name)| {
            serde_json::json!({ "name": name, "command": engine.command, "id": engine.name })
        });
        let those = |wanted: Written| {
            let with = files.iter().zip(&written).filter(move |(_, became)| **became == wanted);
            with.map(|((path, _), _)| path.display().to_string()).collect::<Vec<_>>()
        };
        crate::stdout::json(&serde_json::json!({
            "schema": 1,
            "dyno_version": env!("CARGO_PKG_VERSION"),
            "engines": engines.collect::<Vec<_>>(),
            "files": those(Written::Wrote),
            "kept": those(Written::Kept),
        }))?;
        return Ok(Exit::Passed);
    }
    for engine in &found {
        println!("found {}: {}", engine.command, engine.name);
    }
    if found.len() > 1 {
        println!("dyno.toml tests the newest, {}; engines.toml lists all.", first.command);
    }
    starter::tell(&files, &written);
    let name = &names(&found)[0];
    if args.no_check {
        println!("Next: dyno check --engine {name}, then dyno regress");
        return Ok(Exit::Passed);
    }
    println!("\ndyno check --engine {name}\n");
    examine(name, &files[0].0, args.quiet)
}

/// The quick check, as the user would run it.
fn examine(name: &str, engines_file: &Path, quiet: bool) -> anyhow::Result<Exit> {
    let file = engines_file.as_os_str();
    let mut words: Vec<&std::ffi::OsStr> =
        ["dyno", "check", "--engine", name].map(AsRef::as_ref).into();
    words.extend(["--engines-file".as_ref(), file]);
    words.extend(quiet.then_some::<&std::ffi::OsStr>("--quiet".as_ref()));
    super::run(Cli::try_parse_from(words)?.command)
}

fn nothing_found(folder: &Path) -> String {
    let nothing = format!(
        "no engine in {}: no native program in it, or in target/release, build, bin, src and their \
         like, answers `uci`",
        folder.display()
    );
    match &find::scripts(folder)[..] {
        [] => format!(
            "{nothing}. Build the engine first, or name it: dyno init --engine ./path/to/engine"
        ),
        scripts => {
            let shown: Vec<String> = scripts
                .iter()
                .take(3)
                .map(|script| format!("dyno init --engine \"{script}\""))
                .collect();
            format!("{nothing}. Scripts are not tried unasked; perhaps: {}", shown.join(", or "))
        }
    }
}

/// A name for each engine, fit for a command line: that of its program, told apart by number.
fn names(found: &[Found]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for engine in found {
        let program = engine.command.split_whitespace().next().unwrap_or("engine");
        let stem = Path::new(program).file_stem().map(|s| s.to_string_lossy().into_owned());
        let stem = stem.filter(|s| s != "builtin").unwrap_or_else(|| "engine".to_owned());
        let namesakes = names.iter().filter(|n| **n == stem || n.starts_with(&format!("{stem}-")));
        let number = namesakes.count() + 1;
        names.push(if number == 1 { stem } else { format!("{stem}-{number}") });
    }
    names
}

fn engines_file(found: &[Found]) -> String {
    let mut text = "\
# Engines by name: `dyno check --engine NAME`, and so on. Paths are relative to the folder of this
# file. Other keys: args, dir, env, protocol (uci or xboard), init.
"
    .to_owned();
    for (engine, name) in found.iter().zip(names(found)) {
        let _ = write!(
            text,
            "\n# {}\n[[engine]]\nname = {}\ncommand = {}\n# options = {{ Hash = 16 }}\n",
            engine.name.replace(char::is_control, " "),
            quoted(&name),
            quoted(&engine.command)
        );
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn found(command: &str) -> Found {
        let spec = dyno_driver::EngineSpec::program(command);
        Found { command: command.into(), name: "A\n[[engine]]".into(), has_perft: true, spec }
    }

    #[test]
    fn the_file_of_engines_reads_back() {
        let all = [found("./my \"engine\""), found("target/release/x"), found("build/x")];
        let file = std::env::temp_dir().join(format!("dyno-init-{}.toml", std::process::id()));
        std::fs::write(&file, engines_file(&all)).unwrap();
        let read = dyno_driver::read_engines(&file);
        std::fs::remove_file(&file).unwrap();
        let read = read.unwrap();
        let names: Vec<_> = read.iter().map(|e| e.name.clone().unwrap()).collect();
        assert_eq!(names, ["my", "x", "x-2"]);
    }
}
