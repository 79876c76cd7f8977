//! `dyno tune`: parameters by games, proved by a match before they count.

mod parameters;
mod progress;
pub mod texel;
mod words;

use super::match_cmd;
use crate::exit::Exit;
use crate::{cluster, history, interrupt, live, stdout, usage};
use anyhow::Context as _;
use dyno_driver::RunHeader;
use dyno_report::terminal::eprintln;
use dyno_report::tune as report;
use dyno_stats::SprtVerdict;
use dyno_tournament::tune::{KIND, Proof, TuneResult, Tuning, TuningSchedule};
use dyno_tournament::{
    ClusterPlan, Control, Ending, EngineEntry, Fanout, Journal, Plan, Schedule as _, Setup,
    SprtPlan, Summary,
};
use dyno_web::LiveMatch;
use std::path::{Path, PathBuf};
use words::Words;

/// The help, in the terms of `dyno match`.
pub const HELP: &str = include_str!("tune/help.txt");

/// Everything after `dyno tune`, word for word: what is not the tuning's own is the match's.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true, override_help = HELP)]
pub struct Args {
    /// Options of the tuning, and of its games as in `dyno match`; `dyno tune --help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
    words: Vec<String>,
}

/// Iterations at once on a cluster, whose boards are not known beforehand; fewer in a short tuning.
const ON_A_CLUSTER: u64 = 64;

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if let Some(("texel", rest)) = args.words.split_first().map(|(first, rest)| (&**first, rest)) {
        let words = std::iter::once("dyno tune texel").chain(rest.iter().map(String::as_str));
        return texel::run(&usage::read(words.map(Into::into).collect()));
    }
    let words = Words::split(&args.words)?;
    if words.help || args.words.is_empty() {
        stdout::write_all(HELP.as_bytes())?;
        return Ok(if words.help { Exit::Passed } else { Exit::Usage });
    }
    words.check_outputs()?;
    let (mut plan, journal) = match &words.resume {
        Some(journal) => (resumed_plan(journal, &words)?, journal.clone()),
        None => new_plan(&words)?,
    };
    let servers = cluster::resolve(&mut plan)?;
    let Some(tuning) = plan.tune.clone() else {
        anyhow::bail!("{}: the journal of a match, not of a tuning", journal.display());
    };
    eprintln!("{}", report::terminal::forecast(&tuning, &tuning.forecast()));
    eprintln!(
        "The games are played at {}: values found there fit that depth. Tune near the time control \
         that matters, or prove the result there too.",
        dyno_tournament::pgn::limits_text(&plan, 0)
    );
    eprintln!("journal: {} (dyno tune --resume {0} goes on)", journal.display());
    let header = RunHeader::begin(KIND, plan.clone()).seed(Some(tuning.seed));
    let began = std::time::Instant::now();
    let saving = interrupt::hold();
    let summary = play(&plan, &journal, words.resume.is_some(), servers.clone())?;
    let trajectory = replay(&journal, tuning)?;
    let mut header = header.engines(summary.header.engines.clone());
    header.seconds = began.elapsed().as_secs_f64();
    let mut result = TuneResult::of(header, trajectory.trajectory());
    if summary.ending == Ending::Completed && words.verify && !interrupt::requested() {
        result.proof = prove(&plan, &result, &journal, servers)?;
    }
    drop(saving);
    show(&result, &words)?;
    history::keep(&result);
    Ok(exit_code(&result, summary.ending))
}

/// The plan of a tuning, checked with the engine itself, and where its journal goes.
fn new_plan(words: &Words) -> anyhow::Result<(Plan, PathBuf)> {
    let mut plan = match_cmd::plan_of(&words.games)?;
    anyhow::ensure!(
        !words.has_rounds(),
        "-rounds and -tournament are a match's: --pairs says how long a tuning is"
    );
    anyhow::ensure!(
        plan.engines.len() == 1,
        "one engine is tuned against itself: give one -engine, not {}",
        plan.engines.len()
    );
    anyhow::ensure!(plan.sprt.is_none(), "-sprt: the proof has bounds of its own; leave it out");
    let entry = plan.engines.remove(0);
    let parameters = parameters::resolve(&words.wanted, &entry.spec_for(plan.variant))?;
    // Twice the boards keep all of them busy while the slowest pair of an iteration ends.
    let boards = 2 * u64::from(plan.machine.concurrency);
    let in_flight = match cluster::is_wanted(&plan) {
        true => boards.max(ON_A_CLUSTER.min(words.pairs / 20)),
        false => boards,
    };
    plan.tune = Some(Tuning {
        parameters,
        pairs: words.pairs,
        pairs_per_iteration: words.pairs_per_iteration,
        in_flight: words.in_flight.unwrap_or(in_flight),
        seed: plan.seed,
    });
    plan.engines = ["plus", "minus"].map(|side| renamed(&entry, side)).to_vec();
    plan.check()?;
    let journal = match &words.journal {
        Some(path) => path.clone(),
        None => free_name(entry.name()),
    };
    if let Some(taken) = [journal.clone(), proof_journal(&journal)].iter().find(|p| p.exists()) {
        anyhow::bail!(
            "{} is there already: go on with its tuning by --resume, or give another --journal",
            taken.display()
        );
    }
    Ok((plan, journal))
}

/// The plan of a journal; only how the machine is used may differ.
fn resumed_plan(journal: &Path, words: &Words) -> anyhow::Result<Plan> {
    let (header, _) = Journal::read(journal, |_| {}).map_err(match_cmd::coded)?;
    let mut plan = header.plan;
    anyhow::ensure!(
        words.is_bare_resume(),
        "--resume takes the tuning from its journal: of the others only -concurrency and --cluster may be given"
    );
    if let Some(concurrency) = words.concurrency()? {
        plan.machine.concurrency = concurrency;
    }
    if let Some(server) = words.cluster() {
        plan.cluster.get_or_insert_default().server = server.to_owned();
    }
    Ok(plan)
}

fn renamed(entry: &EngineEntry, name: &str) -> EngineEntry {
    let mut entry = entry.clone();
    entry.spec.name = Some(name.to_owned());
    entry
}

fn free_name(engine: &str) -> PathBuf {
    let safe: String = engine.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let name = |number: u32| match number {
        1 => PathBuf::from(format!("tune-{safe}.journal")),
        number => PathBuf::from(format!("tune-{safe}-{number}.journal")),
    };
    let is_free = |path: &PathBuf| !path.exists() && !proof_journal(path).exists();
    (1..).map(name).find(is_free).unwrap_or_default()
}

/// Where the games of a tuning's proof are kept.
fn proof_journal(journal: &Path) -> PathBuf {
    journal.with_extension("proof.journal")
}

fn play(
    plan: &Plan,
    journal: &Path,
    is_resumed: bool,
    servers: Option<ClusterPlan>,
) -> anyhow::Result<Summary> {
    let control = Control::new(interrupt::counter(), plan.machine.concurrency);
    let live = LiveMatch::new(plan, &control);
    let _told = live::publish(live.clone());
    let fanout = Fanout::new().direct(progress::Progress::new(plan, journal)?).threaded(live);
    play_on(plan, journal, is_resumed, &control, fanout, servers)
}

/// Plays the games that the journal does not have yet.
fn play_on(
    plan: &Plan,
    journal: &Path,
    is_resumed: bool,
    control: &Control,
    fanout: Fanout,
    servers: Option<ClusterPlan>,
) -> anyhow::Result<Summary> {
    let setup = Setup { journal: Some(journal.to_owned()), ..Setup::new(control) };
    let (setup, fanout) = cluster::place(setup, fanout, plan, servers, false)?;
    let outcome = if is_resumed {
        let change = |old: &mut Plan| {
            old.machine.concurrency = plan.machine.concurrency;
            old.cluster.clone_from(&plan.cluster);
        };
        dyno_tournament::resume(journal, change, setup, fanout)
    } else {
        dyno_tournament::run(plan, setup, fanout)
    };
    outcome.map_err(match_cmd::coded)
}

/// The path as the journal has it: the same on any boards and however often it was resumed.
fn replay(journal: &Path, tuning: Tuning) -> anyhow::Result<TuningSchedule> {
    let mut schedule = TuningSchedule::new(tuning);
    Journal::read(journal, |record| {
        if schedule.owes(&record.slot) {
            schedule.record(&record.slot, record.result.points);
        }
    })
    .map_err(match_cmd::coded)?;
    Ok(schedule)
}

/// Plays the tuned values against the ones at the start until the test is decided.
fn prove(
    plan: &Plan,
    result: &TuneResult,
    journal: &Path,
    servers: Option<ClusterPlan>,
) -> anyhow::Result<Option<Proof>> {
    let Some(entry) = plan.engines.first() else { return Ok(None) };
    let (mut tuned, mut start) = (renamed(entry, "tuned"), renamed(entry, "start"));
    for (parameter, (name, value)) in result.tuning.parameters.iter().zip(result.recommended()) {
        tuned.spec.set_option(name, &value.to_string());
        let value = parameter.option_steps(parameter.start);
        start.spec.set_option(name, &value.to_string());
    }
    if tuned.spec.options == start.spec.options {
        eprintln!("the tuned values are those of the start: there is nothing to prove");
        return Ok(None);
    }
    let mut match_plan = Plan { tune: None, ..plan.clone() };
    match_plan.engines = vec![tuned, start];
    match_plan.sprt = Some(SprtPlan::default());
    match_plan.tournament.games = 2;
    match_plan.tournament.rounds = u32::try_from(plan_pairs(plan)).unwrap_or(u32::MAX);
    // Openings that the tuning has not seen.
    match_plan.seed = plan.seed.wrapping_add(1);
    eprintln!("proving the tuned values against the ones at the start: SPRT 0 to 5 Elo");
    let control = Control::new(interrupt::counter(), plan.machine.concurrency);
    let path = proof_journal(journal);
    // A proof that was broken off goes on.
    let is_resumed = path.exists();
    let begun = if is_resumed { games_of_proof(&path, &match_plan)? } else { 0 };
    let live = LiveMatch::new(&match_plan, &control);
    let _told = live::publish(live.clone());
    let fanout = Fanout::new().direct(progress::ProofProgress::from(begun)).threaded(live);
    let summary = play_on(&match_plan, &path, is_resumed, &control, fanout, servers)?;
    Ok(Proof::of(&summary))
}

/// The games that a journal has of this very proof.
fn games_of_proof(journal: &Path, plan: &Plan) -> anyhow::Result<u64> {
    let mut games = 0;
    let (header, _) = Journal::read(journal, |_| games += 1).map_err(match_cmd::coded)?;
    anyhow::ensure!(
        header.plan.engines == plan.engines && header.plan.seed == plan.seed,
        "{}: the proof of other values; move it away, and --resume proves these",
        journal.display()
    );
    Ok(games)
}

fn plan_pairs(plan: &Plan) -> u64 {
    plan.tune.as_ref().map_or(1, |tuning| tuning.pairs)
}

/// The screen first: a file that cannot be written must not cost the result.
fn show(result: &TuneResult, words: &Words) -> anyhow::Result<()> {
    if words.json {
        stdout::json(result)?;
    } else {
        stdout::text(&report::terminal::summary(result))?;
        stdout::text(&report::setoptions(result))?;
    }
    for (path, text) in words.outputs(result)? {
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// The verdict of the proof is the command's.
fn exit_code(result: &TuneResult, ending: Ending) -> Exit {
    let verdict = result.proof.as_ref().map(|proof| proof.sprt.verdict);
    match (ending, verdict) {
        (Ending::Interrupted, _) => Exit::Interrupted,
        (Ending::Fault, _) => Exit::Engine,
        _ if interrupt::requested() => Exit::Interrupted,
        (_, Some(SprtVerdict::AcceptH0)) => Exit::Failed,
        (_, Some(SprtVerdict::Continue)) => Exit::Undecided,
        (_, Some(SprtVerdict::AcceptH1) | None) => Exit::Passed,
    }
}
