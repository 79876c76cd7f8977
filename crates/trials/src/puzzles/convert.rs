//! The puzzle database turned into EPD.

use super::blocks::{Block, Blocks};
use super::puzzle::promises_mate;
use super::{KeyFinder, Puzzle, PuzzleError, Reject, Selection};
use crate::in_order;
use dyno_chess::{Move, Position};
use dyno_driver::{EngineError, EngineSpec, RunHeader, Settings};
use dyno_formats::epd::write_string;
use dyno_formats::lichess::{Columns, Row};
use dyno_formats::{Opened, Progress};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::ops::ControlFlow;
use std::time::Instant;

/// What to convert, and how.
#[derive(Clone, Debug, Default)]
pub struct ConvertPlan {
    /// Which puzzles are wanted.
    pub selection: Selection,
    /// Also those that do not end in mate.
    pub all: bool,
    /// At most this many.
    pub limit: Option<u64>,
    /// Ask this engine for the mates in one.
    pub stockfish: Option<EngineSpec>,
    /// All keys of longer mates too.
    pub all_keys: bool,
    /// Take away castling rights and en-passant squares that a position cannot have.
    pub repair: bool,
    /// How many threads work at once.
    pub workers: usize,
    /// How patient to be with the engine, and when to stop.
    pub settings: Settings,
}

impl ConvertPlan {
    fn recorded(&self, source: &str) -> Value {
        json!({
            "source": source,
            "selection": self.selection,
            "all": self.all,
            "limit": self.limit,
            "all_keys": self.all_keys,
            "engine": self.stockfish.as_ref().map(ToString::to_string),
        })
    }
}

/// What came of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ConvertResult {
    /// What the run was.
    #[serde(flatten)]
    pub header: RunHeader<Value>,
    /// The input.
    pub source: String,
    /// Rows read, the header not counted.
    pub rows: u64,
    /// Positions written.
    pub written: u64,
    /// Positions written, by mate depth; 0 for those that do not end in mate.
    pub by_depth: BTreeMap<u32, u64>,
    /// Sound rows whose line does not end in mate, left out.
    pub not_mate: u64,
    /// Rows left out because of their rating or themes.
    pub not_selected: u64,
    /// Bad rows.
    pub rejected: u64,
    /// Bad rows, by reason.
    pub reasons: BTreeMap<String, u64>,
    /// Rows with a rating or another number that is none and was ignored.
    #[serde(default)]
    pub ignored_numbers: u64,
    /// Rows whose position was repaired.
    #[serde(default)]
    pub repaired: u64,
    /// Moves of the line that are not among the keys found: the database and we disagree.
    pub disputed: u64,
    /// Mates whose other keys could not be settled within the solver's budget.
    pub unsettled: u64,
    /// The user stopped it; what was written stays.
    pub interrupted: bool,
}

/// A bad row.
#[derive(Clone, Debug)]
pub struct RejectedRow {
    /// Its line in the file, counted from 1.
    pub line: u64,
    /// What is wrong with it.
    pub reject: Reject,
    /// The row as it stands in the file.
    pub text: String,
}

/// What happens on the way, in the order of the rows.
#[derive(Debug)]
pub enum ConvertEvent<'a> {
    /// A position: its mate depth (0 for none) and its line of EPD with the line end.
    Position {
        /// Mate in this many moves.
        mate_in: u32,
        /// The line.
        text: &'a str,
    },
    /// A bad row.
    Rejected(&'a RejectedRow),
    /// So far.
    Progress {
        /// What came of it so far.
        so_far: &'a ConvertResult,
        /// How much of the file has been read.
        read: &'a Progress,
    },
}

/// Converts a file. The listener's errors end the work.
pub fn convert(
    plan: &ConvertPlan,
    source: &str,
    opened: Opened,
    listen: &mut dyn FnMut(ConvertEvent<'_>) -> io::Result<()>,
) -> Result<ConvertResult, PuzzleError> {
    let began = Instant::now();
    let header = RunHeader::begin("puzzles convert", plan.recorded(source));
    let mut result = ConvertResult { header, source: source.to_owned(), ..Default::default() };
    let progress = opened.progress.clone();
    let mut blocks = Blocks::new(opened.reader, source);
    let Some(first) = blocks.first_line()? else { return Ok(result) };
    let not_puzzles = |reason: String| PuzzleError::NotPuzzles { name: source.to_owned(), reason };
    let (columns, is_header) =
        Columns::of_first_line(&first).map_err(|error| not_puzzles(error.to_string()))?;
    if is_header {
        blocks.skip_line();
    } else {
        blocks.unread(&first);
    }
    let interrupted = || plan.settings.interrupt.as_ref().is_some_and(|i| i.requested());
    let mut failure = None;
    in_order(
        plan.workers,
        blocks,
        |_| Worker::new(plan, &columns).map_err(Some),
        |worker, block| match worker {
            Ok(worker) => worker.block(block?),
            // The first error ends the work, so a second is never seen.
            Err(error) => Err(error.take().unwrap_or(EngineError::Interrupted).into()),
        },
        |done: Result<Done, PuzzleError>| {
            let step = done.and_then(|done| {
                result
                    .take(&done, plan.limit, listen)
                    .and_then(|full| {
                        listen(ConvertEvent::Progress { so_far: &result, read: &progress })?;
                        Ok(full)
                    })
                    .map_err(|error| PuzzleError::Write { name: "the output".into(), error })
            });
            match step {
                Ok(false) if !interrupted() => ControlFlow::Continue(()),
                Ok(full) => {
                    result.interrupted = !full;
                    ControlFlow::Break(())
                }
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            }
        },
    );
    result.header.seconds = began.elapsed().as_secs_f64();
    match failure {
        Some(PuzzleError::Engine(EngineError::Interrupted)) => {
            result.interrupted = true;
            Ok(result)
        }
        Some(error) => Err(error),
        None => Ok(result),
    }
}

/// What came of a block.
#[derive(Default)]
struct Done {
    /// All lines of EPD.
    text: String,
    /// Where each ends, and its mate depth.
    ends: Vec<(usize, u32)>,
    rejected: Vec<RejectedRow>,
    rows: u64,
    not_mate: u64,
    not_selected: u64,
    ignored_numbers: u64,
    repaired: u64,
    disputed: u64,
    unsettled: u64,
}

impl ConvertResult {
    /// Adds a block; whether the limit has been reached.
    fn take(
        &mut self,
        done: &Done,
        limit: Option<u64>,
        listen: &mut dyn FnMut(ConvertEvent<'_>) -> io::Result<()>,
    ) -> io::Result<bool> {
        self.rows += done.rows;
        self.not_mate += done.not_mate;
        self.not_selected += done.not_selected;
        self.ignored_numbers += done.ignored_numbers;
        self.repaired += done.repaired;
        self.disputed += done.disputed;
        self.unsettled += done.unsettled;
        for row in &done.rejected {
            self.rejected += 1;
            *self.reasons.entry(row.reject.reason().to_owned()).or_default() += 1;
            listen(ConvertEvent::Rejected(row))?;
        }
        let mut start = 0;
        for &(end, mate_in) in &done.ends {
            if limit.is_some_and(|limit| self.written >= limit) {
                return Ok(true);
            }
            listen(ConvertEvent::Position { mate_in, text: &done.text[start..end] })?;
            self.written += 1;
            *self.by_depth.entry(mate_in).or_default() += 1;
            start = end;
        }
        Ok(limit.is_some_and(|limit| self.written >= limit))
    }
}

struct Worker<'a> {
    plan: &'a ConvertPlan,
    columns: &'a Columns,
    puzzle: Puzzle,
    finder: KeyFinder,
}

impl<'a> Worker<'a> {
    fn new(plan: &'a ConvertPlan, columns: &'a Columns) -> Result<Worker<'a>, EngineError> {
        let finder = KeyFinder::new(plan.stockfish.as_ref(), &plan.settings, plan.all_keys)?;
        Ok(Worker { plan, columns, puzzle: Puzzle::default(), finder })
    }

    fn block(&mut self, block: Block) -> Result<Done, PuzzleError> {
        let mut done = Done::default();
        let whole = str::from_utf8(&block.bytes);
        let lines = block.bytes.split(|byte| *byte == b'\n');
        let mut start = 0;
        for (line, bytes) in (block.first_line..).zip(lines) {
            let range = start..start + bytes.len();
            start += bytes.len() + 1;
            if bytes.trim_ascii().is_empty() {
                continue;
            }
            done.rows += 1;
            // The whole block is text, nearly always: no need to look at each line again.
            let text = match whole {
                Ok(text) => Ok(&text[range]),
                Err(_) => str::from_utf8(bytes),
            };
            let outcome = match text {
                Ok(text) => self.row(line, text, &mut done)?,
                Err(_) => Err(Reject::Encoding),
            };
            if let Err(reject) = outcome {
                let text = String::from_utf8_lossy(bytes).trim_end().to_owned();
                done.rejected.push(RejectedRow { line, reject, text });
            }
        }
        Ok(done)
    }

    fn row(
        &mut self,
        line: u64,
        text: &str,
        done: &mut Done,
    ) -> Result<Result<(), Reject>, PuzzleError> {
        let mut row = match self.columns.row(text) {
            Ok(row) => row,
            Err(error) => return Ok(Err(error.into())),
        };
        done.ignored_numbers += u64::from(row.ignored.is_some());
        if row.id.is_empty() {
            row.id = format!("line {line}").into();
        }
        if !self.plan.selection.wants(&row) {
            done.not_selected += 1;
            return Ok(Ok(()));
        }
        if let Err(reject) = self.puzzle.load(&row, self.plan.repair) {
            return Ok(Err(reject));
        }
        done.repaired += u64::from(self.puzzle.repairs > 0);
        let mate_in = self.puzzle.mate_in();
        if mate_in.is_none() {
            if promises_mate(&row) {
                return Ok(Err(Reject::NotMate));
            }
            if !self.plan.all {
                done.not_mate += 1;
                return Ok(Ok(()));
            }
        }
        let keys = match (mate_in, self.puzzle.position()) {
            (Some(moves), Some(position)) => {
                let keys = self.finder.keys(position, moves)?;
                done.unsettled += u64::from(keys.is_none() && self.plan.all_keys);
                keys
            }
            _ => None,
        };
        done.disputed += u64::from(write(&mut done.text, &row, &self.puzzle, mate_in, keys));
        done.ends.push((done.text.len(), mate_in.unwrap_or(0)));
        Ok(Ok(()))
    }
}

/// Appends the line of a puzzle: the solution first among the best moves, then the other keys.
/// Whether the solution is not among the keys found.
fn write(
    text: &mut String,
    row: &Row<'_>,
    puzzle: &Puzzle,
    mate_in: Option<u32>,
    keys: Option<Vec<Move>>,
) -> bool {
    let (Some(position), Some(&solution)) = (puzzle.position(), puzzle.moves.first()) else {
        return false;
    };
    position.push_epd(text);
    text.push_str(" bm ");
    position.push_san(solution, &puzzle.positions[1], text);
    for key in keys.iter().flatten().filter(|key| **key != solution) {
        text.push(' ');
        position.push_san(*key, &position.play(*key), text);
    }
    text.push_str("; pv");
    let pairs = puzzle.positions.iter().zip(puzzle.positions.iter().skip(1));
    for ((now, next), mv) in pairs.zip(&puzzle.moves) {
        text.push(' ');
        Position::push_san(now, *mv, next, text);
    }
    if let Some(moves) = mate_in {
        let _ = write!(text, "; dm {moves}");
    }
    text.push_str("; id ");
    write_string(text, &row.id);
    if let Some(rating) = row.rating {
        let _ = write!(text, "; c0 \"rating {rating}\"");
    }
    if !row.theme_text().is_empty() {
        text.push_str("; c1 ");
        write_string(text, row.theme_text());
    }
    if !row.url.is_empty() {
        text.push_str("; c2 ");
        write_string(text, &row.url);
    }
    text.push_str(";\n");
    keys.is_some_and(|keys| !keys.contains(&solution))
}
