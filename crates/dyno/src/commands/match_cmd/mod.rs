//! `dyno match`: engine against engine, in the dialect of cutechess-cli and fastchess.

mod crc32;
mod dialect;
mod draft;
mod engine_words;
mod events_file;
mod fastchess;
mod flags;
mod help;
mod journal_path;
mod keys;
mod request;
mod resume;
mod settings;
mod terminal;
mod words;

use crate::engine_args::engine_error;
use crate::exit::{Coded, Exit, is_disk_full};
use crate::{cluster, history, interrupt, live, stdout, version};
use anyhow::Context;
use dyno_driver::Log;
use dyno_report::terminal::{Progress, eprintln};
use dyno_stats::SprtVerdict;
use dyno_tournament::{
    ClusterPlan, Control, Ending, Fanout, GameRecord, JournalError, MatchError, Order, Output,
    OutputError, Plan, Setup, Summary,
};
use dyno_web::{LiveMatch, Server, Site};
use events_file::EventsFile;
use request::{JournalChoice, LogChoice, LogLevel, Reports, Request};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use terminal::Terminal;

/// Everything after `dyno match`, word for word.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true, override_help = help::text())]
pub struct Args {
    /// Options in the dialect of cutechess-cli and fastchess; `dyno match --help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
    words: Vec<String>,
}

/// The plan that words in the dialect describe, for commands whose games are a match's.
pub fn plan_of(words: &[String]) -> anyhow::Result<Plan> {
    let mut request = dialect::parse(words)?;
    request.plan.name_engines();
    Ok(request.plan)
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut request = dialect::parse(&args.words)?;
    if request.help || args.words.is_empty() {
        let is_short = args.words.is_empty() || args.words.iter().any(|word| word == "-h");
        let text = if is_short { help::short_text() } else { help::text() };
        stdout::write_all(text.as_bytes())?;
        return Ok(if request.help { Exit::Passed } else { Exit::Usage });
    }
    if request.version {
        stdout::write_all(format!("dyno {}\n", version::VERSION).as_bytes())?;
        return Ok(Exit::Passed);
    }
    if request.list_engines {
        for name in dyno_driver::engine_names()? {
            stdout::write_all(format!("{name}\n").as_bytes())?;
        }
        return Ok(Exit::Passed);
    }
    if request.resume.is_some() {
        return resume(&request);
    }
    let servers = cluster::resolve(&mut request.plan)?;
    let renamed = request.plan.name_engines();
    request.plan.check()?;
    if request.print_plan {
        let text = toml::to_string(&request.plan).context("the plan cannot be written as TOML")?;
        stdout::write_all(text.as_bytes())?;
        return Ok(Exit::Passed);
    }
    if request.plan.engines.iter().any(|engine| engine.spec.jail) {
        crate::jail::require()?;
    }
    start(&request, &renamed, servers)
}

fn start(
    request: &Request,
    renamed: &[(String, String)],
    servers: Option<ClusterPlan>,
) -> anyhow::Result<Exit> {
    let plan = &request.plan;
    let mut terminal = Terminal::new(request, plan)?;
    for (from, to) in renamed {
        terminal.note(&format!("two engines are called {from}: the later one is shown as {to}"));
    }
    if request.fresh_seed && plan.openings.order == Order::Random {
        terminal.note(&format!("seed {0}: -srand {0} plays the same openings again", plan.seed));
    }
    let carried: u64 = plan.carried.iter().map(|carried| carried.tally.games()).sum();
    if carried > 0 {
        terminal.note(&format!("going on after {carried} games of another tool's file; from here on the journal keeps the match"));
    }
    let (journal, notes) = journal_path::choose(request);
    notes.iter().for_each(|note| terminal.note(note));
    let control = Control::new(interrupt::counter(), plan.machine.concurrency);
    // A journal that was named stays what and where it is.
    let archive = request.journal == JournalChoice::Usual;
    let setup = Setup { journal, archive, log: open_log(request)?, ..Setup::new(&control) };
    let status = terminal.status();
    let live = LiveMatch::new(plan, &control);
    let page = open_page(request, &live)?;
    let told = live::publish(live.clone());
    let mut fanout = listeners(terminal, open_events(request)?);
    if page.is_some() || told.is_some() {
        fanout = fanout.threaded(live);
    }
    let (setup, fanout) = cluster::place(setup, fanout, plan, servers, request.quiet)?;
    let outcome = with_keys(&control, &status, || dyno_tournament::run(plan, setup, fanout));
    finish(outcome, request, &request.reports)
}

fn resume(request: &Request) -> anyhow::Result<Exit> {
    let mut path = journal_path::to_resume(request)?;
    replay_workers(request, &path)?;
    let (header, _) = dyno_tournament::Journal::read(&path, |_| {}).map_err(coded)?;
    let away = header.away_from(&path);
    let mut plan = header.plan;
    resume::check(request, &plan)?;
    let kept_out = plan.cluster.as_ref().map(|cluster| cluster.exclude.clone());
    resume::adjust(&mut plan, request);
    if away.is_some() {
        // What is named now is relative to the present folder.
        make_absolute(&mut plan.output, request)?;
    }
    let mut servers = cluster::resolve(&mut plan)?;
    for cluster in servers.iter_mut().chain(&mut plan.cluster) {
        cluster.exclude.extend(kept_out.iter().flatten().chain(&request.replay_workers).cloned());
        cluster.exclude.sort();
        cluster.exclude.dedup();
    }
    let log = open_log(request)?;
    let mut terminal = Terminal::new(request, &plan)?;
    let events = open_events(request)?;
    let reports = request.reports.absolute()?;
    if let Some(folder) = away {
        path = std::path::absolute(path)?;
        // Relative paths of the plan start there.
        match std::env::set_current_dir(&folder) {
            Ok(()) => terminal.note(&format!("going on in {}", folder.display())),
            Err(error) => terminal.note(&format!(
                "the match was started in {}, which cannot be entered ({error}): its relative paths are taken from here",
                folder.display()
            )),
        }
    }
    let control = Control::new(interrupt::counter(), plan.machine.concurrency);
    let setup = Setup { log, ..Setup::new(&control) };
    let status = terminal.status();
    let live = LiveMatch::new(&plan, &control);
    let page = open_page(request, &live)?;
    let told = live::publish(live.clone());
    let mut fanout = listeners(terminal, events);
    if page.is_some() || told.is_some() {
        fanout = fanout.threaded(live);
    }
    let (setup, fanout) = cluster::place(setup, fanout, &plan, servers, request.quiet)?;
    let change = |old: &mut Plan| old.clone_from(&plan);
    let outcome =
        with_keys(&control, &status, || dyno_tournament::resume(&path, change, setup, fanout));
    finish(outcome, request, &reports)
}

/// The files that this command line names, wherever the working directory may be later.
fn make_absolute(output: &mut Output, request: &Request) -> std::io::Result<()> {
    let named = &request.plan.output;
    let files = [
        (&named.pgn.is_some(), output.pgn.as_mut().map(|pgn| &mut pgn.file)),
        (&named.epd.is_some(), output.epd.as_mut()),
        (&named.livepgn.is_some(), output.livepgn.as_mut()),
    ];
    for (is_named, file) in files {
        if let Some(file) = file.filter(|_| *is_named) {
            *file = std::path::absolute(&*file)?;
        }
    }
    Ok(())
}

/// The match in a browser, until what is returned is dropped.
fn open_page(request: &Request, live: &LiveMatch) -> anyhow::Result<Option<Server>> {
    if !request.live {
        return Ok(None);
    }
    let server = request.page.serve(|| Site::of_run(Arc::new(live.clone())))?;
    eprintln!("live: {}", server.url());
    Ok(Some(server))
}

/// Sets the games of some workers aside, so that they are owed again.
fn replay_workers(request: &Request, path: &Path) -> anyhow::Result<()> {
    let workers = &request.replay_workers;
    if workers.is_empty() {
        return Ok(());
    }
    let of = |game: &GameRecord| game.worker.as_ref().is_some_and(|w| workers.contains(&w.name));
    let mut found = 0;
    dyno_tournament::Journal::read(path, |game| found += u64::from(of(&game))).map_err(coded)?;
    if found == 0 {
        let message = format!(
            "--replay-worker {}: no game of that worker in {}",
            workers.join(" "),
            path.display()
        );
        return Err(Coded { exit: Exit::Usage, message }.into());
    }
    let (aside, count) = dyno_tournament::Journal::set_aside(path, of).map_err(coded)?;
    if !request.quiet {
        eprintln!(
            "note: {count} games of {} are played again; the journal with them is kept as {}",
            workers.join(", "),
            aside.display()
        );
    }
    Ok(())
}

/// Listens to the keyboard while the match is played.
fn with_keys<T>(control: &Control, status: &Progress, play: impl FnOnce() -> T) -> T {
    let _saving = interrupt::hold();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| keys::listen(control, &over, status));
        let outcome = play();
        over.store(true, Ordering::Relaxed);
        outcome
    })
}

/// Those who hear what happens, each at its own pace.
fn listeners(terminal: Terminal, events: Option<EventsFile>) -> Fanout<'static> {
    let fanout = Fanout::new().threaded(terminal);
    match events {
        Some(events) => fanout.threaded(events),
        None => fanout,
    }
}

fn open_events(request: &Request) -> anyhow::Result<Option<EventsFile>> {
    let create = |path: &Path| {
        EventsFile::create(path).with_context(|| format!("cannot write {}", path.display()))
    };
    request.events.as_deref().map(create).transpose()
}

fn open_log(request: &Request) -> anyhow::Result<Option<Log>> {
    let Some(log) = &request.log else { return Ok(None) };
    if !(log.engine || log.level == LogLevel::Trace) {
        return Ok(None);
    }
    if *log == LogChoice::to_stderr() {
        return Ok(Some(Log::to_stderr()?));
    }
    let log =
        Log::create(&log.file).with_context(|| format!("cannot write {}", log.file.display()))?;
    Ok(Some(log))
}

fn finish(
    outcome: Result<Summary, MatchError>,
    request: &Request,
    reports: &Reports,
) -> anyhow::Result<Exit> {
    let summary = outcome.map_err(coded)?;
    if !(request.quiet || reports.json) {
        terminal::print_result(&summary)?;
    }
    write_reports(&summary, reports)?;
    history::keep(&summary);
    Ok(exit_code(&summary))
}

fn write_reports(summary: &Summary, reports: &Reports) -> anyhow::Result<()> {
    let write = |path: &Path, text: &str| {
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    if let Some(path) = &reports.html {
        write(path, &dyno_report::tournament::page(summary))?;
    }
    let json =
        || serde_json::to_string_pretty(summary).context("the result cannot be written as JSON");
    if let Some(path) = &reports.json_file {
        write(path, &(json()? + "\n"))?;
    }
    if reports.json {
        stdout::write_all((json()? + "\n").as_bytes())?;
    }
    Ok(())
}

/// 0 when all was played or the test accepted H1; 1 when it accepted H0; 5 when it came to no
/// verdict; 3 when a fault stopped the match; 130 when the user did.
fn exit_code(summary: &Summary) -> Exit {
    match (summary.ending, summary.sprt.map(|s| s.verdict)) {
        (Ending::Interrupted, _) => Exit::Interrupted,
        (Ending::Fault, _) => Exit::Engine,
        (_, Some(SprtVerdict::AcceptH0)) => Exit::Failed,
        (_, Some(SprtVerdict::Continue)) => Exit::Undecided,
        (Ending::Completed | Ending::Decided, _) => Exit::Passed,
    }
}

fn disk_full(path: &Path, source: &std::io::Error) -> Coded {
    let message = format!(
        "{}: {source}: make room, then go on with `dyno match --resume` and the journal; the games \
         that are in it are not lost",
        path.display()
    );
    Coded { exit: Exit::DiskFull, message }
}

pub fn coded(error: impl Into<MatchError>) -> anyhow::Error {
    match error.into() {
        MatchError::Engine(error) => engine_error(error),
        MatchError::Journal(JournalError::Io { path, source }) if is_disk_full(&source) => {
            disk_full(&path, &source).into()
        }
        MatchError::Output(OutputError { path, source }) if is_disk_full(&source) => {
            disk_full(&path, &source).into()
        }
        error => Coded { exit: Exit::Usage, message: error.to_string() }.into(),
    }
}
