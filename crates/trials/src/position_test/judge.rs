//! What a test brings: its questions, and the judgement of an answer.

use super::Source;
use dyno_chess::Position;
use dyno_driver::{Go, Info, SearchControl, SearchResult};
use dyno_formats::OpenError;
use std::sync::Arc;
use std::time::Duration;

/// A position of a file, and where it stands there.
#[derive(Clone, Debug)]
pub struct TestPosition {
    /// The file, or the name of a built-in suite.
    pub suite: Arc<str>,
    /// Its line, counted from 1.
    pub line_no: u64,
    /// Its name, or `line 17`.
    pub id: String,
    /// The position, in Chess960 only where it has to be.
    pub position: Position,
}

impl TestPosition {
    /// A position of a file. Whether it is Chess960 follows from its castling rights.
    #[must_use]
    pub fn new(suite: &Arc<str>, line_no: u64, id: String, mut position: Position) -> Self {
        position.set_chess960(position.needs_chess960());
        Self { suite: suite.clone(), line_no, id, position }
    }

    /// The position as engines and reports write it.
    #[must_use]
    pub fn fen(&self) -> String {
        if self.position.is_chess960() { self.position.shredder_fen() } else { self.position.fen() }
    }
}

/// A line of a file.
#[derive(Debug)]
pub enum Line<Q, D> {
    /// A question.
    Question(Q),
    /// A line that cannot be asked, with the reason.
    Defect(D),
    /// The file cannot be read any further.
    Damaged(OpenError),
}

/// The lines of a source, read as they are asked for.
pub type Lines<J> =
    Box<dyn Iterator<Item = Line<<J as Judge>::Question, <J as Judge>::Defect>> + Send>;

/// One engine's judged answer to one question.
pub trait TestResult: Clone + Send + Sync {
    /// The suite, the line in it, and the position: what tells one question from all others.
    fn key(&self) -> (&str, u64, &str);

    /// The name of the position.
    fn id(&self) -> &str;

    /// Which of the engines answered, counted from 0.
    fn engine(&self) -> usize;

    /// Says which of the engines answered.
    fn set_engine(&mut self, engine: usize);
}

/// An engine that gave no usable answer.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Whether it was alive, but silent.
    pub hung: bool,
    /// What happened, in words.
    pub trouble: String,
    /// How long it had been asked.
    pub elapsed: Duration,
}

/// A span of time as results state it. Nanoseconds are what was measured; a microsecond is what a
/// reader can use, and what comes back from JSON unchanged.
#[must_use]
pub fn milliseconds(span: Duration) -> f64 {
    (span.as_secs_f64() * 1e6).round() / 1e3
}

/// Whether the user wants to stop.
pub type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// Reads questions, listens to searches and judges what came of them.
pub trait Judge: Sync + Sized + 'static {
    /// A position with what is right in it.
    type Question: Send + Sync + 'static;
    /// A line of the file that is not a question.
    type Defect: Send + 'static;
    /// A judged answer.
    type Result: TestResult;
    /// An answer while the engine is still searching.
    type Sheet;
    /// What judging needs on each thread: a solver.
    type Tools<'a>;

    /// The lines of a source.
    fn read(&self, source: &Source) -> Result<Lines<Self>, OpenError>;

    /// The position of a question.
    fn position(question: &Self::Question) -> &TestPosition;

    /// The name of a line that is not a question; empty where it could not be read so far.
    fn defect_id(defect: &Self::Defect) -> &str;

    /// The tools of one thread. Long work ends when `stop` says so.
    fn tools<'a>(&'a self, stop: Stop<'a>) -> Self::Tools<'a>;

    /// An empty answer sheet.
    fn open(
        &self,
        tools: &mut Self::Tools<'_>,
        question: &Self::Question,
        engine: usize,
    ) -> Self::Sheet;

    /// How far the engine is to search, and when to give up on it.
    fn limit(&self, question: &Self::Question) -> (Go, Option<Duration>);

    /// Takes in a line of thought, and says whether the search may go on.
    fn listen(
        &self,
        question: &Self::Question,
        sheet: &mut Self::Sheet,
        info: &Info<'_>,
        at: Duration,
    ) -> SearchControl;

    /// Judges a finished search.
    fn judge(
        &self,
        tools: &mut Self::Tools<'_>,
        question: &Self::Question,
        sheet: Self::Sheet,
        found: &SearchResult,
    ) -> Self::Result;

    /// Judges a question on which the engine failed.
    fn fail(&self, question: &Self::Question, sheet: Self::Sheet, failure: Failure)
    -> Self::Result;
}
