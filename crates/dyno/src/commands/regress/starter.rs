//! The files that `dyno regress --init` and `dyno init` write to start from.

use crate::commands::init::ci;
use crate::commands::init::find::Found;
use anyhow::Context;
use dyno_driver::{Go, Settings};
use dyno_report::terminal::{Progress, println};
use dyno_trials::bench::{self, BenchPlan, EngineBench, PositionList, Task, builtin_positions};
use std::path::{Path, PathBuf};
use std::time::Duration;

const CONFIG: &str = include_str!("starter.toml");

/// The path that stands where no engine was found.
const PLACEHOLDER: &str = "./build/engine";

const PERFT: &str = "[perft]\nsuite = \"standard\"\nmax_nodes = 50000\nusual = false";

/// What each position of the suite may take.
const SUITE_NODES: u64 = 20_000;

/// A commented `dyno.toml` for an engine, with a bench that fits it.
pub fn config(found: Option<&Found>, bench: Option<FittingBench>) -> String {
    let command = found.map_or(PLACEHOLDER, |found| &found.command);
    let perft = match found.is_none_or(|found| found.has_perft) {
        true => PERFT.to_owned(),
        false => {
            let off = PERFT.replace('\n', "\n# ");
            format!(
                "# The engine has no perft command that Dyno knows, so this section is off.\n# {off}"
            )
        }
    };
    let depth = bench.map_or(8, |bench| bench.depth);
    let signature = match bench {
        Some(FittingBench { signature: Some(nodes), .. }) => format!("signature = {nodes}"),
        Some(_) => "# The node counts differ from run to run, so there is no signature to pin.\n#: signature = \"baseline\"".to_owned(),
        None => "#: signature = \"baseline\"".to_owned(),
    };
    // An engine that goes on past its nodes would sit out every deadline of the suite.
    let suite_limit = match bench {
        Some(FittingBench { keeps_nodes: false, depth, .. }) => {
            format!(
                "# The engine does not keep `go nodes`, so it is asked by depth.\ndepth = {depth}"
            )
        }
        _ => format!("nodes = {SUITE_NODES}"),
    };
    CONFIG
        .replace("{COMMAND}", &quoted(command))
        .replace("{PERFT}", &perft)
        .replace("{SUITE_LIMIT}", &suite_limit)
        .replace("{DEPTH}", &depth.to_string())
        .replace("{SIGNATURE}", &signature)
}

/// A bench that takes an engine about two seconds a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FittingBench {
    /// How deep.
    pub depth: u32,
    /// The sum of nodes, where two runs agree.
    pub signature: Option<u64>,
    /// Whether a search by nodes ends near its limit.
    pub keeps_nodes: bool,
}

/// A run should last this long: enough for a speed, little enough for every commit.
const RUN: Duration = Duration::from_secs(2);

impl FittingBench {
    /// Measures an engine, deeper and deeper; `None` where it does not search by depth.
    pub fn of(found: &Found, settings: &Settings, quiet: bool) -> Option<Self> {
        let progress = Progress::new("plies deep", None, quiet);
        progress.note("a bench that fits the engine's speed");
        let search = |list: PositionList, limit: Go, runs: u32| {
            let plan = BenchPlan {
                engines: vec![found.spec.clone()],
                settings: settings.clone(),
                task: Task::Search { list, limit: Box::new(limit) },
                runs,
                until: None,
                patience: 5 * RUN,
            };
            let result = bench::run(&plan, &mut |_| {}).ok()?;
            result.engines.into_iter().next().filter(|engine| engine.failures() == 0)
        };
        let measure = |depth: u32, runs: u32| {
            progress.set(u64::from(depth));
            search(builtin_positions(), Go::depth(depth), runs)
        };
        // By processor time, where the system tells it: a busy machine is not a slow engine.
        let time = |engine: &EngineBench| {
            engine.runs.first().map_or(0.0, |run| run.cpu_ms.unwrap_or(run.time_ms))
        };
        let (mut depth, mut before) = (3, 0.0);
        loop {
            let taken = time(&measure(depth, 1)?);
            // The next depth would take about as many times longer again.
            let growth = if before > 0.0 { (taken / before).max(1.5) } else { 2.0 };
            if taken * growth > RUN.as_secs_f64() * 1.5e3 || depth >= 30 {
                break;
            }
            (depth, before) = (depth + 1, taken);
        }
        let signature = measure(depth, 2)?.signature;
        let mut one = builtin_positions();
        one.positions.truncate(1);
        let by_nodes = search(one, Go::nodes(SUITE_NODES), 1);
        let counted = by_nodes.and_then(|engine| engine.runs.first().map(|run| run.nodes));
        let keeps_nodes = counted.is_some_and(|nodes| nodes <= 2 * SUITE_NODES);
        Some(Self { depth, signature, keeps_nodes })
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
        let spec = dyno_driver::EngineSpec::program("engine");
        let command = "./my \"engine\"".into();
        let found = Found { command, name: "x".into(), has_perft: false, spec };
        let fitting =
            |signature, keeps_nodes| Some(FittingBench { depth: 11, signature, keeps_nodes });
        for (found, bench) in [
            (None, None),
            (Some(&found), fitting(Some(7), true)),
            (Some(&found), fitting(None, false)),
        ] {
            let text = config(found, bench);
            let parsed = Config::parse(Path::new("dyno.toml"), &text).unwrap();
            assert_eq!(parsed.sections().contains(&Section::Perft), found.is_none());
            assert_eq!(parsed.engine.command, found.map_or(PLACEHOLDER, |f| &f.command));
            let by_nodes = bench.is_none_or(|bench| bench.keeps_nodes);
            assert_eq!(parsed.suites[0].nodes, by_nodes.then_some(SUITE_NODES));
            assert_eq!(parsed.suites[0].depth, (!by_nodes).then_some(11));
            assert!(!text.contains('{') || text.contains("options = {"), "{text}");
        }
        // What is commented out must be right as well, once uncommented.
        let all: String = config(None, None)
            .lines()
            .map(|line| line.strip_prefix("#: ").unwrap_or(line).to_owned() + "\n")
            .collect();
        let parsed = Config::parse(Path::new("dyno.toml"), &all).unwrap();
        assert_eq!(parsed.sections(), Section::ALL);
    }
}
