//! The built-in mates, each proved by the solver.

#![allow(clippy::unwrap_used, reason = "tests")]

use dyno_trials::mate::{Examined, Opinion, ProvePlan, prove};
use dyno_trials::position_test::{Selection, Source};
use dyno_trials::{Kind, builtins};

fn examine(name: &str) -> Vec<Examined> {
    let suite = builtins(Kind::Mate).find(|suite| suite.is_named(name)).unwrap();
    let plan = ProvePlan {
        sources: vec![Source::Builtin { name: suite.name, text: suite.text }],
        selection: Selection::default(),
        nodes: 10_000_000,
        concurrency: 2,
        repair: false,
    };
    let proved = prove(&plan, &|| false, &mut |_| {}).unwrap();
    assert_eq!(proved.skipped, []);
    assert_eq!(proved.examined.len(), suite.positions());
    proved.examined
}

#[test]
fn every_built_in_mate_is_proved() {
    for name in ["mate-in-1", "mate-in-2", "mate-in-3", "mate-in-4", "mate-in-5", "mated"] {
        for one in examine(name) {
            assert_eq!(one.opinion(), Opinion::Confirmed, "{one:?}");
            assert_eq!(one.faults, [], "{}", one.id);
        }
    }
}

#[test]
fn the_mistakes_of_the_documents_are_found() {
    let examined = examine("documents");
    let found: Vec<(&str, &str)> = examined
        .iter()
        .flat_map(|one| &one.faults)
        .map(|fault| (fault.reason.as_str(), fault.proof.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            ("Qe1+ is not a mate in 1", "1. Qe1+ Kh2 escapes; Qg2# mates"),
            ("states mate in 2, but it is mate in 1", "1. Qxf7#"),
            ("states mate in 3, but it is mate in 2", "1. Nf6+ gxf6 2. Bxf7#"),
        ]
    );
    assert_eq!(examined[3].opinion(), Opinion::Confirmed);
}
