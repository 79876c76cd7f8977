//! The limits of a search in XBoard's commands, and keeping the engine to them.

use dyno_chess::Color;
use dyno_uci::Go;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// The clock of a search limited by depth alone, so that the depth is what ends it.
const AN_HOUR_MS: i64 = 3_600_000;
/// An engine keeps whole seconds by itself, and is stopped only when it overruns them by this.
const OVERRUN_MS: u64 = 200;

/// What an engine was told about its limits.
#[derive(Debug, Default)]
pub(super) struct Limits {
    /// The time control as told to the engine; empty before the first search of a game.
    level: String,
    /// When and beyond which depth the engine is told to move, in case it ignores its limits.
    pub(super) stop_at: Option<Instant>,
    pub(super) max_depth: Option<u32>,
}

impl Limits {
    pub(super) fn new_game(&mut self) {
        self.level.clear();
    }

    /// The search that has just begun is watched for these limits.
    pub(super) fn watch(&mut self, go: &Go, began: Instant) {
        self.max_depth = go.depth;
        self.stop_at = go.movetime.map(|ms| {
            let slack = if ms % 1000 == 0 { OVERRUN_MS } else { 0 };
            began + Duration::from_millis(ms + slack)
        });
    }

    pub(super) fn unwatch(&mut self) {
        (self.stop_at, self.max_depth) = (None, None);
    }

    /// Writes the commands; `with_clocks` for an engine that wants to be told the remaining times.
    pub(super) fn write(&mut self, go: &Go, mover: Color, with_clocks: bool, out: &mut String) {
        if let Some(ms) = go.movetime {
            let _ = writeln!(out, "st {}", ms.div_ceil(1000).max(1));
        }
        if let Some(depth) = go.depth {
            let _ = writeln!(out, "sd {depth}");
        }
        let (mine, theirs, increment) = match mover {
            Color::White => (go.wtime, go.btime, go.winc),
            Color::Black => (go.btime, go.wtime, go.binc),
        };
        let mine = mine.or(go.movetime.is_none().then_some(AN_HOUR_MS));
        let Some(mine) = mine else { return };
        self.write_level(go, mine, increment.unwrap_or(0), out);
        if with_clocks {
            let _ = writeln!(out, "time {}", mine.max(0) / 10);
            let _ = writeln!(out, "otim {}", theirs.unwrap_or(mine).max(0) / 10);
        }
    }

    /// The time control is told once a game; from then on the remaining times say it all.
    fn write_level(&mut self, go: &Go, mine: i64, increment: i64, out: &mut String) {
        if !self.level.is_empty() {
            return;
        }
        let seconds = (mine.max(0) + 999) / 1000;
        let moves = go.movestogo.unwrap_or(0);
        let increment = match increment % 1000 {
            0 => (increment / 1000).to_string(),
            _ => format!("{}", increment as f64 / 1000.0),
        };
        self.level = match seconds % 60 {
            0 => format!("level {moves} {} {increment}\n", seconds / 60),
            rest => format!("level {moves} {}:{rest:02} {increment}\n", seconds / 60),
        };
        out.push_str(&self.level);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_as_commands() {
        let clock = Go { wtime: Some(61_000), btime: Some(90_000), ..Go::default() };
        let clock = Go { winc: Some(100), binc: Some(1000), movestogo: Some(40), ..clock };
        for (go, mover, expected) in [
            (Go::movetime(1500), Color::White, "st 2\n"),
            (Go::depth(7), Color::White, "sd 7\nlevel 0 60 0\ntime 360000\notim 360000\n"),
            (clock.clone(), Color::White, "level 40 1:01 0.1\ntime 6100\notim 9000\n"),
            (clock, Color::Black, "level 40 1:30 1\ntime 9000\notim 6100\n"),
        ] {
            let (mut limits, mut out) = (Limits::default(), String::new());
            limits.write(&go, mover, true, &mut out);
            assert_eq!(out, expected);
            out.clear();
            limits.write(&go, mover, true, &mut out);
            assert!(!out.contains("level"), "told once a game: {out}");
        }
    }
}
