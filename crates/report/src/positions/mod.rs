//! What the reports of position tests (`dyno suite`, `dyno mate`) have in common: rows as they come
//! ([`csv`], [`json`]), and the whole at the end.

pub mod csv;
pub mod json;

use ::csv::StringRecord;
use dyno_trials::position_test::TestResult;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// An answer as reports show it. A kind of test implements this for its results, and has every
/// report of [`csv`], [`json`], the terminal and HTML.
pub trait PositionRow: TestResult + Serialize + DeserializeOwned {
    /// The sums of a whole run.
    type Run: Serialize + DeserializeOwned + Clone + std::fmt::Debug;

    /// The command that makes such rows.
    const COMMAND: &'static str;

    /// The columns of the CSV report. Every kind has `engine` and `limit` among them.
    const COLUMNS: &'static [&'static str];

    /// The cells of the CSV report, in the order of the columns.
    fn cells(&self, engine: &str, limit: &str) -> Vec<String>;

    /// The answer that a row of CSV holds; nothing where the row is damaged.
    fn from_cells(row: &StringRecord) -> Option<Self>;

    /// Whether the answer is right; nothing where it does not count.
    fn correct(&self) -> Option<bool>;

    /// What went wrong with the engine; empty where nothing did.
    fn trouble(&self) -> &str;

    /// Whether the answer belongs among the misses.
    fn is_miss(&self) -> bool;

    /// Whether the page says more about this answer than the sums do.
    fn is_on_page(&self) -> bool {
        self.is_miss()
    }

    /// One line at the prompt, for people who watch.
    fn line(&self, engine: Option<&str>) -> String;

    /// The running score for a progress bar.
    fn running(correct: u64, scored: u64) -> String;

    /// The first misses, as they are listed at the end; `all` is how many there are.
    fn miss_list(misses: &[Self], all: u64, engines: &[String]) -> String;

    /// The limit of the searches, as the CSV report states it.
    fn limit(run: &Self::Run) -> String;

    /// Who took part.
    fn engines(run: &Self::Run) -> Vec<String>;

    /// The whole result at the prompt.
    fn summary(run: &Self::Run) -> String;

    /// The page; `shown` are the answers to be shown on it, in order.
    fn page(run: &Self::Run, shown: &[Self]) -> String;
}

/// A saved run: the answers, and their sums.
#[derive(Clone, Debug)]
pub struct SavedPositions<R: PositionRow> {
    /// Every answer, in the order of the suite.
    pub positions: Vec<R>,
    /// The sums.
    pub run: R::Run,
}

impl<R: PositionRow> SavedPositions<R> {
    /// The CSV report, as the run itself writes it.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut bytes = Vec::new();
        let (engines, limit) = (R::engines(&self.run), R::limit(&self.run));
        let written = csv::Writer::new(&mut bytes, &engines, &limit, true).and_then(|mut rows| {
            self.positions.iter().try_for_each(|position| rows.write(position))
        });
        // Memory takes everything.
        debug_assert!(written.is_ok());
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The page, as the run itself writes it.
    #[must_use]
    pub fn page(&self) -> String {
        let shown: Vec<R> = self.positions.iter().filter(|p| p.is_on_page()).cloned().collect();
        R::page(&self.run, &shown)
    }
}
