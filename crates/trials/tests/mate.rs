//! Engines over mates, end to end with the scripted engine.

#![allow(clippy::unwrap_used, reason = "tests")]

use dyno_driver::{Go, Settings};
use dyno_testkit::scripted;
use dyno_trials::mate::{MateLimit, MatePlan, MateResult, MateRun, MateVerdict, ProofLimits, run};
use dyno_trials::position_test::{Source, TestEvent, TestOutcome, TestPlan};

const EPD: &str = "6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; dm 1; id \"one\";\n\
    not a position\n\
    7k/8/5K2/6Q1/8/8/8/8 w - - dm 1; id \"two\";\n\
    7k/8/6K1/8/8/8/8/R7 b - - dm -1; id \"three\";\n\
    7k/8/5K2/6R1/8/8/8/8 w - - dm 2; id \"four\";\n";

fn plan(words: &str, concurrency: usize) -> MatePlan {
    let words: Vec<&str> = words.split_whitespace().collect();
    let sources = vec![Source::Builtin { name: "test.epd", text: EPD }];
    let engines = vec![scripted::command(&words).parse().unwrap()];
    let test = TestPlan { concurrency, ..TestPlan::new(sources, engines, Settings::default()) };
    MatePlan {
        test,
        limit: MateLimit::Fixed(Go::depth(3)),
        proof: ProofLimits::default(),
        repair: false,
    }
}

fn results(plan: &MatePlan) -> (Vec<MateResult>, TestOutcome<MateRun>) {
    let mut seen = Vec::new();
    let outcome = run(plan, &mut |event| {
        if let TestEvent::Position { result, .. } = event {
            seen.push(result.clone());
        }
    });
    (seen, outcome.unwrap())
}

#[test]
fn results_come_in_order_whatever_the_concurrency() {
    let (one, outcome) = results(&plan("infos=2", 1));
    let ids: Vec<&str> = one.iter().map(|result| result.id.as_str()).collect();
    assert_eq!(ids, ["one", "two", "three", "four"]);
    assert_eq!(outcome.result.faults.len(), 1);
    assert_eq!(outcome.result.faults[0].line_no, 2);
    assert_eq!(outcome.result.engines[0].totals.run, 4);
    let verdicts = |results: &[MateResult]| -> Vec<(MateVerdict, String)> {
        results.iter().map(|r| (r.verdict, r.engine_move.clone())).collect()
    };
    let (many, _) = results(&plan("infos=2", 3));
    assert_eq!(verdicts(&one), verdicts(&many));
}

#[test]
fn a_crash_costs_one_position_and_no_more() {
    let (results, outcome) = results(&plan("crash@2", 1));
    let failed: Vec<&str> = results
        .iter()
        .filter(|r| r.verdict == MateVerdict::Failed)
        .map(|r| r.id.as_str())
        .collect();
    assert!(failed.contains(&"two"), "{failed:?}");
    assert!(!failed.contains(&"one"), "{failed:?}");
    assert_eq!(results.len(), 4);
    assert!(!results[1].trouble.is_empty());
    assert!(outcome.failure.is_none());
}

#[test]
fn earlier_results_are_taken_over() {
    let mut plan = plan("name=again", 1);
    let (first, outcome) = results(&plan);
    let name = outcome.result.engines[0].engine.name.clone();
    plan.test.earlier = first[..2].iter().map(|result| (name.clone(), result.clone())).collect();
    let mut earlier = 0;
    let outcome = run(&plan, &mut |event| {
        if let TestEvent::Position { earlier: true, .. } = event {
            earlier += 1;
        }
    })
    .unwrap();
    assert_eq!(earlier, 2);
    assert_eq!(outcome.result.engines[0].totals.run, 4);
}

#[test]
fn an_engine_that_is_not_there_is_an_error() {
    let mut plan = plan("", 1);
    plan.test.engines = vec!["./no/such/engine".parse().unwrap()];
    assert!(run(&plan, &mut |_| {}).is_err());
}
