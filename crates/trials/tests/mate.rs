//! Engines over mates, end to end with the scripted engine.

#![allow(clippy::unwrap_used, reason = "tests")]

use dyno_driver::{EngineSpec, Go, Settings};
use dyno_testkit::scripted;
use dyno_trials::mate::{
    Event, Limit, MateResult, Outcome, Plan, Problem, ProofLimits, SuiteFault, Verdict, read, run,
};

fn problems() -> Vec<Result<Problem, Box<SuiteFault>>> {
    let epd = "6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; dm 1; id \"one\";\n\
        not a position\n\
        7k/8/5K2/6Q1/8/8/8/8 w - - dm 1; id \"two\";\n\
        7k/8/6K1/8/8/8/8/R7 b - - dm -1; id \"three\";\n\
        7k/8/5K2/6R1/8/8/8/8 w - - dm 2; id \"four\";\n";
    read("test.epd", "test.epd", epd.as_bytes()).collect()
}

fn plan(words: &str, concurrency: usize) -> Plan {
    let words: Vec<&str> = words.split_whitespace().collect();
    Plan {
        engines: vec![scripted::command(&words).parse::<EngineSpec>().unwrap()],
        settings: Settings::default(),
        limit: Limit::Fixed(Go::depth(3)),
        patience: None,
        early_stop: None,
        proof: ProofLimits::default(),
        concurrency,
        earlier: Vec::new(),
        seed: None,
    }
}

fn results(plan: &Plan) -> (Vec<MateResult>, Outcome) {
    let mut seen = Vec::new();
    let outcome = run(plan, &problems(), &mut |event| {
        if let Event::Judged { result, .. } = event {
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
    assert_eq!(outcome.run.faults.len(), 1);
    assert_eq!(outcome.run.faults[0].line_no, 2);
    assert_eq!(outcome.run.engines[0].totals.run, 4);
    let verdicts = |results: &[MateResult]| -> Vec<(Verdict, String)> {
        results.iter().map(|r| (r.verdict, r.engine_move.clone())).collect()
    };
    let (many, _) = results(&plan("infos=2", 3));
    assert_eq!(verdicts(&one), verdicts(&many));
}

#[test]
fn a_crash_costs_one_position_and_no_more() {
    let (results, outcome) = results(&plan("crash@2", 1));
    let failed: Vec<&str> =
        results.iter().filter(|r| r.verdict == Verdict::Failed).map(|r| r.id.as_str()).collect();
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
    let name = outcome.run.engines[0].engine.name.clone();
    plan.earlier = first[..2].iter().map(|result| (name.clone(), result.clone())).collect();
    let mut earlier = 0;
    let outcome = run(&plan, &problems(), &mut |event| {
        if let Event::Judged { earlier: true, .. } = event {
            earlier += 1;
        }
    })
    .unwrap();
    assert_eq!(earlier, 2);
    assert_eq!(outcome.run.engines[0].results.len(), 4);
}

#[test]
fn an_engine_that_is_not_there_is_an_error() {
    let mut plan = plan("", 1);
    plan.engines = vec!["./no/such/engine".parse().unwrap()];
    assert!(run(&plan, &problems(), &mut |_| {}).is_err());
}
