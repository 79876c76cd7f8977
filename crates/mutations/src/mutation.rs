//! A bug and what is expected of the checks.

use std::fmt;
use std::path::{Path, PathBuf};

/// One bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutation {
    /// The name of its file.
    pub name: String,
    /// What is wrong, in a sentence.
    pub bug: String,
    /// The checks any of which names the bug rightly.
    pub named_by: Vec<String>,
    /// Whether it is one of the few that are tried in the tests.
    pub in_tests: bool,
    /// The patch file.
    pub file: PathBuf,
    /// All of its text.
    pub text: String,
}

/// Why a patch file is not a mutation.
#[derive(Debug, PartialEq, Eq)]
pub struct HeaderError {
    /// The file.
    pub file: PathBuf,
    /// What is missing.
    pub what: String,
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file.display(), self.what)
    }
}

impl std::error::Error for HeaderError {}

impl Mutation {
    /// Reads one patch file.
    pub fn read(file: &Path) -> Result<Mutation, HeaderError> {
        let error = |what: String| HeaderError { file: file.to_owned(), what };
        let text = std::fs::read_to_string(file).map_err(|e| error(e.to_string()))?;
        let header: Vec<&str> = text.lines().take_while(|line| !line.starts_with("---")).collect();
        let field = |name: &str| header.iter().find_map(|line| line.strip_prefix(name));
        let bug = field("bug: ").ok_or_else(|| error("no line `bug: …`".into()))?;
        let named_by = field("named by: ").ok_or_else(|| error("no line `named by: …`".into()))?;
        Ok(Mutation {
            name: file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            bug: bug.to_owned(),
            named_by: named_by.split(", ").map(str::to_owned).collect(),
            in_tests: field("test: ") == Some("yes"),
            file: file.to_owned(),
            text,
        })
    }

    /// Reads all patch files of a folder, by name.
    pub fn read_all(folder: &Path) -> Result<Vec<Mutation>, HeaderError> {
        let error = |e: std::io::Error| HeaderError { file: folder.into(), what: e.to_string() };
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(error)? {
            let path = entry.map_err(error)?.path();
            if path.extension().is_some_and(|extension| extension == "patch") {
                files.push(path);
            }
        }
        files.sort();
        files.iter().map(|file| Mutation::read(file)).collect()
    }
}
