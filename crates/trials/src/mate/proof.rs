//! What the solver says about a stated mate, about a move and about an engine's claim.

use super::line::san_line;
use super::problem::Problem;
use crate::position_test::Stop;
use dyno_chess::{Move, Position};
use dyno_solver::{Budget, Settled, Solver};
use serde::{Deserialize, Serialize};

/// How much the solver may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofLimits {
    /// Positions it may make for each problem; 0 keeps it out.
    pub nodes: u64,
    /// Statements of longer mates are believed until an engine disputes them.
    pub moves: u32,
}

impl Default for ProofLimits {
    fn default() -> Self {
        ProofLimits { nodes: 300_000, moves: 5 }
    }
}

/// What is known about the mate in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Truth {
    /// The shortest mate, proved; negative when the side to move is mated.
    Shortest { mate: i32 },
    /// Proved: no mate within this many moves. Whether there is a longer one is not known.
    NoMate { within: u32 },
    /// The budget ran out; no mate within this many moves (0: nothing is known).
    Unsettled { no_mate_in: u32 },
    /// The solver was not asked.
    Unchecked,
}

impl Truth {
    /// The proved mate.
    #[must_use]
    pub fn shortest(self) -> Option<i32> {
        match self {
            Truth::Shortest { mate } => Some(mate),
            _ => None,
        }
    }
}

/// What a longer search for the true length may add to the stated one.
const BEYOND: u32 = 2;

/// The solver at work on one problem.
pub(crate) struct Prover<'a> {
    solver: Solver,
    limits: ProofLimits,
    stop: Stop<'a>,
}

impl<'a> Prover<'a> {
    pub(crate) fn new(limits: ProofLimits, stop: Stop<'a>) -> Prover<'a> {
        Prover { solver: Solver::default(), limits, stop }
    }

    fn budget(&self) -> Budget<'a> {
        Budget { nodes: self.limits.nodes, stop: self.stop }
    }

    fn is_out(&self) -> bool {
        self.limits.nodes == 0
    }

    /// Checks the statement, with nothing left from the problem before, and notes on the problem what is wrong with it.
    pub(crate) fn examine(&mut self, problem: &mut Problem) -> Truth {
        self.solver.forget();
        if self.is_out() || problem.stated.unsigned_abs() > self.limits.moves {
            return Truth::Unchecked;
        }
        let truth = self.settle(&problem.at.position, problem.stated);
        match truth {
            Truth::Shortest { mate } if mate != problem.stated => {
                let line = self.line(&problem.at.position, mate).unwrap_or_default();
                let line = san_line(&problem.at.position, &line);
                problem.fault(
                    format!("states {}, but it is {}", in_words(problem.stated), in_words(mate)),
                    line,
                );
            }
            Truth::NoMate { within } => {
                problem.fault(
                    format!("states {}, but there is none in {within}", in_words(problem.stated)),
                    "every first move tried, every refutation found".to_owned(),
                );
            }
            _ => {}
        }
        self.examine_keys(problem, truth);
        truth
    }

    /// The shortest mate of the side that is said to mate.
    fn settle(&mut self, position: &Position, stated: i32) -> Truth {
        let moves = stated.unsigned_abs();
        let budget = self.budget();
        let mut within = 0;
        for most in [moves, moves + BEYOND] {
            let found = if stated > 0 {
                self.solver.shortest(position, most, &budget)
            } else {
                self.solver.mated_in(position, most, &budget)
            };
            match found {
                Ok(Some(found)) => {
                    let mate = i32::try_from(found).unwrap_or(i32::MAX);
                    return Truth::Shortest { mate: if stated > 0 { mate } else { -mate } };
                }
                Ok(None) => within = most,
                Err(unsettled) if within == 0 => {
                    return Truth::Unsettled { no_mate_in: unsettled.no_mate_in };
                }
                Err(unsettled) => within = within.max(unsettled.no_mate_in),
            }
        }
        Truth::NoMate { within }
    }

    /// Each `bm` must keep the mate.
    fn examine_keys(&mut self, problem: &mut Problem, truth: Truth) {
        let Some(mate) = truth.shortest().filter(|mate| *mate > 0) else { return };
        let moves = mate.unsigned_abs();
        let budget = self.budget();
        for mv in problem.best.clone() {
            if self.solver.keeps_mate(&problem.at.position, mv, moves, &budget) != Ok(false) {
                continue;
            }
            let san = problem.at.position.san(mv);
            let refutation = self.solver.refutation(&problem.at.position, mv, moves, &budget);
            let mut proof = match refutation {
                Ok(Some(reply)) => san_line(&problem.at.position, &[mv, reply]),
                _ => san_line(&problem.at.position, &[mv]),
            };
            if let Ok(keys) = self.solver.keys(&problem.at.position, moves, &budget) {
                let keys: Vec<String> = keys.iter().map(|&k| problem.at.position.san(k)).collect();
                proof = format!("{proof} escapes; {} mates", keys.join(" or "));
            }
            problem.fault(format!("{san} is not a mate in {moves}"), proof);
        }
    }

    /// Whether there is a mate as announced, or a shorter one; `None` when it cannot be said.
    pub(crate) fn holds(&mut self, position: &Position, claim: i32, truth: Truth) -> Option<bool> {
        let moves = claim.unsigned_abs();
        match truth {
            Truth::Shortest { mate } if (mate > 0) == (claim > 0) => {
                Some(moves >= mate.unsigned_abs())
            }
            // The other side mates: both cannot.
            Truth::Shortest { .. } => Some(false),
            Truth::NoMate { within } if moves <= within => Some(false),
            Truth::Unsettled { no_mate_in } if moves <= no_mate_in => Some(false),
            _ if self.is_out() => None,
            _ => {
                // The statement may have used up the first half.
                let nodes = self.limits.nodes.saturating_mul(2);
                let budget = Budget { nodes, stop: self.stop };
                let answer = if claim > 0 {
                    self.solver.mates_within(position, moves, &budget)
                } else {
                    self.solver.mated_within(position, moves, &budget)
                };
                answer.ok()
            }
        }
    }

    /// Whether a move keeps the mate in `mate` moves or, for the side that is mated, holds out as
    /// long; `None` when it cannot be said.
    pub(crate) fn keeps(&mut self, position: &Position, mv: Move, mate: i32) -> Option<bool> {
        if self.is_out() {
            return None;
        }
        let budget = self.budget();
        let moves = mate.unsigned_abs();
        if mate > 0 {
            return self.solver.keeps_mate(position, mv, moves, &budget).ok();
        }
        let after = position.play(mv);
        let sooner = self.solver.mates_within(&after, moves.saturating_sub(1), &budget);
        sooner.ok().map(|sooner| !sooner)
    }

    /// The principal line of a proved mate.
    pub(crate) fn line(&mut self, position: &Position, mate: i32) -> Option<Vec<Move>> {
        let budget = self.budget();
        let moves = mate.unsigned_abs();
        let line: Settled<Vec<Move>> = if mate > 0 {
            self.solver.line(position, moves, &budget)
        } else {
            self.solver.line_when_mated(position, moves, &budget)
        };
        line.ok()
    }
}

/// `mate in 3`, or `mated in 2`.
#[must_use]
pub fn in_words(mate: i32) -> String {
    if mate > 0 { format!("mate in {mate}") } else { format!("being mated in {}", -mate) }
}
