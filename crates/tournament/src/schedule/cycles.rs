//! Schedules known in advance: cycles of the same meetings, in which each pairing occurs once.

use super::{Next, Schedule, Slot};
use crate::plan::{Policy, Tournament};
use crate::result::Points;

/// Two engines that meet: the one that begins with White, the other one, and the round in the
/// cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meeting {
    pub first: usize,
    pub second: usize,
    pub round: u32,
}

/// Every game is a function of its number; only the finished ones are remembered.
#[derive(Debug)]
pub struct Cycles {
    meetings: Vec<Meeting>,
    rounds_in_cycle: u32,
    tournament: Tournament,
    policy: Policy,
    total: u64,
    cursor: u64,
    /// Games before the cursor that were given back.
    owed: Vec<u64>,
    /// One bit a game.
    done: Vec<u64>,
}

impl Schedule for Cycles {
    fn total(&self) -> Option<u64> {
        Some(self.total)
    }

    fn next(&mut self) -> Next<Slot> {
        if let Some(number) = self.owed.pop() {
            return Next::Game(self.slot(number));
        }
        while self.cursor < self.total {
            let number = self.cursor;
            self.cursor += 1;
            if !self.is_done(number) {
                return Next::Game(self.slot(number));
            }
        }
        Next::Done
    }

    fn give_back(&mut self, slot: &Slot) {
        self.owed.push(slot.number);
        self.owed.sort_unstable_by(|a, b| b.cmp(a));
    }

    fn owes(&self, slot: &Slot) -> bool {
        slot.number < self.total && !self.is_done(slot.number) && self.slot(slot.number) == *slot
    }

    fn record(&mut self, slot: &Slot, _: Points) {
        self.mark_done(slot.number);
    }

    fn partner(&self, number: u64) -> Option<u64> {
        self.slot(number).partner
    }
}

impl Cycles {
    pub fn new(meetings: Vec<Meeting>, tournament: &Tournament, policy: Policy) -> Self {
        let rounds_in_cycle = meetings.iter().map(|m| m.round + 1).max().unwrap_or(1);
        let total =
            meetings.len() as u64 * u64::from(tournament.rounds) * u64::from(tournament.games);
        Self {
            meetings,
            rounds_in_cycle,
            tournament: tournament.clone(),
            policy,
            total,
            cursor: 0,
            owed: Vec::new(),
            done: Vec::new(),
        }
    }

    /// The first games of a pairing have been played elsewhere.
    pub fn leave_out(&mut self, pairing: [usize; 2], count: u64) {
        let of_pairing =
            |slot: &Slot| pairing.contains(&slot.white) && pairing.contains(&slot.black);
        let numbers: Vec<u64> = (0..self.total)
            .map(|number| self.slot(number))
            .filter(of_pairing)
            .take(count as usize)
            .map(|slot| slot.number)
            .collect();
        numbers.into_iter().for_each(|number| self.mark_done(number));
    }

    fn mark_done(&mut self, number: u64) {
        let word = (number / 64) as usize;
        if word >= self.done.len() {
            self.done.resize(word + 1, 0);
        }
        self.done[word] |= 1 << (number % 64);
    }

    fn is_done(&self, number: u64) -> bool {
        self.done.get((number / 64) as usize).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// The game of that number.
    pub fn slot(&self, number: u64) -> Slot {
        let games = u64::from(self.tournament.games);
        let (encounter, index) = (number / games, number % games);
        let (cycle, meeting) = self.place(encounter);
        let swapped = self.tournament.swap && (cycle * games + index) % 2 == 1;
        let (white, black) = if swapped != self.tournament.reverse {
            (meeting.second, meeting.first)
        } else {
            (meeting.first, meeting.second)
        };
        Slot {
            number,
            white,
            black,
            round: self.round(cycle, meeting, index),
            encounter,
            index: index as u32,
            opening: self.opening(encounter, index),
            partner: self.partner_of(encounter, index),
        }
    }

    fn place(&self, encounter: u64) -> (u64, Meeting) {
        let per_cycle = self.meetings.len() as u64;
        (encounter / per_cycle, self.meetings[(encounter % per_cycle) as usize])
    }

    /// In a single long encounter each group of games with one opening counts as a round.
    fn round(&self, cycle: u64, meeting: Meeting, index: u64) -> u32 {
        if self.meetings.len() == 1 && self.tournament.rounds == 1 {
            return 1 + (index / u64::from(self.tournament.repeat.max(1))) as u32;
        }
        1 + (cycle * u64::from(self.rounds_in_cycle)) as u32 + meeting.round
    }

    fn opening(&self, encounter: u64, index: u64) -> u64 {
        let games = u64::from(self.tournament.games);
        let repeat = u64::from(self.tournament.repeat.max(1));
        let per_cycle = self.meetings.len() as u64;
        let (cycle, meeting) = self.place(encounter);
        match self.policy {
            Policy::Keep => 0,
            Policy::Encounter => encounter,
            Policy::Round => cycle * u64::from(self.rounds_in_cycle) + u64::from(meeting.round),
            // Encounters shorter than a group share their opening with those of the next rounds.
            Policy::Default if games < repeat && repeat % games == 0 => {
                cycle / (repeat / games) * per_cycle + encounter % per_cycle
            }
            Policy::Default => encounter * games.div_ceil(repeat) + index / repeat,
        }
    }

    fn partner_of(&self, encounter: u64, index: u64) -> Option<u64> {
        let games = u64::from(self.tournament.games);
        let (partner_encounter, partner_index) = if games == 1 {
            let per_cycle = self.meetings.len() as u64;
            let (cycle, place) = (encounter / per_cycle, encounter % per_cycle);
            ((cycle ^ 1) * per_cycle + place, 0)
        } else {
            (encounter, index ^ 1)
        };
        let number = partner_encounter * games + partner_index;
        let exists = partner_index < games && number < self.total;
        (exists
            && self.tournament.swap
            && self.opening(encounter, index) == self.opening(partner_encounter, partner_index))
        .then_some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{gauntlet, round_robin};

    fn cycles(engines: usize, games: u32, rounds: u32, repeat: u32) -> Cycles {
        let tournament = Tournament { games, rounds, repeat, ..Tournament::default() };
        Cycles::new(round_robin::meetings(engines), &tournament, Policy::Default)
    }

    fn all(cycles: &Cycles) -> Vec<Slot> {
        (0..cycles.total).map(|n| cycles.slot(n)).collect()
    }

    #[test]
    fn pairs_share_opening_and_reverse_colours() {
        for (engines, games, rounds) in [(2, 100, 1), (2, 2, 50), (2, 1, 100), (5, 2, 3), (4, 1, 6)]
        {
            let cycles = cycles(engines, games, rounds, 2);
            let slots = all(&cycles);
            for slot in &slots {
                let partner = slots[slot.partner.unwrap_or_else(|| panic!("{slot:?}")) as usize];
                assert_eq!(partner.partner, Some(slot.number));
                assert_eq!((partner.white, partner.black), (slot.black, slot.white));
                assert_eq!(partner.opening, slot.opening);
            }
            let mut openings: Vec<u64> = slots.iter().map(|s| s.opening).collect();
            openings.sort_unstable();
            openings.dedup();
            assert_eq!(openings.len() * 2, slots.len(), "an opening a pair, none left out");
            assert_eq!(openings.last(), Some(&(slots.len() as u64 / 2 - 1)));
        }
    }

    #[test]
    fn the_odd_game_has_no_partner() {
        let odd = cycles(2, 5, 1, 2);
        assert_eq!(odd.slot(4).partner, None);
        assert_eq!(odd.slot(3).partner, Some(2));
        let single = cycles(2, 10, 1, 1);
        assert!(all(&single).iter().all(|s| s.partner.is_none() && s.opening == s.number));
    }

    #[test]
    fn swap_reverse_and_policies() {
        let mut tournament = Tournament { games: 4, rounds: 2, ..Tournament::default() };
        let colours = |t: &Tournament, p| -> Vec<(usize, u64)> {
            all(&Cycles::new(round_robin::meetings(2), t, p))
                .iter()
                .map(|s| (s.white, s.opening))
                .collect()
        };
        let openings = |p| colours(&tournament, p).iter().map(|c| c.1).collect::<Vec<_>>();
        assert_eq!(openings(Policy::Default), [0, 0, 1, 1, 2, 2, 3, 3]);
        assert_eq!(openings(Policy::Encounter), [0, 0, 0, 0, 1, 1, 1, 1]);
        assert_eq!(openings(Policy::Round), [0, 0, 0, 0, 1, 1, 1, 1]);
        assert_eq!(openings(Policy::Keep), [0; 8]);
        tournament.reverse = true;
        assert_eq!(colours(&tournament, Policy::Default)[0].0, 1);
        tournament.swap = false;
        assert!(colours(&tournament, Policy::Default).iter().all(|c| c.0 == 1));
        assert!(
            all(&Cycles::new(round_robin::meetings(2), &tournament, Policy::Default))
                .iter()
                .all(|s| s.partner.is_none())
        );
    }

    #[test]
    fn done_games_are_skipped_and_returned_ones_come_first() {
        let mut cycles = cycles(3, 2, 2, 2);
        assert_eq!(cycles.total, 12);
        for number in [0, 3, 11] {
            let slot = cycles.slot(number);
            cycles.record(&slot, Points::Draw);
        }
        assert!(!cycles.owes(&cycles.slot(3)) && cycles.owes(&cycles.slot(4)));
        let stranger = Slot { white: 2, ..cycles.slot(4) };
        assert!(!cycles.owes(&stranger) && !cycles.owes(&Slot { number: u64::MAX, ..stranger }));
        let mut seen = Vec::new();
        while let Next::Game(slot) = cycles.next() {
            seen.push(slot.number);
        }
        assert_eq!(seen, [1, 2, 4, 5, 6, 7, 8, 9, 10]);
        cycles.give_back(&cycles.slot(7));
        cycles.give_back(&cycles.slot(5));
        assert_eq!(cycles.next(), Next::Game(cycles.slot(5)));
        assert_eq!(cycles.next(), Next::Game(cycles.slot(7)));
        assert_eq!(cycles.next(), Next::Done);
    }

    #[test]
    fn games_played_elsewhere_are_left_out() {
        let mut cycles = cycles(3, 2, 3, 2);
        cycles.leave_out([0, 2], 4);
        let mut left = Vec::new();
        while let Next::Game(slot) = cycles.next() {
            left.push((slot.white.min(slot.black), slot.white.max(slot.black)));
        }
        let count = |pairing| left.iter().filter(|p| **p == pairing).count();
        assert_eq!((count((0, 1)), count((0, 2)), count((1, 2))), (6, 2, 6));
    }

    #[test]
    fn rounds_are_numbered_as_people_count() {
        let rounds = |c: &Cycles| all(c).iter().map(|s| s.round).collect::<Vec<_>>();
        assert_eq!(rounds(&cycles(2, 6, 1, 2)), [1, 1, 2, 2, 3, 3]);
        assert_eq!(rounds(&cycles(2, 2, 3, 2)), [1, 1, 2, 2, 3, 3]);
        let tournament = Tournament { games: 1, rounds: 2, ..Tournament::default() };
        assert_eq!(
            rounds(&Cycles::new(gauntlet::meetings(3, 1), &tournament, Policy::Default)),
            [1, 1, 2, 2]
        );
    }
}
