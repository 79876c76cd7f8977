//! What an engine may spend on a move, and how it is told.

use super::plan::{DEFAULT_PATIENCE, DEFAULT_ST_MARGIN, Limits};
use super::time_control::{Clock, TimeControl};
use dyno_chess::Color;
use dyno_driver::Go;
use std::time::Duration;

/// The limits of one engine, ready for use.
#[derive(Clone, Debug)]
pub struct Budget {
    control: Option<TimeControl>,
    per_move: Option<Duration>,
    depth: Option<u32>,
    nodes: Option<u64>,
    margin: Duration,
    patience: Duration,
}

impl Budget {
    /// `factor` multiplies all times that engines are told.
    pub fn new(limits: &Limits, factor: f64) -> Self {
        let seconds = |s: f64| Duration::try_from_secs_f64(s).unwrap_or(Duration::MAX / 4);
        let default_margin = if limits.st.is_some() { DEFAULT_ST_MARGIN } else { 0 };
        Self {
            control: limits.tc.clone().map(|control| control.scaled(factor)),
            per_move: limits.st.map(|st| seconds(st * factor)),
            depth: limits.depth,
            nodes: limits.nodes,
            margin: Duration::from_millis(limits.timemargin.unwrap_or(default_margin)),
            patience: seconds(
                limits.patience.unwrap_or(DEFAULT_PATIENCE) * limits.tscale.unwrap_or(1.0),
            ),
        }
    }

    /// A fresh clock for a game, when the engine plays by one.
    pub fn clock(&self) -> Option<Clock> {
        self.control.clone().map(|control| Clock::new(control, self.margin))
    }

    /// Whether running out of time is the engine's loss rather than our impatience.
    pub fn is_timed(&self) -> bool {
        self.control.is_some() || self.per_move.is_some()
    }

    /// How long a move may take.
    pub fn allowance(&self, clock: Option<&Clock>) -> Duration {
        match (clock, self.per_move) {
            (Some(clock), _) => clock.allowance(),
            (None, Some(per_move)) => per_move + self.margin,
            (None, None) => self.patience,
        }
    }

    /// Charges a move; `false` when it took too long.
    pub fn charge(&self, clock: Option<&mut Clock>, used: Duration) -> bool {
        let allowance = self.allowance(clock.as_deref());
        match clock {
            Some(clock) => clock.charge(used),
            None => used <= allowance,
        }
    }

    /// The words for the engine. An opponent without a clock is shown as having ours.
    pub fn go(&self, me: Color, mine: Option<&Clock>, theirs: Option<&Clock>) -> Go {
        let mut go = Go {
            depth: self.depth,
            nodes: self.nodes,
            movetime: self.per_move.map(|t| (t.as_millis() as u64).max(1)),
            ..Go::default()
        };
        if let Some(mine) = mine {
            let theirs = theirs.unwrap_or(mine);
            let (white, black) = if me == Color::White { (mine, theirs) } else { (theirs, mine) };
            // Rounded down, so that no engine believes it has more than it has.
            let ms = |d: Duration| d.as_millis() as i64;
            (go.wtime, go.btime) = (Some(ms(white.left()).max(1)), Some(ms(black.left()).max(1)));
            if !(white.increment().is_zero() && black.increment().is_zero()) {
                (go.winc, go.binc) = (Some(ms(white.increment())), Some(ms(black.increment())));
            }
            go.movestogo = mine.moves_to_go();
        }
        go
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn limits(tc: Option<&str>) -> Limits {
        Limits { tc: tc.map(|t| t.parse().unwrap()), ..Limits::default() }
    }

    #[test]
    fn words_for_the_engine() {
        let budget = Budget::new(&limits(Some("40/60+0.6")), 1.0);
        let (mine, theirs) = (budget.clock(), Budget::new(&limits(Some("10")), 1.0).clock());
        assert_eq!(
            budget.go(Color::Black, mine.as_ref(), theirs.as_ref()).to_string(),
            "go wtime 10000 btime 60000 winc 0 binc 600 movestogo 40"
        );
        let nodes = Limits { nodes: Some(500), ..limits(Some("10")) };
        let budget = Budget::new(&nodes, 1.0);
        let clock = budget.clock();
        assert_eq!(
            budget.go(Color::White, clock.as_ref(), None).to_string(),
            "go wtime 10000 btime 10000 nodes 500"
        );
        let st = Limits { st: Some(0.5), tscale: Some(9.0), ..Limits::default() };
        let st = Budget::new(&st, 2.0);
        assert_eq!(st.go(Color::White, None, None).to_string(), "go movetime 1000");
        assert_eq!(st.allowance(None), Duration::from_millis(1100));
        let depth = Budget::new(&Limits { depth: Some(5), ..Limits::default() }, 1.0);
        assert_eq!(depth.go(Color::White, None, None).to_string(), "go depth 5");
        assert!(!depth.is_timed() && depth.allowance(None) == Duration::from_secs(60));
    }
}
