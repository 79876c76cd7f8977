//! A running trial of one engine (suite, mate, puzzles, check …), as the page shows it.

use crate::live::{Live, Panel, RunHead};
use dyno_report::Verdict;
use dyno_report::html::{Cell, Column, Html, Note, Table, Tiles};
use dyno_report::number;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Rows and remarks that are listed.
const ROWS: usize = 100;

/// A trial that can be watched. Clones are the same trial.
#[derive(Clone)]
pub struct LiveTrial(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    version: AtomicU64,
}

struct State {
    head: RunHead,
    unit: &'static str,
    began: Instant,
    total: Option<u64>,
    done: u64,
    /// What is being done at the moment.
    now: String,
    counts: Vec<(&'static str, u64)>,
    columns: Vec<Column>,
    /// The latest first.
    rows: VecDeque<TrialRow>,
    remarks: VecDeque<String>,
    is_over: bool,
}

/// What came of one position or check.
pub struct TrialRow {
    /// What it is called.
    pub name: String,
    /// How it is judged, where it is.
    pub verdict: Option<Verdict>,
    /// What it counts as.
    pub counts_as: &'static str,
    /// The rest, as the columns say.
    pub cells: Vec<String>,
}

impl LiveTrial {
    /// A trial that is about to begin: its command, what it is about, what it counts.
    #[must_use]
    pub fn new(kind: &str, title: &str, unit: &'static str) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let head = RunHead {
            id: format!("{kind}-{}-{}", std::process::id(), now.as_millis()).replace(' ', "-"),
            kind: kind.to_owned(),
            title: title.to_owned(),
            started_ms: now.as_millis() as u64,
            ..RunHead::default()
        };
        let state = State {
            head,
            unit,
            began: Instant::now(),
            total: None,
            done: 0,
            now: String::new(),
            counts: Vec::new(),
            columns: Vec::new(),
            rows: VecDeque::new(),
            remarks: VecDeque::new(),
            is_over: false,
        };
        Self(Arc::new(Shared { state: Mutex::new(state), version: AtomicU64::new(1) }))
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let changed = change(&mut self.state());
        self.0.version.fetch_add(1, Ordering::Relaxed);
        changed
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who takes part, and how much is to be done.
    pub fn begin(&self, title: &str, total: Option<u64>) {
        self.change(|state| {
            title.clone_into(&mut state.head.title);
            state.total = total.map(|total| total + state.done);
        });
    }

    /// The columns of the rows to come, after their names and verdicts.
    pub fn columns(&self, columns: impl IntoIterator<Item = Column>) {
        self.change(|state| state.columns = columns.into_iter().collect());
    }

    /// What is being done at the moment.
    pub fn now(&self, what: &str) {
        self.change(|state| what.clone_into(&mut state.now));
    }

    /// One more is done.
    pub fn done(&self, row: TrialRow) {
        self.change(|state| {
            state.done += 1;
            match state.counts.iter_mut().find(|(name, _)| *name == row.counts_as) {
                Some((_, count)) => *count += 1,
                None => state.counts.push((row.counts_as, 1)),
            }
            state.rows.push_front(row);
            state.rows.truncate(ROWS);
        });
    }

    /// Something to know.
    pub fn remark(&self, text: &str) {
        self.change(|state| {
            state.remarks.push_front(text.to_owned());
            state.remarks.truncate(ROWS);
        });
    }

    /// It is over.
    pub fn end(&self) {
        self.change(|state| state.is_over = true);
    }
}

impl Live for LiveTrial {
    fn head(&self) -> RunHead {
        let state = self.state();
        RunHead { line: state.line(), ..state.head.clone() }
    }

    fn version(&self) -> u64 {
        self.0.version.load(Ordering::Relaxed)
    }

    fn panels(&self) -> Vec<Panel> {
        let state = self.state();
        vec![
            Panel::new("state", "", state.banner()),
            Panel::new("figures", "", state.tiles()),
            Panel::new("rows", &format!("{} so far", capital(state.unit)), state.table()),
            Panel::new("log", "Remarks", state.log()),
        ]
    }

    fn is_over(&self) -> bool {
        self.state().is_over
    }
}

impl State {
    fn line(&self) -> String {
        match self.total {
            Some(total) => format!("{} of {total} {}", self.done, self.unit),
            None => format!("{} {}", self.done, self.unit),
        }
    }

    fn banner(&self) -> Html {
        let text = match (self.is_over, self.now.as_str()) {
            (true, _) => "Over".to_owned(),
            (false, "") => "Running".to_owned(),
            (false, now) => format!("Running: {now}"),
        };
        Note::new(Verdict::Skip, Html::strong(text)).into()
    }

    fn tiles(&self) -> Html {
        let of = self.total.map_or_else(String::new, |total| format!("of {total}"));
        let mut tiles = Tiles::new().tile(capital(self.unit), number::grouped(self.done), of);
        for (name, count) in &self.counts {
            let share = number::percent(*count, self.done);
            tiles = tiles.tile(capital(name), number::grouped(*count), share);
        }
        if let (Some(total), true, false) = (self.total, self.done > 0, self.is_over) {
            let left = total.saturating_sub(self.done) as f64;
            let time = self.began.elapsed().mul_f64(left / self.done as f64);
            tiles = tiles.tile("Expected remaining", number::duration(time), "");
        }
        tiles.into()
    }

    fn table(&self) -> Html {
        if self.rows.is_empty() {
            return Html::default();
        }
        let first = [Column::text("Name"), Column::text("Verdict")];
        let columns = first.into_iter().chain(self.columns.iter().cloned());
        let mut table = Table::new("The latest first", columns).plain();
        for row in &self.rows {
            let first = [Cell::from(&row.name), row.verdict.into()];
            table = table.row(first.into_iter().chain(row.cells.iter().map(Cell::from)));
        }
        table.into()
    }

    fn log(&self) -> Html {
        if self.remarks.is_empty() {
            return Html::default();
        }
        let lines: String =
            self.remarks.iter().map(|line| format!("<li>{}</li>", Html::text(line))).collect();
        Html::trusted(format!(
            "<ol class=\"log\" tabindex=\"0\" aria-label=\"Remarks\">{lines}</ol>"
        ))
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    first + letters.as_str()
}
