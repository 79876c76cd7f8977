//! Suites on their own, without an engine: is every stated mate true?

use super::judge::MateJudge;
use super::problem::SuiteFault;
use super::proof::{ProofLimits, Prover, Truth};
use crate::in_order;
use crate::position_test::{Line, Selection, Source, Stop, questions};
use dyno_driver::RunHeader;
use dyno_formats::OpenError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::time::Instant;

/// A problem with what the solver says about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Examined {
    pub suite: String,
    pub line_no: u64,
    pub id: String,
    pub fen: String,
    pub stated: i32,
    pub truth: Truth,
    /// What is wrong with the statement, the moves or the line given.
    pub faults: Vec<SuiteFault>,
}

/// A suite proved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProveResult {
    #[serde(flatten)]
    pub header: RunHeader<Value>,
    pub examined: Vec<Examined>,
    /// Lines that could not be used, or not as they stand.
    pub skipped: Vec<SuiteFault>,
}

/// What the solver says about the statement itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opinion {
    Confirmed,
    Disputed,
    NotSettled,
}

impl Examined {
    /// Whether the stated number of moves is the right one.
    #[must_use]
    pub fn opinion(&self) -> Opinion {
        match self.truth {
            Truth::Shortest { mate } if mate == self.stated => Opinion::Confirmed,
            Truth::Shortest { .. } | Truth::NoMate { .. } => Opinion::Disputed,
            Truth::Unsettled { .. } | Truth::Unchecked => Opinion::NotSettled,
        }
    }
}

/// Which mates to examine.
#[derive(Clone, Debug)]
pub struct ProvePlan {
    /// Where they come from.
    pub sources: Vec<Source>,
    /// Which of them.
    pub selection: Selection,
    /// Positions that the solver may look at for each.
    pub nodes: u64,
    /// How many are examined at once.
    pub concurrency: usize,
    /// Take away castling rights and en-passant squares that a position cannot have.
    pub repair: bool,
}

/// What happens on the way, in the order of the suite.
#[derive(Debug)]
pub enum ProveEvent<'a> {
    /// This many mates are to be examined.
    Started {
        /// How many.
        total: u64,
    },
    /// One is done.
    Examined(&'a Examined),
}

/// Examines the mates on several solvers, until `stop` says so. An error means that nothing was
/// done.
pub fn prove(
    plan: &ProvePlan,
    stop: Stop<'_>,
    listen: &mut dyn FnMut(ProveEvent<'_>),
) -> Result<ProveResult, OpenError> {
    let began = Instant::now();
    let recorded = json!({
        "suites": plan.sources.iter().map(Source::name).collect::<Vec<_>>(),
        "ids": plan.selection.ids,
        "most": plan.selection.most,
        "nodes": plan.nodes,
        "concurrency": plan.concurrency,
        "repair": plan.repair,
    });
    let header = RunHeader::begin("mate prove", recorded).seed(plan.selection.seed);
    let mut result = ProveResult { header, examined: Vec::new(), skipped: Vec::new() };
    let mut problems = Vec::new();
    for line in questions(&plan.sources, &plan.selection, &MateJudge::reader(plan.repair))? {
        match line {
            Line::Question(problem) => problems.push(problem),
            Line::Defect(fault) => result.skipped.push(fault),
            Line::Damaged(error) => return Err(error),
        }
    }
    listen(ProveEvent::Started { total: problems.len() as u64 });
    let limits = ProofLimits { nodes: plan.nodes, moves: u32::MAX };
    in_order(
        plan.concurrency,
        problems.into_iter().take_while(|_| !stop()),
        |_| Prover::new(limits, stop),
        |prover, mut problem| {
            let truth = prover.examine(&mut problem);
            Examined {
                suite: problem.at.suite.to_string(),
                line_no: problem.at.line_no,
                id: problem.at.id.clone(),
                fen: problem.at.fen(),
                stated: problem.stated,
                truth,
                faults: problem.faults,
            }
        },
        |examined| {
            // What was cut short says nothing.
            if stop() {
                return ControlFlow::Break(());
            }
            listen(ProveEvent::Examined(&examined));
            result.examined.push(examined);
            ControlFlow::Continue(())
        },
    );
    result.header.seconds = began.elapsed().as_secs_f64();
    Ok(result)
}
