//! Suites on their own, without an engine: is every stated mate true?

use super::problem::Problem;
use super::proof::{ProofLimits, Prover, Stop, Truth};
use super::result::SuiteFault;
use crate::in_order;
use dyno_driver::RunHeader;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ops::ControlFlow;

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
    /// Lines that could not be used.
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

/// Examines the problems on several solvers and delivers them in order, until `stop` says so.
pub fn prove(
    problems: &[Result<Problem, Box<SuiteFault>>],
    nodes: u64,
    concurrency: usize,
    stop: Stop<'_>,
    mut deliver: impl FnMut(Examined),
) {
    let limits = ProofLimits { nodes, moves: u32::MAX };
    in_order(
        concurrency,
        problems.iter().flatten().take_while(|_| !stop()),
        |_| Prover::new(limits, stop),
        |prover, problem| {
            let mut problem = problem.clone();
            let truth = prover.examine(&mut problem);
            Examined {
                suite: problem.suite.to_string(),
                line_no: problem.line_no,
                id: problem.id.clone(),
                fen: problem.fen(),
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
            deliver(examined);
            ControlFlow::Continue(())
        },
    );
}
