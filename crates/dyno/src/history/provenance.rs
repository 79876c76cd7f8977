//! Where a run and its engines come from: the machine, the commit, the files that were written.

use dyno_store::Artefact;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

/// Which commit a file was built from, as far as the repository it lies in tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    pub commit: String,
    pub branch: String,
    pub dirty: bool,
}

/// Git answers at once, or the run is recorded without it.
const PATIENCE: Duration = Duration::from_secs(3);

/// The state of the repository that a file lies in; nothing outside of one.
pub fn of_file(file: &Path) -> Origin {
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let Some(folder) = file.parent().map(Path::to_owned) else { return Origin::default() };
    if !folder.ancestors().any(|folder| folder.join(".git").exists()) {
        return Origin::default();
    }
    let (send, receive) = channel();
    std::thread::spawn(move || send.send(origin(&folder)));
    receive.recv_timeout(PATIENCE).ok().flatten().unwrap_or_default()
}

fn origin(folder: &Path) -> Option<Origin> {
    let commit = git(folder, &["rev-parse", "HEAD"])?;
    let branch = git(folder, &["rev-parse", "--abbrev-ref", "HEAD"]).filter(|name| name != "HEAD");
    let changes = git(folder, &["status", "--porcelain", "--untracked-files=no"])?;
    Some(Origin { commit, branch: branch.unwrap_or_default(), dirty: !changes.is_empty() })
}

/// The commit that a word means in the repository of a folder: a tag, a branch, a part of its name.
pub fn commit_of(folder: &Path, word: &str) -> Option<String> {
    git(folder, &["rev-parse", "--verify", "--quiet", &format!("{word}^{{commit}}")])
}

fn git(folder: &Path, words: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .arg("--no-optional-locks")
        .arg("-C")
        .arg(folder)
        .args(words)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The name of this machine, where the system gives one.
pub fn host_name() -> String {
    let of_system = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let named = || std::env::var("HOSTNAME").or_else(|_| std::env::var("COMPUTERNAME")).ok();
    of_system.or_else(named).unwrap_or_default().trim().to_owned()
}

/// The options that name a file to be written, and what it is.
const WRITES: [(&str, &str); 12] = [
    ("--report-html", "html"),
    ("--report-json", "json"),
    ("--report", "csv"),
    ("--report-svg", "svg"),
    ("--junit", "junit"),
    ("--report-junit", "junit"),
    ("--markdown", "markdown"),
    ("--save", "json lines"),
    ("--save-baseline", "baseline"),
    ("--journal", "journal"),
    ("--events", "events"),
    ("-pgnout", "pgn"),
];

/// The files that a command line asked for and that are there.
pub fn artefacts(words: impl Iterator<Item = String>) -> Vec<Artefact> {
    let words: Vec<String> = words.collect();
    let mut found = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (word.as_str(), words.get(index + 1).map(String::as_str)),
        };
        let Some((_, kind)) = WRITES.iter().find(|(known, _)| *known == option) else { continue };
        let value = value.map(|value| value.strip_prefix("file=").unwrap_or(value));
        let path = value.and_then(|value| std::path::absolute(value).ok());
        if let Some(path) = path.filter(|path| path.is_file()) {
            let path = path.display().to_string();
            found.push(Artefact { kind: (*kind).to_owned(), path });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn files_that_were_written_are_known_by_their_options() {
        let file = std::env::temp_dir().join(format!("dyno-artefact-{}", std::process::id()));
        std::fs::write(&file, "x").unwrap();
        let path = file.display().to_string();
        let words = ["dyno", "suite", "--report-html", &path, "--junit=missing.xml", "-pgnout"];
        let pgn = format!("file={path}");
        let found = artefacts(words.iter().map(|w| (*w).to_owned()).chain([pgn]));
        std::fs::remove_file(&file).unwrap();
        let kinds: Vec<&str> = found.iter().map(|a| a.kind.as_str()).collect();
        assert_eq!(kinds, ["html", "pgn"]);
    }

    #[test]
    fn outside_of_a_repository_nothing_is_known() {
        assert_eq!(of_file(Path::new("/")), Origin::default());
    }
}
