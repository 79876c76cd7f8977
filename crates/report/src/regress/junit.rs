//! The battery as CI servers show it: a suite for each step, a case for each judgement.

use super::title;
use crate::junit::{Case, Error, Suite, to_xml};
use dyno_trials::regress::RegressResult;

/// The XML.
///
/// # Errors
/// Only if the XML cannot be written to memory.
pub fn report(result: &RegressResult) -> Result<String, Error> {
    let suites = result.steps.iter().map(|step| {
        let cases = step.cases.iter().map(|case| {
            Case::new(case.id.as_str(), case.verdict)
                .class(format!("dyno.{}", title(step)))
                .message(case.summary.as_str())
                .details(case.shown(usize::MAX).join("\n"))
        });
        Suite::new(format!("dyno regress: {}", title(step)))
            .property("engine", result.engine.name.as_str())
            .cases(cases)
    });
    to_xml("dyno regress", suites)
}
