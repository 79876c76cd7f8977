//! How far the engine searches in which time, so that every question is within its reach.

use super::positions::SEARCHED;
use super::session::Session;
use super::stop::Stop;
use super::transcript::search;
use std::time::{Duration, Instant};

/// What an engine reaches, by its own time: that of a busy machine is not counted.
#[derive(Clone, Debug, Default)]
pub(super) struct Reach {
    /// How long each depth takes, from depth 1.
    depths: Vec<Duration>,
    /// Nodes in a second, where the engine tells its nodes.
    pub speed: Option<f64>,
    pub tells_scores: bool,
    pub tells_nodes: bool,
}

/// The positions that are searched: middlegames with many moves.
const POSITIONS: [&str; 2] = [SEARCHED[1], SEARCHED[3]];
const MOST_DEPTH: u32 = 16;
/// A search below this is short enough for every clock.
const SHORT: Duration = Duration::from_millis(30);
const TRIES: usize = 6;
/// How long depth 1 may take, so that it is known of slow engines too.
const FIRST: Duration = Duration::from_secs(5);

impl Reach {
    /// How long a search takes that is asked for no more than a move.
    pub fn least(&self) -> Duration {
        self.depths.first().copied().unwrap_or_default()
    }

    /// The greatest depth that takes no longer than this.
    pub fn depth_within(&self, ms: u64) -> Option<u32> {
        let fits = |took: &&Duration| **took <= Duration::from_millis(ms);
        let count = self.depths.iter().take_while(fits).count();
        u32::try_from(count).ok().filter(|depth| *depth > 0)
    }
}

impl Session<'_> {
    /// What the engine reaches, measured when it is first asked for, outside the time of the
    /// running check. An engine that fails at it is the business of the checks.
    pub fn reach(&mut self) -> Result<Reach, Stop> {
        if let Some(reach) = &self.reach {
            return Ok(reach.clone());
        }
        let most = Duration::from_millis(self.profile().choose(300, 2000, 5000));
        let measured = self.aside(10 * most + 2 * FIRST, |session| session.measure(most));
        let reach = match measured {
            Ok(reach) => reach,
            Err(stop) if stop.is_interrupt() => return Err(stop),
            Err(_) => {
                self.discard_engine();
                Reach::default()
            }
        };
        self.shared.set_least(reach.least());
        self.reach = Some(reach.clone());
        Ok(reach)
    }

    fn measure(&mut self, most: Duration) -> Result<Reach, Stop> {
        let end = Instant::now() + 6 * most;
        let mut reach = Reach::default();
        if !self.engine()?.capabilities().depth_limit {
            return Ok(reach);
        }
        for depth in 1..=MOST_DEPTH {
            let mut longest = Duration::ZERO;
            for fen in POSITIONS {
                let engine = self.engine()?;
                engine.new_game()?;
                let position = format!("position fen {fen}");
                let used = engine.usage().cpu;
                let patience = if depth == 1 { FIRST } else { 4 * most };
                let found = search(engine, &position, &format!("go depth {depth}"), patience)?;
                let used = engine.usage().cpu.saturating_sub(used);
                reach.tells_scores |= found.thoughts.iter().any(|t| t.score.is_some());
                // Processor time comes in ticks; a wrapper script uses none.
                let took = match used < Duration::from_millis(30) {
                    true => found.own_time(),
                    false => found.own_time().min(used),
                };
                let nodes = found.nodes();
                reach.tells_nodes |= nodes.is_some();
                // Short searches say little about the speed.
                if let Some(nodes) = nodes.filter(|_| took >= Duration::from_millis(20)) {
                    let speed = nodes as f64 / took.as_secs_f64();
                    reach.speed = Some(reach.speed.map_or(speed, |best| best.max(speed)));
                }
                if found.overran {
                    return Ok(reach);
                }
                longest = longest.max(took);
            }
            // On a busy machine a short search may seem long: the shortest of several counts.
            for _ in 0..TRIES {
                if depth > 1 || longest <= SHORT {
                    break;
                }
                let position = format!("position fen {}", POSITIONS[0]);
                let found = search(self.engine()?, &position, "go depth 1", FIRST)?;
                longest = longest.min(found.own_time());
            }
            reach.depths.push(longest);
            if longest > most || Instant::now() > end {
                break;
            }
        }
        Ok(reach)
    }

    /// Why a clock of this many milliseconds says nothing about the engine, if it does not: its
    /// shortest search takes too much of it.
    pub fn too_slow_for(&mut self, ms: u64) -> Result<Option<String>, Stop> {
        let least = self.reach()?.least();
        let is_slow = least > SHORT && Duration::from_millis(ms) < 10 * least;
        let least = least.as_millis();
        let why =
            format!("its shortest search takes {least} ms: too much for {ms} ms on the clock");
        Ok(is_slow.then_some(why))
    }

    /// How long to wait for a search that asks for no more than a move: many times what it takes.
    pub fn patience_for_move(&mut self, least: Duration) -> Result<Duration, Stop> {
        Ok(least.max(10 * self.reach()?.least()))
    }

    /// The greatest depth that the engine reaches within this time; none where it keeps to no
    /// depth.
    pub fn depth_within(&mut self, ms: u64) -> Result<Option<u32>, Stop> {
        Ok(self.reach()?.depth_within(ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_depth_that_fits_the_time() {
        let depths = [1, 4, 30, 400].map(Duration::from_millis).to_vec();
        let reach = Reach { depths, ..Reach::default() };
        assert_eq!(reach.depth_within(50), Some(3));
        assert_eq!(reach.depth_within(9999), Some(4));
        assert_eq!(Reach::default().depth_within(50), None);
    }
}
