//! A tuning as a schedule: another format of tournament, in which the engines' options differ from
//! game to game.
//!
//! The first engine of the plan is the side that an iteration calls plus, the second one minus;
//! both are the same program. Journal, resume, openings, adjudication and pools work as for any
//! other match, and the values follow from the results in the journal.

use super::trajectory::{Trajectory, Tuning};
use crate::assignment::OptionOverrides;
use crate::result::Points;
use crate::schedule::{Next, Schedule};
use crate::slot::Slot;
use std::collections::BTreeMap;

/// The games of a tuning.
#[derive(Debug)]
pub struct TuningSchedule {
    trajectory: Trajectory,
    cursor: u64,
    /// Games before the cursor that came back, the first one last.
    returned: Vec<u64>,
    /// Results of iterations that are not complete, or wait for an earlier one, as the plus side
    /// sees them.
    waiting: BTreeMap<u64, i64>,
}

impl TuningSchedule {
    /// All games of a tuning.
    #[must_use]
    pub fn new(tuning: Tuning) -> Self {
        let trajectory = Trajectory::new(tuning);
        Self { trajectory, cursor: 0, returned: Vec::new(), waiting: BTreeMap::new() }
    }

    /// The values so far.
    #[must_use]
    pub fn trajectory(&self) -> &Trajectory {
        &self.trajectory
    }

    fn games_per_iteration(&self) -> u64 {
        2 * self.trajectory.tuning().pairs_per_iteration.max(1)
    }

    fn games(&self) -> u64 {
        self.trajectory.tuning().iterations() * self.games_per_iteration()
    }

    /// Everything about a game but its options follows from its number.
    fn slot(&self, number: u64) -> Slot {
        let games = self.games_per_iteration();
        let (iteration, index) = (number / games, number % games);
        let (white, black) = if index.is_multiple_of(2) { (0, 1) } else { (1, 0) };
        Slot {
            number,
            white,
            black,
            round: u32::try_from(iteration + 1).unwrap_or(u32::MAX),
            encounter: iteration,
            index: index as u32,
            opening: number / 2,
            partner: Some(number ^ 1),
        }
    }

    fn has_result(&self, number: u64) -> bool {
        number < self.trajectory.applied() * self.games_per_iteration()
            || self.waiting.contains_key(&number)
    }

    /// Applies every iteration whose turn it is and whose games are all played.
    fn apply_complete(&mut self) {
        let games = self.games_per_iteration();
        loop {
            let first = self.trajectory.applied() * games;
            let results: Vec<i64> =
                self.waiting.range(first..first + games).map(|(_, points)| *points).collect();
            let next = self.trajectory.iteration(self.trajectory.applied() + 1);
            let Some(iteration) = next.filter(|_| results.len() as u64 == games) else { return };
            self.trajectory.apply(&iteration, results.iter().sum());
            self.waiting = self.waiting.split_off(&(first + games));
        }
    }
}

impl Schedule for TuningSchedule {
    fn total(&self) -> Option<u64> {
        Some(self.games())
    }

    fn next(&mut self) -> Next<Slot> {
        if let Some(number) = self.returned.pop() {
            return Next::Game(self.slot(number));
        }
        while self.cursor < self.games() && self.has_result(self.cursor) {
            self.cursor += 1;
        }
        if self.cursor >= self.games() {
            return Next::Done;
        }
        let iteration = self.cursor / self.games_per_iteration() + 1;
        if self.trajectory.iteration(iteration).is_none() {
            return Next::Wait;
        }
        self.cursor += 1;
        Next::Game(self.slot(self.cursor - 1))
    }

    fn give_back(&mut self, slot: &Slot) {
        self.returned.push(slot.number);
        self.returned.sort_unstable_by(|a, b| b.cmp(a));
    }

    fn owes(&self, slot: &Slot) -> bool {
        slot.number < self.games()
            && self.slot(slot.number) == *slot
            && !self.has_result(slot.number)
    }

    fn record(&mut self, slot: &Slot, points: Points) {
        let for_white = match points {
            Points::WhiteWins => 1,
            Points::Draw => 0,
            Points::BlackWins => -1,
        };
        let for_plus = if slot.white == 0 { for_white } else { -for_white };
        self.waiting.insert(slot.number, for_plus);
        self.apply_complete();
    }

    fn partner(&self, number: u64) -> Option<u64> {
        Some(number ^ 1)
    }

    fn overrides(&self, slot: &Slot) -> OptionOverrides {
        let number = slot.encounter + 1;
        let Some(iteration) = self.trajectory.iteration(number) else {
            return OptionOverrides::default();
        };
        let options = |values: &[i64]| {
            let parameters = &self.trajectory.tuning().parameters;
            let option = |(p, v): (&super::Parameter, &i64)| (p.name.clone(), v.to_string());
            parameters.iter().zip(values).map(option).collect::<Vec<_>>()
        };
        let (plus, minus) = (options(&iteration.plus), options(&iteration.minus));
        match slot.white {
            0 => OptionOverrides { white: plus, black: minus },
            _ => OptionOverrides { white: minus, black: plus },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Parameter;
    use super::*;
    use dyno_chess::SplitMix64;
    use std::collections::HashMap;

    fn tuning() -> Tuning {
        let parameters = ["A=40@0..100", "B=5@0..9"].iter().flat_map(|t| Parameter::parse(t));
        let parameters = parameters.collect();
        Tuning { parameters, pairs: 120, pairs_per_iteration: 2, in_flight: 4, seed: 11 }
    }

    /// A result that depends on the game's options alone, as real games' do.
    fn points(slot: &Slot, options: &OptionOverrides) -> Points {
        let sum = |side: &[(String, String)]| {
            side.iter().filter_map(|(_, v)| v.parse::<i64>().ok()).sum::<i64>()
        };
        let all = [Points::WhiteWins, Points::Draw, Points::BlackWins];
        let number = sum(&options.white) * 7 + sum(&options.black) * 3 + slot.opening as i64;
        all[number.rem_euclid(3) as usize]
    }

    /// Plays with this many boards whose games end in random order, some of them given back.
    fn play(
        schedule: &mut TuningSchedule,
        boards: usize,
        seed: u64,
        stop_after: usize,
    ) -> Vec<(Slot, Points)> {
        let mut rng = SplitMix64::new(seed);
        let mut running: Vec<(Slot, OptionOverrides)> = Vec::new();
        let mut played = Vec::new();
        while played.len() < stop_after {
            while running.len() < boards {
                let Next::Game(slot) = schedule.next() else { break };
                running.push((slot, schedule.overrides(&slot)));
            }
            if running.is_empty() {
                break;
            }
            let (slot, options) = running.swap_remove((rng.unit() * running.len() as f64) as usize);
            if rng.unit() < 0.1 {
                schedule.give_back(&slot);
                continue;
            }
            assert!(schedule.owes(&slot));
            assert_eq!(schedule.overrides(&slot), options, "it stays what was handed out");
            let points = points(&slot, &options);
            schedule.record(&slot, points);
            assert!(!schedule.owes(&slot));
            played.push((slot, points));
        }
        played
    }

    #[test]
    fn boards_and_their_order_do_not_change_the_path() {
        let run = |boards, seed| {
            let mut schedule = TuningSchedule::new(tuning());
            let played = play(&mut schedule, boards, seed, usize::MAX);
            assert_eq!(played.len(), 240);
            assert_eq!(schedule.next(), Next::Done);
            schedule.trajectory().clone()
        };
        let one = run(1, 1);
        assert_ne!(one.values(), [40.0, 5.0]);
        for (boards, seed) in [(2, 2), (7, 3), (100, 4)] {
            assert_eq!(run(boards, seed).path(), one.path());
        }
    }

    #[test]
    fn a_tuning_broken_off_anywhere_goes_on_along_the_same_path() {
        let mut whole = TuningSchedule::new(tuning());
        play(&mut whole, 5, 1, usize::MAX);
        for stop in (0..240).step_by(13) {
            let mut first = TuningSchedule::new(tuning());
            let journal = play(&mut first, 5, stop as u64, stop);
            let mut second = TuningSchedule::new(tuning());
            for (slot, points) in &journal {
                assert!(second.owes(slot));
                second.record(slot, *points);
            }
            play(&mut second, 3, 99, usize::MAX);
            assert_eq!(second.trajectory().path(), whole.trajectory().path(), "stopped at {stop}");
        }
    }

    #[test]
    fn pairs_share_an_opening_and_both_sides_their_options() {
        let mut schedule = TuningSchedule::new(tuning());
        let mut slots = HashMap::new();
        while let Next::Game(slot) = schedule.next() {
            slots.insert(slot.number, (slot, schedule.overrides(&slot)));
        }
        assert_eq!(slots.len(), 4 * 4, "as many iterations as may be in flight");
        for (slot, options) in slots.values() {
            let (partner, theirs) = &slots[&(slot.number ^ 1)];
            assert_eq!((slot.opening, slot.white), (partner.opening, partner.black));
            assert_eq!((&options.white, &options.black), (&theirs.black, &theirs.white));
            assert_ne!(options.white, options.black);
        }
    }
}
