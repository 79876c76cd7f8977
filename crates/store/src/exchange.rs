//! Runs as text, one JSON object a line: to move them between machines, or to keep them elsewhere.

use crate::run::Run;
use crate::{Filter, History, StoreError};
use std::io::{BufRead, Write};

/// What an import did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Runs that are here now and were not before.
    pub new: usize,
    /// Runs that were here already.
    pub known: usize,
}

impl History {
    /// Writes the runs of a filter with their details, oldest first; says how many.
    pub fn export(&self, filter: &Filter, out: &mut dyn Write) -> Result<usize, ExportError> {
        let mut runs = self.runs(filter)?;
        runs.reverse();
        for run in &runs {
            let run = self.run(&run.id.to_string())?;
            serde_json::to_writer(&mut *out, &run).map_err(std::io::Error::from)?;
            out.write_all(b"\n")?;
        }
        Ok(runs.len())
    }

    /// Takes in what [`export`](Self::export) wrote: all of the file or nothing of it.
    pub fn import(&mut self, file: &str, text: impl BufRead) -> Result<Imported, StoreError> {
        let mut runs: Vec<Run> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let wrong = |reason: String| StoreError::Import {
                file: file.to_owned(),
                line: index + 1,
                reason,
            };
            let line = line.map_err(|error| wrong(error.to_string()))?;
            if !line.trim().is_empty() {
                let run = serde_json::from_str(&line);
                runs.push(run.map_err(|error| wrong(format!("not an exported run: {error}")))?);
            }
        }
        self.add(&runs)
    }

    /// Takes in runs that were made elsewhere.
    pub fn add(&mut self, runs: &[Run]) -> Result<Imported, StoreError> {
        let new = self.record_all(runs)?;
        Ok(Imported { new, known: runs.len() - new })
    }
}

/// Why runs could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// They could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file, the disk or the pipe.
    #[error(transparent)]
    Write(#[from] std::io::Error),
}
