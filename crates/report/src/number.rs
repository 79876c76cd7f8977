//! Figures as people read them: grouped, rounded to what matters, with their unit.
//!
//! ```
//! use dyno_report::number::{duration, fixed, grouped, percent, rate, signed};
//! use std::time::Duration;
//!
//! assert_eq!(grouped(4_865_609), "4,865,609");
//! assert_eq!(fixed(-12_345.678, 1), "-12,345.7");
//! assert_eq!(signed(3.26, 1), "+3.3");
//! assert_eq!(percent(254, 300), "84.7 %");
//! assert_eq!(duration(Duration::from_millis(1_234)), "1.23 s");
//! assert_eq!(rate(2_000_000, Duration::from_secs(2)), "1,000,000/s");
//! ```

use std::time::Duration;

/// A whole number with a comma between groups of three digits.
pub fn grouped(number: impl Into<i128>) -> String {
    let number = number.into();
    let digits = number.unsigned_abs().to_string();
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{}", group_digits(&digits))
}

/// The same for `usize`, which has no lossless way into wider integers.
#[must_use]
pub fn count(number: usize) -> String {
    group_digits(&number.to_string())
}

fn group_digits(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with the given decimals, its whole part grouped. Never `-0.0`; what is not a
/// number reads `–`.
#[must_use]
pub fn fixed(number: f64, decimals: usize) -> String {
    if number.is_nan() {
        return "–".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "∞" } else { "-∞" }.to_owned();
    }
    let text = format!("{:.decimals$}", number.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let is_zero = text.bytes().all(|b| matches!(b, b'0' | b'.'));
    let sign = if number < 0.0 && !is_zero { "-" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{}{point}{fraction}", group_digits(whole))
}

/// As [`fixed`], with a plus before what is above zero: Elo differences, scores.
#[must_use]
pub fn signed(number: f64, decimals: usize) -> String {
    let text = fixed(number, decimals);
    let positive = number > 0.0 && text.bytes().any(|b| b.is_ascii_digit() && b != b'0');
    if positive || number == f64::INFINITY { format!("+{text}") } else { text }
}

/// A number with as many decimals as its size deserves: `1,235`, `12.3`, `1.23`, `0.0012`.
#[must_use]
pub fn figure(number: f64) -> String {
    let size = number.abs();
    let decimals = match size {
        _ if number == number.trunc() => 0,
        s if s >= 1000.0 => 0,
        s if s >= 10.0 => 1,
        s if s >= 0.1 => 2,
        _ => 4,
    };
    fixed(number, decimals)
}

/// `part` of `whole` in percent with one decimal; `–` of nothing. Rounds to 0 and 100 only
/// when it is exactly that: 1,499 of 1,500 is not all of them.
#[must_use]
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    #[allow(clippy::cast_precision_loss, reason = "one decimal is shown")]
    let exact = part as f64 / whole as f64 * 100.0;
    let shown = match (exact * 10.0).round() / 10.0 {
        r if r >= 100.0 && part < whole => 99.9,
        r if r <= 0.0 && part > 0 => 0.1,
        r => r,
    };
    format!("{} %", fixed(shown, 1))
}

/// A share between 0 and 1 in percent with one decimal.
#[must_use]
pub fn share(share: f64) -> String {
    if share.is_nan() { "–".to_owned() } else { format!("{} %", fixed(share * 100.0, 1)) }
}

/// A span of time in the unit that suits it: `850 ns`, `12 µs`, `3.4 ms`, `1.23 s`,
/// `2 min 05 s`, `3 h 07 min`.
#[must_use]
pub fn duration(span: Duration) -> String {
    let seconds = span.as_secs_f64();
    match span.as_nanos() {
        0 => "0 s".to_owned(),
        n if n < 1_000 => format!("{n} ns"),
        n if n < 1_000_000 => format!("{} µs", short(seconds * 1e6)),
        n if n < 999_500_000 => format!("{} ms", short(seconds * 1e3)),
        n if n < 59_950_000_000 => {
            format!("{} s", if seconds < 10.0 { fixed(seconds, 2) } else { fixed(seconds, 1) })
        }
        _ => long_duration(seconds.round() as u64),
    }
}

fn short(value: f64) -> String {
    fixed(value, usize::from(value < 9.95))
}

fn long_duration(seconds: u64) -> String {
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{} h {minutes:02} min", grouped(hours))
    } else {
        format!("{minutes} min {rest:02} s")
    }
}

/// Things a second: `1,234,567/s`; `–` when no time has passed.
#[must_use]
pub fn rate(things: u64, span: Duration) -> String {
    if span.is_zero() {
        return "–".to_owned();
    }
    #[allow(clippy::cast_precision_loss, reason = "shown rounded")]
    let rate = things as f64 / span.as_secs_f64();
    format!("{}/s", if rate < 10.0 { fixed(rate, 2) } else { fixed(rate, 0) })
}

/// A large count in few characters: `999`, `12.3k`, `4.87M`, `1.2G`.
#[must_use]
pub fn compact(number: f64) -> String {
    let size = number.abs();
    let (scaled, unit) = match size {
        s if s < 999.5 => return figure(number),
        s if s < 999_500.0 => (number / 1e3, "k"),
        s if s < 999_500_000.0 => (number / 1e6, "M"),
        _ => (number / 1e9, "G"),
    };
    let decimals = match scaled.abs() {
        s if s >= 99.95 => 0,
        s if s >= 9.995 => 1,
        _ => 2,
    };
    let text = fixed(scaled, decimals);
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{unit}")
}

/// A size in memory or on disk: `512 B`, `1.5 KiB`, `16 MiB`.
#[must_use]
pub fn bytes(size: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if size < 1024 {
        return format!("{size} B");
    }
    #[allow(clippy::cast_precision_loss, reason = "shown rounded")]
    let mut value = size as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let text = fixed(value, usize::from(value < 99.95));
    format!("{} {}", text.strip_suffix(".0").unwrap_or(&text), UNITS[unit])
}

/// `1 game`, `2 games`: the count, grouped, with its noun.
#[must_use]
pub fn plural(number: u64, singular: &str, plural: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { singular } else { plural })
}

/// A moment as people write it: `2026-11-18 00:31 UTC`.
#[must_use]
pub fn date(ms_since_1970: u64) -> String {
    let minutes = ms_since_1970 / 60_000;
    let (days, minute) = (minutes / 1440, minutes % 1440);
    // Civil from days: years that begin in March put the leap day last.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02} UTC", minute / 60, minute % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(date(0), "1970-01-01 00:00 UTC");
        assert_eq!(date(951_827_640_000), "2000-02-29 12:34 UTC");
        assert_eq!(date(1_794_957_232_923), "2026-11-17 23:13 UTC");
    }

    #[test]
    fn groups_of_three() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(-1_234_567), "-1,234,567");
        assert_eq!(grouped(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(count(12_345), "12,345");
    }

    #[test]
    fn decimals_and_oddities() {
        assert_eq!(fixed(-0.04, 1), "0.0");
        assert_eq!(fixed(999.96, 1), "1,000.0");
        assert_eq!(fixed(f64::NAN, 1), "–");
        assert_eq!(fixed(f64::NEG_INFINITY, 1), "-∞");
        assert_eq!(signed(0.04, 1), "0.0");
        assert_eq!(signed(-2.0, 1), "-2.0");
        assert_eq!(figure(1234.5), "1,234");
        assert_eq!(figure(0.25), "0.25");
    }

    #[test]
    fn percent_never_claims_all_or_nothing_wrongly() {
        assert_eq!(percent(0, 0), "–");
        assert_eq!(percent(0, 1500), "0.0 %");
        assert_eq!(percent(1, 150_000), "0.1 %");
        assert_eq!(percent(149_999, 150_000), "99.9 %");
        assert_eq!(percent(1500, 1500), "100.0 %");
    }

    #[test]
    fn spans_of_time() {
        let of = |ns: u64| duration(Duration::from_nanos(ns));
        assert_eq!(of(0), "0 s");
        assert_eq!(of(850), "850 ns");
        assert_eq!(of(3_450), "3.5 µs");
        assert_eq!(of(2_300_000), "2.3 ms");
        assert_eq!(of(850_000_000), "850 ms");
        assert_eq!(of(999_900_000), "1.00 s");
        assert_eq!(of(59_990_000_000), "1 min 00 s");
        assert_eq!(of(3_725_000_000_000), "1 h 02 min");
    }

    #[test]
    fn compact_counts() {
        assert_eq!(compact(999.0), "999");
        assert_eq!(compact(1_000.0), "1k");
        assert_eq!(compact(4_865_609.0), "4.87M");
        assert_eq!(compact(999_600.0), "1M");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(16 << 20), "16 MiB");
        assert_eq!(plural(1, "game", "games"), "1 game");
    }
}
