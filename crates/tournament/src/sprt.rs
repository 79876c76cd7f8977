//! The sequential test of a match, fed in scheduled order.
//!
//! Short games finish first, and short games are more often decisive; a test that counts games as
//! they come would stop on a biased sample. So a result waits until all before it are known.

use super::plan::{Plan, SprtPlan};
use dyno_stats::{
    Bounds, Model, Opening, Results, Sprt, SprtForecast, SprtRun, SprtVerdict, Tally,
};
use std::collections::BTreeMap;

/// A running test.
#[derive(Debug)]
pub struct SprtTrack {
    run: SprtRun,
    tally: Tally,
    /// BayesElo is a model of single games and is given those.
    single: bool,
    /// The next game to be counted.
    cursor: u64,
    /// Half points of the first engine in games not counted yet.
    waiting: BTreeMap<u64, u8>,
}

impl SprtTrack {
    /// The test of a plan, with what other tools have played of it; `None` when it wants none.
    pub fn of(plan: &Plan) -> Option<Self> {
        let mut track = Self::new(plan.sprt.as_ref()?)?;
        for carried in &plan.carried {
            track.tally.absorb(&carried.tally);
            track.cursor += carried.tally.games();
        }
        if track.cursor > 0 {
            track.run.update(&track.results());
        }
        Some(track)
    }

    /// How many games the test may be expected to take, if one of its hypotheses holds: the mean of
    /// both. Half of the games are taken to be drawn.
    pub fn expected_games(plan: &SprtPlan) -> Option<f64> {
        let bounds = Bounds::new(plan.elo0, plan.elo1, plan.alpha, plan.beta).ok()?;
        let opening = Opening { draw_ratio: 0.5, bias: 0.0 };
        let test = SprtForecast::new(Sprt::new(bounds, plan.model), opening).ok()?;
        let (elo0, elo1) = test.logistic_bounds();
        Some((test.expect(elo0).games + test.expect(elo1).games) / 2.0)
    }

    /// `None` when the bounds are impossible, which checking the plan reports.
    pub fn new(plan: &SprtPlan) -> Option<Self> {
        let bounds = Bounds::new(plan.elo0, plan.elo1, plan.alpha, plan.beta).ok()?;
        Some(Self {
            run: Sprt::new(bounds, plan.model).start(),
            tally: Tally::default(),
            single: plan.model == Model::BayesElo,
            cursor: 0,
            waiting: BTreeMap::new(),
        })
    }

    /// Takes in a result and counts what can be counted now.
    pub fn add(&mut self, number: u64, half_points: u8, partner: &dyn Fn(u64) -> Option<u64>) {
        self.waiting.insert(number, half_points);
        while self.verdict() == SprtVerdict::Continue && self.count_next(partner) {}
    }

    /// Counts the next game or pair; `false` when it is not finished.
    fn count_next(&mut self, partner: &dyn Fn(u64) -> Option<u64>) -> bool {
        let number = self.cursor;
        match partner(number).filter(|_| !self.single) {
            // Counted when its first game was.
            Some(other) if other < number => {}
            Some(other) => {
                let (Some(&first), Some(&second)) =
                    (self.waiting.get(&number), self.waiting.get(&other))
                else {
                    return false;
                };
                self.waiting.remove(&number);
                self.waiting.remove(&other);
                self.tally.add_pair(first, second);
                self.run.update(&self.results());
            }
            None => {
                let Some(half) = self.waiting.remove(&number) else { return false };
                self.tally.add_game(half);
                // A pair that will never be complete says nothing beside complete ones.
                if self.single || self.tally.pair_count() == 0 {
                    self.run.update(&self.tally.trinomial());
                }
            }
        }
        self.cursor += 1;
        true
    }

    /// What has been counted, as the model wants it.
    pub fn results(&self) -> Results {
        if self.single { self.tally.trinomial() } else { self.tally.best() }
    }

    pub fn verdict(&self) -> SprtVerdict {
        self.run.verdict()
    }

    pub fn llr(&self) -> f64 {
        self.run.llr()
    }

    pub fn run(&self) -> &SprtRun {
        &self.run
    }

    /// Finished pairs that wait for an earlier one.
    pub fn waiting_pairs(&self) -> u64 {
        self.waiting.len() as u64 / 2
    }

    /// What the test has counted.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn pairs(number: u64) -> Option<u64> {
        Some(number ^ 1)
    }

    #[test]
    fn the_order_of_finishing_does_not_matter() {
        let plan = SprtPlan { elo0: 0.0, elo1: 50.0, ..SprtPlan::default() };
        let results: Vec<u8> =
            (0..400u64).map(|i| [2, 1, 1, 2, 0, 1, 2, 1][(i % 8) as usize]).collect();
        let mut ordered = SprtTrack::new(&plan).unwrap();
        for (i, half) in results.iter().enumerate() {
            ordered.add(i as u64, *half, &pairs);
        }
        let mut jumbled = SprtTrack::new(&plan).unwrap();
        for i in (0..results.len()).map(|i| i * 151 % results.len()) {
            jumbled.add(i as u64, results[i], &pairs);
        }
        assert_ne!(ordered.verdict(), SprtVerdict::Continue);
        assert_eq!(ordered.run(), jumbled.run());
        assert_eq!(ordered.tally(), jumbled.tally());
    }

    #[test]
    fn bayeselo_counts_single_games_in_order() {
        let plan = SprtPlan { model: Model::BayesElo, elo1: 50.0, ..SprtPlan::default() };
        let mut track = SprtTrack::new(&plan).unwrap();
        for (number, half) in [(1, 0), (0, 2), (2, 1), (4, 2)] {
            track.add(number, half, &pairs);
        }
        let tally = *track.tally();
        assert_eq!((tally.wins, tally.draws, tally.losses), (1, 1, 1), "game 4 waits for game 3");
        assert_eq!(tally.pair_count(), 0);
        let sprt = Sprt::new(Bounds::new(0.0, 50.0, 0.05, 0.05).unwrap(), Model::BayesElo);
        assert_eq!(track.llr(), sprt.llr(&Results::Trinomial([1, 1, 1])));
    }

    #[test]
    fn half_pairs_and_gaps_wait() {
        let mut track = SprtTrack::new(&SprtPlan::default()).unwrap();
        track.add(0, 2, &pairs);
        track.add(2, 2, &pairs);
        track.add(3, 2, &pairs);
        assert_eq!(track.tally().games(), 0, "the first pair is not complete");
        track.add(1, 1, &pairs);
        assert_eq!(track.tally().pairs, [0, 0, 0, 1, 1]);
        let mut single = SprtTrack::new(&SprtPlan::default()).unwrap();
        single.add(1, 2, &|_| None);
        single.add(0, 0, &|_| None);
        assert_eq!(single.tally().games(), 2);
    }
}
