//! `dyno --version` says what it was built from.
#![allow(clippy::unwrap_used, reason = "tests")]

#[allow(dead_code, unused, reason = "only what finds the commit is tested")]
#[path = "../build.rs"]
mod build;

use std::process::Command;

fn said(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_dyno")).args(args).output().unwrap();
    assert!(output.status.success(), "dyno {args:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn version_names_commit_and_build() {
    let short = said(&["-V"]);
    let start = concat!("dyno ", env!("CARGO_PKG_VERSION"), " (");
    assert!(short.starts_with(start) && short.ends_with(")\n"), "{short}");
    let long = said(&["--version"]);
    let lines: Vec<&str> = long.lines().collect();
    assert_eq!(lines[0], short.trim_end());
    assert!(lines[1].starts_with("build: ") && lines[1].contains(", rustc 1."), "{long}");
    assert_eq!(said(&["match", "-version"]), short);
}

#[test]
fn the_commit_is_read_from_a_package_and_from_a_tarball() {
    let note = r#"{ "git": { "sha1": "04c61315e0a1b2c3d4e5f60718293a4b5c6d7e8f" } }"#;
    assert_eq!(build::packaged_commit(note).unwrap(), "04c61315e");
    let note = r#"{"git":{"sha1":"04c61315e0a1b2c3d4e5f60718293a4b5c6d7e8f","dirty":true}}"#;
    assert_eq!(build::packaged_commit(note).unwrap(), "04c61315e, modified");
    for broken in ["", "{}", r#"{"git":{"sha1":"é"}}"#, r#"{"git":{"sha1":"#] {
        assert_eq!(build::packaged_commit(broken), None, "{broken}");
    }
    let filled = "# comment\n04c61315e0a1b2c3d4e5f60718293a4b5c6d7e8f 2026-11-17\n";
    assert_eq!(build::archived_commit(filled).unwrap(), "04c61315e 2026-11-17");
    assert_eq!(build::archived_commit(include_str!("../commit.txt")), None);
}
