//! What an engine in the jail may use.

use crate::spec::EngineSpec;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Enough for any engine besides its table and its threads.
const MEMORY: u64 = 4 << 30;
/// The stack and the tables of a thread.
const MEMORY_A_THREAD: u64 = 64 << 20;

/// What one engine may read, write and use up. The helper gets it as an argument.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Policy {
    /// Files and folders besides those of the system.
    pub read: Vec<PathBuf>,
    /// The only folder it may write to.
    pub scratch: PathBuf,
    /// Bytes of memory of its own.
    pub memory: u64,
    /// Variables for the engine alone: the helper is not in the jail yet, and some of them say
    /// which code a program loads.
    pub env: Vec<(String, String)>,
}

impl Policy {
    pub(crate) fn of(spec: &EngineSpec, program: &Path, scratch: &Path) -> Self {
        let read = match &spec.readable {
            Some(files) => files.iter().cloned().chain([program.to_owned()]).collect(),
            None => named_files(spec, program),
        };
        let option = |name| spec.option(name).and_then(|text| text.parse::<u64>().ok());
        let table = option("Hash").unwrap_or(0).saturating_mul(1 << 20);
        // The first thread is in what every engine gets.
        let threads = option("Threads").unwrap_or(1).saturating_sub(1);
        let threads = threads.saturating_mul(MEMORY_A_THREAD);
        let memory = MEMORY.saturating_add(table).saturating_add(threads);
        Self { read, scratch: scratch.to_owned(), memory, env: spec.env.clone() }
    }
}

/// The engine's own folder, and the files that its arguments and options name.
fn named_files(spec: &EngineSpec, program: &Path) -> Vec<PathBuf> {
    let mut read = vec![own_folder(program)];
    if let Ok(real) = program.canonicalize() {
        read.push(own_folder(&real));
    }
    read.extend(spec.dir.clone());
    let values = spec.options.iter().map(|(_, value)| value);
    let named = spec.args.iter().chain(values).map(|word| resolve(word, spec.dir.as_deref()));
    read.extend(named.filter(|path| path.is_file()));
    read
}

/// The folder of a program; the program alone where the folder is a home, or holds one, for then
/// it holds everything else as well.
fn own_folder(program: &Path) -> PathBuf {
    let crowded = [std::env::home_dir(), Some(std::env::temp_dir())];
    match program.parent() {
        Some(folder) if !crowded.iter().flatten().any(|place| place.starts_with(folder)) => {
            folder.to_owned()
        }
        _ => program.to_owned(),
    }
}

/// A path as the engine will understand it.
fn resolve(word: &str, dir: Option<&Path>) -> PathBuf {
    match dir {
        Some(dir) => dir.join(word),
        None => std::path::absolute(word).unwrap_or_else(|_| word.into()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn a_program_in_a_crowded_folder_is_alone() {
        let home = std::env::home_dir().unwrap();
        for (program, read) in [
            ("/usr/games/stockfish".into(), "/usr/games".into()),
            (home.join("engine"), home.join("engine")),
            (home.join("engines/sf"), home.join("engines")),
            (std::env::temp_dir().join("sf"), std::env::temp_dir().join("sf")),
            (PathBuf::from("/sf"), PathBuf::from("/sf")),
        ] {
            assert_eq!(own_folder(&program), read, "{}", program.display());
        }
    }

    #[test]
    fn named_files_are_readable_and_the_table_fits() {
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let mut spec = EngineSpec::program("/usr/games/stockfish");
        spec.set_option("EvalFile", manifest);
        spec.set_option("Hash", "1024");
        spec.set_option("Threads", "17");
        spec.args = vec!["/no/such/file".into()];
        let policy = Policy::of(&spec, Path::new("/usr/games/stockfish"), Path::new("/tmp/x"));
        assert!(policy.read.contains(&manifest.into()));
        assert!(!policy.read.contains(&"/no/such/file".into()));
        assert_eq!(policy.memory, MEMORY + (2 << 30), "a table and sixteen more threads");
    }

    #[test]
    fn words_of_strangers_open_nothing() {
        let mut spec = EngineSpec::program("/cache/1/engine");
        spec.set_option("EvalFile", "/cache/2/net");
        spec.set_option("Log File", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        spec.args = vec!["/etc/passwd".into()];
        spec.readable = Some(vec!["/cache/2/net".into()]);
        let policy = Policy::of(&spec, Path::new("/cache/1/engine"), Path::new("/tmp/x"));
        let read: [PathBuf; 2] = ["/cache/2/net".into(), "/cache/1/engine".into()];
        assert_eq!(policy.read, read);
    }
}
