//! The kit's own engines as programs, for tests that drive a real process.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The command line of a program with these words, for `--engine` and its like.
pub(crate) fn command(program: &Path, words: &[&str]) -> String {
    let quote = |word: &str| format!("'{}'", word.replace('\'', r"'\''"));
    let program = quote(&program.to_string_lossy());
    words.iter().fold(program, |line, word| line + " " + &quote(word))
}

/// The path of one of the kit's programs, built where it is not there yet.
#[allow(clippy::panic, reason = "only tests call this, and they cannot go on without it")]
pub(crate) fn built(name: &str) -> PathBuf {
    match find_or_build(name) {
        Ok(path) => path,
        Err(reason) => panic!("{name} cannot be built: {reason}"),
    }
}

/// Test binaries live in `target/PROFILE/deps`, programs one folder above.
fn find_or_build(name: &str) -> Result<PathBuf, String> {
    let test = std::env::current_exe().map_err(|e| e.to_string())?;
    let folder = test.ancestors().find(|f| f.join("deps").is_dir());
    let folder = folder.ok_or_else(|| format!("no target folder above {}", test.display()))?;
    let path = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let profile = match folder.file_name().and_then(|n| n.to_str()) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--quiet", "--package", "dyno-testkit", "--bin", name])
        .args(["--profile", profile])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status();
    match status {
        Ok(status) if status.success() && path.is_file() => Ok(path),
        // Without cargo, a binary that is there will do.
        _ if path.is_file() => Ok(path),
        Ok(status) => Err(format!("cargo build ended with {status}")),
        Err(error) => Err(error.to_string()),
    }
}
