//! Plays games, one after the other: the engines of one board, kept from game to game.

use super::advice;
use super::assignment::Assignment;
use super::board::{self, Played};
use super::check::PlanError;
use super::context::GameContext;
use super::engine_slot::EngineSlot;
use super::error::MatchError;
use super::event::MoveMade;
use super::pool::Introduction;
use super::record::GameRecord;
use dyno_chess::Color;
use dyno_driver::{CpuColocation, EngineError, EngineIdentity, pin_current_thread};
use std::sync::Arc;
use std::time::Duration;

/// An engine that cannot be started is tried this often before the match is given up.
const START_ATTEMPTS: u32 = 3;
/// A move that takes less is quick: waking a processor would be a good part of it.
const QUICK: Duration = Duration::from_micros(200);

/// One board.
pub struct Player {
    context: Arc<GameContext>,
    board: usize,
    slots: Vec<EngineSlot>,
    place: Option<Place>,
    /// Most moves of the last game came at once.
    quick: bool,
}

/// Where the processes of a board run.
enum Place {
    Anywhere,
    Together(CpuColocation),
}

impl Player {
    /// The board of that number, from 0; the numbers of boards at work together are different.
    pub fn new(context: Arc<GameContext>, board: usize) -> Self {
        let engines = 0..context.plan.engines.len();
        let slots = engines.map(|index| EngineSlot::new(&context, board, index)).collect();
        Self { context, board, slots, place: None, quick: false }
    }

    /// Starts every engine once: to know that it runs, who it is, and what to warn about. The
    /// processes of the first game's engines are kept for it.
    pub fn introduce(&mut self, first: Option<&Assignment>) -> Result<Introduction, MatchError> {
        let plan = &self.context.plan;
        let mut introduction = Introduction::default();
        for (slot, entry) in self.slots.iter_mut().zip(&plan.engines) {
            let index = slot.index;
            let engine = slot.start()?;
            if entry.limits.nodes.is_some() && !engine.capabilities().node_limit {
                return Err(PlanError::XboardNodes(entry.name().to_owned()).into());
            }
            introduction.advice.extend(advice::of_engine(engine, plan, index));
            let name = entry.name().to_owned();
            introduction.engines.push(EngineIdentity { name, ..engine.record() });
            let plays = first.is_some_and(|a| [a.slot.white, a.slot.black].contains(&index));
            if !plays {
                slot.retire();
            }
        }
        Ok(introduction)
    }

    /// Plays a game. `watch` is told how it stands after every move.
    pub fn play<'a>(
        &'a mut self,
        assignment: &Assignment,
        watch: Option<&'a mut dyn FnMut(MoveMade)>,
    ) -> Result<Played, EngineError> {
        let place = self.place.get_or_insert_with(|| Place::of(&self.context, self.board));
        let slot = &assignment.slot;
        for (index, engine_slot) in self.slots.iter_mut().enumerate() {
            if index == slot.white {
                prepare(engine_slot, assignment.options.of(Color::White))?;
            } else if index == slot.black {
                prepare(engine_slot, assignment.options.of(Color::Black))?;
            } else {
                // Two processes a board are enough.
                engine_slot.retire();
            }
        }
        let Ok([white, black]) = self.slots.get_disjoint_mut([slot.white, slot.black]) else {
            return Ok(Played::Interrupted);
        };
        // With processors to spare, all may spread; engines that think are left alone as well.
        if let Place::Together(colocation) = place
            && self.quick
            && self.context.control.concurrency() >= colocation.cpu_count()
        {
            colocation.run_pinned(|| {
                colocate(white, colocation, assignment.options.of(Color::White))?;
                colocate(black, colocation, assignment.options.of(Color::Black))
            })?;
        }
        let played = board::play(&self.context, assignment, white, black, watch);
        if let Played::Finished(record) = &played {
            self.quick = is_quick(record);
        }
        Ok(played)
    }

    /// Sends the engines away: politely, unless the match was stopped.
    pub fn dismiss(&mut self) {
        for slot in &mut self.slots {
            if self.context.is_stopped() {
                slot.discard();
            } else {
                slot.retire();
            }
        }
    }
}

impl Place {
    /// Engines that think at the same time, or with several threads, are better apart; pinned ones
    /// have their place, and this thread goes there too.
    fn of(context: &GameContext, board: usize) -> Self {
        let plan = &context.plan;
        if plan.threads() > 1 || plan.engines.iter().any(|engine| engine.ponder) {
            return Place::Anywhere;
        }
        match context.cpus(board).as_slice() {
            [] => CpuColocation::for_board(board).map_or(Place::Anywhere, Place::Together),
            pinned => {
                pin_current_thread(pinned);
                Place::Anywhere
            }
        }
    }
}

/// Whether most moves were made at once, so that the next game is better played on one processor.
fn is_quick(record: &GameRecord) -> bool {
    let quick = record.moves.iter().filter(|mv| mv.elapsed() < QUICK).count();
    2 * quick > record.moves.len()
}

/// Brings an engine to the board's processor. One that fails there is replaced.
fn colocate(
    slot: &mut EngineSlot,
    colocation: &CpuColocation,
    options: &[(String, String)],
) -> Result<(), EngineError> {
    match slot.engine()?.colocate(colocation) {
        Err(EngineError::Interrupted) => Err(EngineError::Interrupted),
        Err(_) => {
            slot.discard();
            prepare(slot, options)
        }
        Ok(()) => Ok(()),
    }
}

fn prepare(slot: &mut EngineSlot, options: &[(String, String)]) -> Result<(), EngineError> {
    let mut attempt = 1;
    loop {
        match slot.prepare(options) {
            Err(EngineError::Interrupted) => return Err(EngineError::Interrupted),
            Err(_) if attempt < START_ATTEMPTS => attempt += 1,
            done => return done,
        }
    }
}
