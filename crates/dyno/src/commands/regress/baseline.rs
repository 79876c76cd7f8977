//! What a battery is held against: a file, or an earlier battery of the history.

use crate::history::{self, provenance};
use anyhow::Context as _;
use dyno_driver::SCHEMA;
use dyno_report::terminal::eprintln;
use dyno_store::{Ending, Filter, History, Run};
use dyno_trials::regress::{Config, RegressResult};
use std::path::Path;

/// The baseline that a word means: a file of `--save-baseline`, `last-pass`, a commit, a tag, a
/// branch or a run of the history, or `none`. Without a word, the last battery that passed.
pub fn find(
    word: Option<&str>,
    config: &Config,
    folder: &Path,
    quiet: bool,
) -> anyhow::Result<Option<RegressResult>> {
    match word {
        Some("none") => Ok(None),
        Some(file) if Path::new(file).is_file() => read_file(Path::new(file)).map(Some),
        Some("last-pass") => {
            let found = last_pass(&open()?, config)?;
            let found =
                found.context("--baseline last-pass: no battery like this has passed yet")?;
            tell(&found, quiet);
            of_run(&found).map(Some)
        }
        Some(word) => {
            let found = named(&open()?, word, config, folder)?;
            tell(&found, quiet);
            of_run(&found).map(Some)
        }
        None => Ok(usual(config, quiet)),
    }
}

/// It was not asked for, so whatever is wrong with the history is not an error here.
fn usual(config: &Config, quiet: bool) -> Option<RegressResult> {
    let found = last_pass(&open().ok()?, config).ok()??;
    let baseline = of_run(&found).ok()?;
    tell(&found, quiet);
    Some(baseline)
}

fn open() -> anyhow::Result<History> {
    let path =
        history::path().context("--baseline: DYNO_HISTORY=off, and there is no such file")?;
    Ok(History::open_existing(&path)?)
}

fn tell(run: &Run, quiet: bool) {
    if !quiet {
        let build = run.builds.first().map(|part| part.build.label()).unwrap_or_default();
        eprintln!(
            "held against run {} of build {build}; --baseline none does without",
            run.id.short()
        );
    }
}

fn batteries(history: &History, ending: Option<Ending>) -> anyhow::Result<Vec<Run>> {
    let filter = Filter { kind: Some("regress".into()), ending, ..Filter::default() };
    Ok(history.runs(&filter)?)
}

/// Batteries of another `dyno.toml` or another machine have other figures.
fn is_alike(run: &Run, config: &Config) -> bool {
    run.plan["work"] == config.work() && run.machine.name == provenance::host_name()
}

fn last_pass(history: &History, config: &Config) -> anyhow::Result<Option<Run>> {
    let passed = batteries(history, Some(Ending::Passed))?;
    let latest = passed.into_iter().find(|run| is_alike(run, config));
    Ok(latest.map(|run| history.run(&run.id.to_string())).transpose()?)
}

/// The latest battery of a commit, or the run of that name.
fn named(history: &History, word: &str, config: &Config, folder: &Path) -> anyhow::Result<Run> {
    let commit = provenance::commit_of(folder, word).unwrap_or_else(|| word.to_owned());
    let of_commit = |run: &Run| {
        run.builds.first().is_some_and(|part| part.build.commit.starts_with(commit.as_str()))
    };
    let mut finished = batteries(history, None)?;
    finished.retain(|run| of_commit(run) && matches!(run.ending, Ending::Passed | Ending::Failed));
    // A battery that passed, of a clean tree, says most.
    finished.sort_by_key(|run| {
        let dirty = run.builds.first().is_some_and(|part| part.build.dirty);
        (run.ending != Ending::Passed, dirty, std::cmp::Reverse(run.started_ms))
    });
    if let Some(alike) = finished.iter().find(|run| is_alike(run, config)) {
        return Ok(history.run(&alike.id.to_string())?);
    }
    anyhow::ensure!(
        finished.is_empty(),
        "--baseline {word}: its batteries were run with another dyno.toml or on another machine"
    );
    let run = history.run(word).ok().filter(|run| run.kind == "regress");
    run.with_context(|| {
        format!(
            "--baseline {word}: no such file, and no battery of that commit, tag or name in {} \
             (dyno history --kind regress lists them)",
            history.path().display()
        )
    })
}

fn of_run(run: &Run) -> anyhow::Result<RegressResult> {
    let detail = run.detail.clone().context("its details have been pruned")?;
    serde_json::from_value(detail).with_context(|| format!("run {} of the history", run.id.short()))
}

fn read_file(path: &Path) -> anyhow::Result<RegressResult> {
    let name = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    let result: RegressResult = serde_json::from_str(&text)
        .with_context(|| format!("{name} is not a baseline of `dyno regress --save-baseline`"))?;
    anyhow::ensure!(
        result.header.schema <= SCHEMA,
        "{name} has schema {}, which this version of Dyno does not know: save a new baseline",
        result.header.schema
    );
    Ok(result)
}
