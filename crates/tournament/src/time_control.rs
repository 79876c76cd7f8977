//! How long an engine may think: time controls as text, and the clock that keeps them.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A time control: one stage, or several one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TimeControl {
    /// Never empty; all but the last have a number of moves. The last one is repeated.
    stages: Vec<Stage>,
}

/// A number of moves in a time, with an increment a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Moves to the next stage; 0 means the rest of the game.
    pub moves: u32,
    pub time: Duration,
    pub increment: Duration,
}

/// Why a text is not a time control.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a time control: {text:?} ({part}); write moves/minutes:seconds+increment, for example 10+0.1, 40/60, 40/2:30+0.5 or inf, and several stages as 40/90+0.5:20/30+0.5:15+0.5"
)]
pub struct TimeControlError {
    text: String,
    part: String,
}

impl TimeControl {
    /// The control scaled: the base times and the increments times `factor`.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        let scale = |d: Duration| Duration::try_from_secs_f64(d.as_secs_f64() * factor);
        for stage in self.stages.iter_mut().filter(|_| factor != 1.0) {
            stage.time = scale(stage.time).unwrap_or(stage.time);
            stage.increment = scale(stage.increment).unwrap_or(stage.increment);
        }
        self
    }

    /// The longest that a single move may take, but for time saved earlier.
    pub fn longest_move(&self) -> Duration {
        self.stages.iter().map(|stage| stage.time + stage.increment).max().unwrap_or_default()
    }

    /// The stage of that number, from 0; the last one lasts.
    pub fn stage(&self, number: usize) -> Stage {
        self.stages[number.min(self.stages.len() - 1)]
    }
}

impl From<Stage> for TimeControl {
    fn from(stage: Stage) -> Self {
        Self { stages: vec![stage] }
    }
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<Self, TimeControlError> {
        let fault = |part: &str| TimeControlError { text: text.into(), part: part.into() };
        let parse = |part: &str| Stage::parse(part).map_err(fault);
        let stages =
            stage_texts(text).iter().map(|part| parse(part)).collect::<Result<Vec<_>, _>>()?;
        match stages.split_last() {
            Some((_, before)) if before.iter().all(|stage| stage.moves > 0) => Ok(Self { stages }),
            _ => Err(fault("a stage before the last needs a number of moves")),
        }
    }
}

/// Cuts the text at the colons that begin a stage: those after an increment, and those before a
/// number of moves. The others stand between minutes and seconds.
fn stage_texts(text: &str) -> Vec<String> {
    let mut stages: Vec<String> = Vec::new();
    for part in text.split(':') {
        match stages.last_mut() {
            Some(stage) if !stage.contains('+') && !part.contains('/') => {
                stage.push(':');
                stage.push_str(part);
            }
            _ => stages.push(part.to_owned()),
        }
    }
    stages
}

impl Stage {
    fn parse(text: &str) -> Result<Self, &'static str> {
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => (moves.trim().parse().map_err(|_| "the number of moves")?, rest),
            None => (0, text),
        };
        let (time, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let time = time.split(':').try_fold(Duration::ZERO, |sum, part| {
            let part = seconds(part).ok_or("the time")?;
            sum.checked_mul(60).and_then(|sum| sum.checked_add(part)).ok_or("too long")
        })?;
        let increment = seconds(increment).ok_or("the increment")?;
        if time.is_zero() && increment.is_zero() {
            return Err("no time at all");
        }
        Ok(Self { moves, time, increment })
    }
}

/// Decimal seconds, up to about three years.
pub fn seconds(text: &str) -> Option<Duration> {
    let value: f64 = text.trim().parse().ok()?;
    ((0.0..=1e8).contains(&value)).then(|| Duration::from_nanos((value * 1e9).round() as u64))
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, stage) in self.stages.iter().enumerate() {
            if i > 0 {
                f.write_str(":")?;
            }
            if stage.moves > 0 {
                write!(f, "{}/", stage.moves)?;
            }
            write!(f, "{}", stage.time.as_secs_f64())?;
            // Without an increment the colon before a last stage would be one of minutes.
            let needed = self.stages.get(i + 1).is_some_and(|next| next.moves == 0);
            if needed || !stage.increment.is_zero() {
                write!(f, "+{}", stage.increment.as_secs_f64())?;
            }
        }
        Ok(())
    }
}

impl TryFrom<String> for TimeControl {
    type Error = TimeControlError;

    fn try_from(text: String) -> Result<Self, TimeControlError> {
        text.parse()
    }
}

impl From<TimeControl> for String {
    fn from(control: TimeControl) -> String {
        control.to_string()
    }
}

/// One side's clock, in nanoseconds.
#[derive(Clone, Debug)]
pub struct Clock {
    control: TimeControl,
    margin: Duration,
    left: Duration,
    /// The stage it is in, from 0, and the moves to the next one.
    number: usize,
    stage: Stage,
    moves_left: u32,
}

impl Clock {
    pub fn new(control: TimeControl, margin: Duration) -> Self {
        let stage = control.stage(0);
        Self { control, margin, left: stage.time, number: 0, stage, moves_left: stage.moves }
    }

    pub fn left(&self) -> Duration {
        self.left
    }

    pub fn increment(&self) -> Duration {
        self.stage.increment
    }

    /// What UCI calls `movestogo`.
    pub fn moves_to_go(&self) -> Option<u32> {
        (self.stage.moves > 0).then_some(self.moves_left)
    }

    /// How long the next move may take before the flag falls.
    pub fn allowance(&self) -> Duration {
        self.left + self.margin
    }

    /// Charges a move. `false` when the flag fell: more was used than was left, margin included.
    ///
    /// What was used of the margin is forgiven, so the clock never stands below zero; the
    /// increment and the next stage come after the move, as on a tournament clock.
    pub fn charge(&mut self, used: Duration) -> bool {
        let in_time = used <= self.allowance();
        self.left = self.left.saturating_sub(used) + self.stage.increment;
        if self.stage.moves > 0 {
            self.moves_left -= 1;
            if self.moves_left == 0 {
                self.begin_stage(self.number + 1);
            }
        }
        in_time
    }

    fn begin_stage(&mut self, number: usize) {
        self.number = number;
        self.stage = self.control.stage(number);
        self.moves_left = self.stage.moves;
        self.left += self.stage.time;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn ms(value: u64) -> Duration {
        Duration::from_millis(value)
    }

    #[test]
    fn text_there_and_back() {
        for (text, moves, time, increment, back) in [
            ("10+0.1", 0, 10_000, 100, "10+0.1"),
            ("40/60", 40, 60_000, 0, "40/60"),
            ("40/2:30+0.5", 40, 150_000, 500, "40/150+0.5"),
            ("1:00:00", 0, 3_600_000, 0, "3600"),
            ("0.5+0", 0, 500, 0, "0.5"),
            ("0/5+0.05", 0, 5_000, 50, "5+0.05"),
            ("0+1", 0, 0, 1_000, "0+1"),
        ] {
            let control: TimeControl = text.parse().unwrap();
            let wanted = Stage { moves, time: ms(time), increment: ms(increment) };
            assert_eq!(control, wanted.into(), "{text}");
            assert_eq!(control.to_string(), back);
            assert_eq!(back.parse::<TimeControl>().unwrap(), control);
        }
        for bad in ["", "x", "10+", "/5", "-5", "0", "0+0", "nan", "1e99", "40/", "5+-1", "inf"] {
            assert!(bad.parse::<TimeControl>().is_err(), "{bad}");
        }
    }

    #[test]
    fn stages_follow_one_another() {
        for (text, back) in [
            ("40/90:30/30+30", "40/90:30/30+30"),
            ("40/10+0.1:20+0.2", "40/10+0.1:20+0.2"),
            ("40/1:30:20/0:30", "40/90:20/30"),
            ("40/90+0:1:00", "40/90+0:60"),
        ] {
            let control: TimeControl = text.parse().unwrap();
            assert_eq!(control.to_string(), back);
            assert_eq!(control.to_string().parse::<TimeControl>().unwrap(), control);
        }
        assert!("10+0.1:20+0.2".parse::<TimeControl>().is_err(), "the first has no end");
        let mut clock = Clock::new("2/1:1/0.5+0.1:3+0.2".parse().unwrap(), Duration::ZERO);
        let mut seen = Vec::new();
        for _ in 0..5 {
            seen.push((clock.left(), clock.increment(), clock.moves_to_go()));
            assert!(clock.charge(ms(100)));
        }
        assert_eq!(
            seen,
            [
                (ms(1000), ms(0), Some(2)),
                (ms(900), ms(0), Some(1)),
                (ms(1300), ms(100), Some(1)),
                (ms(4300), ms(200), None),
                (ms(4400), ms(200), None),
            ]
        );
    }

    #[test]
    fn increments_periods_and_margin_are_exact() {
        let mut clock = Clock::new("3/1+0.1".parse().unwrap(), ms(20));
        assert!(clock.charge(Duration::from_nanos(400_000_001)));
        assert_eq!(clock.left(), Duration::from_nanos(699_999_999));
        assert_eq!(clock.moves_to_go(), Some(2));
        assert!(clock.charge(Duration::from_nanos(719_999_999)), "the margin is the last instant");
        assert_eq!(clock.left(), ms(100));
        assert!(clock.charge(ms(50)));
        assert_eq!((clock.left(), clock.moves_to_go()), (ms(1150), Some(3)));
        assert!(!clock.charge(Duration::from_nanos(1_170_000_001)), "one nanosecond too many");
    }

    #[test]
    fn scaling() {
        let control: TimeControl = "40/60+0.6".parse().unwrap();
        assert_eq!(control.clone().scaled(0.5).to_string(), "40/30+0.3");
        assert_eq!(control.clone().scaled(1.0), control);
    }
}
