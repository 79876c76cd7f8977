//! Who plays whom, when, with which colours and from which opening.
//!
//! A schedule hands out games and learns their results. Everything about a game follows from the
//! plan and the games before it, never from the order in which games happen to finish, so that a
//! resumed match plays exactly the games it still owes.

mod cycles;
mod gauntlet;
mod knockout;
mod pyramid;
mod round_robin;
mod swiss;

use super::assignment::OptionOverrides;
use super::plan::{Format, Plan};
use super::result::Points;
use super::slot::Slot;
use super::tune::TuningSchedule;
use cycles::Cycles;
use knockout::Knockout;
use std::fmt;
use swiss::Swiss;

/// What there is to be played at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next<T> {
    Game(T),
    /// Nothing until a running game has finished.
    Wait,
    Done,
}

/// The games of a match, in order. A format of tournament is an implementation of this.
pub trait Schedule: fmt::Debug + Send {
    /// All games, where that is known before the end.
    fn total(&self) -> Option<u64>;

    /// Hands out the next game.
    fn next(&mut self) -> Next<Slot>;

    /// A game handed out came to no result and is owed again.
    fn give_back(&mut self, slot: &Slot);

    /// Whether the game belongs to this match and has no result yet.
    fn owes(&self, slot: &Slot) -> bool;

    /// A game has a result, in this run or in the one being resumed.
    fn record(&mut self, slot: &Slot, points: Points);

    /// The partner of a game that may not have been handed out yet.
    fn partner(&self, _number: u64) -> Option<u64> {
        None
    }

    /// The engine that has won it all, once that is known.
    fn champion(&self) -> Option<usize> {
        None
    }

    /// Options that the engines get for this game alone.
    fn overrides(&self, _slot: &Slot) -> OptionOverrides {
        OptionOverrides::default()
    }
}

impl Plan {
    /// The games that the plan wants.
    pub fn schedule(&self) -> Box<dyn Schedule> {
        if let Some(tuning) = &self.tune {
            return Box::new(TuningSchedule::new(tuning.clone()));
        }
        let tournament = &self.tournament;
        let engines = self.engines.len();
        let meetings = match tournament.format {
            Format::RoundRobin => round_robin::meetings(engines),
            Format::Gauntlet if self.begun_earlier => {
                gauntlet::earlier_meetings(engines, tournament.seeds as usize)
            }
            Format::Gauntlet => gauntlet::meetings(engines, tournament.seeds as usize),
            Format::Pyramid => pyramid::meetings(engines),
            Format::Knockout => return Box::new(Knockout::new(engines, tournament)),
            Format::Swiss => {
                return Box::new(Swiss::new(engines, tournament, self.openings.policy));
            }
        };
        let mut cycles = Cycles::new(meetings, tournament, self.openings.policy);
        for carried in &self.carried {
            cycles.leave_out([carried.first, carried.second], carried.tally.games());
        }
        Box::new(cycles)
    }
}
