//! Benches kept in a file: one JSON object, or one a line.

use anyhow::Context;
use dyno_trials::bench::BenchResult;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The benches of a file, oldest first.
pub struct History {
    pub path: PathBuf,
    pub benches: Vec<BenchResult>,
}

impl History {
    /// Reads a file of `--json`, `--report-json` or `--save`.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let name = path.display();
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
        // A report is one object over many lines; a history has an object a line.
        if let Ok(bench) = serde_json::from_str(&text) {
            return Ok(Self { path: path.to_owned(), benches: vec![bench] });
        }
        let mut benches = Vec::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let bench = serde_json::from_str(line).with_context(|| {
                format!("{name}:{}: not a bench of `dyno bench --save` or --json", index + 1)
            })?;
            benches.push(bench);
        }
        Ok(Self { path: path.to_owned(), benches })
    }

    /// Reads a file that will be added to, and makes sure that it can be.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let failed = || format!("cannot write {}", path.display());
        File::options().create(true).append(true).open(path).with_context(failed)?;
        let history = Self::read(path)?;
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        // Lines added to a report of one bench would make it unreadable.
        let is_report = history.benches.len() == 1 && text.trim().lines().count() > 1;
        anyhow::ensure!(
            !is_report,
            "--save {}: this is the report of one bench, not a history; give another file",
            path.display()
        );
        Ok(history)
    }

    /// Adds a bench; returns the earlier ones of the same kind.
    pub fn add(&mut self, bench: &BenchResult) -> anyhow::Result<Vec<BenchResult>> {
        let failed = || format!("cannot write {}", self.path.display());
        if bench.engines.iter().any(|e| e.runs.iter().any(|run| run.complete)) {
            let mut line = serde_json::to_vec(bench)?;
            line.push(b'\n');
            let mut file = File::options().append(true).open(&self.path).with_context(failed)?;
            file.write_all(&line).with_context(failed)?;
        } else {
            dyno_report::terminal::eprintln!(
                "not added to {}: no run was completed",
                self.path.display()
            );
        }
        let is_alike = |earlier: &BenchResult| {
            earlier.limit_text() == bench.limit_text() && earlier.positions == bench.positions
        };
        Ok(self.benches.drain(..).filter(is_alike).collect())
    }
}
