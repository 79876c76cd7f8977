//! The course of a match of two: its test and its Elo after each pair, and how long it will go on.

use dyno_stats::{AdjustedElo, Estimate, Opening, Results, SprtForecast, SprtRun, Tally};
use dyno_tournament::{SprtTrack, Standings};
use std::collections::VecDeque;
use std::time::Duration;

/// More points than this cannot be told apart in a chart.
const MOST_POINTS: usize = 240;
/// Finished games that the speed is taken from.
const RECENT: usize = 200;
/// Before this many games nothing can be said about the rest.
const FEW_GAMES: u64 = 8;

/// The match so far, thinned out where it is long.
#[derive(Debug, Default)]
pub struct Course {
    pub points: Vec<Point>,
    stride: u64,
    /// When the latest games finished, in milliseconds since 1970.
    recent: VecDeque<u64>,
}

/// How a match stood.
#[derive(Clone, Debug)]
pub struct Point {
    pub games: u64,
    pub elo: f64,
    pub low: f64,
    pub high: f64,
    pub test: Option<TestPoint>,
}

/// How its test stood.
#[derive(Clone, Debug)]
pub struct TestPoint {
    /// Pairs (games, where games count one by one) that the test has counted.
    pub counted: u64,
    pub llr: f64,
    results: Results,
    /// Worked out once somebody looks.
    adjusted: Option<AdjustedElo>,
}

impl TestPoint {
    /// Elo allowing for the stop.
    pub fn adjusted(&mut self, run: &SprtRun) -> AdjustedElo {
        *self.adjusted.get_or_insert_with(|| AdjustedElo::of(run.sprt(), &self.results))
    }
}

impl Course {
    /// Takes the standings down after a game; `counts` says what a test has counted.
    pub fn add(&mut self, standings: &Standings, counts: impl Fn(&Tally) -> u64) {
        if standings.engines.len() != 2 {
            return;
        }
        let stride = self.stride.max(1);
        let point = point(standings, counts);
        // The last point is always the present; those before it are on the grid.
        if let Some(last) = self.points.last()
            && !last.games.is_multiple_of(stride)
        {
            self.points.pop();
        }
        self.points.push(point);
        if self.points.len() > MOST_POINTS {
            self.stride = stride * 2;
            let (stride, last) = (self.stride, standings.games);
            self.points.retain(|p| p.games.is_multiple_of(stride) || p.games == last);
        }
    }

    /// A game of this run has finished.
    pub fn tick(&mut self, at: u64) {
        self.recent.push_back(at);
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
    }

    /// How long this many games take at the present speed.
    pub fn time_for(&self, games: f64) -> Option<Duration> {
        let (first, last) = (*self.recent.front()?, *self.recent.back()?);
        let intervals = self.recent.len().checked_sub(1).filter(|n| *n > 1)?;
        let each = last.checked_sub(first)? as f64 / intervals as f64;
        Duration::try_from_secs_f64(games.max(0.0) * each / 1e3).ok()
    }
}

fn point(standings: &Standings, counts: impl Fn(&Tally) -> u64) -> Point {
    let estimate = Estimate::of(&standings.tally().best());
    Point {
        games: standings.games,
        elo: estimate.elo,
        low: estimate.elo_low,
        high: estimate.elo_high,
        test: standings.sprt.as_ref().map(|track| TestPoint {
            counted: counts(track.tally()),
            llr: track.llr(),
            results: track.results(),
            adjusted: None,
        }),
    }
}

/// The games that a test may be expected to need still, if the strength is what it looks like.
pub fn expected_games(track: &SprtTrack) -> Option<f64> {
    let results = track.results();
    if results.games() < FEW_GAMES {
        return None;
    }
    let estimate = Estimate::of(&results);
    // Openings whose games would scatter as these do.
    let draw_ratio = (1.0 - 4.0 * estimate.variance_per_game).clamp(0.0, 0.999);
    let forecast =
        SprtForecast::new(*track.run().sprt(), Opening { draw_ratio, bias: 0.0 }).ok()?;
    let games = forecast.expect_from(estimate.elo, track.llr()).games;
    games.is_finite().then_some(games.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_speed_is_that_of_the_latest_games() {
        let mut course = Course::default();
        assert_eq!(course.time_for(1.0), None);
        for game in 0..500 {
            // Slow at first, then ten a second.
            course.tick(if game < 100 { game * 5_000 } else { 500_000 + game * 100 });
        }
        assert_eq!(course.time_for(20.0), Some(Duration::from_secs(2)));
    }
}
