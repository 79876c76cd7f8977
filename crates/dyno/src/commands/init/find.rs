//! Which programs of a folder are engines.

use dyno_driver::{Engine, EngineSpec, Protocol, Settings};
use dyno_report::terminal::Progress;
use dyno_trials::perft_bisect;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Where builds leave their programs.
const FOLDERS: [&str; 12] = [
    "",
    "target/release",
    "build",
    "build/release",
    "build/Release",
    "build/src",
    "builddir",
    "cmake-build-release",
    "bin",
    "out",
    "dist",
    "src",
];
/// How programs are run that are no native ones.
const RUN_BY: [(&str, &str); 8] = [
    ("py", "python3"),
    ("js", "node"),
    ("mjs", "node"),
    ("ts", "deno run"),
    ("rb", "ruby"),
    ("lua", "lua"),
    ("pl", "perl"),
    ("jar", "java -jar"),
];
/// A script longer than this is data.
const LONGEST_SCRIPT: u64 = 1 << 20;
/// Programs that are tried at most.
const MOST_TRIED: usize = 24;
/// A program that has not answered by then is not taken for an engine.
const PATIENCE: Duration = Duration::from_secs(3);

/// An engine, found.
#[derive(Clone, Debug)]
pub struct Found {
    /// What to write as its command: a path from the folder.
    pub command: String,
    /// What it calls itself.
    pub name: String,
    /// Whether it can be asked for perft.
    pub has_perft: bool,
    /// How to run it.
    pub spec: EngineSpec,
}

impl Found {
    /// An engine the user named; whether it runs is seen later.
    pub fn named(command: &str, spec: &EngineSpec, settings: &Settings) -> Self {
        let unknown = || Self {
            command: command.to_owned(),
            name: spec.label(),
            has_perft: true,
            spec: spec.clone(),
        };
        meet(command.to_owned(), spec, settings).unwrap_or_else(unknown)
    }
}

/// The engines of a folder and of the usual folders below it, the newest first.
pub fn engines(folder: &Path, settings: &Settings, quiet: bool) -> Vec<Found> {
    let programs = programs(folder);
    let progress = Progress::new("programs", Some(programs.len() as u64), quiet);
    let mut found = Vec::new();
    for path in programs {
        let command = command_of(folder, &path);
        progress.note(&command);
        let spec = EngineSpec { protocol: Protocol::Uci, ..EngineSpec::program(path) };
        let settings = Settings { handshake: PATIENCE, ready: PATIENCE, ..settings.clone() };
        found.extend(meet(command, &spec, &settings));
        progress.advance();
    }
    found
}

fn meet(command: String, spec: &EngineSpec, settings: &Settings) -> Option<Found> {
    let mut engine = Engine::start(spec, settings).ok()?;
    let has_perft = perft_bisect::find_dialect(&mut engine).is_ok();
    let spec = spec.clone();
    let found = Found { command, name: engine.name().to_owned(), has_perft, spec };
    engine.quit();
    Some(found)
}

/// `./engine`, `target/release/engine`: as one types it from the folder.
fn command_of(folder: &Path, path: &Path) -> String {
    let path = path.strip_prefix(folder).unwrap_or(path);
    let text = path.display().to_string();
    if path.components().count() == 1 { format!("./{text}") } else { text }
}

/// How to run the scripts that look like engines, because they speak of `uciok`. They are not
/// tried, only told of.
pub fn scripts(folder: &Path) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for below in FOLDERS {
        let Ok(entries) = std::fs::read_dir(folder.join(below)) else { continue };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        found.extend(paths.filter_map(|path| script(folder, &path)));
    }
    found.sort();
    found
}

fn script(folder: &Path, path: &Path) -> Option<String> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let by = RUN_BY.iter().find(|(known, _)| ending.as_deref() == Some(known));
    let command = command_of(folder, path);
    if path.metadata().is_ok_and(|data| !data.is_file() || data.len() > LONGEST_SCRIPT) {
        return None;
    }
    let text = std::fs::read(path).ok()?;
    let speaks = text.windows(5).any(|word| word == b"uciok");
    let runs_itself = text.starts_with(b"#!") && is_runnable(path);
    match by {
        Some((_, program)) if ending.as_deref() == Some("jar") => {
            Some(format!("{program} {command}"))
        }
        _ if !speaks => None,
        _ if runs_itself => Some(command),
        Some((_, program)) => Some(format!("{program} {}", command.trim_start_matches("./"))),
        None => None,
    }
}

/// Native programs, the newest first. Scripts are left alone: who knows what they do.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut programs: Vec<(SystemTime, PathBuf)> = Vec::new();
    for below in FOLDERS {
        let Ok(entries) = std::fs::read_dir(folder.join(below)) else { continue };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            if is_program(&path) && !is_helper(&path) {
                let changed = path.metadata().and_then(|m| m.modified());
                programs.push((changed.unwrap_or(SystemTime::UNIX_EPOCH), path));
            }
        }
    }
    programs.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    programs.truncate(MOST_TRIED);
    programs.into_iter().map(|(_, path)| path).collect()
}

fn is_program(path: &Path) -> bool {
    path.is_file() && is_runnable(path) && is_native(path)
}

fn is_runnable(path: &Path) -> bool {
    dyno_driver::find_program(&std::path::absolute(path).unwrap_or_default()).is_some()
}

/// By its first bytes: ELF, Mach-O or a Windows executable.
fn is_native(path: &Path) -> bool {
    let mut start = [0u8; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    let mach_o = [
        [0xfe, 0xed, 0xfa, 0xce],
        [0xfe, 0xed, 0xfa, 0xcf],
        [0xce, 0xfa, 0xed, 0xfe],
        [0xcf, 0xfa, 0xed, 0xfe],
        [0xca, 0xfe, 0xba, 0xbe],
    ];
    read.is_ok() && (start == *b"\x7fELF" || start.starts_with(b"MZ") || mach_o.contains(&start))
}

/// Libraries, and programs whose names say that they are for something else.
fn is_helper(path: &Path) -> bool {
    let name = path.file_name().map(|n| n.to_string_lossy().to_lowercase()).unwrap_or_default();
    let ends = [".so", ".dll", ".dylib", ".o", ".a", ".rlib"];
    let words = ["test", "tune", "tuner", "build-script", "datagen", "dyno"];
    ends.iter().any(|end| name.ends_with(end))
        || name.split(['-', '_', '.']).any(|word| words.contains(&word))
        || name.starts_with("build-script")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helpers_are_passed_over() {
        for name in ["engine_test", "libx.so", "my-tuner", "build-script-build"] {
            assert!(is_helper(Path::new(name)), "{name}");
        }
        for name in ["stockfish", "contest", "attest2", "my-engine"] {
            assert!(!is_helper(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn scripts_that_speak_uci_are_told_of() -> std::io::Result<()> {
        let folder = std::env::temp_dir().join(format!("dyno-scripts-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("src"))?;
        std::fs::write(folder.join("engine.py"), "print('uciok')")?;
        std::fs::write(folder.join("tool.py"), "print('hello')")?;
        std::fs::write(folder.join("README.md"), "prints uciok")?;
        std::fs::write(folder.join("src/main.js"), "console.log('uciok')")?;
        let found = scripts(&folder);
        std::fs::remove_dir_all(&folder)?;
        assert_eq!(found, ["node src/main.js", "python3 engine.py"]);
        Ok(())
    }

    #[test]
    fn commands_are_typed_from_the_folder() {
        assert_eq!(command_of(Path::new("."), Path::new("./engine")), "./engine");
        assert_eq!(command_of(Path::new("a"), Path::new("a/src/engine")), "src/engine");
    }
}
