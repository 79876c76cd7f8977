//! Sequential tests over workers of unequal speed, on which won pairs end sooner: each stops at the same
//! pair with the same verdict as on one machine, and errs as rarely as it promises.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::print_stderr, reason = "says the figures")]

#[allow(dead_code, reason = "shared with tests that have a server")]
mod common;

use common::plan;
use dyno_chess::SplitMix64;
use dyno_cluster::most_pairs;
use dyno_stats::{Bounds, Model, Opening, Results, Sprt, SprtForecast, SprtRun, SprtVerdict};
use dyno_tournament::{
    Assignment, Coordinator, End, GameRecord, GameResult, Next, Plan, Points, SprtPlan,
    load_openings,
};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

const WORKERS: usize = 400;

/// A pair on its way, the earliest first: when it ends, the number of its first game, and its worker.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Flight(Reverse<u64>, u64, usize);

/// What the pairs of one test come to, in the order in which they are scheduled: half points, from 0
/// to 4, of the first engine.
struct Outcomes<'r> {
    probabilities: [f64; 5],
    random: &'r mut SplitMix64,
    drawn: Vec<u8>,
}

impl Outcomes<'_> {
    fn next(&mut self) -> u8 {
        let mut left = self.random.unit();
        let fits = |p: &f64| {
            left -= p;
            left < 0.0
        };
        let half_points = self.probabilities.iter().position(fits).unwrap_or(4) as u8;
        self.drawn.push(half_points);
        half_points
    }
}

fn record(assignment: &Assignment, half_points: u8) -> GameRecord {
    let white = if assignment.slot.white == 0 { half_points } else { 2 - half_points };
    let points = [Points::BlackWins, Points::Draw, Points::WhiteWins][usize::from(white)];
    GameRecord {
        slot: assignment.slot,
        result: GameResult { points, end: End::Checkmate },
        started: 0,
        lasted: 0,
        start: assignment.start.clone(),
        options: assignment.options.clone(),
        moves: Vec::new(),
        faults: Vec::new(),
        worker: None,
    }
}

/// Runs a test over the workers, with as many pairs out as a cluster has.
fn run_on_workers(plan: &Plan, outcomes: &mut Outcomes) -> SprtRun {
    let (openings, _) = load_openings(plan).unwrap();
    let mut coordinator = Coordinator::new("r", plan, openings);
    let slowness = |worker: usize| 1.0 + (worker % 7) as f64;
    let mut idle: Vec<usize> = (0..WORKERS).collect();
    let mut flying: BinaryHeap<Flight> = BinaryHeap::new();
    let mut pairs: HashMap<u64, [GameRecord; 2]> = HashMap::new();
    let (most, mut now) = (most_pairs(plan), 0u64);
    while !coordinator.is_decided() {
        while flying.len() < most
            && let Some(worker) = idle.pop()
        {
            let (Next::Game(first), Next::Game(second)) =
                (coordinator.next_game(), coordinator.next_game())
            else {
                panic!("the test is not decided, and there are no more games");
            };
            let half_points = outcomes.next();
            // Won pairs end 30 % sooner.
            let length = if half_points > 2 { 0.7 } else { 1.0 };
            let lasts = length * (0.5 + outcomes.random.unit()) * slowness(worker);
            let (end, number) = (now + (1e6 * lasts) as u64, first.slot.number);
            flying.push(Flight(Reverse(end), number, worker));
            let halves = [half_points.div_ceil(2), half_points / 2];
            pairs.insert(number, [record(&first, halves[0]), record(&second, halves[1])]);
        }
        let Flight(Reverse(end), number, worker) = flying.pop().unwrap();
        now = end;
        idle.push(worker);
        for game in pairs.remove(&number).unwrap() {
            coordinator.record(&game).unwrap();
        }
    }
    *coordinator.standings().sprt.as_ref().unwrap().run()
}

/// Runs the same test on one machine, pair by pair.
fn run_in_order(sprt: Sprt, drawn: &[u8]) -> SprtRun {
    let (mut run, mut pairs) = (sprt.start(), [0; 5]);
    for half_points in drawn {
        pairs[usize::from(*half_points)] += 1;
        if run.update(&Results::Pentanomial(pairs)) != SprtVerdict::Continue {
            break;
        }
    }
    run
}

/// Plays tests of 0 against `elo1` at each of the two, and holds their errors against α and β.
fn check_error_rates(elo1: f64, tests: u32) {
    let wanted = SprtPlan { elo0: 0.0, elo1, model: Model::Logistic, ..SprtPlan::default() };
    let mut plan = plan(100_000);
    plan.sprt = Some(wanted);
    let bounds = Bounds::new(wanted.elo0, wanted.elo1, wanted.alpha, wanted.beta).unwrap();
    let sprt = Sprt::new(bounds, wanted.model);
    let forecast = SprtForecast::new(sprt, Opening { draw_ratio: 0.5, bias: 0.0 }).unwrap();
    let mut random = SplitMix64::new(5);
    let mut rate = |elo: f64, wrong: SprtVerdict| {
        let probabilities = forecast.pair_probabilities(elo);
        let (mut errors, mut pairs) = (0, 0);
        for _ in 0..tests {
            let random = &mut random;
            let mut outcomes = Outcomes { probabilities, random, drawn: Vec::new() };
            let run = run_on_workers(&plan, &mut outcomes);
            // To the last digit of the ratio, and of the overshoot that every jump has a part in.
            assert_eq!(run, run_in_order(sprt, &outcomes.drawn));
            errors += u32::from(run.verdict() == wrong);
            pairs += outcomes.drawn.len();
        }
        eprintln!("at {elo} Elo: {} pairs a test", pairs / tests as usize);
        f64::from(errors) / f64::from(tests)
    };
    let alpha = rate(wanted.elo0, SprtVerdict::AcceptH1);
    let beta = rate(wanted.elo1, SprtVerdict::AcceptH0);
    eprintln!("{tests} tests each: false positives {alpha:.4}, false negatives {beta:.4}");
    // Three deviations of chance above the promise.
    let most = 0.05 + 3.0 * (0.05 * 0.95 / f64::from(tests)).sqrt();
    assert!(alpha <= most && beta <= most, "{alpha} and {beta}, where {most} is allowed");
    assert!(alpha > 0.0 && beta > 0.0, "the simulation never errs: it does not simulate");
}

#[test]
fn tests_on_unequal_workers_are_those_of_one_machine() {
    check_error_rates(40.0, 300);
}

/// Bounds as people use them: wider ones err a little more often on one machine, too.
#[test]
#[ignore = "minutes: 5,000 tests of some 2,000 pairs"]
fn tests_on_unequal_workers_err_as_rarely_as_promised() {
    check_error_rates(10.0, 5000);
}
