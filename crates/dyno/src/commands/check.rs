//! `dyno check`: the whole examination of an engine, ending in a report card.

use crate::engine_args::{EngineArgs, engine_error};
use crate::exit::{Coded, Exit};
use crate::suggest::hint;
use crate::{history, interrupt, live, stdout};
use anyhow::Context;
use clap::ValueEnum;
use dyno_driver::{EngineSpec, Program, split_command_line};
use dyno_report::check::{guide, html, junit, svg, terminal};
use dyno_report::html::Column;
use dyno_report::terminal::{Progress, eprintln};
use dyno_trials::check::{
    self, CATALOGUE, CheckEvent, CheckPlan, Group, ReportCard, Verdict, find_check,
};
use dyno_web::{LiveTrial, TrialRow};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  dyno check                                   examine Piston, the built-in engine
  dyno check --engine ./my-engine
  dyno check --engine ./my-engine --profile thorough --report-html card.html --junit card.xml
  dyno check --engine ./new --engine ./old     two cards side by side
  dyno check --engine ./my-engine --only legality --only hash.by-moves
  dyno check --engine ./my-engine --wrap \"valgrind -q --error-exitcode=99\"
  dyno check --explain hash.by-moves           the rule, the usual causes, the fix

Exit codes: 0 nothing failed, 1 a check failed (or a warning, with --strict), 2 bad usage,
3 the engine could not be started, 130 interrupted with the card of what was done.";

/// How much slower programs run under valgrind, with room to spare.
const WRAPPED: f64 = 40.0;

/// Examine an engine from end to end and print its report card
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The engines, as --engine takes them
    #[arg(value_name = "ENGINE")]
    named: Vec<String>,

    #[command(flatten)]
    engine: EngineArgs,

    /// How thorough: quick (under two minutes), standard (some ten), thorough (an hour)
    #[arg(long, value_enum, default_value = "quick", value_name = "PROFILE")]
    profile: Profile,

    /// Only these checks or groups (startup, protocol, legality, hash, search, tactics, time,
    /// stability, speed), separated by commas or repeated
    #[arg(long, value_name = "CHECK|GROUP", value_delimiter = ',')]
    only: Vec<String>,

    /// Not these checks or groups
    #[arg(long, value_name = "CHECK|GROUP", value_delimiter = ',')]
    skip: Vec<String>,

    /// Run the engine under this command, for example "valgrind -q --error-exitcode=99"
    #[arg(long, value_name = "COMMAND")]
    wrap: Option<String>,

    /// How many times slower than usual the engine may be: multiplies every time limit; above 1,
    /// what depends on speed is skipped [default: 1, with --wrap 40]
    #[arg(long, value_name = "FACTOR")]
    slowness: Option<f64>,

    /// Games of self-play [default: by profile]
    #[arg(long, value_name = "N")]
    games: Option<u32>,

    /// Games at a time in self-play [default: half the processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    concurrency: Option<u32>,

    /// Decides everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Count warnings as failures
    #[arg(long)]
    strict: bool,

    /// Write the card as a page
    #[arg(long, value_name = "FILE")]
    report_html: Option<PathBuf>,

    /// Write the card as JSON
    #[arg(long, value_name = "FILE")]
    report_json: Option<PathBuf>,

    /// Write the card as JUnit XML
    #[arg(long, value_name = "FILE", visible_alias = "report-junit")]
    junit: Option<PathBuf>,

    /// Write the card as a picture
    #[arg(long, value_name = "FILE")]
    report_svg: Option<PathBuf>,

    /// Print the card as JSON instead of text
    #[arg(long)]
    json: bool,

    /// Print only the card, no progress
    #[arg(long, short)]
    quiet: bool,

    /// List all checks and end
    #[arg(long)]
    list: bool,

    /// Explain a check and end
    #[arg(long, value_name = "CHECK")]
    explain: Option<String>,

    /// Print the guide to all checks as Markdown and end
    #[arg(long, hide = true)]
    guide: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Profile {
    Quick,
    Standard,
    Thorough,
}

impl From<Profile> for check::Profile {
    fn from(profile: Profile) -> Self {
        match profile {
            Profile::Quick => check::Profile::Quick,
            Profile::Standard => check::Profile::Standard,
            Profile::Thorough => check::Profile::Thorough,
        }
    }
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if let Some(text) = texts(args)? {
        stdout::text(&text)?;
        return Ok(Exit::Passed);
    }
    for name in args.only.iter().chain(&args.skip) {
        known(name)?;
    }
    let files = Files::open(args)?;
    let (cards, failure) = examine_all(args)?;
    if cards.is_empty()
        && let Some(error) = failure
    {
        return Err(error);
    }
    files.write(&cards)?;
    if history::is_on() {
        history::keep_text(json(&cards)?);
    }
    if args.json {
        stdout::write_all(json(&cards)?.as_bytes())?;
    } else if let [card] = &cards[..] {
        stdout::text(&terminal::card(card))?;
    } else {
        for card in &cards {
            stdout::text(&terminal::card(card))?;
        }
        stdout::text(&terminal::side_by_side(&cards))?;
    }
    match failure {
        Some(error) if !cards.iter().any(|card| card.interrupted) => Err(error),
        _ => Ok(verdict(&cards, args.strict)),
    }
}

/// Every engine's card. One that cannot be started does not cost the others theirs: the first
/// such failure is kept for the end.
fn examine_all(args: &Args) -> anyhow::Result<(Vec<ReportCard>, Option<anyhow::Error>)> {
    let mut engines = args.engine.clone();
    engines.engines.splice(0..0, args.named.iter().cloned());
    let specs = engines.specs()?;
    let several = specs.len() > 1;
    let (mut cards, mut failure) = (Vec::new(), None);
    for spec in specs {
        match examine(&plan(args, spec)?, args) {
            Ok(card) => {
                let interrupted = card.interrupted;
                cards.push(card);
                if interrupted {
                    break;
                }
            }
            Err(error) => {
                if several {
                    eprintln!("{error:#}");
                }
                let coded = error.downcast_ref::<Coded>();
                let interrupted = coded.is_some_and(|coded| coded.exit == Exit::Interrupted);
                failure = failure.or(Some(error));
                if interrupted {
                    break;
                }
            }
        }
    }
    Ok((cards, failure))
}

/// The answers that need no engine.
fn texts(args: &Args) -> anyhow::Result<Option<String>> {
    if args.guide {
        return Ok(Some(guide::page()));
    }
    if let Some(id) = &args.explain {
        known(id)?;
        let found = find_check(id).map(guide::explain);
        let group = || {
            let of_group = CATALOGUE.iter().filter(|check| check.is_named(id));
            of_group.map(guide::explain).collect::<Vec<_>>().join("\n")
        };
        return Ok(Some(found.unwrap_or_else(group)));
    }
    if args.list {
        let lines = CATALOGUE.iter().map(|check| format!("{:<34} {}\n", check.id, check.title));
        return Ok(Some(lines.collect()));
    }
    Ok(None)
}

fn known(name: &str) -> anyhow::Result<()> {
    if CATALOGUE.iter().any(|check| check.is_named(name)) {
        return Ok(());
    }
    let names = CATALOGUE.iter().map(|c| c.id).chain(Group::ALL.into_iter().map(Group::name));
    anyhow::bail!(
        "no check or group is called {name:?}{} (see dyno check --list)",
        hint(name, names)
    )
}

fn plan(args: &Args, mut spec: EngineSpec) -> anyhow::Result<CheckPlan> {
    if let Some(wrap) = &args.wrap {
        wrap_in(&mut spec, wrap)?;
    }
    let usual = if args.wrap.is_some() { WRAPPED } else { 1.0 };
    let slowness = args.slowness.unwrap_or(usual);
    anyhow::ensure!(
        (1.0..=1000.0).contains(&slowness),
        "--slowness wants a number from 1 to 1000, not {slowness}"
    );
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    Ok(CheckPlan {
        engine: spec,
        settings: args.engine.settings()?,
        profile: args.profile.into(),
        only: args.only.clone(),
        skip: args.skip.clone(),
        seed: args.seed,
        concurrency: args.concurrency.map_or((cores / 2).max(1), |n| n as usize),
        games: args.games,
        slowness,
    })
}

/// `valgrind ENGINE ARGS` instead of `ENGINE ARGS`.
fn wrap_in(spec: &mut EngineSpec, wrap: &str) -> anyhow::Result<()> {
    let mut words = split_command_line(wrap).context("--wrap")?.into_iter();
    let program = words.next().context("--wrap is empty")?;
    let mut args: Vec<String> = words.collect();
    match &spec.program {
        Program::Builtin => {
            let own = std::env::current_exe().context("cannot find this program's own file")?;
            args.push(own.display().to_string());
            args.push("engine".into());
        }
        Program::Path(path) => {
            let found = dyno_driver::find_program(path).unwrap_or_else(|| path.clone());
            args.push(found.display().to_string());
        }
    }
    args.append(&mut spec.args);
    spec.args = args;
    spec.program = Program::Path(program.into());
    Ok(())
}

fn examine(plan: &CheckPlan, args: &Args) -> anyhow::Result<ReportCard> {
    let _saving = interrupt::hold();
    let mut progress: Option<Progress> = None;
    let mut done = 0;
    let live = LiveTrial::new("check", "dyno check", "checks");
    live.columns([Column::text("What"), Column::number("Seconds")]);
    let _told = live::publish(live.clone());
    let card = check::run(plan, |event| match event {
        CheckEvent::Started { engine, checks } => {
            if !args.quiet {
                eprintln!("examining {} ({})", engine.name, engine.command);
            }
            progress = Some(Progress::new("checks", Some(checks as u64), args.quiet));
            live.begin(&engine.name, Some(checks as u64));
        }
        CheckEvent::Begun(check) => {
            live.now(check.id);
            if let Some(progress) = &progress {
                progress.note(check.id);
            }
        }
        CheckEvent::Done(result) => {
            done += 1;
            let verdict = result.outcome.verdict;
            live.done(TrialRow {
                name: result.id.clone(),
                verdict: Some(verdict),
                counts_as: counts_as(verdict),
                cells: vec![result.title.clone(), format!("{:.1}", result.seconds)],
            });
            if let Some(progress) = &progress {
                progress.set(done);
            }
        }
    });
    if let Some(progress) = progress {
        progress.finish();
    }
    live.end();
    card.map_err(engine_error)
}

fn counts_as(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "passed",
        Verdict::Warn => "warnings",
        Verdict::Fail => "failed",
        Verdict::Skip => "skipped",
    }
}

fn verdict(cards: &[ReportCard], strict: bool) -> Exit {
    let any = |verdict| cards.iter().any(|card| card.count(verdict) > 0);
    if cards.iter().any(|card| card.interrupted) {
        Exit::Interrupted
    } else if any(Verdict::Fail) || (strict && any(Verdict::Warn)) {
        Exit::Failed
    } else {
        Exit::Passed
    }
}

fn json(cards: &[ReportCard]) -> anyhow::Result<String> {
    let text = match cards {
        [card] => serde_json::to_string_pretty(card),
        _ => serde_json::to_string_pretty(cards),
    };
    Ok(text.context("the card cannot be written as JSON")? + "\n")
}

/// The reports, opened before the examination begins, so that an unwritable path fails early.
struct Files(Vec<(std::fs::File, PathBuf, Render)>);

type Render = fn(&[ReportCard]) -> anyhow::Result<String>;

impl Files {
    fn open(args: &Args) -> anyhow::Result<Files> {
        let wanted: [(&Option<PathBuf>, Render); 4] = [
            (&args.report_html, |cards| Ok(html::page(cards))),
            (&args.report_json, json),
            (&args.junit, |cards| Ok(junit(cards)?)),
            (&args.report_svg, |cards| cards.first().map(svg).context("no card")),
        ];
        let mut files = Vec::new();
        for (path, render) in wanted {
            if let Some(path) = path {
                let file = std::fs::File::create(path)
                    .with_context(|| format!("cannot write {}", path.display()))?;
                files.push((file, path.clone(), render));
            }
        }
        Ok(Files(files))
    }

    fn write(self, cards: &[ReportCard]) -> anyhow::Result<()> {
        use std::io::Write as _;
        for (mut file, path, render) in self.0 {
            file.write_all(render(cards)?.as_bytes()).map_err(|error| Coded {
                exit: Exit::Usage,
                message: format!("cannot write {}: {error}", path.display()),
            })?;
        }
        Ok(())
    }
}
