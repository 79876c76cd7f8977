//! Positions of a suite as `dyno serve` shows them while the command runs.

use crate::live;
use dyno_report::Verdict;
use dyno_report::html::Column;
use dyno_web::{LiveTrial, Publisher, TrialRow};

/// A column of the page, by its names in CSV reports: the first that a report has is shown.
type Shown = (&'static [&'static str], fn() -> Column);

/// What a viewer wants to see of a CSV report.
const SHOWN: [Shown; 6] = [
    (&["engine_san", "engine_move"], || Column::code("Move")),
    (&["solutions_san", "solutions"], || Column::code("Solution")),
    (&["score"], || Column::number("Score")),
    (&["depth"], || Column::number("Depth")),
    (&["time_ms"], || Column::number("Time (ms)")),
    (&["trouble"], || Column::text("Trouble")),
];

/// A trial and its rows.
pub struct RowsLive {
    trial: LiveTrial,
    /// Where the report has a position's name, and the columns that are shown.
    name: usize,
    shown: Vec<usize>,
    told: Option<Publisher>,
}

impl RowsLive {
    /// Before the engines are known; `columns` are those of the CSV report.
    pub fn new(command: &str, columns: &[&'static str]) -> Self {
        let trial = LiveTrial::new(command, &format!("dyno {command}"), "positions");
        let place = |name: &&str| columns.iter().position(|column| column == name);
        let found = |names: &[&str]| names.iter().find_map(place);
        let shown: Vec<(usize, Column)> =
            SHOWN.iter().filter_map(|(names, column)| Some((found(names)?, column()))).collect();
        let (shown, heads): (Vec<usize>, Vec<Column>) = shown.into_iter().unzip();
        trial.columns(heads);
        let (name, told) = (place(&"id").unwrap_or(0), live::publish(trial.clone()));
        Self { trial, name, shown, told }
    }

    pub fn begin(&self, engines: &[String], total: Option<u64>) {
        self.trial.begin(&engines.join(", "), total);
    }

    /// Something to know.
    pub fn remark(&self, text: &str) {
        self.trial.remark(text);
    }

    /// An answer; its cells are asked for only where someone may see them.
    pub fn row(&self, correct: Option<bool>, cells: impl FnOnce() -> Vec<String>) {
        if self.told.is_none() {
            return;
        }
        let (verdict, counts_as) = match correct {
            Some(true) => (Some(Verdict::Pass), "right"),
            Some(false) => (Some(Verdict::Fail), "wrong"),
            None => (None, "not judged"),
        };
        let cells = cells();
        let cell = |at: &usize| cells.get(*at).cloned().unwrap_or_default();
        let (name, shown) = (cell(&self.name), self.shown.iter().map(cell).collect());
        self.trial.done(TrialRow { name, verdict, counts_as, cells: shown });
    }
}

impl Drop for RowsLive {
    fn drop(&mut self) {
        self.trial.end();
    }
}
