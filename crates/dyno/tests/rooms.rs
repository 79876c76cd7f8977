//! The house keeps its rooms apart, and ships only what is permissively licensed.

#![allow(clippy::unwrap_used, reason = "tests")]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Who may use whom, not counting tests.
const ROOMS: &[(&str, &[&str])] = &[
    ("dyno-chess", &[]),
    ("dyno-stats", &[]),
    ("dyno-suites", &[]),
    ("dyno-uci", &["dyno-chess"]),
    ("dyno-formats", &["dyno-chess"]),
    ("dyno-solver", &["dyno-chess"]),
    ("dyno-piston", &["dyno-chess", "dyno-uci", "dyno-solver"]),
    ("dyno-driver", &["dyno-chess", "dyno-uci"]),
    (
        "dyno-tournament",
        &["dyno-chess", "dyno-stats", "dyno-suites", "dyno-uci", "dyno-formats", "dyno-driver"],
    ),
    (
        "dyno-trials",
        &[
            "dyno-chess",
            "dyno-stats",
            "dyno-suites",
            "dyno-uci",
            "dyno-formats",
            "dyno-solver",
            "dyno-driver",
            "dyno-tournament",
        ],
    ),
    ("dyno-store", &["dyno-stats"]),
    ("dyno-report", &["dyno-chess", "dyno-stats", "dyno-tournament", "dyno-trials"]),
    ("dyno-testkit", &["dyno-chess", "dyno-uci"]),
    (
        "dyno-cli",
        &[
            "dyno-chess",
            "dyno-stats",
            "dyno-uci",
            "dyno-formats",
            "dyno-solver",
            "dyno-piston",
            "dyno-driver",
            "dyno-tournament",
            "dyno-trials",
            "dyno-report",
            "dyno-testkit",
        ],
    ),
];

/// The same as in deny.toml.
const PERMISSIVE: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    "0BSD",
    "CC0-1.0",
    "BSL-1.0",
    "MIT-0",
];

/// What cargo knows of the workspace on this platform: the packages of other platforms need not
/// have been downloaded.
fn metadata() -> Value {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let version = Command::new(&cargo).arg("-vV").output().unwrap();
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--offline", "--filter-platform", host])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

#[test]
fn rooms_use_only_whom_they_may() {
    let metadata = metadata();
    let members: BTreeSet<&str> =
        list(&metadata, "workspace_members").iter().filter_map(Value::as_str).collect();
    let rooms: BTreeMap<&str, &[&str]> = ROOMS.iter().copied().collect();
    let mut seen = BTreeSet::new();
    for package in list(&metadata, "packages") {
        if !members.contains(text(package, "id")) {
            continue;
        }
        let name = text(package, "name");
        let may = rooms.get(name).unwrap_or_else(|| panic!("{name} is not in the table of rooms"));
        seen.insert(name);
        for dependency in list(package, "dependencies") {
            let (used, kind) = (text(dependency, "name"), text(dependency, "kind"));
            let ours = used.starts_with("dyno-");
            assert!(!ours || kind == "dev" || may.contains(&used), "{name} may not use {used}");
        }
    }
    assert_eq!(seen, rooms.keys().copied().collect(), "every room of the table exists");
}

/// Whether an SPDX expression can be satisfied with the permissive licences alone.
fn is_permissive(expression: &str) -> bool {
    let plain = expression.replace('/', " OR ").replace(['(', ')'], " ");
    plain.split(" AND ").all(|part| part.split(" OR ").any(|one| PERMISSIVE.contains(&one.trim())))
}

#[test]
fn what_ships_is_permissively_licensed() {
    let metadata = metadata();
    let packages: BTreeMap<&str, &Value> =
        list(&metadata, "packages").iter().map(|package| (text(package, "id"), package)).collect();
    let nodes: BTreeMap<&str, &Value> =
        list(&metadata["resolve"], "nodes").iter().map(|node| (text(node, "id"), node)).collect();
    let root = packages.iter().find(|(_, package)| text(package, "name") == "dyno-cli").unwrap().0;
    let mut todo = vec![*root];
    let mut shipped = BTreeSet::new();
    while let Some(id) = todo.pop() {
        if !shipped.insert(id) {
            continue;
        }
        for dependency in list(nodes[id], "deps") {
            let used = list(dependency, "dep_kinds").iter().any(|k| text(k, "kind") != "dev");
            if used {
                todo.push(text(dependency, "pkg"));
            }
        }
    }
    assert!(shipped.len() > 20, "the walk found only {shipped:?}");
    for id in shipped {
        let (name, licence) = (text(packages[id], "name"), text(packages[id], "license"));
        assert!(is_permissive(licence), "{name} is licensed under \"{licence}\"");
        assert_ne!(name, "shakmaty");
    }
    assert!(
        is_permissive("MIT OR GPL-3.0") && is_permissive("(MIT OR Apache-2.0) AND Unicode-3.0")
    );
    assert!(!is_permissive("GPL-3.0-or-later") && !is_permissive("MIT AND GPL-3.0"));
}
