//! Who plays whom, when, with which colours and from which opening.
//!
//! A schedule hands out games and learns their results. Everything about a game follows from the
//! plan and the games before it, never from the order in which games happen to finish, so that a
//! resumed match plays exactly the games it still owes.

mod fixed;
mod knockout;
mod pairings;

use super::plan::{Format, Plan};
use super::result::Points;
use fixed::Fixed;
use knockout::Knockout;
use serde::{Deserialize, Serialize};

/// A game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// From 0, unique in the match.
    pub number: u64,
    /// Indices of the engines.
    pub white: usize,
    pub black: usize,
    /// From 1, as PGN counts.
    pub round: u32,
    /// A meeting of two engines in one round; from 0.
    pub encounter: u64,
    /// The game's place in its encounter; from 0.
    pub index: u32,
    /// The opening's place in the order of use; from 0.
    pub opening: u64,
    /// The other game of its pair: same opening, colours reversed.
    pub partner: Option<u64>,
}

/// What a schedule has to offer at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Game(Slot),
    /// Nothing until a running game has finished.
    Wait,
    Done,
}

/// The games of a match, in order.
#[derive(Debug)]
pub enum Schedule {
    Fixed(Fixed),
    Knockout(Knockout),
}

impl Schedule {
    pub fn new(plan: &Plan) -> Self {
        match plan.tournament.format {
            Format::Knockout => {
                Schedule::Knockout(Knockout::new(plan.engines.len(), &plan.tournament))
            }
            _ => {
                let (engines, policy) = (plan.engines.len(), plan.openings.policy);
                let mut fixed = Fixed::new(engines, &plan.tournament, policy);
                for carried in &plan.carried {
                    let pairing = [carried.first, carried.second];
                    fixed.leave_out(pairing, carried.tally.games());
                }
                Schedule::Fixed(fixed)
            }
        }
    }

    /// All games, where that is known before the end.
    pub fn total(&self) -> Option<u64> {
        match self {
            Schedule::Fixed(fixed) => Some(fixed.total()),
            Schedule::Knockout(_) => None,
        }
    }

    /// Hands out the next game.
    pub fn hand_out(&mut self) -> Next {
        match self {
            Schedule::Fixed(fixed) => fixed.hand_out(),
            Schedule::Knockout(knockout) => knockout.hand_out(),
        }
    }

    /// A game has a result, in this run or in the one being resumed.
    pub fn record(&mut self, slot: &Slot, points: Points) {
        match self {
            Schedule::Fixed(fixed) => fixed.record(slot),
            Schedule::Knockout(knockout) => knockout.record(slot, points),
        }
    }

    /// Whether the game belongs to this match and has no result yet.
    pub fn owes(&self, slot: &Slot) -> bool {
        match self {
            Schedule::Fixed(fixed) => fixed.owes(slot),
            Schedule::Knockout(knockout) => knockout.owes(slot),
        }
    }

    /// A game handed out came to no result and is owed again.
    pub fn put_back(&mut self, slot: &Slot) {
        match self {
            Schedule::Fixed(fixed) => fixed.put_back(slot),
            Schedule::Knockout(knockout) => knockout.put_back(slot),
        }
    }

    /// The partner of a game that may not have been handed out yet.
    pub fn partner(&self, number: u64) -> Option<u64> {
        match self {
            Schedule::Fixed(fixed) => fixed.slot(number).partner,
            Schedule::Knockout(_) => None,
        }
    }

    /// The winner of a knockout, once it is known.
    pub fn champion(&self) -> Option<usize> {
        match self {
            Schedule::Fixed(_) => None,
            Schedule::Knockout(knockout) => knockout.champion(),
        }
    }
}
