//! Where bugs are planted: a copy of the sources with a build of its own, so that only what a bug
//! touches is compiled again.

use crate::{Mutation, workspace};
use std::fmt;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the engine is made of.
const SOURCES: [&str; 4] = ["chess", "uci", "solver", "piston"];
const ENGINE: &str = include_str!("../engine.rs");

/// The copy, the build and the engines that were built.
pub struct Workshop {
    tree: PathBuf,
    build: PathBuf,
    engines: PathBuf,
    /// What the sources are: engines of other sources are built anew.
    stamp: u64,
}

/// Why there is no engine with the bug.
#[derive(Debug)]
pub enum WorkshopError {
    /// A file could not be copied.
    Copy(PathBuf, io::Error),
    /// A program could not be started.
    Start(&'static str, io::Error),
    /// The patch does not fit the sources any more.
    Apply(String, String),
    /// The bug does not compile.
    Build(String, String),
}

impl fmt::Display for WorkshopError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorkshopError::Copy(path, error) => write!(f, "{}: {error}", path.display()),
            WorkshopError::Start(program, error) => write!(f, "cannot run {program}: {error}"),
            WorkshopError::Apply(name, why) => write!(f, "{name} does not apply: {why}"),
            WorkshopError::Build(name, why) => write!(f, "{name} does not build: {why}"),
        }
    }
}

impl std::error::Error for WorkshopError {}

impl Workshop {
    /// A copy of the workspace's sources as they are now, under `target/mutations`.
    pub fn open() -> Result<Workshop, WorkshopError> {
        let target = std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| workspace().join("target"), PathBuf::from);
        let place = target.join("mutations");
        let mut workshop = Workshop {
            tree: place.join("tree"),
            build: place.join("build"),
            engines: place.join("engines"),
            stamp: 0,
        };
        fs::create_dir_all(&workshop.engines)
            .map_err(|e| WorkshopError::Copy(workshop.engines.clone(), e))?;
        workshop.restore()?;
        Ok(workshop)
    }

    /// Makes the copy equal to the sources again, writing only what differs, so that nothing else
    /// is compiled again.
    fn restore(&mut self) -> Result<(), WorkshopError> {
        let mut hasher = DefaultHasher::new();
        ENGINE.hash(&mut hasher);
        for name in ["Cargo.toml", "Cargo.lock"] {
            self.copy_file(&workspace().join(name), &self.tree.join(name))?;
        }
        for name in ["crates", "suites"] {
            self.copy_folder(&workspace().join(name), &self.tree.join(name), &mut hasher)?;
        }
        let main = self.tree.join("crates/piston/examples/mutant.rs");
        write_if_changed(&main, ENGINE.as_bytes()).map_err(|e| WorkshopError::Copy(main, e))?;
        self.stamp = hasher.finish();
        Ok(())
    }

    fn copy_folder(
        &self,
        from: &Path,
        to: &Path,
        hasher: &mut DefaultHasher,
    ) -> Result<(), WorkshopError> {
        let error = |e| WorkshopError::Copy(from.to_owned(), e);
        let mut entries: Vec<PathBuf> = fs::read_dir(from)
            .map_err(error)?
            .map(|entry| entry.map(|e| e.path()))
            .collect::<Result<_, _>>()
            .map_err(error)?;
        entries.sort();
        for path in entries {
            let target = to.join(path.file_name().unwrap_or_default());
            if path.is_dir() {
                self.copy_folder(&path, &target, hasher)?;
                continue;
            }
            self.copy_file(&path, &target)?;
            let is_source = SOURCES
                .iter()
                .any(|name| path.starts_with(workspace().join("crates").join(name).join("src")));
            if is_source {
                fs::read(&path).map_err(error)?.hash(hasher);
            }
        }
        Ok(())
    }

    fn copy_file(&self, from: &Path, to: &Path) -> Result<(), WorkshopError> {
        fs::read(from)
            .and_then(|bytes| write_if_changed(to, &bytes))
            .map_err(|e| WorkshopError::Copy(from.to_owned(), e))
    }

    /// The engine with the bug, or the sound one; built unless it has been before.
    pub fn engine(&mut self, mutation: Option<&Mutation>) -> Result<PathBuf, WorkshopError> {
        let name = mutation.map_or("sound", |mutation| &mutation.name);
        let mut hasher = DefaultHasher::new();
        self.stamp.hash(&mut hasher);
        mutation.map(|mutation| &mutation.text).hash(&mut hasher);
        let built = self.engines.join(format!("{name}-{:016x}", hasher.finish()));
        if built.is_file() {
            return Ok(built);
        }
        if let Some(mutation) = mutation {
            self.plant(mutation)?;
        }
        let result = self.compile(name, &built);
        self.restore()?;
        result.map(|()| built)
    }

    /// Applies the patch to the copy.
    fn plant(&self, mutation: &Mutation) -> Result<(), WorkshopError> {
        let output = Command::new("git")
            .arg("apply")
            .arg(&mutation.file)
            .current_dir(&self.tree)
            // The copy lies within a repository, but is not one of its files.
            .env("GIT_CEILING_DIRECTORIES", self.tree.parent().unwrap_or(&self.tree))
            .output()
            .map_err(|e| WorkshopError::Start("git", e))?;
        if output.status.success() {
            return Ok(());
        }
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(WorkshopError::Apply(mutation.name.clone(), why))
    }

    fn compile(&self, name: &str, built: &Path) -> Result<(), WorkshopError> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["build", "--quiet", "--offline", "--profile", "fast"])
            // Built a hundred times, run for a minute each.
            .args(["--config", "profile.fast.opt-level=1"])
            .args(["--config", "profile.fast.package.dyno-chess.opt-level=2"])
            .args(["-p", "dyno-piston", "--example", "mutant", "--target-dir"])
            .arg(&self.build)
            .current_dir(&self.tree)
            .output()
            .map_err(|e| WorkshopError::Start("cargo", e))?;
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(WorkshopError::Build(name.to_owned(), why));
        }
        let engine = self.build.join("fast/examples/mutant");
        let engine = engine.with_extension(std::env::consts::EXE_EXTENSION);
        fs::copy(&engine, built).map(drop).map_err(|e| WorkshopError::Copy(engine, e))
    }

    /// Whether the patch still fits the sources; nothing is built.
    pub fn fits(&mut self, mutation: &Mutation) -> Result<(), WorkshopError> {
        self.plant(mutation)?;
        self.restore()
    }
}

fn write_if_changed(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, bytes)
}
