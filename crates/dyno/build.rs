//! What `dyno --version` says of the build: the commit, its day, the target and the compiler.
//!
//! The commit comes from the first of these that knows it:
//! - `.cargo_vcs_info.json`, which `cargo package` puts beside this file, so for crates.io;
//! - `commit.txt`, in which `git archive` and GitHub's tarballs fill in the commit;
//! - git, when this file belongs to the repository around it.
//!
//! A debug build names no commit: it would have to be linked again after each of them.

#![allow(clippy::print_stdout, reason = "cargo reads what is printed")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// Digits of a commit that are shown.
const SHORT: usize = 9;

fn main() {
    let var = |name: &str| std::env::var(name).unwrap_or_default();
    let here = PathBuf::from(var("CARGO_MANIFEST_DIR"));
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=commit.txt");
    let (version, profile) = (var("CARGO_PKG_VERSION"), var("PROFILE"));
    let source = if profile == "release" { commit(&here) } else { Some("debug build".to_owned()) };
    let source = source.map_or_else(String::new, |commit| format!(" ({commit})"));
    println!("cargo::rustc-env=DYNO_VERSION={version}{source}");
    let compiler = said_by(&var("RUSTC"), &["--version"], &here).unwrap_or_default();
    let compiler = compiler.split(" (").next().unwrap_or_default();
    println!("cargo::rustc-env=DYNO_BUILD={profile}, {}, {compiler}", var("TARGET"));
}

fn commit(here: &Path) -> Option<String> {
    let packaged = std::fs::read_to_string(here.join(".cargo_vcs_info.json")).ok();
    let archived = std::fs::read_to_string(here.join("commit.txt")).ok();
    packaged
        .and_then(|text| packaged_commit(&text))
        .or_else(|| archived.and_then(|text| archived_commit(&text)))
        .or_else(|| git_commit(here))
}

/// The `sha1` of cargo's note, and whether it says that files had been changed.
pub fn packaged_commit(json: &str) -> Option<String> {
    let (_, rest) = json.split_once("\"sha1\"")?;
    let hash = rest.split('"').nth(1).filter(|hash| is_hash(hash))?;
    let changed = json.split_once("\"dirty\"").is_some_and(|(_, rest)| {
        rest.trim_start().trim_start_matches(':').trim_start().starts_with("true")
    });
    Some(format!("{}{}", &hash[..SHORT], if changed { ", modified" } else { "" }))
}

/// `HASH DAY`, as `git archive` fills it in; not the pattern that stands in a checkout.
pub fn archived_commit(text: &str) -> Option<String> {
    let line = text.lines().find(|line| !line.starts_with('#') && !line.trim().is_empty())?;
    let (hash, day) = line.trim().split_once(' ')?;
    is_hash(hash).then(|| format!("{} {day}", &hash[..SHORT]))
}

fn is_hash(text: &str) -> bool {
    text.len() >= SHORT && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn git_commit(here: &Path) -> Option<String> {
    let git = |words: &[&str]| said_by("git", words, here);
    // An unpacked tarball may lie inside an unrelated repository.
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    let mut commit = archived_commit(&git(&["log", "-1", "--format=%H %cs"])?)?;
    if git(&["status", "--porcelain", "--untracked-files=no"]).is_none_or(|list| !list.is_empty()) {
        commit += ", modified";
    }
    // A new commit or branch is written into HEAD or its log; "modified" changes with any source.
    for name in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", name])
            && here.join(&path).exists()
        {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    for sources in ["crates", "suites", "Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed=../../{sources}");
    }
    Some(commit)
}

/// What a program prints, if it ends well.
fn said_by(program: &str, words: &[&str], folder: &Path) -> Option<String> {
    let output = Command::new(program).args(words).current_dir(folder).output().ok()?;
    let said = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| said.trim().to_owned())
}
