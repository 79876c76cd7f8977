//! Positions of a suite as `dyno serve` shows them while the command runs.

use crate::live;
use dyno_web::{LiveTrial, Publisher};

/// The columns of a CSV report that a viewer wants to see.
const SHOWN: [&str; 8] =
    ["id", "correct", "engine_move", "solutions", "score", "depth", "time_ms", "trouble"];

/// A trial and its rows.
pub struct RowsLive {
    trial: LiveTrial,
    /// Which of the report's columns are shown.
    shown: Vec<usize>,
    told: Option<Publisher>,
}

impl RowsLive {
    /// Before the engines are known; `columns` are those of the CSV report.
    pub fn new(command: &str, columns: &[&'static str]) -> Self {
        let trial = LiveTrial::new(command, command, "positions");
        let place = |name: &&str| columns.iter().position(|column| column == name);
        let shown: Vec<usize> = SHOWN.iter().filter_map(place).collect();
        trial.columns(&shown.iter().map(|&at| columns[at]).collect::<Vec<_>>());
        let told = live::publish(trial.clone());
        Self { trial, shown, told }
    }

    pub fn begin(&self, engines: &[String], total: Option<u64>) {
        self.trial.begin(&engines.join(", "), total);
    }

    /// An answer; its cells are asked for only where someone may see them.
    pub fn row(&self, correct: Option<bool>, cells: impl FnOnce() -> Vec<String>) {
        if self.told.is_none() {
            return;
        }
        let counts_as = match correct {
            Some(true) => "right",
            Some(false) => "wrong",
            None => "not judged",
        };
        let cells = cells();
        let row = self.shown.iter().map(|&at| cells.get(at).cloned().unwrap_or_default());
        self.trial.done(counts_as, row.collect());
    }
}

impl Drop for RowsLive {
    fn drop(&mut self) {
        self.trial.end();
    }
}
