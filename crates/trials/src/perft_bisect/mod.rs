//! Perft bisection: which move does an engine get wrong, and which rule does it break?
//!
//! The engine's counts are compared with the reference. Where one differs, the search
//! follows the differing move down to the position whose move list is wrong, names the rule, and looks for the
//! smallest position that still shows it.

mod ask;
mod descend;
pub mod dialect;
mod patience;
mod shrink;

pub use ask::{AskError, Dialect, find_dialect};
pub use descend::MoveListFault;
pub use shrink::Smallest;

use dyno_chess::{Move, Position, perft};
use dyno_driver::{Engine, RunHeader};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Instant;

/// One position to compare.
#[derive(Clone, Debug)]
pub struct BisectJob {
    /// What the user calls it.
    pub name: String,
    /// The position.
    pub position: Position,
    /// How deep to count.
    pub depth: u32,
}

/// What happened during the bisection.
#[derive(Clone, Debug)]
pub enum BisectEvent<'a> {
    /// The engine's command has been found out.
    Dialect(&'a Dialect),
    /// A position was compared.
    Compared(&'a Comparison),
}

/// One position compared.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Comparison {
    /// What the user calls the position.
    pub name: String,
    /// The position.
    pub fen: String,
    /// How deep it was counted.
    pub depth: u32,
    /// The right count.
    pub expected: u64,
    /// The reason it was not compared.
    pub skipped: Option<String>,
    /// What is wrong; nothing when the counts agree.
    pub fault: Option<FaultReport>,
}

/// A move that is missing or surplus, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrongMove {
    /// The move in UCI notation, or as the engine wrote it.
    #[serde(rename = "move")]
    pub mv: String,
    /// The kind of the fault, for machines: the name of the rule.
    pub kind: String,
    /// The kind of the fault, for people.
    pub why: String,
}

/// A fault, ready to be shown.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FaultReport {
    /// The position of the wrong move list.
    pub fen: String,
    /// The moves that lead there from the compared position.
    pub moves: Vec<String>,
    /// Legal moves that the engine does not have.
    pub missing: Vec<WrongMove>,
    /// Moves of the engine that are not legal.
    pub surplus: Vec<WrongMove>,
    /// Where all lists agree but a count does not: depth, right count, engine's count.
    pub count: Option<(u32, u64, u64)>,
    /// Whether the fault needs the moves: the position alone is counted rightly.
    pub needs_moves: bool,
    /// The smallest position that shows it.
    pub smallest_fen: String,
    /// The moves to play there.
    pub smallest_moves: Vec<String>,
    /// What to type into the engine to see it.
    pub reproduce: Vec<String>,
}

/// The result of a bisection.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BisectResult {
    /// What the run was.
    #[serde(flatten)]
    pub header: RunHeader<Value>,
    /// What the engine calls itself.
    pub engine: String,
    /// How it is asked for perft.
    pub dialect: Dialect,
    /// The positions, in order.
    pub comparisons: Vec<Comparison>,
}

impl BisectResult {
    /// How many positions were miscounted.
    pub fn faults(&self) -> usize {
        self.comparisons.iter().filter(|comparison| comparison.fault.is_some()).count()
    }
}

/// Compares every position and bisects every difference.
pub fn run(
    engine: &mut Engine,
    jobs: &[BisectJob],
    mut sink: impl FnMut(BisectEvent<'_>),
) -> Result<BisectResult, AskError> {
    let began = Instant::now();
    let mut header = header(engine, jobs);
    let dialect = find_dialect(engine)?;
    sink(BisectEvent::Dialect(&dialect));
    let mut comparisons = Vec::new();
    let mut variant = false;
    for job in jobs {
        let comparison = compare(engine, &dialect, job, &mut variant)?;
        sink(BisectEvent::Compared(&comparison));
        comparisons.push(comparison);
    }
    ask::settle(engine)?;
    header.seconds = began.elapsed().as_secs_f64();
    Ok(BisectResult { header, engine: engine.name().into(), dialect, comparisons })
}

/// The header of a bisection of these positions.
pub fn header(engine: &Engine, jobs: &[BisectJob]) -> RunHeader<Value> {
    let positions = jobs.iter().map(|job| json!({ "name": job.name, "depth": job.depth }));
    let plan = json!({ "positions": positions.collect::<Vec<_>>() });
    RunHeader::begin("perft engine", plan).engines(vec![engine.record()])
}

fn compare(
    engine: &mut Engine,
    dialect: &Dialect,
    job: &BisectJob,
    variant: &mut bool,
) -> Result<Comparison, AskError> {
    let position = job.position;
    let mut comparison = Comparison {
        name: job.name.clone(),
        fen: position.fen(),
        depth: job.depth,
        expected: perft::perft(&position, job.depth),
        skipped: None,
        fault: None,
    };
    let chess960 = position.is_chess960();
    if chess960 && engine.option("UCI_Chess960").is_none() {
        comparison.skipped = Some("the engine has no option UCI_Chess960".into());
        return Ok(comparison);
    }
    if chess960 != *variant {
        engine.set_option("UCI_Chess960", if chess960 { "true" } else { "false" })?;
        *variant = chess960;
    }
    match fault(engine, dialect, job) {
        Ok(found) => comparison.fault = found,
        // A slow engine may still be right, and the next position may be smaller.
        Err(slow @ AskError::TooSlow { .. }) => {
            comparison.skipped = Some(slow.to_string());
            *variant = false;
        }
        Err(error) => return Err(error),
    }
    Ok(comparison)
}

fn fault(
    engine: &mut Engine,
    dialect: &Dialect,
    job: &BisectJob,
) -> Result<Option<FaultReport>, AskError> {
    let start = job.position;
    let found = descend::descend(engine, dialect, &start, &mut Vec::new(), job.depth.max(1))?;
    let Some(fault) = found else { return Ok(None) };
    let smallest = if fault.count.is_some() {
        Smallest { start, moves: fault.moves.clone(), fault: fault.clone() }
    } else {
        shrink::shrink(engine, dialect, &start, &fault)?
    };
    Ok(Some(report(dialect, &start, &fault, &smallest)))
}

fn report(
    dialect: &Dialect,
    start: &Position,
    fault: &MoveListFault,
    smallest: &Smallest,
) -> FaultReport {
    let (position, _) = ask::position_command(&smallest.start, &smallest.moves);
    let depth = fault.count.map_or(1, |(depth, _, _)| depth);
    let mut reproduce = vec![position, format!("{} {depth}", dialect.command)];
    if smallest.start.is_chess960() {
        reproduce.insert(0, "setoption name UCI_Chess960 value true".into());
    }
    FaultReport {
        fen: fault.position.fen(),
        moves: words(start, &fault.moves),
        missing: fault
            .missing
            .iter()
            .map(|(mv, why)| wrong(fault.position.uci(*mv), why))
            .collect(),
        surplus: fault.surplus.iter().map(|(text, why)| wrong(text.clone(), why)).collect(),
        count: fault.count,
        needs_moves: !smallest.moves.is_empty() && fault.count.is_none(),
        smallest_fen: smallest.start.fen(),
        smallest_moves: words(&smallest.start, &smallest.moves),
        reproduce,
    }
}

fn wrong(mv: String, why: &(impl std::fmt::Debug + std::fmt::Display)) -> WrongMove {
    // `PinnedPieceMoves { role: Rook }` is of the kind `PinnedPieceMoves`.
    let debug = format!("{why:?}");
    let kind = debug.split(' ').next().unwrap_or_default().to_owned();
    WrongMove { mv, kind, why: why.to_string() }
}

fn words(start: &Position, moves: &[Move]) -> Vec<String> {
    descend::past(start, moves).iter().map(|(position, mv)| position.uci(*mv)).collect()
}
