//! The house keeps its rooms apart, and ships only what is permissively licensed.

#![allow(clippy::unwrap_used, reason = "tests")]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// A crate of the workspace and what it may use, not counting tests and benches.
struct Room {
    name: &'static str,
    /// Other rooms, of its own floor or below.
    rooms: &'static [&'static str],
    /// Crates from outside, exactly.
    external: &'static [&'static str],
}

const fn room(
    name: &'static str,
    rooms: &'static [&'static str],
    external: &'static [&'static str],
) -> Room {
    Room { name, rooms, external }
}

/// The rooms floor by floor, the lowest first, with all they use.
///
/// `serde` and `thiserror` are not remarked on: values that are saved or sent are serde values on
/// every floor, and libraries have typed errors.
const ROOMS: &[Room] = &[
    // Rules and maths: usable by anyone, so with as little as can be.
    room("dyno-chess", &[], &[]),
    room("dyno-stats", &[], &["serde", "thiserror"]),
    room("dyno-suites", &[], &[]),
    room("dyno-uci", &["dyno-chess"], &["serde", "thiserror"]),
    room(
        "dyno-formats",
        &["dyno-chess"],
        // Compressed files, and memchr to find the lines of databases of many gigabytes. Puzzle CSV
        // is split in place, without the csv crate: millions of rows, and none is copied.
        &["flate2", "memchr", "thiserror", "zip", "zstd"],
    ),
    room("dyno-solver", &["dyno-chess"], &[]),
    // Engines.
    room("dyno-piston", &["dyno-chess", "dyno-uci", "dyno-solver"], &[]),
    room(
        "dyno-driver",
        &["dyno-chess", "dyno-uci"],
        // Engines are described in TOML or JSON (cutechess's engines.json); memchr finds the lines of
        // an engine that floods us; rustix sets affinity and signals of a child, windows-sys its job;
        // landlock, seccompiler and libc (the numbers of system calls) are the jail.
        &[
            "landlock",
            "libc",
            "memchr",
            "rustix",
            "seccompiler",
            "serde",
            "serde_json",
            "thiserror",
            "toml",
            "windows-sys",
        ],
    ),
    // The scripted engine closes its own output, which takes a system call.
    room("dyno-testkit", &["dyno-chess", "dyno-uci"], &["rustix"]),
    // Experiments.
    room(
        "dyno-tournament",
        &["dyno-chess", "dyno-stats", "dyno-suites", "dyno-uci", "dyno-formats", "dyno-driver"],
        // The journal is lines of JSON; pyrrhic-rs probes tablebases.
        &["crossbeam-channel", "pyrrhic-rs", "serde", "serde_json", "thiserror", "toml"],
    ),
    room(
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
        // rustix is the clock of a thread's processor time.
        &["crossbeam-channel", "rustix", "serde", "serde_json", "thiserror", "toml"],
    ),
    // Bugs planted in Piston's sources, to score the examination; never published.
    room("dyno-mutations", &["dyno-driver", "dyno-trials"], &[]),
    // Sharing.
    room(
        "dyno-store",
        &["dyno-stats"],
        // Plans and results are kept as JSON, compressed.
        &["blake3", "rusqlite", "serde", "serde_json", "thiserror", "uuid", "zstd"],
    ),
    room(
        "dyno-report",
        &["dyno-stats", "dyno-store", "dyno-tournament", "dyno-trials"],
        // anstream and anstyle write colours where they are wanted; console and unicode-width
        // measure what a terminal shows.
        &[
            "anstream",
            "anstyle",
            "console",
            "csv",
            "indicatif",
            "quick-junit",
            "serde",
            "serde_json",
            "thiserror",
            "unicode-width",
        ],
    ),
    room(
        "dyno-web",
        &[
            "dyno-chess",
            "dyno-stats",
            "dyno-driver",
            "dyno-tournament",
            "dyno-store",
            "dyno-report",
        ],
        // axum routes over hyper, on one thread of tokio's; TLS is rustls.
        &[
            "axum",
            "futures-util",
            "hyper",
            "hyper-util",
            "serde",
            "serde_json",
            "thiserror",
            "tokio",
            "tokio-rustls",
        ],
    ),
    room(
        "dyno-cluster",
        &["dyno-driver", "dyno-tournament"],
        // async-nats and what it takes and gives (bytes, futures-util, tokio); nkeys and rcgen make
        // the keys and the certificate of `cluster up`, data-encoding its invitations.
        &[
            "async-nats",
            "blake3",
            "bytes",
            "crossbeam-channel",
            "data-encoding",
            "futures-util",
            "nkeys",
            "rcgen",
            "serde",
            "serde_json",
            "thiserror",
            "tokio",
            "zstd",
        ],
    ),
    // The door.
    room(
        "dyno-cli",
        &[
            "dyno-chess",
            "dyno-stats",
            "dyno-suites",
            "dyno-uci",
            "dyno-formats",
            "dyno-solver",
            "dyno-piston",
            "dyno-driver",
            "dyno-tournament",
            "dyno-trials",
            "dyno-store",
            "dyno-report",
            "dyno-web",
            "dyno-cluster",
        ],
        // Beside the command line itself: --json, TOML files of `regress` and `tune`, colours, and
        // rustix to ask the terminal for its size, mimalloc where musl has the allocator.
        &[
            "anstream",
            "anyhow",
            "clap",
            "clap_complete",
            "clap_mangen",
            "ctrlc",
            "mimalloc",
            "rustix",
            "serde",
            "serde_json",
            "toml",
        ],
    ),
];

/// Programs that tests and benches compare us with. They are not ours to ship: shakmaty and its
/// kin are under the GPL, and a rules crate beside our own would only be dead weight.
const ORACLES: &[&str] = &["cozy-chess", "pgn-reader", "shakmaty", "shakmaty-syzygy"];

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

/// Whether a dependency is compiled into what uses the package.
fn is_shipped(dependency: &Value) -> bool {
    text(dependency, "kind") != "dev"
}

#[test]
fn rooms_use_what_the_table_says() {
    let metadata = metadata();
    let members: BTreeSet<&str> =
        list(&metadata, "workspace_members").iter().filter_map(Value::as_str).collect();
    let rooms: BTreeMap<&str, &Room> = ROOMS.iter().map(|room| (room.name, room)).collect();
    let mut seen = BTreeSet::new();
    for package in list(&metadata, "packages") {
        if !members.contains(text(package, "id")) {
            continue;
        }
        let name = text(package, "name");
        let room = rooms.get(name).unwrap_or_else(|| panic!("{name} is not in the table of rooms"));
        seen.insert(name);
        let used = list(package, "dependencies").iter().filter(|one| is_shipped(one));
        let (ours, external): (BTreeSet<&str>, BTreeSet<&str>) = used
            .map(|dependency| text(dependency, "name"))
            .partition(|used| rooms.contains_key(used));
        for used in ours {
            assert!(room.rooms.contains(&used), "{name} may not use {used}");
        }
        let listed: BTreeSet<&str> = room.external.iter().copied().collect();
        assert_eq!(external, listed, "what {name} uses, and what the table of rooms lists for it");
    }
    assert_eq!(seen, rooms.keys().copied().collect(), "every room of the table exists");
}

/// A room may use only rooms above it in the table, so that arrows go one way.
#[test]
fn rooms_are_in_order() {
    for (index, room) in ROOMS.iter().enumerate() {
        let below: Vec<&str> = ROOMS[..index].iter().map(|room| room.name).collect();
        for used in room.rooms {
            assert!(below.contains(used), "{} uses {used}, which is not below it", room.name);
        }
    }
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
            if list(dependency, "dep_kinds").iter().any(is_shipped) {
                todo.push(text(dependency, "pkg"));
            }
        }
    }
    assert!(shipped.len() > 20, "the walk found only {shipped:?}");
    for id in shipped {
        let (name, licence) = (text(packages[id], "name"), text(packages[id], "license"));
        assert!(is_permissive(licence), "{name} is licensed under \"{licence}\"");
        assert!(!ORACLES.contains(&name), "{name} is an oracle, for tests and benches only");
    }
    assert!(
        is_permissive("MIT OR GPL-3.0") && is_permissive("(MIT OR Apache-2.0) AND Unicode-3.0")
    );
    assert!(!is_permissive("GPL-3.0-or-later") && !is_permissive("MIT AND GPL-3.0"));
}
