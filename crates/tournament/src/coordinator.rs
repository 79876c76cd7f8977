//! What is still to be played and what came of it. No threads, no files, no clock: games are handed
//! out, taken back and counted, and everything about them follows from the plan and their slots.

use super::assignment::Assignment;
use super::openings::OpeningSequence;
use super::plan::Plan;
use super::record::GameRecord;
use super::schedule::{Next, Schedule};
use super::slot::Slot;
use super::standings::Standings;
use dyno_stats::SprtVerdict;
use std::collections::HashMap;

/// The games of one match.
#[derive(Debug)]
pub struct Coordinator {
    run: String,
    schedule: Box<dyn Schedule>,
    openings: OpeningSequence,
    standings: Standings,
    /// How often games that came back have been handed out.
    attempts: HashMap<u64, u32>,
}

/// Why a record is not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the game is not of this match, or already has a result")]
    NotOwed,
    #[error("a fault is put down to an engine that did not play the game")]
    StrangeFault,
}

impl Coordinator {
    /// The games of a plan; `run` names the match.
    pub fn new(run: &str, plan: &Plan, openings: OpeningSequence) -> Self {
        Self::with_schedule(run, plan, openings, plan.schedule())
    }

    /// Games by a schedule of one's own.
    pub fn with_schedule(
        run: &str,
        plan: &Plan,
        openings: OpeningSequence,
        schedule: Box<dyn Schedule>,
    ) -> Self {
        let (run, standings) = (run.to_owned(), Standings::new(plan));
        Self { run, schedule, openings, standings, attempts: HashMap::new() }
    }

    /// The next game to be played.
    pub fn next_game(&mut self) -> Next<Assignment> {
        match self.schedule.next() {
            Next::Game(slot) => Next::Game(self.assignment(slot)),
            Next::Wait => Next::Wait,
            Next::Done => Next::Done,
        }
    }

    fn assignment(&self, slot: Slot) -> Assignment {
        Assignment {
            run: self.run.clone(),
            slot,
            start: self.openings.nth(slot.opening),
            options: self.schedule.overrides(&slot),
            attempt: 1 + self.attempts.get(&slot.number).copied().unwrap_or(0),
        }
    }

    /// A game that was handed out came to no result: it is owed again.
    pub fn give_back(&mut self, slot: &Slot) {
        if self.owes(slot) {
            *self.attempts.entry(slot.number).or_default() += 1;
            self.schedule.give_back(slot);
        }
    }

    /// A game that was handed out has not been tried: it is the next one again.
    pub fn put_aside(&mut self, slot: &Slot) {
        self.schedule.give_back(slot);
    }

    /// Whether the game belongs to this match and has no result yet. Pools may bring a record
    /// twice; counting it once is decided here.
    pub fn owes(&self, slot: &Slot) -> bool {
        self.schedule.owes(slot)
    }

    /// Whether the record can be counted.
    pub fn check(&self, record: &GameRecord) -> Result<(), Refusal> {
        if !self.owes(&record.slot) {
            return Err(Refusal::NotOwed);
        }
        let players = [record.slot.white, record.slot.black];
        match record.faults.iter().all(|fault| players.contains(&fault.engine)) {
            true => Ok(()),
            false => Err(Refusal::StrangeFault),
        }
    }

    /// Counts a game, of this run or of the one being resumed.
    pub fn record(&mut self, record: &GameRecord) -> Result<(), Refusal> {
        self.check(record)?;
        self.attempts.remove(&record.slot.number);
        self.schedule.record(&record.slot, record.result.points);
        self.standings.add(record, &|number| self.schedule.partner(number));
        Ok(())
    }

    pub fn standings(&self) -> &Standings {
        &self.standings
    }

    pub fn into_standings(self) -> Standings {
        self.standings
    }

    /// Whether the sequential test, if there is one, has come to a verdict.
    pub fn is_decided(&self) -> bool {
        self.standings.sprt.as_ref().is_some_and(|sprt| sprt.verdict() != SprtVerdict::Continue)
    }

    /// All games, where that is known.
    pub fn total(&self) -> Option<u64> {
        self.schedule.total()
    }

    /// The engine that has won it all, where the format has such a thing.
    pub fn champion(&self) -> Option<usize> {
        self.schedule.champion()
    }

    /// How many openings there are to choose from.
    pub fn openings(&self) -> usize {
        self.openings.count()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::openings::Book;
    use crate::plan::{EngineEntry, Format, SprtPlan, Tournament};
    use crate::record::{Fault, FaultKind};
    use crate::result::{End, GameResult, Points};
    use dyno_driver::EngineSpec;

    fn plan(engines: usize, format: Format) -> Plan {
        let entry =
            |i: usize| EngineEntry::new(&i.to_string(), &EngineSpec::builtin(), Default::default());
        let tournament = Tournament { format, rounds: 3, ..Tournament::default() };
        Plan { engines: (0..engines).map(entry).collect(), tournament, ..Plan::default() }
    }

    fn coordinator(plan: &Plan) -> Coordinator {
        let openings = OpeningSequence::new(Book::load(plan).unwrap(), &plan.openings, plan.seed);
        Coordinator::new("run", plan, openings)
    }

    fn game(assignment: &Assignment) -> GameRecord {
        // White wins the even games, so that a knockout comes to an end as well.
        let points = if assignment.slot.index == 0 { Points::WhiteWins } else { Points::Draw };
        GameRecord {
            slot: assignment.slot,
            result: GameResult { points, end: End::Checkmate },
            started: 0,
            lasted: 0,
            start: assignment.start.clone(),
            options: assignment.options.clone(),
            moves: Vec::new(),
            faults: Vec::new(),
            worker: None,
        }
    }

    fn drain(coordinator: &mut Coordinator) -> Vec<Assignment> {
        std::iter::from_fn(|| match coordinator.next_game() {
            Next::Game(assignment) => Some(assignment),
            _ => None,
        })
        .collect()
    }

    #[test]
    fn every_game_is_counted_once_however_often_it_is_brought() {
        for (engines, format) in [
            (2, Format::RoundRobin),
            (4, Format::RoundRobin),
            (4, Format::Gauntlet),
            (3, Format::Pyramid),
            (5, Format::Knockout),
            (5, Format::Swiss),
        ] {
            let plan = plan(engines, format);
            let mut coordinator = coordinator(&plan);
            let mut games = 0;
            loop {
                let mut batch = drain(&mut coordinator);
                if batch.is_empty() {
                    break;
                }
                // As if the last handed out had finished first, and each was brought twice.
                batch.reverse();
                for assignment in &batch {
                    let record = game(assignment);
                    assert_eq!(coordinator.record(&record), Ok(()));
                    assert_eq!(coordinator.record(&record), Err(Refusal::NotOwed));
                    games += 1;
                }
            }
            assert_eq!(coordinator.next_game(), Next::Done);
            assert_eq!(coordinator.standings().games, games);
            assert!(coordinator.total().is_none_or(|total| total == games));
            assert_eq!(
                coordinator.champion().is_some(),
                matches!(format, Format::Knockout | Format::Swiss)
            );
        }
    }

    #[test]
    fn what_comes_back_is_handed_out_again_with_the_same_opening() {
        let mut coordinator = coordinator(&plan(2, Format::RoundRobin));
        let Next::Game(first) = coordinator.next_game() else { panic!("no game") };
        let Next::Game(second) = coordinator.next_game() else { panic!("no game") };
        coordinator.give_back(&first.slot);
        let again = Assignment { attempt: 2, ..first.clone() };
        assert_eq!(coordinator.next_game(), Next::Game(again));
        coordinator.record(&game(&second)).unwrap();
        coordinator.give_back(&second.slot);
        assert!(drain(&mut coordinator).iter().all(|a| a.slot.number > 1), "played is played");
        let text = serde_json::to_string(&first).unwrap();
        assert_eq!(serde_json::from_str::<Assignment>(&text).unwrap(), first);
    }

    #[test]
    fn a_record_that_does_not_fit_is_refused() {
        let mut coordinator = coordinator(&plan(3, Format::RoundRobin));
        let Next::Game(assignment) = coordinator.next_game() else { panic!("no game") };
        let mut record = game(&assignment);
        let stranger =
            (0..3).find(|engine| ![record.slot.white, record.slot.black].contains(engine)).unwrap();
        for engine in [stranger, 99] {
            let (kind, detail) = (FaultKind::Crash, String::new());
            record.faults =
                vec![Fault { engine, kind, count: 1, detail, evidence: None, transcript: None }];
            assert_eq!(coordinator.record(&record), Err(Refusal::StrangeFault));
        }
        record.faults.clear();
        record.slot.opening += 1;
        assert_eq!(coordinator.record(&record), Err(Refusal::NotOwed));
    }

    #[test]
    fn the_order_of_finishing_does_not_decide_a_test() {
        let mut plan = plan(2, Format::RoundRobin);
        plan.tournament.rounds = 200;
        plan.sprt = Some(SprtPlan { elo0: 0.0, elo1: 100.0, ..SprtPlan::default() });
        let run = |step: usize| {
            let mut coordinator = coordinator(&plan);
            let all = drain(&mut coordinator);
            for i in 0..all.len() {
                coordinator.record(&game(&all[i * step % all.len()])).unwrap();
            }
            let sprt = coordinator.standings().sprt.as_ref().unwrap();
            (sprt.llr(), *sprt.tally(), coordinator.is_decided())
        };
        assert_eq!(run(1), run(151));
    }
}
