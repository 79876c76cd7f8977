//! The bench that an engine brings itself: `ENGINE bench`, or `bench` typed to it.

use super::measure::ms;
use super::result::{Measure, Status};
use dyno_driver::{Engine, EngineError, EngineSpec, Settings, run_to_end};
use std::time::{Duration, Instant};

/// What the lines of a bench say so far.
#[derive(Debug, Default)]
struct Tally {
    nodes: Option<u64>,
    time_ms: Option<f64>,
    nps: Option<u64>,
}

impl Tally {
    fn hear(&mut self, line: &str) {
        self.nodes = nodes_of_line(line).or(self.nodes);
        self.time_ms = labelled(line, |l| l.contains("time") && l.contains("ms"))
            .map(|n| n as f64)
            .or(self.time_ms);
        self.nps = nps_of_line(line).or(self.nps);
    }

    fn into_measure(self, elapsed: Duration) -> Option<Measure> {
        let nodes = self.nodes?;
        // The engine's own clock leaves out its start; an elapsed time includes it.
        let by_speed = self.nps.filter(|nps| *nps > 0).map(|nps| nodes as f64 * 1e3 / nps as f64);
        let time_ms = self.time_ms.filter(|t| *t > 0.0).or(by_speed).unwrap_or(ms(elapsed));
        Some(Measure { nodes: Some(nodes), own_nps: self.nps, time_ms, ..Measure::default() })
    }
}

/// Runs the bench: as an argument first, as a command over UCI where that says nothing.
pub(super) fn own_bench(
    spec: &EngineSpec,
    command: &[String],
    settings: &Settings,
    patience: Duration,
) -> Result<Measure, EngineError> {
    let mut tally = Tally::default();
    let batch = run_to_end(spec, command, settings, patience, |line| tally.hear(line))?;
    batch.stderr.lines().for_each(|line| tally.hear(line));
    if let Some(measure) = tally.into_measure(batch.elapsed) {
        return Ok(measure);
    }
    if batch.exit.is_none() {
        let text = format!("no end of its own bench after {} s", patience.as_secs());
        return Ok(Measure::failed(Status::Overran, text));
    }
    over_uci(spec, &command.join(" "), settings, patience)
}

/// An engine that has done nothing for so long has come to the end of its bench.
const QUIET: Duration = Duration::from_millis(500);

fn over_uci(
    spec: &EngineSpec,
    command: &str,
    settings: &Settings,
    patience: Duration,
) -> Result<Measure, EngineError> {
    let mut engine = Engine::start(spec, settings)?;
    // An engine that answers `isready` has done what was asked before, or does not know it.
    let began = engine.send_line(&format!("{command}\nisready"))?;
    let deadline = began + patience;
    let mut tally = Tally::default();
    let (mut quiet_since, mut last, mut used) = (None, None, Duration::ZERO);
    loop {
        // After `readyok` a bench that runs beside the listening gets a moment to speak: its first
        // count may be that of one position.
        let until = match quiet_since {
            Some(at) => deadline.min(at + QUIET),
            None => deadline,
        };
        let Some((line, at)) = engine.read_line(Some(until))? else {
            let now_used = engine.usage().cpu;
            // Silent, but at work.
            if now_used > used + QUIET / 5 && Instant::now() < deadline {
                (used, quiet_since) = (now_used, Some(Instant::now()));
                continue;
            }
            break;
        };
        if quiet_since.is_some() || line.trim() == "readyok" {
            quiet_since = Some(at);
        }
        tally.hear(line);
        last = Some(at);
    }
    let elapsed = last.unwrap_or_else(Instant::now) - began;
    engine.stderr().lines().for_each(|line| tally.hear(line));
    engine.quit();
    Ok(tally.into_measure(elapsed).unwrap_or_else(|| {
        let text = format!(
            "no bench of its own: neither the argument `{command}` nor the command over UCI printed \
             a number of nodes"
        );
        Measure::failed(Status::NoBench, text)
    }))
}

/// The number of nodes a line of a bench's summary tells: `Nodes searched  : 3467381`,
/// `Total nodes: 3467381`, `3467381 nodes 1771333 nps`, `Bench: 3467381`.
#[must_use]
pub fn nodes_of_line(line: &str) -> Option<u64> {
    let words: Vec<&str> = line.split_whitespace().collect();
    if words.first().is_some_and(|word| word.eq_ignore_ascii_case("info")) {
        return None;
    }
    let counted =
        words.windows(2).find(|pair| pair[1].trim_matches(',').eq_ignore_ascii_case("nodes"));
    if let Some(count) = counted.and_then(|pair| number(pair[0])) {
        return Some(count);
    }
    labelled(line, |label| {
        let is_rate = ["second", "/s", "nps", "per"].iter().any(|word| label.contains(word));
        let is_sum = label.contains("nodes") || matches!(label.trim(), "bench" | "signature");
        is_sum && !is_rate
    })
}

/// The speed a line tells: `Nodes/second : 1771333`, `… 1771333 nps`.
fn nps_of_line(line: &str) -> Option<u64> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let before_nps = words.windows(2).find(|pair| pair[1].eq_ignore_ascii_case("nps"));
    before_nps.and_then(|pair| number(pair[0])).or_else(|| {
        labelled(line, |l| l.contains("nodes/s") || l.contains("nps") || l.contains("per second"))
    })
}

/// The number after a label that is wanted.
fn labelled(line: &str, wanted: impl Fn(&str) -> bool) -> Option<u64> {
    let (label, value) = line.split_once([':', '='])?;
    if !wanted(&label.to_ascii_lowercase()) {
        return None;
    }
    number(value.split_whitespace().next()?)
}

/// Digits, perhaps grouped.
fn number(word: &str) -> Option<u64> {
    let is_grouping = |c: char| matches!(c, ',' | '_' | '\'' | '.');
    let digits: String =
        word.trim_end_matches(['.', ',']).chars().filter(|c| !is_grouping(*c)).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wordings_of_benches() {
        for (line, nodes) in [
            ("Nodes searched  : 3467381", Some(3_467_381)),
            ("Nodes searched: 1,234,567", Some(1_234_567)),
            ("Total nodes = 42", Some(42)),
            ("3467381 nodes 1771333 nps", Some(3_467_381)),
            ("OVERALL:    3467381 nodes   1771333 nps", Some(3_467_381)),
            ("Bench: 3467381", Some(3_467_381)),
            ("Nodes/second    : 1771333", None),
            ("NPS: 1771333", None),
            ("Total time (ms) : 1957", None),
            ("info depth 5 nodes 1000 nps 2000", None),
            ("Position: 3/30 (8/8/8/8/8/8/8/8 w - -) 17", None),
            ("", None),
        ] {
            assert_eq!(nodes_of_line(line), nodes, "{line}");
        }
        assert_eq!(nps_of_line("3467381 nodes 1771333 nps"), Some(1_771_333));
        assert_eq!(nps_of_line("Nodes/second    : 1771333"), Some(1_771_333));
    }

    #[test]
    fn the_engines_clock_is_preferred() {
        let mut tally = Tally::default();
        tally.hear("1000 nodes 500 nps");
        let measure = tally.into_measure(Duration::from_secs(9)).map(|m| m.time_ms);
        assert_eq!(measure, Some(2000.0));
        assert!(Tally::default().into_measure(Duration::ZERO).is_none());
    }
}
