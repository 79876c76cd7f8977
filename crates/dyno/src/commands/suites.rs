//! `dyno suites`: the data that comes with Dyno, listed and exported.

use crate::exit::Exit;
use crate::stdout;
use crate::suggest::hint;
use anyhow::Context as _;
use dyno_report::row;
use dyno_report::terminal::{self, Table, left, right};
use dyno_trials::{BUILTIN_SUITES, BuiltinSuite};
use serde::Serialize;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  dyno suites                              list them
  dyno suites wac > wac.epd                print one
  dyno suites --export suites/             write all of them into a folder
  dyno suites standard --export suites/    write one
  dyno suites --json                       the list, for programs";

/// List or export the suites that come with Dyno
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Print this suite instead of the list
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// Write the suite, or all of them, into a folder
    #[arg(long, value_name = "DIR")]
    export: Option<PathBuf>,

    /// Replace files that are already there
    #[arg(long, requires = "export")]
    force: bool,

    /// Print the list as JSON
    #[arg(long, conflicts_with = "export")]
    json: bool,
}

/// A suite as programs see it.
#[derive(Debug, Serialize)]
struct Listed {
    name: &'static str,
    kind: &'static str,
    positions: usize,
    what: &'static str,
    origin: &'static str,
}

#[derive(Debug, Serialize)]
struct List {
    schema: u32,
    suites: Vec<Listed>,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let chosen: Vec<&BuiltinSuite> = match &args.name {
        Some(name) => vec![find(name)?],
        None => BUILTIN_SUITES.iter().collect(),
    };
    if args.json {
        let suites = chosen.iter().map(|suite| Listed {
            name: suite.name,
            kind: suite.kind.name(),
            positions: suite.positions(),
            what: suite.title,
            origin: suite.origin,
        });
        stdout::json(&List { schema: 1, suites: suites.collect() })?;
        return Ok(Exit::Passed);
    }
    match (&args.export, &args.name) {
        (Some(folder), _) => export(&chosen, folder, args.force)?,
        (None, Some(_)) => {
            for suite in chosen {
                stdout::write_all(suite.text.as_bytes())?;
            }
        }
        (None, None) => list(&chosen),
    }
    Ok(Exit::Passed)
}

fn find(name: &str) -> anyhow::Result<&'static BuiltinSuite> {
    BUILTIN_SUITES.iter().find(|suite| suite.is_named(name)).with_context(|| {
        let names: Vec<&str> = BUILTIN_SUITES.iter().map(|suite| suite.name).collect();
        let near = hint(name, names.iter().copied());
        format!("no suite is called \"{name}\"; there are {}{near}", names.join(", "))
    })
}

fn list(suites: &[&BuiltinSuite]) {
    let heads = [left("name"), left("kind"), right("positions"), left("what"), left("origin")];
    let mut table = Table::new(heads);
    for suite in suites {
        let positions = suite.positions() as u64;
        table.push(row![suite.name, suite.kind.name(), positions, suite.title, suite.origin]);
    }
    terminal::print!("{table}");
}

fn export(suites: &[&BuiltinSuite], folder: &PathBuf, force: bool) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    for suite in suites {
        let path = folder.join(format!("{}-{}.epd", suite.kind.name(), suite.name));
        anyhow::ensure!(
            force || !path.exists(),
            "{} is already there; --force replaces it",
            path.display()
        );
        std::fs::write(&path, suite.text)
            .with_context(|| format!("cannot write {}", path.display()))?;
        terminal::eprintln!("{}", path.display());
    }
    Ok(())
}
