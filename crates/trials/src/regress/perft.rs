//! The perft part: every count must be right, and where one is not, the wrong move is named.

use super::{
    Case, Listener, Outcome, PerftConfig, RegressError, RegressEvent, RegressPlan, Section, Step,
    Verdict, failed,
};
use crate::perft::{NAMED, PerftFile};
use crate::perft_bisect::{self, AskError, BisectJob, BisectOptions, Comparison, FaultReport};
use dyno_chess::Position;
use dyno_driver::Engine;
use dyno_formats::{Opened, open_text};
use dyno_suites::{Kind, builtins};
use std::path::Path;

pub(super) fn run(config: &PerftConfig, plan: &RegressPlan, listen: Listener<'_>) -> Outcome {
    let jobs = jobs(config, plan)?;
    let mut engine = match Engine::start(&plan.engine, &plan.settings) {
        Ok(engine) => engine,
        Err(error) => return Ok(step(vec![failed(error)?])),
    };
    let options = BisectOptions { survives: true, ..BisectOptions::default() };
    let compared = perft_bisect::bisect(&mut engine, &jobs, options, |event| {
        if let perft_bisect::BisectEvent::Compared { comparison, .. } = event {
            listen(RegressEvent::Progress(&format!(
                "{} depth {}",
                comparison.name, comparison.depth
            )));
        }
    });
    engine.quit();
    Ok(step(match compared {
        Ok(result) => result.comparisons.iter().map(case).collect(),
        Err(AskError::Engine(error)) => vec![failed(error)?],
        Err(error @ AskError::NoPerft { .. }) => {
            let advice = "an engine without perft needs no [perft] section".to_owned();
            vec![Case::new("perft", Verdict::Fail, error.to_string()).details([advice])]
        }
        Err(error) => vec![Case::new("perft", Verdict::Fail, error.to_string())],
    }))
}

fn step(cases: Vec<Case>) -> Step {
    let step = Step::new(Section::Perft, Section::Perft.name(), cases);
    let (right, all) = (step.count(Verdict::Pass), step.cases.len());
    let text = format!("{right} of {all} positions counted rightly");
    step.summary(text)
}

fn jobs(config: &PerftConfig, plan: &RegressPlan) -> Result<Vec<BisectJob>, RegressError> {
    let usual = NAMED.iter().take(if config.usual { NAMED.len() } else { 0 });
    let usual = usual.filter_map(|named| {
        let position = Position::from_fen(named.fen).ok()?;
        Some(BisectJob { name: named.name.to_owned(), position, depth: config.depth })
    });
    let own = config.positions.iter().enumerate().filter_map(|(index, own)| {
        let name = own.name.clone().unwrap_or_else(|| format!("position {}", index + 1));
        let mut position = Position::from_fen(&own.fen).ok()?;
        position.set_chess960(position.needs_chess960());
        Some(BisectJob { name, position, depth: own.depth })
    });
    let suite = config.suite.iter().flat_map(|name| suite_jobs(name, config.max_nodes));
    let mut jobs: Vec<BisectJob> = usual.chain(own).chain(suite).collect();
    if let Some(file) = &config.file {
        jobs.extend(file_jobs(&plan.folder.join(file), config.depth)?);
    }
    Ok(jobs)
}

/// The positions of a built-in suite, each at its deepest count within the limit.
fn suite_jobs(name: &str, most: u64) -> Vec<BisectJob> {
    let suite = builtins(Kind::Perft).find(|suite| suite.is_named(name));
    let file = suite.map(|suite| PerftFile::read(suite.text));
    let lines = file.iter().flat_map(|file| &file.lines);
    lines.filter_map(|line| BisectJob::within(line, u32::MAX, u128::from(most))).collect()
}

/// The positions of a file of counts, each as deep as it has counts and the depth allows.
fn file_jobs(path: &Path, most: u32) -> Result<Vec<BisectJob>, RegressError> {
    let fault = |text: String| RegressError::Config(format!("[perft] file: {text}"));
    let name = path.display();
    let text = open_text(path).and_then(Opened::into_text).map_err(|e| fault(e.to_string()))?;
    let file = PerftFile::read(&text);
    if let Some(defect) = file.defects.first() {
        return Err(fault(format!("{name}:{}: {}", defect.line, defect.why)));
    }
    let job = |line| BisectJob::within(line, most, u128::MAX);
    Ok(file.lines.iter().filter_map(job).collect())
}

fn case(comparison: &Comparison) -> Case {
    let Comparison { name, depth, expected, .. } = comparison;
    if let Some(reason) = &comparison.skipped {
        return Case::new(name, Verdict::Skip, reason);
    }
    let Some(fault) = &comparison.fault else {
        return Case::new(name, Verdict::Pass, format!("depth {depth}: {expected}"));
    };
    let summary = format!("depth {depth}: {}", wrong(fault));
    let mut details = vec![format!("position: {}", fault.fen)];
    for (what, moves) in [("missing", &fault.missing), ("not legal", &fault.surplus)] {
        details.extend(moves.iter().map(|m| format!("{what}: {} ({})", m.mv, m.why)));
    }
    details.push("to see it, send to the engine:".to_owned());
    details.extend(fault.reproduce.iter().map(|line| format!("  {line}")));
    Case::new(name, Verdict::Fail, summary).details(details)
}

fn wrong(fault: &FaultReport) -> String {
    let first = fault.missing.first().map(|m| ("misses", m));
    let first = first.or_else(|| fault.surplus.first().map(|m| ("plays the illegal", m)));
    if let Some(breakdown) = &fault.breakdown {
        let over = breakdown.mv.as_ref().map_or_else(String::new, |mv| format!(" over {mv}"));
        return format!("breaks down{over} in {}: {}", fault.fen, breakdown.how);
    }
    match (first, fault.count) {
        (Some((verb, m)), _) => format!("{verb} {} in {}: {}", m.mv, fault.fen, m.why),
        (None, Some((depth, right, counted))) => {
            format!("counts {counted}, not {right}, at depth {depth} in {}", fault.fen)
        }
        (None, None) => format!("counts wrongly in {}", fault.fen),
    }
}
