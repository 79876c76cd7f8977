//! A result as a run of the history: its figures, and what came of each position and check.

use crate::number;
use crate::positions::PositionRow;
use crate::saved::{SavedError, SavedResult};
use dyno_stats::Interval;
use dyno_store::{Build, Ending, Machine, Measure, Run, RunBuild, RunId};
use dyno_tournament::tune::TuneResult;
use dyno_trials::bench::BenchResult;
use dyno_trials::puzzles::{Attempt, PuzzleVerdict};
use dyno_trials::{EngineIdentity, RunHeader, Verdict};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// What of a plan does not decide the figures: how the machine is used, where reports go, who is
/// measured, and how often.
const BESIDE_THE_POINT: [&str; 8] =
    ["concurrency", "machine", "output", "event", "site", "folder", "timeout", "until"];

/// The same of an engine's part in a match.
const WHO: [&str; 10] =
    ["name", "cmd", "arg", "args", "dir", "env", "init", "protocol", "restart", "stderr"];

/// The part of a plan that decides the figures: runs that share it can be compared.
fn comparable(header: &RunHeader<Value>) -> Value {
    let mut plan = header.plan.clone();
    let Some(fields) = plan.as_object_mut() else { return plan };
    fields.retain(|name, _| !BESIDE_THE_POINT.contains(&name.as_str()));
    let games = fields.remove("engine").filter(Value::is_array);
    match games {
        // Who plays whom is in the names of the figures; the dice are fresh each time.
        Some(Value::Array(mut engines)) => {
            fields.remove("seed");
            for engine in engines.iter_mut().filter_map(Value::as_object_mut) {
                engine.retain(|name, _| !WHO.contains(&name.as_str()));
            }
            fields.insert("engines".into(), engines.into());
        }
        _ => {
            let options = header.engines.iter().map(|engine| &engine.options);
            let options: Vec<_> = options.filter(|options| !options.is_empty()).collect();
            if !options.is_empty() {
                fields.insert("options".into(), serde_json::json!(options));
            }
        }
    }
    if header.kind == "bench" {
        fields.remove("runs");
    }
    plan
}

/// The run of a result that was saved as JSON. The same text is always the same run.
pub fn run_of_saved(text: &str) -> Result<Run, SavedError> {
    let detail: Value = serde_json::from_str(text)?;
    let figures = Figures::of(&SavedResult::read(text)?);
    let first = detail.as_array().and_then(|cards| cards.first()).unwrap_or(&detail);
    let header: RunHeader<Value> = serde_json::from_value(first.clone())?;
    let Figures { ending, measures, signatures } = figures;
    let mut builds: Vec<RunBuild> = header.engines.iter().map(build).collect();
    for (part, signature) in builds.iter_mut().zip(signatures) {
        part.build.signature = signature;
    }
    let names: Vec<&str> = builds.iter().map(|part| part.name.as_str()).collect();
    Ok(Run {
        id: RunId::of_content(header.created_ms, text.as_bytes()),
        kind: header.kind.clone(),
        title: title(&header, &names),
        dyno: header.dyno_version.clone(),
        started_ms: i64::try_from(header.created_ms).unwrap_or(i64::MAX),
        elapsed_ms: (header.seconds * 1e3) as i64,
        machine: Machine {
            name: String::new(),
            cpu: header.machine.cpu.clone().unwrap_or_default(),
            cores: u32::try_from(header.machine.cores).unwrap_or(u32::MAX),
            system: format!("{} {}", header.machine.os, header.machine.arch),
        },
        plan: comparable(&header),
        exit_code: i32::from(ending == Ending::Failed),
        ending,
        baseline: false,
        measures: renamed(measures, &header.engines),
        builds,
        artefacts: Vec::new(),
        detail: Some(detail),
    })
}

/// What a result means for the history.
struct Figures {
    ending: Ending,
    measures: Vec<Measure>,
    /// The node signature of each engine, where it was measured.
    signatures: Vec<Option<u64>>,
}

impl Figures {
    fn of(saved: &SavedResult) -> Self {
        let signatures = match saved {
            SavedResult::Bench(bench) => {
                bench.result.engines.iter().map(|engine| engine.signature).collect()
            }
            _ => Vec::new(),
        };
        Self { ending: ending(saved), measures: measures(saved), signatures }
    }
}

fn tuned(tuning: &TuneResult) -> Vec<Measure> {
    let value = |(name, value): (&str, i64)| Measure::exact("tuned value", name, value as f64);
    let mut measures: Vec<Measure> = tuning.recommended().map(value).collect();
    if let Some(proof) = &tuning.proof {
        let (elo, games) = (proof.estimate, proof.tally.games());
        let proved = Measure::between("elo", "tuned vs start", elo.elo, elo.elo_low, elo.elo_high);
        measures.push(proved.of(games));
    }
    measures
}

/// What was run, with what, by whom: `suite wac of engine`.
fn title(header: &RunHeader<Value>, engines: &[&str]) -> String {
    let what = match &header.plan["suites"] {
        Value::Array(suites) => {
            suites.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
        }
        _ => header.plan["suite"].as_str().unwrap_or_default().to_owned(),
    };
    let of = if engines.is_empty() { String::new() } else { format!("of {}", engines.join(", ")) };
    let words = [header.kind.as_str(), &what, &of];
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// What the history calls an engine: as the user does, or else by its program. What an engine calls
/// itself often holds a version, and one engine's versions are one series.
fn label(engine: &EngineIdentity) -> String {
    let id = engine.id.as_deref().unwrap_or_default();
    let Some(suffix) = engine.name.strip_prefix(id) else { return engine.name.clone() };
    let stem = engine.path.as_deref().map(Path::new).and_then(Path::file_stem);
    match stem {
        _ if engine.command == "builtin" => {
            format!("{}{suffix}", id.split(' ').next().unwrap_or(id))
        }
        Some(stem) if !id.is_empty() => format!("{}{suffix}", stem.to_string_lossy()),
        _ => engine.name.clone(),
    }
}

/// The figures with the engines' names in the history.
fn renamed(mut measures: Vec<Measure>, engines: &[EngineIdentity]) -> Vec<Measure> {
    for measure in &mut measures {
        if let Some(engine) = engines.iter().find(|engine| engine.name == measure.subject) {
            measure.subject = label(engine);
        }
    }
    measures
}

fn build(engine: &EngineIdentity) -> RunBuild {
    RunBuild {
        name: label(engine),
        build: Build {
            file_hash: engine.file_hash.clone().unwrap_or_default(),
            uci_name: engine.id.clone().unwrap_or_default(),
            ..Build::default()
        },
    }
}

fn ending(saved: &SavedResult) -> Ending {
    let (interrupted, failed) = match saved {
        SavedResult::Check(cards) => (
            cards.iter().any(|card| card.interrupted),
            cards.iter().any(|card| card.count(Verdict::Fail) > 0),
        ),
        SavedResult::PerftSuite(suite) => (!suite.complete, suite.mismatches > 0),
        SavedResult::Regress(battery) => (battery.interrupted, battery.count(Verdict::Fail) > 0),
        SavedResult::Suite(suite) => (suite.run.interrupted, false),
        SavedResult::Mate(mates) => (mates.run.interrupted, false),
        SavedResult::Puzzles(puzzles) => (puzzles.result.interrupted, false),
        SavedResult::Bench(bench) => (bench.result.interrupted, false),
        SavedResult::Match(summary) => {
            (summary.ending == dyno_tournament::Ending::Interrupted, false)
        }
        SavedResult::PerftEngine(bisection) => (false, bisection.faults() > 0),
        SavedResult::Tune(tuning) => (tuning.interrupted, false),
        SavedResult::MateProve(_) => (false, false),
    };
    match (interrupted, failed) {
        (true, _) => Ending::Interrupted,
        (_, true) => Ending::Failed,
        _ => Ending::Passed,
    }
}

fn measures(saved: &SavedResult) -> Vec<Measure> {
    match saved {
        SavedResult::Check(cards) => cards
            .iter()
            .flat_map(|card| {
                let count = |metric, verdict| {
                    Measure::exact(metric, &card.engine.name, card.count(verdict) as f64)
                };
                [
                    count("checks passed", Verdict::Pass),
                    count("checks failed", Verdict::Fail),
                    count("checks warned", Verdict::Warn),
                ]
            })
            .collect(),
        SavedResult::PerftSuite(suite) => vec![
            Measure::exact("perft nps", &suite.suite, suite.nps),
            Measure::exact("perft mismatches", &suite.suite, suite.mismatches as f64),
        ],
        SavedResult::Suite(suite) => {
            let of = |e: &dyno_trials::suite::EngineResult| {
                let solved = Measure::exact("solved", &e.engine.name, e.totals.correct as f64);
                solved.of(e.totals.scored)
            };
            suite.run.engines.iter().map(of).collect()
        }
        SavedResult::Mate(mates) => {
            let of = |e: &dyno_trials::mate::EngineMates| {
                let found = Measure::exact("mates", &e.engine.name, e.totals.correct as f64);
                found.of(e.totals.scored)
            };
            mates.run.engines.iter().map(of).collect()
        }
        SavedResult::Puzzles(puzzles) => {
            let (result, name) = (&puzzles.result, &puzzles.result.engine.name);
            let solved = Measure::exact("puzzles", name, result.total.solved as f64);
            let rating = result.performance.map(|p| {
                let error = p.error.unwrap_or(f64::NAN);
                let (low, high) = (p.rating - error, p.rating + error);
                Measure::between("puzzle rating", name, p.rating, low, high).of(p.puzzles)
            });
            std::iter::once(solved.of(result.total.tried)).chain(rating).collect()
        }
        SavedResult::Match(summary) => {
            let name = |index: usize| summary.engines.get(index).map_or("", |e| e.name.as_str());
            let of = |v: &dyno_tournament::Versus| {
                let subject = format!("{} vs {}", name(v.first), name(v.second));
                let (elo, games) = (v.estimate, v.tally.games());
                Measure::between("elo", &subject, elo.elo, elo.elo_low, elo.elo_high).of(games)
            };
            summary.versus.iter().map(of).collect()
        }
        SavedResult::Bench(bench) => bench
            .result
            .engines
            .iter()
            .flat_map(|engine| {
                let name = &engine.engine.name;
                let speeds: Vec<f64> = engine.runs.iter().filter_map(|run| run.nps).collect();
                let interval = Interval::of_mean(&speeds);
                let speed = engine.speed.as_ref().map(|spread| Measure {
                    low: interval.map(|i| i.low),
                    high: interval.map(|i| i.high),
                    pace: engine.pace(),
                    yardstick: bench.result.yardstick.clone(),
                    ..Measure::exact("nps", name, spread.median).of(spread.count as u64)
                });
                let signature =
                    engine.signature.map(|n| Measure::exact("signature", name, n as f64));
                speed.into_iter().chain(signature)
            })
            .collect(),
        SavedResult::Regress(battery) => {
            let of = |step: &dyno_trials::regress::Step| step_measures(step, &battery.yardstick);
            battery.steps.iter().flat_map(of).collect()
        }
        SavedResult::PerftEngine(bisection) => {
            vec![
                Measure::exact("perft faults", &bisection.engine, bisection.faults() as f64)
                    .of(bisection.comparisons.len() as u64),
            ]
        }
        SavedResult::Tune(tuning) => tuned(tuning),
        SavedResult::MateProve(_) => Vec::new(),
    }
}

/// The figures of a battery's step; the pace of its speed belongs to the speed.
fn step_measures(step: &dyno_trials::regress::Step, yardstick: &Option<String>) -> Vec<Measure> {
    let pace = step.figures.get("pace").copied();
    let named = step.figures.iter().filter(|(name, _)| *name != "pace");
    named
        .map(|(name, value)| match name.as_str() {
            "nps" => Measure {
                pace,
                yardstick: pace.and(yardstick.clone()),
                ..Measure::exact(name, &step.name, *value)
            },
            _ => Measure::exact(name, &step.name, *value),
        })
        .collect()
}

/// What came of each position or check of a run, by its name.
#[must_use]
pub fn outcomes(run: &Run) -> BTreeMap<String, String> {
    let text = run.detail.as_ref().map(Value::to_string).unwrap_or_default();
    let Ok(saved) = SavedResult::read(&text) else { return BTreeMap::new() };
    match &saved {
        SavedResult::Check(cards) => {
            let of = |check: &dyno_trials::check::CheckResult| {
                (check.id.clone(), check.outcome.verdict.word().to_owned())
            };
            cards.iter().flat_map(|card| card.checks.iter().map(of)).collect()
        }
        SavedResult::Suite(suite) => positions(&suite.positions),
        SavedResult::Mate(mates) => positions(&mates.positions),
        SavedResult::Regress(battery) => {
            let cases = battery.steps.iter().flat_map(|step| &step.cases);
            cases.map(|case| (case.id.clone(), case.verdict.word().to_owned())).collect()
        }
        SavedResult::Puzzles(puzzles) => {
            let of = |attempt: &Attempt| {
                let came_of_it = match attempt.verdict {
                    PuzzleVerdict::Solved => "solved",
                    PuzzleVerdict::Failed => "missed",
                    PuzzleVerdict::Crashed => "crashed",
                };
                (attempt.id.clone(), came_of_it.to_owned())
            };
            puzzles.attempts.iter().map(of).collect()
        }
        SavedResult::Bench(bench) => bench_outcomes(&bench.result),
        _ => BTreeMap::new(),
    }
}

/// Nodes and best move of each position, where they are the same in every run.
fn bench_outcomes(bench: &BenchResult) -> BTreeMap<String, String> {
    let mut outcomes = BTreeMap::new();
    for (place, engine) in bench.engines.iter().enumerate().filter(|(_, e)| e.signature.is_some()) {
        for measure in engine.measures.iter().filter(|measure| measure.run == 0) {
            let Some(position) = bench.positions.get(measure.position) else { continue };
            let name = of_engine(&position.id, place);
            let nodes = measure.nodes.map(number::grouped).unwrap_or_default();
            outcomes.insert(name, format!("{nodes} nodes, {}", measure.best));
        }
    }
    outcomes
}

/// The first engine's positions go by their own names.
fn of_engine(position: &str, engine: usize) -> String {
    match engine {
        0 => position.to_owned(),
        engine => format!("{position} (engine {})", engine + 1),
    }
}

fn positions<R: PositionRow>(rows: &[R]) -> BTreeMap<String, String> {
    let of = |row: &R| {
        let name = of_engine(row.id(), row.engine());
        let came_of_it = match row.correct() {
            Some(true) => "solved",
            Some(false) => "missed",
            None => "unscored",
        };
        (name, came_of_it.to_owned())
    };
    rows.iter().map(of).collect()
}
