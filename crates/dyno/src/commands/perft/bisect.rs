//! `dyno perft --engine`: the engine's counts beside the right ones.

use super::{Args, count_plan, suite_plan};
use crate::engine_args::{EngineArgs, engine_error};
use crate::exit::{Coded, Exit};
use crate::stdout;
use dyno_driver::{Engine, EngineError, Protocol};
use dyno_report::perft_bisect as report;
use dyno_report::terminal::{self, Progress};
use dyno_trials::perft_bisect::{self, AskError, BisectEvent, BisectJob, BisectResult};

/// The most leaves an engine is asked to count in a suite, unless the user says otherwise: slow
/// engines count some ten thousand a second.
const DEFAULT_MOST: u64 = 200_000;

/// Runs the hunt.
pub fn run(args: &Args, engine: &str) -> anyhow::Result<Exit> {
    let engine_args = EngineArgs {
        engines: vec![engine.to_owned()],
        options: args.engine_options.clone(),
        threads: None,
        hash: None,
        protocol: Protocol::Auto,
        dir: None,
        env: Vec::new(),
        engines_file: Vec::new(),
        startup_timeout: 5.0,
        log: args.log.clone(),
    };
    let jobs = jobs(args)?;
    anyhow::ensure!(!jobs.is_empty(), "every count is beyond --max-nodes or --max-depth");
    let mut running =
        Engine::start(&engine_args.spec()?, &engine_args.settings()?).map_err(engine_error)?;
    if !running.capabilities().uci_commands {
        let message = format!("{} speaks XBoard, and perft is asked over UCI", running.name());
        return Err(Coded { exit: Exit::Engine, message }.into());
    }
    let progress = Progress::new("positions", Some(jobs.len() as u64), args.quiet);
    let mut seen = Vec::new();
    let mut dialect = None;
    let outcome = perft_bisect::run(&mut running, &jobs, |event| match event {
        BisectEvent::Dialect(found) => dialect = Some(found.clone()),
        BisectEvent::Compared(comparison) => {
            seen.push(comparison.clone());
            progress.set(seen.len() as u64);
            progress.note(&comparison.name);
        }
    });
    progress.finish();
    let (result, interrupted) = match outcome {
        Ok(result) => (result, false),
        // What is known is shown.
        Err(AskError::Engine(EngineError::Interrupted)) => {
            let Some(dialect) = dialect else { return Ok(Exit::Interrupted) };
            let header = perft_bisect::header(&running, &jobs);
            let engine = running.name().to_owned();
            (BisectResult { header, engine, dialect, comparisons: seen }, true)
        }
        Err(AskError::Engine(error)) => return Err(engine_error(error)),
        Err(error) => return Err(Coded { exit: Exit::Engine, message: error.to_string() }.into()),
    };
    running.quit();
    if args.json {
        let mut text = serde_json::to_vec_pretty(&result)?;
        text.push(b'\n');
        stdout::write_all(&text)?;
    } else {
        stdout::text(&report::text(&result))?;
    }
    if interrupted {
        terminal::eprintln!(
            "interrupted: {} of {} positions compared",
            result.comparisons.len(),
            jobs.len()
        );
        return Ok(Exit::Interrupted);
    }
    Ok(if result.faults() == 0 { Exit::Passed } else { Exit::Failed })
}

/// The position asked for, or every position of the suite at the deepest count within bounds.
fn jobs(args: &Args) -> anyhow::Result<Vec<BisectJob>> {
    let Some(suite) = &args.suite else {
        let plan = count_plan(args)?;
        return Ok(vec![BisectJob {
            name: plan.name,
            position: plan.position,
            depth: plan.depth.max(1),
        }]);
    };
    let plan = suite_plan(args, suite)?;
    let most = plan.max_nodes.unwrap_or(u128::from(DEFAULT_MOST));
    let deepest = plan.max_depth.unwrap_or(u32::MAX);
    let mut jobs = Vec::new();
    for line in &plan.file.lines {
        let within = line
            .counts
            .iter()
            .filter(|(depth, nodes)| (1..=deepest).contains(depth) && *nodes <= most);
        if let Some((depth, _)) = within.max_by_key(|(depth, _)| *depth) {
            let name = line.id.clone().unwrap_or_else(|| format!("line {}", line.number));
            jobs.push(BisectJob { name, position: line.position, depth: *depth });
        }
    }
    Ok(jobs)
}
