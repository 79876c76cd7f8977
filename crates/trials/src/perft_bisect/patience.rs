//! How long to wait for counts: slow is not wrong, and a busy machine is not the engine's fault.

use dyno_driver::Engine;
use std::time::{Duration, Instant};

/// What a silent engine is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Silence {
    /// It counts.
    AtWork,
    /// It has counted for longer than it may.
    Spent,
    /// It has been idle for this long.
    Idle(Duration),
}

/// The wait for one answer. What an engine may take is processor time, so that other programs do
/// not use it up; where the system does not tell of it, the clock has to do.
pub(super) struct Patience {
    allowed: Duration,
    began: Instant,
    /// The last sign of life: a line, or work done.
    alive: Instant,
    /// The processor time at the beginning, and as last seen.
    cpu: Option<(Duration, Duration)>,
}

impl Patience {
    pub fn new(engine: &Engine, allowed: Duration) -> Patience {
        let now = Instant::now();
        let cpu = engine.activity().map(|activity| (activity.cpu, activity.cpu));
        Patience { allowed, began: now, alive: now, cpu }
    }

    /// A line has come.
    pub fn heard(&mut self) {
        self.alive = Instant::now();
    }

    /// Nothing has come for a while: why?
    pub fn look(&mut self, engine: &Engine) -> Silence {
        let (Some((start, seen)), Some(now)) = (self.cpu, engine.activity()) else {
            return match self.began.elapsed() > self.allowed {
                true => Silence::Spent,
                // Without a look at its work, much more silence is needed to be sure.
                false => Silence::Idle(self.alive.elapsed() / 5),
            };
        };
        if !now.runs && now.cpu <= seen {
            return Silence::Idle(self.alive.elapsed());
        }
        self.cpu = Some((start, now.cpu));
        self.alive = Instant::now();
        if now.cpu.saturating_sub(start) > self.allowed { Silence::Spent } else { Silence::AtWork }
    }
}
