//! `dyno sprt`: a sequential test before its first game, and while it runs.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context as _, ensure};
use dyno_report::statistics::{PlanReport, PlannedStrength, StatusReport, pass_chart};
use dyno_report::terminal::Progress;
use dyno_stats::{Bounds, Opening, Sprt, SprtForecast, SprtVerdict, Tally, simulate};
use dyno_tournament::SprtPlan;

use crate::exit::Exit;
use crate::games::{GamesArgs, Input};
use crate::interrupt;
use crate::stdout;

const EXAMPLES: &str = "\
Examples:
  How many games will it take?  dyno sprt plan --elo0 0 --elo1 5
  Where does it stand?          dyno sprt status 716 591 2163 --elo0 0 --elo1 5";

const PLAN_EXAMPLES: &str = "\
Examples:
  A gain of 5 Elo or nothing?    dyno sprt plan --elo0 0 --elo1 5 --model logistic
  As fishtest and OpenBench do:  dyno sprt plan --elo0 0 --elo1 2 --draw-ratio 0.6
  No regression, as a picture:   dyno sprt plan --elo0 -5 --elo1 0 --svg plan.svg
  At strengths of your own:      dyno sprt plan --true-elo 1 --true-elo 3

Exit codes: 0 the plan was made, 2 bad usage, 130 interrupted (what was
simulated is shown).";

const STATUS_EXAMPLES: &str = "\
Examples:
  From wins, losses and draws:  dyno sprt status 716 591 2163 --elo0 0 --elo1 5
  From pairs:                   dyno sprt status --penta 16,244,519,316,46
  From a match's games:         dyno sprt status games.pgn --elo0 0 --elo1 10
  From a match's journal:       dyno sprt status games.journal
  In CI:                        dyno sprt status games.pgn --json || exit 1

Exit codes: 0 H1 accepted (it passed), 1 H0 accepted (it failed), 5 undecided,
2 bad usage or input, 130 interrupted.";

/// Plan a sequential test (SPRT), or see where one stands.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true, after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// How many games a test takes and how often it passes, before it is played
    #[command(after_help = PLAN_EXAMPLES)]
    Plan(PlanArgs),
    /// Where a test stands: LLR, verdict, and Elo with and without allowing for the stop
    #[command(after_help = STATUS_EXAMPLES)]
    Status(StatusArgs),
}

/// The test itself.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Test")]
struct TestArgs {
    /// H0: the change is worth this at most [default: the match's, or 0]
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    elo0: Option<f64>,

    /// H1: the change is worth this at least [default: the match's, or 5]
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    elo1: Option<f64>,

    /// The probability of accepting H1 though H0 is true [default: the match's, or 0.05]
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    alpha: Option<f64>,

    /// The probability of accepting H0 though H1 is true [default: the match's, or 0.05]
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    beta: Option<f64>,

    /// What the Elo of the hypotheses means [default: the match's, or normalized]
    #[arg(long, value_enum)]
    model: Option<Model>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Model {
    /// nElo: equal effort whatever the draw rate
    Normalized,
    /// Ordinary Elo
    Logistic,
    /// As in cutechess-cli; single games, no pairs
    #[value(alias = "bayesian")]
    Bayeselo,
}

impl TestArgs {
    /// The test; what was not said is as in the match.
    fn sprt(&self, played: &SprtPlan) -> anyhow::Result<Sprt> {
        let bounds = Bounds::new(
            self.elo0.unwrap_or(played.elo0),
            self.elo1.unwrap_or(played.elo1),
            self.alpha.unwrap_or(played.alpha),
            self.beta.unwrap_or(played.beta),
        )?;
        let model = match self.model {
            Some(Model::Normalized) => dyno_stats::Model::Normalized,
            Some(Model::Logistic) => dyno_stats::Model::Logistic,
            Some(Model::Bayeselo) => dyno_stats::Model::BayesElo,
            None => played.model,
        };
        Ok(Sprt::new(bounds, model))
    }
}

#[derive(Debug, clap::Args)]
struct PlanArgs {
    #[command(flatten)]
    test: TestArgs,

    /// The share of games drawn between equals
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    draw_ratio: f64,

    /// How far the openings favour one side, in Elo (root mean square)
    #[arg(long, value_name = "ELO", default_value_t = 0.0)]
    bias: f64,

    /// Look at this true strength, in logistic Elo; repeat for more [default: around the bounds]
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    true_elo: Vec<f64>,

    /// Simulated tests at H0, halfway and H1 (or at each --true-elo); 0 for none
    #[arg(long, value_name = "N", default_value_t = 1000)]
    runs: u64,

    /// The seed of the dice
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Draw the pass probability into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// No progress
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Debug, clap::Args)]
struct StatusArgs {
    #[command(flatten)]
    games: GamesArgs,

    #[command(flatten)]
    test: TestArgs,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Plans, or looks.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Plan(args) => plan(args),
        Command::Status(args) => status(args),
    }
}

fn plan(args: &PlanArgs) -> anyhow::Result<Exit> {
    let opening = Opening { draw_ratio: args.draw_ratio, bias: args.bias };
    let plan = SprtForecast::new(args.test.sprt(&SprtPlan::default())?, opening)?;
    for elo in &args.true_elo {
        ensure!(elo.abs() <= 1000.0, "--true-elo must lie between -1000 and 1000, not {elo}");
    }
    let strengths = strengths(&plan, &args.true_elo);
    let saving = interrupt::hold();
    let report = PlanReport::new(plan, simulated(&plan, &strengths, args));
    drop(saving);
    if let Some(path) = &args.svg {
        std::fs::write(path, pass_chart(&report))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    stdout::report(&report, args.json)?;
    Ok(if interrupt::requested() { Exit::Interrupted } else { Exit::Passed })
}

/// The strengths to look at, and whether to simulate each.
fn strengths(plan: &SprtForecast, chosen: &[f64]) -> Vec<(f64, bool)> {
    if !chosen.is_empty() {
        return chosen.iter().map(|&elo| (elo, true)).collect();
    }
    let (elo0, elo1) = plan.logistic_bounds();
    let width = elo1 - elo0;
    [
        (-1.0, false),
        (-0.5, false),
        (0.0, true),
        (0.5, true),
        (1.0, true),
        (1.5, false),
        (2.0, false),
    ]
    .map(|(part, simulate)| (elo0 + part * width, simulate))
    .into()
}

/// Every strength by formula, and those asked for by dice, side by side.
fn simulated(
    plan: &SprtForecast,
    strengths: &[(f64, bool)],
    args: &PlanArgs,
) -> Vec<PlannedStrength> {
    let asked = strengths.iter().filter(|(_, simulate)| *simulate).count() as u64;
    let progress = Progress::new("tests", Some(asked * args.runs), args.quiet || args.runs == 0);
    let done = AtomicU64::new(0);
    let stop = || {
        progress.set(done.fetch_add(1, Ordering::Relaxed));
        interrupt::requested()
    };
    let look = |(index, &(elo, simulate_it)): (usize, &(f64, bool))| {
        let seed = args.seed.wrapping_add(index as u64);
        let simulated = (simulate_it && args.runs > 0)
            .then(|| simulate(plan, elo, args.runs, seed, stop))
            .filter(|simulation| simulation.runs > 0);
        PlannedStrength { expected: plan.expect(elo), simulated }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut planned = Vec::with_capacity(strengths.len());
    let numbered: Vec<_> = strengths.iter().enumerate().collect();
    for batch in numbered.chunks(threads.max(1)) {
        std::thread::scope(|scope| {
            let running: Vec<_> =
                batch.iter().map(|&strength| scope.spawn(move || look(strength))).collect();
            planned.extend(running.into_iter().filter_map(|thread| thread.join().ok()));
        });
    }
    progress.finish();
    planned
}

fn status(args: &StatusArgs) -> anyhow::Result<Exit> {
    let mut input = args.games.input()?;
    let played = input.records.as_ref().and_then(|(records, ..)| records.sprt);
    let sprt = args.test.sprt(&played.unwrap_or_default())?;
    if sprt.model() == dyno_stats::Model::BayesElo {
        let tally = input.games.tally.context(
            "BayesElo is a model of single games: give wins, losses and draws instead of pairs",
        )?;
        input.games.results = tally.trinomial();
        input.single = true;
    }
    let report = follow(sprt, input);
    let exit = match report.verdict() {
        SprtVerdict::AcceptH1 => Exit::Passed,
        SprtVerdict::AcceptH0 => Exit::Failed,
        SprtVerdict::Continue => Exit::Undecided,
    };
    stdout::report(&report, args.json)?;
    Ok(exit)
}

/// Follows the games in their order where that is known, as the test itself did.
fn follow(sprt: Sprt, input: Input) -> StatusReport {
    let Some((records, player, opponent)) = input.records else {
        return StatusReport::of_counts(input.games, sprt);
    };
    let mut run = sprt.start();
    let mut stopped: Option<Tally> = None;
    let single = input.single;
    let all = records.score(player, opponent, |tally| {
        if stopped.is_none() {
            let results = if single { tally.trinomial() } else { tally.best() };
            if run.update(&results) != SprtVerdict::Continue {
                stopped = Some(*tally);
            }
        }
    });
    // The verdict rests on the games up to the stop, and so do the figures.
    let mut games = input.games;
    if let Some(tally) = stopped {
        games.tally = Some(tally);
        games.results = if single { tally.trinomial() } else { tally.best() };
    }
    let early = stopped.filter(|tally| tally.games() < all.games()).map(|tally| tally.games());
    StatusReport::of_run(games, &run, early)
}
