//! Reports of a battery: at the prompt ([`terminal`]), for pull requests ([`markdown`],
//! [`annotations`]), for CI servers ([`junit`]) and as a page ([`html`]).

pub mod annotations;
pub mod html;
pub mod junit;
pub mod markdown;
pub mod terminal;

use crate::Verdict;
use dyno_trials::regress::{Case, RegressResult, Step};

/// `2 of 5 steps failed`, or that all is well.
fn headline(result: &RegressResult) -> (Verdict, String) {
    let (failed, all) = (result.count(Verdict::Fail), result.steps.len());
    let warned = result.count(Verdict::Warn);
    let steps = |count: usize| if count == 1 { "step" } else { "steps" };
    match (failed, warned) {
        _ if result.interrupted => {
            (Verdict::Warn, format!("interrupted after {all} {}", steps(all)))
        }
        (0, 0) if all == 1 => (Verdict::Pass, "the step passed".to_owned()),
        (0, 0) => (Verdict::Pass, format!("all {all} {} passed", steps(all))),
        (0, _) => (Verdict::Warn, format!("{all} {} passed, {warned} with warnings", steps(all))),
        _ => (Verdict::Fail, format!("{failed} of {all} {} failed", steps(all))),
    }
}

/// The cases that want attention, gravest first.
fn findings(step: &Step) -> impl Iterator<Item = &Case> {
    let of = |wanted: Verdict| step.cases.iter().filter(move |case| case.verdict == wanted);
    of(Verdict::Fail).chain(of(Verdict::Warn))
}

fn title(step: &Step) -> String {
    match step.section.name() {
        section if section == step.name => section.to_owned(),
        section => format!("{section} {}", step.name),
    }
}
