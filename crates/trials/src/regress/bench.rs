//! The bench: the signature that is wanted, and a speed that has not suffered.

use super::{
    BenchConfig, Case, Listener, Outcome, RegressError, RegressEvent, RegressPlan, Section, Step,
    Verdict, Wanted, config, failed,
};
use crate::bench::{
    self, BenchEvent, BenchPlan, BenchResult, EngineBench, PositionList, Task, builtin_positions,
};
use dyno_driver::{EngineError, Go};
use std::time::Duration;

const NAME: &str = "bench";
/// Per cent of speed that may be lost where the file does not say.
const TOLERANCE: f64 = 10.0;
/// How long one search may take, and an engine's own bench.
const SEARCH: Duration = Duration::from_secs(120);
const OWN: Duration = Duration::from_secs(600);

pub(super) fn run(config: &BenchConfig, plan: &RegressPlan, listen: Listener<'_>) -> Outcome {
    let older = match &config.against {
        Some(_) => plan.older(config.against.as_ref())?,
        None => None,
    };
    let mut engines = vec![plan.engine.clone()];
    engines.extend(older.clone());
    let bench_plan = BenchPlan {
        engines,
        settings: plan.settings.clone(),
        task: task(config, plan)?,
        runs: config.runs,
        until: None,
        patience: if config.own.is_some() { OWN } else { SEARCH },
    };
    let mut measure = || {
        let (mut done, mut total) = (0u64, 0u64);
        bench::run(&bench_plan, &mut |event| match event {
            BenchEvent::Started { total: all, .. } => total = all.unwrap_or(0),
            BenchEvent::Measured { .. } => {
                done += 1;
                listen(RegressEvent::Progress(&format!("{done}/{total} searches")));
            }
            BenchEvent::Warning(_) => {}
        })
    };
    let result = measure().and_then(|first| {
        let slow = |result: &BenchResult| {
            let engine = result.engines.first();
            engine.is_some_and(|e| speed_case(config, plan, result, e).verdict == Verdict::Fail)
        };
        // A machine has bad moments: what is too slow is measured again before it is said.
        if first.interrupted || !slow(&first) {
            return Ok(first);
        }
        let second = measure()?;
        Ok(if second.interrupted || !slow(&second) { second } else { first })
    });
    let step = |cases| Step::new(Section::Bench, NAME, cases);
    let result = match result {
        Ok(result) => result,
        Err(error @ (EngineError::BadOption { .. } | EngineError::Unsupported { .. })) => {
            return Err(RegressError::Config(format!("[bench]: {error}")));
        }
        Err(error) => return Ok(step(vec![failed(error)?])),
    };
    if result.interrupted {
        return Err(EngineError::Interrupted.into());
    }
    let Some(engine) = result.engines.first() else { return Ok(step(Vec::new())) };
    let mut cases = Vec::new();
    if result.has_signature() {
        cases.push(signature_case(config, plan, engine));
    }
    cases.push(speed_case(config, plan, &result, engine));
    cases.extend(failure_cases(&result, engine));
    let speed = engine.speed.map(|s| s.median);
    let text = [
        engine.signature.map(|s| format!("signature {s}")),
        speed.map(|s| format!("{s:.0} nodes per second")),
    ];
    let text: Vec<String> = text.into_iter().flatten().collect();
    let text = if text.is_empty() { "no figures".to_owned() } else { text.join(", ") };
    Ok(step(cases)
        .summary(text)
        .figure("signature", engine.signature.map(|s| s as f64))
        .figure("nps", speed)
        .figure("pace", engine.pace()))
}

fn task(config: &BenchConfig, plan: &RegressPlan) -> Result<Task, RegressError> {
    if let Some(command) = &config.own {
        let command = dyno_driver::split_command_line(command)
            .map_err(|e| RegressError::Config(format!("[bench] own: {e}")))?;
        return Ok(Task::Own { command });
    }
    let limit = config::limit(config.depth, config.nodes, config.movetime)
        .map_err(RegressError::Config)?
        .unwrap_or_else(|| Go::depth(12));
    let list = match &config.epd {
        None => builtin_positions(),
        Some(path) => PositionList::open(&plan.folder.join(path), false)
            .map_err(|e| RegressError::Config(format!("[bench] epd: {e}")))?,
    };
    Ok(Task::Search { list, limit: Box::new(limit) })
}

fn signature_case(config: &BenchConfig, plan: &RegressPlan, engine: &EngineBench) -> Case {
    let case = |verdict, text: String| Case::new("signature", verdict, text);
    let then = plan.baseline_figure(Section::Bench, NAME, "signature").map(|s| s as u64);
    let Some(found) = engine.signature else {
        let why = match engine.reproducible {
            Some(false) => "the node counts differ from run to run",
            _ => "not every position was searched and counted",
        };
        // An engine whose signature is not pinned may do without one.
        let verdict = if config.signature.is_some() { Verdict::Fail } else { Verdict::Warn };
        return case(verdict, format!("none: {why}"));
    };
    let wanted = match (&config.signature, then) {
        (Some(Wanted::Nodes(nodes)), _) => Some((*nodes, "dyno.toml")),
        (Some(Wanted::Word(_)), Some(then)) => Some((then, "the baseline")),
        (Some(Wanted::Word(_)), None) => {
            return case(Verdict::Skip, format!("{found}; no baseline to compare with"));
        }
        (None, _) => None,
    };
    match (wanted, then) {
        (Some((nodes, source)), _) if nodes != found => case(
            Verdict::Fail,
            format!("{found}, but {nodes} in {source}: what the engine thinks has changed"),
        )
        .details([
            "if the change is meant, write the new signature where the old one stands".into(),
        ]),
        (Some((_, source)), _) => case(Verdict::Pass, format!("{found}, as in {source}")),
        (None, Some(then)) if then != found => {
            case(Verdict::Pass, format!("{found}, {then} in the baseline: a functional change"))
        }
        (None, Some(_)) => case(Verdict::Pass, format!("{found}, as in the baseline")),
        (None, None) => case(Verdict::Pass, found.to_string()),
    }
}

fn speed_case(
    config: &BenchConfig,
    plan: &RegressPlan,
    result: &BenchResult,
    engine: &EngineBench,
) -> Case {
    let case = |verdict, text: String| Case::new("speed", verdict, text);
    let tolerance = config.speed_tolerance.unwrap_or(TOLERANCE);
    if let Some(ratio) = result.ratios.first() {
        // The ratio is the older engine's speed by ours.
        let percent = |r: f64| (1.0 / r - 1.0) * 100.0;
        let (mean, low, high) =
            (percent(ratio.ratio.mean), percent(ratio.ratio.high), percent(ratio.ratio.low));
        let text = format!(
            "{mean:+.1} % ({low:+.1} to {high:+.1}) against {}, measured in turn; -{tolerance} % \
             allowed",
            result.engines[ratio.engine].engine.name
        );
        // Only what is surely too slow fails.
        return case(if high < -tolerance { Verdict::Fail } else { Verdict::Pass }, text);
    }
    let Some(now) = engine.speed.map(|s| s.median) else {
        return case(
            Verdict::Skip,
            "not known: the engine tells no nodes, or no run was completed".into(),
        );
    };
    let Some(then) = plan.baseline_figure(Section::Bench, NAME, "nps") else {
        return case(
            Verdict::Pass,
            format!("{now:.0} nodes per second; no baseline to compare with"),
        );
    };
    if !engine.ran_long_enough() {
        return case(
            Verdict::Skip,
            format!(
                "{now:.0} nodes per second, {then:.0} in the baseline: runs this short cannot be \
                 compared; give [bench] a greater depth"
            ),
        );
    }
    // Where the same Dyno measured both, the machine's own speed is taken out.
    let pace = plan.baseline_pace(NAME).zip(engine.pace());
    let (change, how) = match pace {
        Some((then, now)) => (now / then, "by processor time, corrected by the machine's speed"),
        None => (now / then, "the machine's speed then is not known"),
    };
    let change = (change - 1.0) * 100.0;
    // What the runs differ by among themselves, and what no correction sees, is not the engine's.
    let noise = (bench::DRIFT + engine.pace_noise()) * 100.0;
    let text = format!(
        "{now:.0} nodes per second, {then:.0} in the baseline: {change:+.1} % ± {noise:.1} ({how}), \
         -{tolerance} % allowed"
    );
    // Only what is surely too slow fails.
    case(if change + noise < -tolerance { Verdict::Fail } else { Verdict::Pass }, text)
}

fn failure_cases(result: &BenchResult, engine: &EngineBench) -> Option<Case> {
    let failures: Vec<String> = engine
        .measures
        .iter()
        .filter(|m| !m.status.counts())
        .map(|m| {
            let id = result.positions.get(m.position).map_or("?", |p| p.id.as_str());
            format!("{id}: {}", m.trouble)
        })
        .collect();
    let first = failures.first()?.clone();
    let text = format!("{} searches failed, the first: {first}", failures.len());
    Some(Case::new("behaviour", Verdict::Fail, text).details(failures))
}
