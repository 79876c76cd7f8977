//! Engines on their way to other machines: which files they need, and what they are called there.

use super::error::ClusterError;
use dyno_driver::{EngineSpec, Program, find_program};
use dyno_tournament::{Advice, EngineEntry, Plan};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A file by its content.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileRef {
    /// BLAKE3, in hexadecimal.
    pub hash: String,
    pub name: String,
    pub size: u64,
}

/// The files of an engine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EngineFiles {
    /// The program for each platform; none for the built-in engine, which every worker has.
    pub programs: BTreeMap<String, FileRef>,
    pub is_builtin: bool,
    /// Options whose values are files, such as nets.
    pub options: BTreeMap<String, FileRef>,
    /// Arguments that are files, by their place.
    pub args: BTreeMap<usize, FileRef>,
    pub book: Option<FileRef>,
}

/// The platform of this machine, as commands of engines name it: `x86_64-linux`.
pub fn platform() -> String {
    format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)
}

/// What a match ships.
#[derive(Debug, Default)]
pub struct Shipment {
    pub engines: Vec<EngineFiles>,
    /// Where the files are here.
    pub sources: BTreeMap<FileRef, PathBuf>,
    pub advice: Vec<Advice>,
}

impl Shipment {
    /// Finds and hashes the files of a plan.
    pub fn of(plan: &Plan) -> Result<Self, ClusterError> {
        let mut shipment = Self::default();
        for entry in &plan.engines {
            let files = shipment.engine(entry)?;
            shipment.engines.push(files);
        }
        Ok(shipment)
    }

    fn engine(&mut self, entry: &EngineEntry) -> Result<EngineFiles, ClusterError> {
        let mut files = EngineFiles {
            is_builtin: entry.spec.program == Program::Builtin,
            ..EngineFiles::default()
        };
        for (platform, path) in &entry.platforms {
            files.programs.insert(platform.clone(), self.add(path)?);
        }
        if let Program::Path(path) = &entry.spec.program {
            let found = find_program(path).ok_or_else(|| ClusterError::NoProgram {
                engine: entry.name().to_owned(),
                platform: platform(),
            })?;
            files.programs.insert(platform(), self.add(&found)?);
        }
        for (name, value) in &entry.spec.options {
            match self.file(&entry.spec, value)? {
                Some(file) => drop(files.options.insert(name.clone(), file)),
                None if Path::new(value).is_dir() && value.contains(['/', '\\']) => {
                    self.advice.push(Advice {
                        code: "folder-not-shipped".into(),
                        message: format!(
                            "{}: option {name} names a folder, which is not sent to workers: each uses its own {value}",
                            entry.name()
                        ),
                    });
                }
                None => {}
            }
        }
        for (place, argument) in entry.spec.args.iter().enumerate() {
            if let Some(file) = self.file(&entry.spec, argument)? {
                files.args.insert(place, file);
            }
        }
        files.book = entry.book.as_deref().map(|book| self.add(book)).transpose()?;
        Ok(files)
    }

    /// The file that a value names, in the engine's folder or here.
    fn file(&mut self, spec: &EngineSpec, value: &str) -> Result<Option<FileRef>, ClusterError> {
        let here = Path::new(value);
        let there = spec.dir.as_ref().map(|dir| dir.join(here));
        let is_file = |path: &Path| !value.is_empty() && path.is_file();
        match there.filter(|path| is_file(path)).or_else(|| is_file(here).then(|| here.into())) {
            Some(path) => self.add(&path).map(Some),
            None => Ok(None),
        }
    }

    fn add(&mut self, path: &Path) -> Result<FileRef, ClusterError> {
        let content = std::fs::read(path).map_err(ClusterError::io(path))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let file = FileRef {
            hash: blake3::hash(&content).to_hex().to_string(),
            name,
            size: content.len() as u64,
        };
        self.sources.insert(file.clone(), path.to_owned());
        Ok(file)
    }
}

impl EngineFiles {
    /// The files that a machine of this platform needs; `None` where there is no program for it.
    pub fn needed(&self, platform: &str) -> Option<Vec<&FileRef>> {
        let program = self.programs.get(platform);
        if program.is_none() && !self.is_builtin {
            return None;
        }
        Some(
            program
                .into_iter()
                .chain(self.options.values())
                .chain(self.args.values())
                .chain(&self.book)
                .collect(),
        )
    }

    /// The engine as it is called on a worker, where `path` knows its files.
    pub fn localise(
        &self,
        entry: &EngineEntry,
        platform: &str,
        path: &dyn Fn(&FileRef) -> PathBuf,
    ) -> EngineEntry {
        let mut local = entry.clone();
        local.platforms.clear();
        let spec = &mut local.spec;
        // Folders and files of the coordinator mean nothing here.
        (spec.dir, spec.stderr) = (None, None);
        // Nor do programs: only what was sent is run, or the built-in engine.
        let program = self.programs.get(platform);
        spec.program = program.map_or(Program::Builtin, |program| Program::Path(path(program)));
        for (name, file) in &self.options {
            spec.set_option(name, &path(file).to_string_lossy());
        }
        for (place, file) in &self.args {
            if let Some(argument) = spec.args.get_mut(*place) {
                *argument = path(file).to_string_lossy().into_owned();
            }
        }
        local.book = self.book.as_ref().map(path);
        local
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn nets_books_and_programs_are_found_and_renamed() {
        let folder = std::env::temp_dir().join(format!("dyno-ship-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = |name: &str| {
            let path = folder.join(name);
            std::fs::write(&path, name).unwrap();
            path
        };
        let (net, book, windows) = (file("a.nnue"), file("b.bin"), file("e.exe"));
        let mut spec = EngineSpec::program("sh");
        spec.set_option("EvalFile", net.to_str().unwrap());
        spec.set_option("Hash", "16");
        spec.set_option("SyzygyPath", folder.to_str().unwrap());
        let entry = EngineEntry {
            spec,
            book: Some(book),
            platforms: [("x86_64-windows".to_owned(), windows)].into(),
            ..EngineEntry::default()
        };
        let plan = Plan { engines: vec![entry.clone()], ..Plan::default() };
        let shipment = Shipment::of(&plan).unwrap();
        let files = &shipment.engines[0];
        assert_eq!(shipment.sources.len(), 4);
        assert_eq!(shipment.advice.len(), 1, "{:?}", shipment.advice);
        assert_eq!(files.needed("x86_64-windows").unwrap().len(), 3);
        assert_eq!(files.needed("sparc-solaris"), None);
        let there = |file: &FileRef| PathBuf::from("/cache").join(&file.name);
        let local = files.localise(&entry, "x86_64-windows", &there);
        assert_eq!(local.spec.program, Program::Path("/cache/e.exe".into()));
        assert_eq!(local.spec.option("EvalFile"), Some("/cache/a.nnue"));
        assert_eq!(local.spec.option("Hash"), Some("16"));
        assert_eq!(local.book, Some("/cache/b.bin".into()));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn the_built_in_engine_is_everywhere_and_a_missing_one_nowhere() {
        let entry = EngineEntry { spec: EngineSpec::builtin(), ..EngineEntry::default() };
        let plan = Plan { engines: vec![entry], ..Plan::default() };
        let shipment = Shipment::of(&plan).unwrap();
        assert_eq!(shipment.engines[0].needed("sparc-solaris"), Some(Vec::new()));
        let entry =
            EngineEntry { spec: EngineSpec::program("no-such-engine"), ..EngineEntry::default() };
        let plan = Plan { engines: vec![entry], ..Plan::default() };
        let error = Shipment::of(&plan).unwrap_err().to_string();
        assert!(error.contains("no program for this machine"), "{error}");
    }
}
