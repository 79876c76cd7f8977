//! An engine over puzzles, move by move.

use super::blocks::Blocks;
use super::puzzle::promises_mate;
use super::{Puzzle, PuzzleError, Reject, Selection};
use crate::in_order;
use dyno_driver::{
    Engine, EngineError, EngineIdentity, EngineSpec, Go, RunHeader, Settings, default_deadline,
};
use dyno_formats::Opened;
use dyno_formats::lichess::Columns;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How wide the bands of ratings are.
const BAND: u32 = 200;

/// Rows that are no puzzles are listed up to this many.
const KEPT_REJECTS: usize = 1000;

/// What to run.
#[derive(Clone, Debug)]
pub struct RunPlan {
    /// The engine.
    pub engine: EngineSpec,
    /// Patience and transcript; its interrupt ends the run with what is done.
    pub settings: Settings,
    /// How long it may think about each move.
    pub limit: Go,
    /// Which puzzles are wanted.
    pub selection: Selection,
    /// At most this many.
    pub most: Option<u64>,
    /// Take away castling rights and en-passant squares that a position cannot have.
    pub repair: bool,
    /// Engine processes at a time.
    pub concurrency: usize,
}

impl RunPlan {
    fn recorded(&self, source: &str) -> Value {
        json!({
            "source": source,
            "limit": self.limit,
            "selection": self.selection,
            "most": self.most,
            "repair": self.repair,
            "concurrency": self.concurrency,
        })
    }
}

/// How a puzzle ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PuzzleVerdict {
    /// Every own move was found.
    Solved,
    /// A move was not.
    Failed,
    /// The engine crashed or hung.
    Crashed,
}

/// One puzzle put to the engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// The puzzle.
    pub id: String,
    /// Its line in the file.
    pub line: u64,
    /// How hard it is.
    pub rating: Option<u32>,
    /// Its themes.
    pub themes: Vec<String>,
    /// The position to solve.
    pub fen: String,
    /// The solution, in UCI notation.
    pub solution: Vec<String>,
    /// How it ended.
    pub verdict: PuzzleVerdict,
    /// Own moves found.
    pub found: u32,
    /// The move that was wrong, as the engine wrote it.
    pub wrong: Option<String>,
    /// Where it was played, if something was wrong.
    #[serde(default)]
    pub missed_fen: Option<String>,
    /// What the engine did instead of answering.
    pub trouble: String,
    /// Time over all moves.
    pub time_ms: u64,
}

/// Puzzles of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Puzzles tried.
    pub tried: u64,
    /// Puzzles solved.
    pub solved: u64,
}

/// The rating at which the engine's score is what one would expect.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Performance {
    /// The rating.
    pub rating: f64,
    /// Half the width of its 95 % interval; absent where every puzzle went the same way, and the
    /// rating is a bound only.
    pub error: Option<f64>,
    /// The puzzles behind it.
    pub puzzles: u64,
    /// The ratings between which nine of ten puzzles lie.
    #[serde(default)]
    pub range: (u32, u32),
    /// Whether the rating is far outside that range: then it rests on the formula more than on the
    /// puzzles.
    #[serde(default)]
    pub is_extrapolated: bool,
}

/// So far beyond the puzzles' own ratings a rating is an extrapolation: three of four would be
/// solved, or missed.
const FAR: f64 = 200.0;

impl Performance {
    fn new(rating: f64, error: Option<f64>, games: &[(u32, bool)]) -> Performance {
        let mut ratings: Vec<u32> = games.iter().map(|(rating, _)| *rating).collect();
        ratings.sort_unstable();
        let at = |share: usize| ratings[(ratings.len() - 1) * share / 100];
        let range = (at(5), at(95));
        let is_extrapolated =
            rating > f64::from(range.1) + FAR || rating < f64::from(range.0) - FAR;
        Performance { rating, error, puzzles: games.len() as u64, range, is_extrapolated }
    }
}

/// What came of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RunResult {
    /// What the run was.
    #[serde(flatten)]
    pub header: RunHeader<Value>,
    /// The input.
    pub source: String,
    /// The engine.
    pub engine: EngineIdentity,
    /// What it was told: `nodes 100000`.
    pub limit: String,
    /// All puzzles.
    pub total: Group,
    /// Engine failures among them.
    pub crashes: u64,
    /// By rating: the band's lower bound.
    pub by_rating: BTreeMap<u32, Group>,
    /// By theme.
    pub by_theme: BTreeMap<String, Group>,
    /// How strong that is.
    pub performance: Option<Performance>,
    /// Puzzles whose position was repaired.
    #[serde(default)]
    pub repaired: u64,
    /// Rows that are no puzzles, by reason.
    pub rejected: BTreeMap<String, u64>,
    /// The user stopped it.
    pub interrupted: bool,
}

/// What happens on the way, in the order of the puzzles.
#[derive(Debug)]
pub enum RunEvent<'a> {
    /// The engine runs.
    Started {
        /// Who it is.
        engine: &'a EngineIdentity,
    },
    /// A puzzle is done.
    Attempt(&'a Attempt),
    /// A row is not a puzzle.
    Rejected {
        /// Its line.
        line: u64,
        /// Why.
        reject: &'a Reject,
    },
}

/// A puzzle waiting for the engine.
struct Question {
    puzzle: Puzzle,
    attempt: Attempt,
}

enum Job {
    Ask(Box<Question>),
    Reject { line: u64, reject: Reject },
    Failed(PuzzleError),
}

enum JobOutcome {
    Attempt { attempt: Box<Attempt>, repaired: bool },
    Reject { line: u64, reject: Reject },
    Failed(PuzzleError),
}

/// Runs the plan. An error means that nothing was run.
pub fn run(
    plan: &RunPlan,
    source: &str,
    opened: Opened,
    listen: &mut dyn FnMut(RunEvent<'_>),
) -> Result<(RunResult, Option<PuzzleError>), PuzzleError> {
    let began = Instant::now();
    let jobs = questions(plan, source, opened)?;
    let first = Engine::start(&plan.engine, &plan.settings)?;
    let mut result = RunResult {
        header: RunHeader::begin("puzzles run", plan.recorded(source))
            .engines(vec![first.record()]),
        source: source.to_owned(),
        engine: first.record(),
        limit: plan.limit.to_string().trim_start_matches("go ").to_owned(),
        ..RunResult::default()
    };
    listen(RunEvent::Started { engine: &result.engine });
    let first = Mutex::new(Some(first));
    let take_first = || first.lock().unwrap_or_else(PoisonError::into_inner).take();
    let mut tally = Tally::default();
    let mut failure = None;
    in_order(
        plan.concurrency,
        jobs,
        |_| PuzzleEngine { plan, engine: take_first() },
        |engine, job| match job {
            Job::Ask(question) => {
                let repaired = question.puzzle.repairs > 0;
                match engine.ask(*question) {
                    Ok(attempt) => JobOutcome::Attempt { attempt: Box::new(attempt), repaired },
                    Err(error) => JobOutcome::Failed(error.into()),
                }
            }
            Job::Reject { line, reject } => JobOutcome::Reject { line, reject },
            Job::Failed(error) => JobOutcome::Failed(error),
        },
        |answer| {
            match answer {
                JobOutcome::Attempt { attempt, repaired } => {
                    result.repaired += u64::from(repaired);
                    tally.add(&mut result, &attempt);
                    listen(RunEvent::Attempt(&attempt));
                }
                JobOutcome::Reject { line, reject } => {
                    let count = result.rejected.entry(reject.reason().to_owned()).or_default();
                    *count += 1;
                    if *count <= KEPT_REJECTS as u64 {
                        listen(RunEvent::Rejected { line, reject: &reject });
                    }
                }
                JobOutcome::Failed(PuzzleError::Engine(EngineError::Interrupted)) => {
                    result.interrupted = true;
                    return ControlFlow::Break(());
                }
                JobOutcome::Failed(error) => {
                    failure = Some(error);
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        },
    );
    result.interrupted |= plan.settings.interrupt.as_ref().is_some_and(|i| i.requested());
    result.performance = performance(&tally.games);
    result.header.seconds = began.elapsed().as_secs_f64();
    Ok((result, failure))
}

/// The wanted puzzles of a file, one by one.
fn questions(
    plan: &RunPlan,
    source: &str,
    opened: Opened,
) -> Result<impl Iterator<Item = Job> + Send + use<>, PuzzleError> {
    let mut blocks = Blocks::new(opened.reader, source);
    let first = blocks.first_line()?.unwrap_or_default();
    let (columns, is_header) = Columns::of_first_line(&first).map_err(|error| {
        PuzzleError::NotPuzzles { name: source.to_owned(), reason: error.to_string() }
    })?;
    if is_header {
        blocks.skip_line();
    } else if !first.is_empty() {
        blocks.unread(&first);
    }
    let (selection, repair) = (plan.selection.clone(), plan.repair);
    let jobs = blocks.flat_map(move |block| match block {
        Err(error) => vec![Job::Failed(error)],
        Ok(block) => {
            let lines = block.bytes.split(|byte| *byte == b'\n');
            let lines = (block.first_line..).zip(lines);
            let lines = lines.filter(|(_, bytes)| !bytes.trim_ascii().is_empty());
            let wanted = |(line, bytes)| question(&columns, &selection, repair, line, bytes);
            lines.filter_map(wanted).collect()
        }
    });
    let mut left = plan.most.unwrap_or(u64::MAX);
    Ok(jobs.take_while(move |job| {
        let wanted = left > 0;
        left -= u64::from(wanted && matches!(job, Job::Ask(_)));
        wanted
    }))
}

/// The puzzle of a row; `None` if it is not wanted.
fn question(
    columns: &Columns,
    selection: &Selection,
    repair: bool,
    line: u64,
    bytes: &[u8],
) -> Option<Job> {
    let Ok(text) = str::from_utf8(bytes) else {
        return Some(Job::Reject { line, reject: Reject::Encoding });
    };
    let row = match columns.row(text) {
        Ok(row) => row,
        Err(error) => return Some(Job::Reject { line, reject: error.into() }),
    };
    if !selection.wants(&row) {
        return None;
    }
    let mut puzzle = Puzzle::default();
    if let Err(reject) = puzzle.load(&row, repair) {
        return Some(Job::Reject { line, reject });
    }
    if puzzle.mate_in().is_none() && promises_mate(&row) {
        return Some(Job::Reject { line, reject: Reject::NotMate });
    }
    let position = puzzle.position()?;
    let pairs = puzzle.positions.iter().zip(&puzzle.moves);
    let attempt = Attempt {
        id: row.id.clone().into_owned(),
        line,
        rating: row.rating,
        themes: row.themes().map(str::to_owned).collect(),
        fen: position.fen(),
        solution: pairs.map(|(position, mv)| position.uci(*mv)).collect(),
        verdict: PuzzleVerdict::Failed,
        found: 0,
        wrong: None,
        missed_fen: None,
        trouble: String::new(),
        time_ms: 0,
    };
    Some(Job::Ask(Box::new(Question { puzzle, attempt })))
}

/// One engine process and its puzzles.
struct PuzzleEngine<'a> {
    plan: &'a RunPlan,
    engine: Option<Engine>,
}

impl PuzzleEngine<'_> {
    /// Puts a puzzle to the engine; a crash is a result, and the next puzzle gets a new process.
    fn ask(&mut self, question: Question) -> Result<Attempt, EngineError> {
        let mut engine = match self.engine.take() {
            Some(engine) => engine,
            None => Engine::start(&self.plan.engine, &self.plan.settings)?,
        };
        let Question { puzzle, mut attempt } = question;
        match solve(&mut engine, &puzzle, &mut attempt, &self.plan.limit) {
            Ok(()) => self.engine = Some(engine),
            Err(EngineError::Interrupted) => return Err(EngineError::Interrupted),
            Err(error) if !error.is_fatal() => return Err(error),
            Err(error) => {
                attempt.verdict = PuzzleVerdict::Crashed;
                attempt.trouble = error.to_string();
                engine.kill();
            }
        }
        Ok(attempt)
    }
}

/// Every own move must be the solution's; one that mates at once is as good.
fn solve(
    engine: &mut Engine,
    puzzle: &Puzzle,
    attempt: &mut Attempt,
    limit: &Go,
) -> Result<(), EngineError> {
    let Some((before, opponents)) = &puzzle.before else { return Ok(()) };
    engine.prepare()?;
    let mut text = format!("fen {} moves {}", before.fen(), before.uci(*opponents));
    let patience: Option<Duration> = default_deadline(limit);
    for (number, (position, solution)) in puzzle.positions.iter().zip(&puzzle.moves).enumerate() {
        if number % 2 == 0 {
            let found = engine.go(&text, limit, patience)?;
            attempt.time_ms += found.elapsed.as_millis() as u64;
            let played = position.parse_uci(&found.best).ok();
            let mates = played
                .is_some_and(|mv| position.gives_check(mv) && !position.play(mv).has_legal_move());
            if !mates && played != Some(*solution) {
                attempt.wrong = Some(found.best);
                attempt.missed_fen = Some(position.fen());
                return Ok(());
            }
            attempt.found += 1;
            if mates {
                break;
            }
        }
        text.push(' ');
        text.push_str(&position.uci(*solution));
    }
    attempt.verdict = PuzzleVerdict::Solved;
    Ok(())
}

#[derive(Default)]
struct Tally {
    games: Vec<(u32, bool)>,
}

impl Tally {
    fn add(&mut self, result: &mut RunResult, attempt: &Attempt) {
        let solved = attempt.verdict == PuzzleVerdict::Solved;
        let add = |group: &mut Group| {
            group.tried += 1;
            group.solved += u64::from(solved);
        };
        add(&mut result.total);
        result.crashes += u64::from(attempt.verdict == PuzzleVerdict::Crashed);
        if let Some(rating) = attempt.rating {
            add(result.by_rating.entry(rating / BAND * BAND).or_default());
            self.games.push((rating, solved));
        }
        for theme in &attempt.themes {
            add(result.by_theme.entry(theme.clone()).or_default());
        }
    }
}

/// The rating at which the expected score equals the score, by bisection. The error is that of the
/// likelihood: 1.96 standard deviations.
fn performance(games: &[(u32, bool)]) -> Option<Performance> {
    let lowest = f64::from(games.iter().map(|(rating, _)| *rating).min()?);
    let highest = f64::from(games.iter().map(|(rating, _)| *rating).max()?);
    let score = games.iter().filter(|(_, solved)| *solved).count() as f64;
    if score == 0.0 || score == games.len() as f64 {
        // All alike: the likelihood has no maximum. What can be said is a bound, the rating at
        // which such a run would happen in one case of twenty.
        let each = 0.05f64.powf(1.0 / games.len() as f64);
        let chance = if score == 0.0 { 1.0 - each } else { each };
        let mean =
            games.iter().map(|(rating, _)| f64::from(*rating)).sum::<f64>() / games.len() as f64;
        let rating = mean - 400.0 * (1.0 / chance - 1.0).log10();
        return Some(Performance::new(rating, None, games));
    }
    let expected = |rating: f64| -> (f64, f64) {
        games.iter().fold((0.0, 0.0), |(sum, variance), (puzzle, _)| {
            let chance = 1.0 / (1.0 + 10f64.powf((f64::from(*puzzle) - rating) / 400.0));
            (sum + chance, variance + chance * (1.0 - chance))
        })
    };
    let (mut low, mut high) = (lowest - 4000.0, highest + 4000.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if expected(middle).0 < score { low = middle } else { high = middle }
    }
    let rating = f64::midpoint(low, high);
    let slope = std::f64::consts::LN_10 / 400.0;
    let error = 1.96 / (slope * expected(rating).1.sqrt());
    Some(Performance::new(rating, Some(error), games))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn performance_is_where_the_score_is_expected() {
        // Half of the puzzles of one rating: that rating. The error by hand: 1.96·400/ln10/√25.
        let even: Vec<_> = (0..100).map(|n| (1500, n % 2 == 0)).collect();
        let even = performance(&even).unwrap();
        assert!((even.rating - 1500.0).abs() < 0.01);
        assert!((even.error.unwrap() - 68.1).abs() < 0.1);
        // Ten of eleven: 400 more.
        let most: Vec<_> = (0..11).map(|n| (1500, n > 0)).collect();
        assert!((performance(&most).unwrap().rating - 1900.0).abs() < 0.01);
        let all = performance(&[(1500, true); 20]).unwrap();
        assert!(all.error.is_none() && all.rating > 1500.0);
        assert!(performance(&[(1500, false); 20]).unwrap().rating < 1500.0);
        assert!(performance(&[]).is_none());
        // Nineteen of twenty at 1,500 make about 2,010, of which the puzzles say little.
        let easy: Vec<_> = (0..20).map(|i| (1500, i > 0)).collect();
        let easy = performance(&easy).unwrap();
        assert!(easy.is_extrapolated && easy.range == (1500, 1500), "{easy:?}");
        assert!(!even.is_extrapolated);
    }
}
