//! `dyno regress`: a project's own battery, for CI.

mod baseline;
pub mod starter;

use crate::commands::init::ci::Ci;
use crate::commands::init::find;
use crate::engine_args::{EngineArgs, engine_error};
use crate::exit::Exit;
use crate::{history, interrupt, stdout};
use anyhow::Context;
use dyno_driver::EngineSpec;
use dyno_report::regress::{annotations, html, junit, markdown, terminal};
use dyno_report::terminal::{Progress, eprintln, println};
use dyno_trials::regress::{
    self, Config, RegressError, RegressEvent, RegressPlan, RegressResult, Section, Verdict,
};
use starter::FittingBench;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  dyno regress --init                          write a starter dyno.toml and a CI workflow
  dyno regress                                 run the battery of ./dyno.toml
  dyno regress --save-baseline baseline.json   and keep what was found
  dyno regress --baseline v1.2                 against what the history knows of that tag
  dyno regress --baseline baseline.json --markdown summary.md --junit results.xml
  dyno regress --only perft,bench
  dyno regress --opponent ../main/engine       match and speed against an older version

Exit codes: 0 nothing failed, 1 something failed, 2 bad usage or dyno.toml, 3 an engine could not
be run, 130 interrupted with everything done so far reported.";

/// Run a project's own battery from dyno.toml, against a baseline, for CI
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    engine: EngineArgs,

    /// The file that says what to run
    #[arg(long, value_name = "FILE", default_value = "dyno.toml")]
    config: PathBuf,

    /// The older version for the match and for [bench] against, in place of the file's
    #[arg(long, value_name = "ENGINE")]
    opponent: Option<String>,

    /// Only these sections: perft, suite, check, bench, match
    #[arg(long, value_name = "SECTION", value_delimiter = ',')]
    only: Vec<Section>,

    /// Not these sections
    #[arg(long, value_name = "SECTION", value_delimiter = ',')]
    skip: Vec<Section>,

    /// Hold the results against an earlier battery's: a file of --save-baseline, last-pass, a commit
    /// or tag of the history, or none [default: the last of the history that passed]
    #[arg(long, value_name = "FILE|COMMIT|TAG|last-pass|none")]
    baseline: Option<String>,

    /// Keep the results as a baseline for later
    #[arg(long, value_name = "FILE")]
    save_baseline: Option<PathBuf>,

    /// Write a summary as Markdown, for a pull request or $GITHUB_STEP_SUMMARY
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,

    /// Write the findings as annotations, for a workflow of GitHub Actions to print
    #[arg(long, value_name = "FILE")]
    annotations: Option<PathBuf>,

    /// Write the results as JUnit XML
    #[arg(long, value_name = "FILE", visible_alias = "report-junit")]
    junit: Option<PathBuf>,

    /// Write a page
    #[arg(long, value_name = "FILE")]
    report_html: Option<PathBuf>,

    /// Write everything as JSON
    #[arg(long, value_name = "FILE")]
    report_json: Option<PathBuf>,

    /// Print everything as JSON on standard output
    #[arg(long)]
    json: bool,

    /// Write a starter dyno.toml and a CI workflow where they are missing, and end
    #[arg(long)]
    init: bool,

    /// With --init: overwrite files that are there
    #[arg(long, requires = "init")]
    force: bool,

    /// No progress, only the summary
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if args.init {
        return init(args);
    }
    let plan = plan(args)?;
    let files = Files::open(args)?;
    let saving = interrupt::hold();
    let result = regress::run(&plan, &mut listener(args.quiet)).map_err(|error| match error {
        RegressError::Engine(error) => engine_error(error),
        error => anyhow::anyhow!("{}: {error}", args.config.display()),
    })?;
    drop(saving);
    files.write(&result)?;
    history::keep(&result);
    if args.json {
        stdout::write_all(json(&result)?.as_bytes())?;
    } else {
        println!("{}", terminal::report(&result).trim_end());
    }
    Ok(match () {
        () if result.interrupted => Exit::Interrupted,
        () if result.count(Verdict::Fail) > 0 => Exit::Failed,
        () => Exit::Passed,
    })
}

/// Shows what is going on, and each step as it is done.
fn listener(quiet: bool) -> impl FnMut(RegressEvent<'_>) {
    let mut progress: Option<Progress> = None;
    let mut step = String::new();
    move |event| match event {
        RegressEvent::Started { steps, .. } => {
            progress = Some(Progress::new("steps", Some(steps as u64), quiet));
        }
        RegressEvent::Begun { section, name } => {
            step = if section.name() == name {
                name.into()
            } else {
                format!("{} {name}", section.name())
            };
            if let Some(progress) = &progress {
                progress.note(&step);
            }
        }
        RegressEvent::Progress(text) => {
            if let Some(progress) = &progress {
                progress.note(format!("{step}: {text}"));
            }
        }
        RegressEvent::Done(done) => {
            if let Some(progress) = &progress {
                progress.advance();
                if !quiet {
                    progress.line(terminal::step_line(done));
                }
            }
        }
    }
}

fn plan(args: &Args) -> anyhow::Result<RegressPlan> {
    let config = match Config::read(&args.config) {
        Err(regress::ConfigError::Read { path, source })
            if source.kind() == std::io::ErrorKind::NotFound =>
        {
            anyhow::bail!("no {}: `dyno regress --init` writes one to start from", path.display())
        }
        other => other?,
    };
    let folder = match args.config.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let engine = match args.engine.engines.is_empty() {
        true => args.engine.adjust(config.engine.spec(&folder).context("[engine]")?)?,
        false => args.engine.spec()?,
    };
    let opponent = args.opponent.as_deref().map(str::parse::<EngineSpec>).transpose();
    let sections = sections(args, &config)?;
    Ok(RegressPlan {
        baseline: baseline::find(args.baseline.as_deref(), &config, &folder, args.quiet)?,
        folder,
        engine,
        opponent: opponent.context("--opponent")?,
        settings: args.engine.settings()?,
        interrupts: interrupt::counter(),
        sections,
        config,
    })
}

fn sections(args: &Args, config: &Config) -> anyhow::Result<Vec<Section>> {
    let there = config.sections();
    let name = args.config.display();
    if let Some(missing) = args.only.iter().find(|section| !there.contains(section)) {
        anyhow::bail!("--only {}: {name} has no such section", missing.name());
    }
    let wanted = |section: &Section| {
        (args.only.is_empty() || args.only.contains(section)) && !args.skip.contains(section)
    };
    let sections: Vec<Section> = there.into_iter().filter(wanted).collect();
    anyhow::ensure!(!sections.is_empty(), "nothing to run: {name} has no section that is wanted");
    Ok(sections)
}

fn json(result: &RegressResult) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(result)? + "\n")
}

/// The report files, found to be writable before anything is run.
struct Files<'a>(&'a Args);

impl<'a> Files<'a> {
    fn open(args: &'a Args) -> anyhow::Result<Self> {
        let paths = [
            &args.report_json,
            &args.save_baseline,
            &args.junit,
            &args.markdown,
            &args.annotations,
            &args.report_html,
        ];
        for path in paths.into_iter().flatten() {
            let file = File::options().create(true).append(true).open(path);
            file.with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(Self(args))
    }

    fn write(&self, result: &RegressResult) -> anyhow::Result<()> {
        let args = self.0;
        for path in [&args.report_json, &args.save_baseline].into_iter().flatten() {
            replace(path, &json(result)?)?;
        }
        if let Some(path) = &args.junit {
            replace(path, &junit::report(result)?)?;
        }
        if let Some(path) = &args.report_html {
            replace(path, &html::page(result))?;
        }
        if let Some(path) = &args.annotations {
            replace(path, &annotations::report(result, &args.config))?;
        }
        match &args.markdown {
            Some(path) if is_step_summary(path) => append(path, &markdown::report(result)),
            Some(path) => replace(path, &markdown::report(result)),
            None => Ok(()),
        }
    }
}

/// Other steps of a CI job add to the same summary.
fn is_step_summary(path: &Path) -> bool {
    std::env::var_os("GITHUB_STEP_SUMMARY").is_some_and(|summary| summary == *path)
}

fn replace(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn append(path: &Path, text: &str) -> anyhow::Result<()> {
    let file = File::options().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .with_context(|| format!("cannot write {}", path.display()))
}

fn init(args: &Args) -> anyhow::Result<Exit> {
    let folder = match args.config.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let found = match args.engine.engines.first() {
        Some(engine) => {
            Some(find::Found::named(engine, &args.engine.spec()?, &args.engine.settings()?))
        }
        None => find::engines(folder, &args.engine.settings()?, args.quiet).into_iter().next(),
    };
    let settings = args.engine.settings()?;
    let new = args.force || !args.config.exists();
    let bench = found.as_ref().filter(|_| new);
    let bench = bench.and_then(|found| FittingBench::of(found, &settings, args.quiet));
    let mut files = vec![(args.config.clone(), starter::config(found.as_ref(), bench))];
    files.extend(Ci::of(folder).file(folder, found.as_ref()));
    starter::tell(&files, &starter::write_missing(&files, args.force)?);
    match &found {
        Some(found) => println!("engine: {} ({})", found.command, found.name),
        None => {
            eprintln!("No engine was found here: write its path into {}.", args.config.display())
        }
    }
    println!("Read them, then: dyno regress");
    Ok(Exit::Passed)
}
