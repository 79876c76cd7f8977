//! The examination, with what the project accepts.

use super::{
    Case, CheckConfig, Listener, Outcome, RegressEvent, RegressPlan, Section, Step, Verdict, failed,
};
use crate::check::{self, CheckResult, find_check};
use dyno_driver::EngineError;

pub(super) fn run(config: &CheckConfig, plan: &RegressPlan, listen: Listener<'_>) -> Outcome {
    let check_plan = check::CheckPlan {
        engine: plan.engine.clone(),
        settings: plan.settings.clone(),
        profile: config.profile,
        only: config.only.clone(),
        skip: config.skip.clone(),
        seed: config.seed.unwrap_or(1),
        concurrency: config.concurrency.unwrap_or(1),
        games: config.games,
        slowness: 1.0,
    };
    let step = |cases| Step::new(Section::Check, Section::Check.name(), cases);
    let card = check::run(&check_plan, |event| {
        if let check::CheckEvent::Done(result) = event {
            listen(RegressEvent::Progress(&result.id));
        }
    });
    let card = match card {
        Ok(card) => card,
        Err(error) => return Ok(step(vec![failed(error)?])),
    };
    if card.interrupted {
        return Err(EngineError::Interrupted.into());
    }
    let step = step(card.checks.iter().map(|result| case(config, result)).collect());
    let counts = [
        (Verdict::Fail, "failed"),
        (Verdict::Warn, "warned"),
        (Verdict::Pass, "passed"),
        (Verdict::Skip, "skipped"),
    ];
    let text = counts
        .into_iter()
        .map(|(verdict, word)| (step.count(verdict), word))
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect::<Vec<_>>()
        .join(", ");
    Ok(step.summary(text))
}

fn case(config: &CheckConfig, result: &CheckResult) -> Case {
    let outcome = &result.outcome;
    let check = find_check(&result.id);
    let is_named = |name: &String| check.is_some_and(|check| check.is_named(name));
    let found = outcome.verdict;
    let allowed =
        matches!(found, Verdict::Fail | Verdict::Warn) && config.allow.iter().any(is_named);
    let verdict = match found {
        _ if allowed => Verdict::Skip,
        Verdict::Warn if config.fail_on_warning => Verdict::Fail,
        verdict => verdict,
    };
    let remark = if allowed { " (allowed in dyno.toml)" } else { "" };
    let case = Case::new(&result.id, verdict, format!("{}{remark}", outcome.summary));
    match found {
        Verdict::Fail | Verdict::Warn => {
            case.details(outcome.evidence.clone()).reproduce(outcome.reproduce.clone())
        }
        _ => case,
    }
}
