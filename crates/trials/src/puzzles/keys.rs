//! All first moves that solve a mate: by ourselves, by the solver, or by an engine.

use super::{mating_moves, start_with_lines};
use dyno_chess::{Move, Position};
use dyno_driver::{Engine, EngineError, EngineSpec, Go, Settings};
use dyno_solver::{Budget, Solver};
use std::time::Duration;

/// What one position may cost the solver; the longest mates of the database need a fraction.
const BUDGET: Budget<'static> = Budget::nodes(20_000_000);

/// How long an engine may take for a search of one ply.
const PATIENCE: Duration = Duration::from_secs(30);

/// Finds all keys of a mate.
pub struct KeyFinder {
    engine: Option<Engine>,
    solver: Option<Solver>,
}

impl KeyFinder {
    /// With an engine the mates in one come from its MultiPV; with `all` the longer mates are
    /// asked of our solver.
    pub fn new(
        engine: Option<&EngineSpec>,
        settings: &Settings,
        all: bool,
    ) -> Result<KeyFinder, EngineError> {
        let engine = engine.map(|spec| start_with_lines(spec, settings)).transpose()?;
        Ok(KeyFinder { engine, solver: all.then(|| Solver::new(16)) })
    }

    /// All moves that mate in `moves`, or as many; `None` where the known one is all there is to
    /// say, because it was not asked or the solver's budget ran out.
    pub fn keys(
        &mut self,
        position: &Position,
        moves: u32,
    ) -> Result<Option<Vec<Move>>, EngineError> {
        match (moves, &mut self.engine, &mut self.solver) {
            (1, Some(engine), _) => mates_by_engine(engine, position).map(Some),
            (1, None, _) => Ok(Some(mating_moves(position))),
            (_, _, Some(solver)) => Ok(solver.keys(position, moves, &BUDGET).ok()),
            (_, _, None) => Ok(None),
        }
    }
}

/// The moves that an engine gives a mate in one for, one line of MultiPV each.
fn mates_by_engine(engine: &mut Engine, position: &Position) -> Result<Vec<Move>, EngineError> {
    let lines = position.legal_moves().len();
    engine.set_option("MultiPV", &lines.to_string())?;
    engine.prepare()?;
    let mut mates = Vec::new();
    let text = format!("fen {}", position.fen());
    engine.go_watched(&text, &Go::depth(1), Some(PATIENCE), |info, _| {
        let first = info.pv.and_then(|pv| pv.split_ascii_whitespace().next());
        if let (Some(dyno_uci::Score::Mate(1)), Some(first)) = (info.score, first)
            && let Ok(mv) = position.parse_uci(first)
            && !mates.contains(&mv)
        {
            mates.push(mv);
        }
        dyno_driver::SearchControl::Continue
    })?;
    // In the order of our own generator, so that the two ways give the same text.
    Ok(position.legal_moves().into_iter().filter(|mv| mates.contains(mv)).collect())
}
