//! The history of runs: where it is kept, and how every command's result gets into it.
//!
//! A command hands its result over with [`keep`]; `main` writes it with [`record`] once the command
//! is over. Whatever goes wrong with the history is one warning and changes nothing else.

pub mod provenance;

use crate::exit::Exit;
use dyno_report::history::run_of_saved;
use dyno_report::terminal::{eprintln, warning_mark};
use dyno_store::{Artefact, Ending, History, Run};
use provenance::{artefacts, of_file};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Where this process records its runs: chosen at its start, because a resumed match changes the
/// folder.
static PLACE: OnceLock<Option<PathBuf>> = OnceLock::new();
/// The results of this process, as `--json` prints them.
static KEPT: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Chooses where runs are recorded, if they are.
pub fn prepare(no_history: bool) {
    let _ = PLACE.set(if no_history { None } else { path() });
}

/// Whether results are recorded: a command may spare itself the work of collecting them.
pub fn is_on() -> bool {
    matches!(PLACE.get(), Some(Some(_)))
}

/// Where results are recorded, if they are.
pub fn place() -> Option<PathBuf> {
    PLACE.get()?.clone()
}

/// Hands a result over.
pub fn keep(result: &impl Serialize) {
    if is_on()
        && let Ok(text) = serde_json::to_string(result)
    {
        keep_text(text);
    }
}

/// The same of a result that is JSON already.
pub fn keep_text(text: String) {
    if is_on() {
        KEPT.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }
}

/// Records what the command has handed over.
pub fn record(exit: Exit) {
    let kept = std::mem::take(&mut *KEPT.lock().unwrap_or_else(PoisonError::into_inner));
    let Some(Some(path)) = PLACE.get() else { return };
    for text in kept {
        if let Err(error) = write(path, &text, exit) {
            eprintln!("{} this run is not in the history: {error:#}", warning_mark());
            return;
        }
    }
}

fn write(path: &Path, text: &str, exit: Exit) -> anyhow::Result<()> {
    let found = run_of_saved(text)?;
    let mut run = Run {
        exit_code: exit as i32,
        ending: ending(exit, found.ending),
        artefacts: artefacts(std::env::args()),
        ..found
    };
    run.artefacts.extend(journal_of(&run));
    run.machine.name = provenance::host_name();
    let header: Headed = serde_json::from_str(text).unwrap_or_default();
    for (part, engine) in run.builds.iter_mut().zip(header.engines()) {
        let known = engine.path.as_deref().map(|file| of_file(Path::new(file)));
        if let Some(origin) = known {
            part.build.commit = origin.commit;
            part.build.branch = origin.branch;
            part.build.dirty = origin.dirty;
        }
    }
    let mut history = History::open(path)?;
    keep_out_of_git(path);
    history.record(&run)?;
    Ok(())
}

/// The journal of a match that was not asked for by name: a viewer looks for it from elsewhere.
fn journal_of(run: &Run) -> Option<Artefact> {
    let kind = "journal".to_owned();
    let told = run.detail.as_ref()?.get(&kind)?.as_str()?;
    let path = std::path::absolute(told).ok().filter(|path| path.is_file())?;
    let is_known = run.artefacts.iter().any(|artefact| artefact.kind == kind);
    (!is_known).then(|| Artefact { kind, path: path.display().to_string() })
}

/// The header of a result, or of the first of several.
#[derive(Default, serde::Deserialize)]
#[serde(untagged)]
enum Headed {
    One(Engines),
    Several(Vec<Engines>),
    #[default]
    None,
}

#[derive(Default, serde::Deserialize)]
struct Engines {
    #[serde(default)]
    ids: Vec<dyno_driver::EngineIdentity>,
}

impl Headed {
    fn engines(&self) -> &[dyno_driver::EngineIdentity] {
        match self {
            Headed::One(header) => &header.ids,
            Headed::Several(headers) => headers.first().map_or(&[], |header| &header.ids),
            Headed::None => &[],
        }
    }
}

fn ending(exit: Exit, found: Ending) -> Ending {
    match exit {
        Exit::Passed | Exit::Undecided => found,
        Exit::Failed => Ending::Failed,
        Exit::Interrupted => Ending::Interrupted,
        Exit::Usage | Exit::Engine | Exit::Internal | Exit::DiskFull => Ending::Error,
    }
}

/// The history of a project does not belong in its repository.
fn keep_out_of_git(path: &Path) {
    let Some(folder) = path.parent().filter(|folder| folder.ends_with(".dyno")) else { return };
    let ignore = folder.join(".gitignore");
    if !ignore.exists() {
        let _ = std::fs::write(ignore, "*\n");
    }
}

/// Where the history is: as `DYNO_HISTORY` says, in the project, or in the user's data folder.
pub fn path() -> Option<PathBuf> {
    match std::env::var_os("DYNO_HISTORY") {
        Some(off) if off.eq_ignore_ascii_case("off") => None,
        Some(file) if !file.is_empty() => std::path::absolute(file).ok(),
        _ => project().or_else(user_data).map(|folder| folder.join("history.db")),
    }
}

/// The `.dyno` folder of the project that the user is in: beside the nearest `dyno.toml` above.
fn project() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let root = here.ancestors().find(|folder| folder.join("dyno.toml").is_file())?;
    Some(root.join(".dyno"))
}

fn user_data() -> Option<PathBuf> {
    let from = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let folder = if cfg!(windows) {
        from("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        from("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        from("XDG_DATA_HOME").or_else(|| from("HOME").map(|home| home.join(".local/share")))
    };
    folder.map(|folder| folder.join("dyno"))
}
