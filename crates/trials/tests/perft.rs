//! The counts of the built-in suites, and of the shared files they come from.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::print_stderr, reason = "says why it skips, and how far the long run came")]

use dyno_trials::perft::{PerftFile, PerftSuiteEvent, PerftSuitePlan, run_suite};
use dyno_trials::{Kind, builtins};
use std::collections::BTreeMap;

fn plan(name: &str, max_nodes: u128) -> PerftSuitePlan {
    let suite = builtins(Kind::Perft).find(|suite| suite.is_named(name)).unwrap();
    PerftSuitePlan {
        name: name.into(),
        file: PerftFile::read(suite.text),
        max_nodes: Some(max_nodes),
        max_depth: None,
        threads: 2,
        hash_mb: None,
        chess960: false,
    }
}

#[test]
fn every_count_below_twenty_million_is_right() {
    for name in ["standard", "chess960"] {
        let result = run_suite(&plan(name, 20_000_000), &|| false, &mut |_| {}).unwrap();
        let wrong: Vec<_> = result.rows.iter().filter(|row| !row.agrees).collect();
        assert!(wrong.is_empty() && result.complete && result.defects.is_empty(), "{wrong:?}");
        assert!(name == "chess960" || result.rows.len() > 700, "{} counts", result.rows.len());
    }
}

#[test]
#[ignore = "300,000,000,000 leaves: cargo test --release -p dyno-trials -- --ignored every_count"]
fn every_count_is_right() {
    for name in ["standard", "chess960"] {
        let plan = PerftSuitePlan { hash_mb: Some(1024), ..plan(name, u128::MAX) };
        let result = run_suite(&plan, &|| false, &mut |event| {
            if let PerftSuiteEvent::Compared(row) = event {
                assert!(row.agrees, "{row:?}");
                eprintln!("{} at depth {}: {}", row.fen, row.depth, row.found);
            }
        });
        assert_eq!(result.unwrap().mismatches, 0);
    }
}

/// The suites hold every position and count of the files they were made from.
#[test]
fn nothing_of_the_sources_is_missing() {
    for name in ["standard", "chess960"] {
        let path =
            format!("{}/../../../shared/data/open/perft/{name}.epd", env!("CARGO_MANIFEST_DIR"));
        let Ok(source) = std::fs::read_to_string(&path) else {
            eprintln!("skipped: no {path}");
            continue;
        };
        let mut ours = BTreeMap::new();
        for line in plan(name, 0).file.lines {
            ours.entry(line.position.epd()).or_insert_with(Vec::new).extend(line.counts);
        }
        let source = PerftFile::read(&source);
        assert!(source.defects.is_empty() && source.lines.len() > 100);
        for line in source.lines {
            let known =
                ours.get(&line.position.epd()).unwrap_or_else(|| panic!("{}", line.position));
            assert!(line.counts.iter().all(|count| known.contains(count)), "{}", line.position);
        }
    }
}
