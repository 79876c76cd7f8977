//! The run: engines over mates, and the sums of it.

use super::judge::MateJudge;
use super::plan::MatePlan;
use super::problem::SuiteFault;
use super::result::{EngineMates, MateResult, MateRun};
use super::tally::EngineTally;
use crate::position_test::{self, Source, TestError, TestEvent, TestOutcome};
use dyno_driver::RunHeader;
use std::time::Instant;

/// What happens during a run, in the order of the suite.
pub type MateEvent<'a> = TestEvent<'a, MateResult, SuiteFault>;

/// Runs the plan. An error means that nothing was run.
pub fn run(
    plan: &MatePlan,
    listen: &mut dyn FnMut(MateEvent<'_>),
) -> Result<TestOutcome<MateRun>, TestError> {
    let began = Instant::now();
    let header = RunHeader::begin("mate", plan.recorded()).seed(plan.test.selection.seed);
    let mut tallies: Vec<EngineTally> =
        plan.test.engines.iter().map(|_| EngineTally::default()).collect();
    let (mut skipped, mut disputed) = (Vec::new(), Vec::new());
    let run = position_test::run(&plan.test, &MateJudge::new(plan), &mut |event| {
        match &event {
            TestEvent::Defect(fault) => skipped.push((*fault).clone()),
            TestEvent::Position { result, .. } => {
                tallies[result.engine].add(result);
                // Every engine is asked the same: the first one's faults are all there are.
                if result.engine == 0 {
                    disputed.extend(result.faults.iter().cloned());
                }
            }
            TestEvent::Started { .. } | TestEvent::Warning(_) => {}
        }
        listen(event);
    })?;
    let engines = tallies.into_iter().zip(run.findings).zip(&run.engines);
    let engines = engines.map(|((tally, findings), identity)| {
        let (totals, by_score, depths) = tally.finish();
        EngineMates { engine: identity.clone(), totals, by_score, depths, findings }
    });
    let mut result = MateRun {
        suites: plan.test.sources.iter().map(Source::name).collect(),
        limit: plan.limit.clone(),
        proof: plan.proof,
        engines: engines.collect(),
        faults: skipped.into_iter().chain(disputed).collect(),
        warnings: run.warnings,
        interrupted: run.interrupted,
        header: header.engines(run.engines),
    };
    result.header.seconds = began.elapsed().as_secs_f64();
    Ok(TestOutcome { result, failure: run.failure })
}
