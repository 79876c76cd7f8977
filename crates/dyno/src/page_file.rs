//! A report of one page, opened before the work whose result it shows.

use anyhow::Context as _;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The file that a page goes to.
pub struct PageFile {
    file: File,
    path: PathBuf,
}

impl PageFile {
    /// Opens the file: an hour's work must not end in one that cannot be written.
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        let file =
            File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Writes the page.
    pub fn write(mut self, page: &str) -> anyhow::Result<()> {
        self.file
            .write_all(page.as_bytes())
            .with_context(|| format!("cannot write {}", self.path.display()))
    }
}
