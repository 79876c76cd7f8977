//! `go mate N`: a proof or a refutation by the mate solver instead of a search by judgement.

use crate::score::{mate_in, mated_in};
use crate::search::{Listener, Report, SearchResult, Signals, Task};
use dyno_chess::{Move, Position};
use dyno_solver::{Budget, Settled, Solver};
use dyno_uci::Bound;
use std::sync::atomic::Ordering::Relaxed;

/// How the question was settled.
pub enum MateOutcome {
    /// A mate was proved, for or against the side to move.
    Mate(SearchResult),
    /// There is none in that many moves.
    NoMate,
    /// The limits came first; no mate in this many moves was proved.
    Unsettled(u32),
}

/// Looks for the shortest mate in at most `moves`, for the side to move and then against it.
pub fn solve(
    task: &Task,
    moves: u32,
    megabytes: usize,
    signals: &Signals,
    listener: &mut dyn Listener,
) -> MateOutcome {
    let stop = || {
        let late = task.budget.is_some_and(|budget| {
            !signals.pondering.load(Relaxed)
                && task.start.elapsed().as_millis() as u64 >= budget.hard
        });
        late || signals.stop.load(Relaxed)
    };
    let budget = Budget { nodes: task.nodes.unwrap_or(u64::MAX), stop: &stop };
    let mut solver = Solver::new(megabytes);
    let found = match shortest(&mut solver, task, moves, &budget) {
        Ok(Some(line)) => Some((mate_in(line.len()), line)),
        Ok(None) => match against(&mut solver, task, moves, &budget) {
            Ok(line) => line.map(|line| (mated_in(line.len()), line)),
            Err(unsettled) => return MateOutcome::Unsettled(unsettled.no_mate_in),
        },
        Err(unsettled) => return MateOutcome::Unsettled(unsettled.no_mate_in),
    };
    let Some((value, pv)) = found.filter(|(_, line)| is_in_time(&task.root, line)) else {
        return MateOutcome::NoMate;
    };
    let nodes = solver.nodes();
    listener.report(&Report {
        depth: pv.len() as i32,
        seldepth: pv.len(),
        line: 1,
        value,
        bound: Bound::Exact,
        nodes,
        time: task.start.elapsed(),
        hashfull: 0,
        pv: &pv,
    });
    let depth = pv.len() as i32;
    MateOutcome::Mate(SearchResult {
        pv,
        value,
        depth,
        complete: true,
        nodes,
        illegal_table_moves: 0,
    })
}

/// The line of the shortest mate that the side to move can force.
fn shortest(
    solver: &mut Solver,
    task: &Task,
    most: u32,
    budget: &Budget<'_>,
) -> Settled<Option<Vec<Move>>> {
    let root = &task.root;
    if task.moves.is_empty() {
        let Some(moves) = solver.shortest(root, most, budget)? else { return Ok(None) };
        return solver.line(root, moves, budget).map(Some);
    }
    for moves in 1..=most {
        for &mv in &task.moves {
            if solver.keeps_mate(root, mv, moves, budget)? {
                let mut line = vec![mv];
                line.extend(solver.line_when_mated(&root.play(mv), moves - 1, budget)?);
                return Ok(Some(line));
            }
        }
    }
    Ok(None)
}

/// The line of the longest defence, if the side to move is mated whatever it plays.
fn against(
    solver: &mut Solver,
    task: &Task,
    most: u32,
    budget: &Budget<'_>,
) -> Settled<Option<Vec<Move>>> {
    let root = &task.root;
    if !task.moves.is_empty() {
        return Ok(None);
    }
    match solver.mated_in(root, most, budget)? {
        Some(0) | None => Ok(None),
        Some(moves) => solver.line_when_mated(root, moves, budget).map(Some),
    }
}

/// Whether the mate comes before the fifty-move rule makes the game a draw.
fn is_in_time(root: &Position, line: &[Move]) -> bool {
    let mut now = *root;
    line.iter().all(|&mv| {
        let running = now.halfmove_clock() < 100;
        now = now.play(mv);
        running
    })
}
