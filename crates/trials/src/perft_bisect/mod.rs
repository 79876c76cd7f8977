//! Perft bisection: which move does an engine get wrong, and which rule does it break?
//!
//! The engine's counts are compared with the reference. Where one differs, the search
//! follows the differing move down to the position whose move list is wrong, names the rule, and looks for the
//! smallest position that still shows it, once for each rule. An engine that crashes on the way is
//! started anew, and the move that crashes it is named.

mod ask;
mod breakdown;
mod descend;
pub mod dialect;
mod patience;
mod rule;
mod shrink;
mod totals;

pub use ask::{AskError, Dialect, find_dialect};
pub use descend::{Breakdown, MoveListFault, wrong_answer};
pub use rule::{BrokenRule, RuleBreak};
pub use shrink::Smallest;

use crate::perft::Line;
use ask::Asker;
use descend::Descent;
use dyno_chess::{Move, Position};
use dyno_driver::{Engine, EngineError, RunHeader};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

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

impl BisectJob {
    /// A line of a suite at its deepest count within the limits; `None` where it has none.
    #[must_use]
    pub fn within(line: &Line, max_depth: u32, max_nodes: u128) -> Option<Self> {
        let fits =
            |(depth, nodes): &&(u32, u128)| (1..=max_depth).contains(depth) && *nodes <= max_nodes;
        let (depth, _) = line.counts.iter().filter(fits).max_by_key(|(depth, _)| *depth)?;
        let name = line.id.clone().unwrap_or_else(|| format!("line {}", line.number));
        Some(Self { name, position: line.position, depth: *depth })
    }
}

/// How far a bisection goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BisectOptions {
    /// Ends at the first position that is wrong.
    pub fail_fast: bool,
    /// Starts an engine that breaks down anew and names what brought it down, instead of ending
    /// with its error.
    pub survives: bool,
    /// How long the smallest position of one rule is looked for, if not the usual time.
    pub shrink_for: Option<Duration>,
}

/// Subtrees of one position that are looked into for a rule beside those already known.
const FURTHER: u32 = 12;

/// What happened during the bisection.
#[derive(Clone, Debug)]
pub enum BisectEvent<'a> {
    /// The engine's command has been found out.
    Dialect(&'a Dialect),
    /// A position was compared.
    Compared {
        /// What came of it.
        comparison: &'a Comparison,
        /// The rules that are broken so far.
        rules: &'a [RuleFinding],
    },
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

/// A rule that the engine breaks, with the smallest position that shows it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RuleFinding {
    /// The rule.
    #[serde(flatten)]
    pub rule: BrokenRule,
    /// How many of the positions show it.
    pub positions: usize,
    /// The first of them.
    pub first: String,
    /// The smallest position that shows it.
    pub smallest_fen: String,
    /// The moves to play there; without any, the position alone shows it.
    pub smallest_moves: Vec<String>,
    /// The move that is missing or surplus there.
    #[serde(skip)]
    pub mv: Option<String>,
    /// The depth of the count that shows it.
    #[serde(skip)]
    pub depth: u32,
    /// What to type into the engine to see it.
    pub reproduce: Vec<String>,
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
    /// Where the engine breaks down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breakdown: Option<BreakdownReport>,
    /// The rules it breaks that no earlier position has shown; their smallest positions are with
    /// the rules of the whole result.
    #[serde(default)]
    pub new_rules: Vec<BrokenRule>,
    /// The rules it breaks like earlier positions.
    #[serde(default)]
    pub known_rules: Vec<BrokenRule>,
    /// Whether the fault needs the moves: the position alone is counted rightly.
    pub needs_moves: bool,
    /// The smallest position that shows it.
    pub smallest_fen: String,
    /// The moves to play there.
    pub smallest_moves: Vec<String>,
    /// What to type into the engine to see it.
    pub reproduce: Vec<String>,
}

/// How the engine broke down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BreakdownReport {
    /// What it did.
    pub how: String,
    /// The depth of the perft that shows it.
    pub depth: u32,
    /// The move that brings it down as soon as it is played.
    #[serde(rename = "move")]
    pub mv: Option<String>,
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
    /// The rules it breaks, in the order of finding.
    #[serde(default)]
    pub rules: Vec<RuleFinding>,
    /// The positions, in order.
    pub comparisons: Vec<Comparison>,
}

impl BisectResult {
    /// How many positions were miscounted.
    pub fn faults(&self) -> usize {
        self.comparisons.iter().filter(|comparison| comparison.fault.is_some()).count()
    }
}

/// Compares every position and bisects every difference; an engine that breaks down ends it.
pub fn run(
    engine: &mut Engine,
    jobs: &[BisectJob],
    sink: impl FnMut(BisectEvent<'_>),
) -> Result<BisectResult, AskError> {
    bisect(engine, jobs, BisectOptions::default(), sink)
}

/// Compares every position and bisects every difference.
pub fn bisect(
    engine: &mut Engine,
    jobs: &[BisectJob],
    options: BisectOptions,
    mut sink: impl FnMut(BisectEvent<'_>),
) -> Result<BisectResult, AskError> {
    let began = Instant::now();
    let mut header = header(engine, jobs);
    let dialect = find_dialect(engine)?;
    sink(BisectEvent::Dialect(&dialect));
    let name = engine.name().to_owned();
    let mut asker = Asker::new(engine, &dialect);
    let (mut comparisons, mut rules) = (Vec::new(), Vec::new());
    for job in jobs {
        let comparison = compare(&mut asker, job, options, &mut rules)?;
        sink(BisectEvent::Compared { comparison: &comparison, rules: &rules });
        let wrong = comparison.fault.is_some();
        comparisons.push(comparison);
        if wrong && options.fail_fast {
            break;
        }
    }
    ask::settle(asker.engine)?;
    header.seconds = began.elapsed().as_secs_f64();
    Ok(BisectResult { header, engine: name, dialect, rules, comparisons })
}

/// The header of a bisection of these positions.
pub fn header(engine: &Engine, jobs: &[BisectJob]) -> RunHeader<Value> {
    let positions = jobs.iter().map(|job| json!({ "name": job.name, "depth": job.depth }));
    let plan = json!({ "positions": positions.collect::<Vec<_>>() });
    RunHeader::begin("perft engine", plan).engines(vec![engine.record()])
}

fn compare(
    asker: &mut Asker<'_>,
    job: &BisectJob,
    options: BisectOptions,
    rules: &mut Vec<RuleFinding>,
) -> Result<Comparison, AskError> {
    let position = job.position;
    let expected = descend::expected(asker, &position, job.depth)?;
    let mut comparison = Comparison {
        name: job.name.clone(),
        fen: position.fen(),
        depth: job.depth,
        expected: expected.iter().map(|(_, count)| *count).fold(0, u64::saturating_add),
        skipped: None,
        fault: None,
    };
    if !asker.set_variant(&position)? {
        comparison.skipped = Some("the engine has no option UCI_Chess960".into());
        return Ok(comparison);
    }
    match fault(asker, job, options, rules) {
        Ok(found) => comparison.fault = found,
        // A slow engine may still be right, and the next position may be smaller.
        Err(slow @ AskError::TooSlow { .. }) => comparison.skipped = Some(slow.to_string()),
        Err(error) => return Err(error),
    }
    Ok(comparison)
}

fn fault(
    asker: &mut Asker<'_>,
    job: &BisectJob,
    options: BisectOptions,
    rules: &mut Vec<RuleFinding>,
) -> Result<Option<FaultReport>, AskError> {
    let start = job.position;
    let known: Vec<BrokenRule> = rules.iter().map(|finding| finding.rule.clone()).collect();
    let mut descent = Descent { known: &known, further: FURTHER, survives: options.survives };
    let depth = job.depth.max(1);
    let found = descend::descend(asker, &start, &mut Vec::new(), depth, &mut descent)?;
    let Some(fault) = found else { return Ok(None) };
    let (known_rules, new_rules): (Vec<BrokenRule>, _) =
        fault.rules().into_iter().partition(|rule| known.contains(rule));
    for finding in rules.iter_mut().filter(|finding| known_rules.contains(&finding.rule)) {
        finding.positions += 1;
    }
    let found = Smallest { start, moves: fault.moves.clone(), fault: fault.clone() };
    let mut smallest = found.clone();
    for rule in new_rules.iter().rev() {
        smallest = match shrink::shrink(asker, &start, &fault, rule, options.shrink_for) {
            // What was found is told first; the next question ends the hunt.
            Err(AskError::Engine(EngineError::Interrupted)) => found.clone(),
            other => other?,
        };
        rules.push(RuleFinding {
            mv: smallest.fault.first_move(rule),
            depth: smallest.fault.shown_at(),
            rule: rule.clone(),
            positions: 1,
            first: job.name.clone(),
            smallest_fen: smallest.start.fen(),
            smallest_moves: words(&smallest.start, &smallest.moves),
            reproduce: reproduce(asker.dialect, &smallest),
        });
    }
    let report = report(asker.dialect, &start, &fault, &smallest);
    Ok(Some(FaultReport { new_rules, known_rules, ..report }))
}

fn report(
    dialect: &Dialect,
    start: &Position,
    fault: &MoveListFault,
    smallest: &Smallest,
) -> FaultReport {
    let wrong = |mv: String, rule: BrokenRule| WrongMove { mv, kind: rule.kind, why: rule.why };
    let missing = fault.missing.iter();
    let surplus = fault.surplus.iter();
    FaultReport {
        fen: fault.position.fen(),
        moves: words(start, &fault.moves),
        missing: missing
            .map(|(mv, why)| wrong(fault.position.uci(*mv), BrokenRule::missing(why)))
            .collect(),
        surplus: surplus.map(|(text, why)| wrong(text.clone(), BrokenRule::surplus(why))).collect(),
        count: fault.count,
        breakdown: fault.breakdown.as_ref().map(|breakdown| BreakdownReport {
            how: breakdown.how.clone(),
            depth: breakdown.depth,
            mv: breakdown.mv.map(|mv| fault.position.uci(mv)),
        }),
        new_rules: Vec::new(),
        known_rules: Vec::new(),
        needs_moves: !smallest.moves.is_empty() && fault.count.is_none(),
        smallest_fen: smallest.start.fen(),
        smallest_moves: words(&smallest.start, &smallest.moves),
        reproduce: reproduce(dialect, smallest),
    }
}

/// What to type into the engine to see the fault.
fn reproduce(dialect: &Dialect, smallest: &Smallest) -> Vec<String> {
    let Smallest { start, moves, fault } = smallest;
    let breakdown = fault.breakdown.as_ref();
    let mut moves = moves.clone();
    moves.extend(breakdown.and_then(|breakdown| breakdown.mv));
    let (position, _) = ask::position_command(start, &moves);
    let mut lines = vec![position, dialect.line(fault.shown_at())];
    if start.is_chess960() {
        lines.insert(0, "setoption name UCI_Chess960 value true".into());
    }
    lines
}

fn words(start: &Position, moves: &[Move]) -> Vec<String> {
    descend::past(start, moves).iter().map(|(position, mv)| position.uci(*mv)).collect()
}
