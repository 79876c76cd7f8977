//! `dyno perft --engine`: the engine's counts beside the right ones.

use super::{Args, count_plan, suite_plan};
use crate::engine_args::{EngineArgs, engine_error};
use crate::exit::{Coded, Exit};
use crate::{history, interrupt, stdout};
use dyno_driver::{Engine, EngineError, Protocol};
use dyno_report::perft::html;
use dyno_report::perft_bisect as report;
use dyno_report::terminal::{self, Progress};
use dyno_trials::perft_bisect::{
    self, AskError, BisectEvent, BisectJob, BisectOptions, BisectResult,
};

/// The most leaves an engine is asked to count in a suite, unless the user says otherwise: slow
/// engines count some ten thousand a second.
const DEFAULT_MOST: u64 = 200_000;

/// Runs the bisection.
pub fn run(args: &Args, engine: &str) -> anyhow::Result<Exit> {
    let engine_args = EngineArgs {
        engines: vec![engine.to_owned()],
        options: args.engine_options.clone(),
        threads: None,
        hash: None,
        protocol: Protocol::Auto,
        dir: None,
        env: Vec::new(),
        jail: false,
        engines_file: Vec::new(),
        startup_timeout: 5.0,
        log: args.log.clone(),
    };
    let jobs = jobs(args)?;
    anyhow::ensure!(!jobs.is_empty(), "every count is beyond --max-nodes or --max-depth");
    let page = args.page()?;
    let mut running =
        Engine::start(&engine_args.spec()?, &engine_args.settings()?).map_err(engine_error)?;
    if !running.capabilities().uci_commands {
        let message = format!("{} speaks XBoard, and perft is asked over UCI", running.name());
        return Err(Coded { exit: Exit::Engine, message }.into());
    }
    let stream = !args.json;
    let name = running.name().to_owned();
    let progress = Progress::new("positions", Some(jobs.len() as u64), args.quiet);
    let (mut seen, mut known, mut dialect) = (Vec::new(), Vec::new(), None);
    let options =
        BisectOptions { fail_fast: args.fail_fast, survives: true, ..BisectOptions::default() };
    let saving = interrupt::hold();
    let outcome = perft_bisect::bisect(&mut running, &jobs, options, |event| match event {
        BisectEvent::Dialect(found) => {
            if stream {
                progress.print(report::heading(&name, found).trim_end());
            }
            dialect = Some(found.clone());
        }
        BisectEvent::Compared { comparison, rules } => {
            if stream {
                progress.print(report::line(comparison, rules).trim_end_matches('\n'));
            }
            seen.push(comparison.clone());
            known = rules.to_vec();
            progress.set(seen.len() as u64);
            progress.note(&comparison.name);
        }
    });
    drop(saving);
    progress.finish();
    let (result, interrupted) = match outcome {
        Ok(result) => (result, false),
        // What is known is shown.
        Err(AskError::Engine(EngineError::Interrupted)) => {
            let Some(dialect) = dialect else { return Ok(Exit::Interrupted) };
            let header = perft_bisect::header(&running, &jobs);
            let result =
                BisectResult { header, engine: name, dialect, rules: known, comparisons: seen };
            (result, true)
        }
        Err(AskError::Engine(error)) => return Err(engine_error(error)),
        Err(error) => return Err(Coded { exit: Exit::Engine, message: error.to_string() }.into()),
    };
    running.quit();
    history::keep(&result);
    if let Some(page) = page {
        page.write(&html::engine_page(&result))?;
    }
    if args.json {
        stdout::json(&result)?;
    } else {
        stdout::text(&report::summary(&result))?;
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
    let lines = plan.file.lines.iter();
    Ok(lines.filter_map(|line| BisectJob::within(line, deepest, most)).collect())
}
