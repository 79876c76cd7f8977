//! How long an engine may think: time controls as text, and the clock that keeps them.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A time control: so many moves in so much time, with an increment a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TimeControl {
    /// Moves to the next addition of `time`; 0 means the rest of the game.
    pub moves: u32,
    pub time: Duration,
    pub increment: Duration,
}

/// Why a text is no time control.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a time control: {text:?} ({part}); write moves/minutes:seconds+increment, for example 10+0.1, 40/60, 40/2:30+0.5 or inf"
)]
pub struct TimeControlError {
    text: String,
    part: String,
}

impl TimeControl {
    /// The control scaled: the base time and the increment times `factor`.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        if factor == 1.0 {
            return self;
        }
        let scale = |d: Duration| Duration::try_from_secs_f64(d.as_secs_f64() * factor);
        Self {
            moves: self.moves,
            time: scale(self.time).unwrap_or(self.time),
            increment: scale(self.increment).unwrap_or(self.increment),
        }
    }
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<Self, TimeControlError> {
        let fault = |part: &str| TimeControlError { text: text.into(), part: part.into() };
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => {
                (moves.trim().parse().map_err(|_| fault("the number of moves"))?, rest)
            }
            None => (0, text),
        };
        let (time, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let time = time.split(':').try_fold(Duration::ZERO, |sum, part| {
            let part = seconds(part).ok_or_else(|| fault("the time"))?;
            sum.checked_mul(60)
                .and_then(|sum| sum.checked_add(part))
                .ok_or_else(|| fault("too long"))
        })?;
        let increment = seconds(increment).ok_or_else(|| fault("the increment"))?;
        if time.is_zero() && increment.is_zero() {
            return Err(fault("no time at all"));
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
        if self.moves > 0 {
            write!(f, "{}/", self.moves)?;
        }
        write!(f, "{}", self.time.as_secs_f64())?;
        if self.increment.is_zero() {
            Ok(())
        } else {
            write!(f, "+{}", self.increment.as_secs_f64())
        }
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
    moves_left: u32,
}

impl Clock {
    pub fn new(control: TimeControl, margin: Duration) -> Self {
        Self { control, margin, left: control.time, moves_left: control.moves }
    }

    pub fn left(&self) -> Duration {
        self.left
    }

    pub fn increment(&self) -> Duration {
        self.control.increment
    }

    /// What UCI calls `movestogo`.
    pub fn moves_to_go(&self) -> Option<u32> {
        (self.control.moves > 0).then_some(self.moves_left)
    }

    /// How long the next move may take before the flag falls.
    pub fn allowance(&self) -> Duration {
        self.left + self.margin
    }

    /// Charges a move. `false` when the flag fell: more was used than was left, margin included.
    ///
    /// What was used of the margin is forgiven, so the clock never stands below zero; the
    /// increment and the next period come after the move, as on a tournament clock.
    pub fn charge(&mut self, used: Duration) -> bool {
        let in_time = used <= self.allowance();
        self.left = self.left.saturating_sub(used) + self.control.increment;
        if self.control.moves > 0 {
            self.moves_left -= 1;
            if self.moves_left == 0 {
                self.moves_left = self.control.moves;
                self.left += self.control.time;
            }
        }
        in_time
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
            let wanted = TimeControl { moves, time: ms(time), increment: ms(increment) };
            assert_eq!(control, wanted, "{text}");
            assert_eq!(control.to_string(), back);
            assert_eq!(back.parse::<TimeControl>().unwrap(), control);
        }
        for bad in ["", "x", "10+", "/5", "-5", "0", "0+0", "nan", "1e99", "40/", "5+-1", "inf"] {
            assert!(bad.parse::<TimeControl>().is_err(), "{bad}");
        }
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
        assert_eq!(control.scaled(0.5).to_string(), "40/30+0.3");
        assert_eq!(control.scaled(1.0), control);
    }
}
