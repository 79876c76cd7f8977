//! How late an answer is, less what the machine has to answer for: once a time limit has passed, every
//! moment in which the engine or Dyno was ready to run and was not given a processor is taken off;
//! but an engine that had its turn many times and did not answer is late by its own doing.

use super::engine::{TestedEngine, Waiting};
use super::transcript::asked_position;
use dyno_chess::Color;
use dyno_driver::EngineError;
use dyno_uci::Command;
use std::time::{Duration, Instant};

/// How often a look is taken once the limit has passed.
const LOOK: Duration = Duration::from_millis(5);

/// The time that a `go` gives: its movetime, or what the side to move has on its clock.
pub(super) fn time_limit(position: &str, go: &str) -> Option<Duration> {
    let Ok(Command::Go(go)) = Command::parse(go) else { return None };
    if let Some(ms) = go.movetime {
        return Some(Duration::from_millis(ms));
    }
    let left = match asked_position(position)?.side_to_move() {
        Color::White => go.wtime,
        Color::Black => go.btime,
    };
    // Some GUIs let a clock go below zero.
    Some(Duration::from_millis(u64::try_from(left?).unwrap_or(0)))
}

/// Watches an engine beyond its limit.
#[derive(Debug, Default)]
pub(super) struct Overtime {
    limit: Option<Instant>,
    at_limit: Option<Waiting>,
    waited: Duration,
    turns: u64,
}

/// An engine that is on its way to an answer needs fewer turns on a processor.
const MANY_TURNS: u64 = 10;

impl Overtime {
    pub fn new(began: Instant, limit: Option<Duration>) -> Overtime {
        Overtime { limit: limit.map(|limit| began + limit), ..Overtime::default() }
    }

    /// Reads a line, or nothing at the end.
    pub fn read(
        &mut self,
        engine: &mut TestedEngine,
        end: Instant,
    ) -> Result<Option<(String, Instant)>, EngineError> {
        loop {
            let now = Instant::now();
            let next = match self.limit {
                Some(limit) if now < limit => limit.min(end),
                Some(_) => (now + LOOK).min(end),
                None => end,
            };
            let line = engine.read_line(Some(next))?.map(|(line, at)| (line.to_owned(), at));
            self.look(engine);
            if line.is_some() || next >= end {
                return Ok(line);
            }
        }
    }

    fn look(&mut self, engine: &TestedEngine) {
        if self.limit.is_none_or(|limit| Instant::now() < limit) {
            return;
        }
        let now = engine.waiting();
        match &self.at_limit {
            // A thread that has ended is no longer listed: the most that was seen counts.
            Some(before) => {
                self.waited = self.waited.max(now.since(before));
                self.turns = self.turns.max(now.turns_since(before));
            }
            None => self.at_limit = Some(now),
        }
    }

    /// How late something is that came then.
    pub fn late(&self, at: Instant) -> Duration {
        let limit = self.limit.unwrap_or(at);
        let late = at.saturating_duration_since(limit);
        if self.turns > MANY_TURNS { late } else { late.saturating_sub(self.waited) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_of_the_side_to_move_counts() {
        let go = "go wtime 100 btime 900 winc 5 binc 5";
        let after = "position startpos moves e2e4";
        assert_eq!(time_limit("position startpos", go), Some(Duration::from_millis(100)));
        assert_eq!(time_limit(after, go), Some(Duration::from_millis(900)));
        assert_eq!(time_limit(after, "go movetime 50"), Some(Duration::from_millis(50)));
        assert_eq!(time_limit(after, "go depth 3"), None);
        assert_eq!(time_limit(after, "go wtime 5 btime -5"), Some(Duration::ZERO));
    }
}
