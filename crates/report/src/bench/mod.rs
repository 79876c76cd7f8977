//! Reports of a bench: at the prompt ([`terminal`]) and as a page ([`html`]).

pub mod html;
pub mod terminal;

use crate::number;
use dyno_stats::{Interval, Spread};
use dyno_trials::bench::{Basis, Clock, Comparison, EngineBench, Measure, SpeedRatio, Status};
use std::time::Duration;

fn duration(ms: f64) -> String {
    number::duration(Duration::from_secs_f64((ms / 1e3).max(0.0)))
}

/// `1,234,567/s`.
fn speed(nps: f64) -> String {
    format!("{}/s", number::fixed(nps, 0))
}

/// `1,234,567/s, median of 5 runs from 1.22M to 1.25M (2.4 %)`.
fn speeds(spread: &Spread) -> String {
    if spread.count == 1 {
        return speed(spread.median);
    }
    format!(
        "{}, median of {} runs from {} to {} ({})",
        speed(spread.median),
        spread.count,
        number::compact(spread.least),
        number::compact(spread.most),
        number::share(spread.relative()),
    )
}

/// `+5.2 % (+4.1 % to +6.3 %)`.
fn percent_change(ratio: &Interval) -> String {
    let percent = |ratio: f64| format!("{} %", number::signed((ratio - 1.0) * 100.0, 1));
    format!("{} ({} to {})", percent(ratio.mean), percent(ratio.low), percent(ratio.high))
}

/// The signature and how far it can be trusted.
fn signature(engine: &EngineBench) -> String {
    match (engine.signature, engine.reproducible) {
        (Some(nodes), Some(_)) => {
            format!("{nodes} (the same in all {} runs)", engine.runs.len())
        }
        (Some(nodes), None) => {
            format!("{nodes} (one run: --runs 2 shows whether it is reproducible)")
        }
        (None, Some(false)) => format!(
            "none: the node counts of {} differ from run to run",
            number::plural(engine.unsteady.len() as u64, "position", "positions")
        ),
        (None, _) => "none: not every position was searched and counted".to_owned(),
    }
}

/// The verdict on two engines in a sentence.
fn verdict(ratio: &SpeedRatio, base: &str, engine: &str) -> String {
    let change = percent_change(&ratio.ratio);
    let sure = match (ratio.is_certain(), ratio.ratio.mean > 1.0) {
        (true, true) => "faster",
        (true, false) => "slower",
        (false, _) => "no difference can be told",
    };
    let basis = match ratio.basis {
        Basis::Runs => number::plural(ratio.values as u64, "run", "runs"),
        Basis::Positions => number::plural(ratio.values as u64, "position", "positions"),
    };
    let left_out = match ratio.left_out {
        0 => String::new(),
        n => format!(", {n} searches under 2 ms left out"),
    };
    let clock = match ratio.clock {
        Clock::Processor => ", by processor time",
        Clock::Wall => "",
    };
    let functional = match ratio.same_signature {
        Some(true) => "; same signature: no functional change",
        Some(false) => "; the signatures differ: these are not the same searches",
        None => "",
    };
    format!(
        "{engine} against {base}: {change}, 95 % interval over {basis}{clock}{left_out}: {sure}{functional}"
    )
}

/// The verdict on an engine now and then.
fn compared(comparison: &Comparison) -> Vec<String> {
    let mut lines = Vec::new();
    let signature = match (comparison.signature, comparison.earlier_signature) {
        (Some(now), Some(then)) if now == then => format!("signature {now}: unchanged"),
        (Some(now), Some(then)) => format!("signature {now}, then {then}: a functional change"),
        _ => "signature: not known in both".to_owned(),
    };
    lines.push(signature);
    let (Some(now), Some(then)) = (&comparison.speed, &comparison.earlier_speed) else {
        lines.push("speed: not known in both".to_owned());
        return lines;
    };
    let percent = |ratio: f64| format!("{} %", number::signed((ratio - 1.0) * 100.0, 1));
    let plain = percent(now.median / then.median);
    lines.push(format!("speed {}, then {}: {plain}", speed(now.median), speed(then.median)));
    lines.push(match (comparison.machine, comparison.corrected, &comparison.ratio) {
        (Some(machine), Some(_), Some(ratio)) => format!(
            "by processor time, with the machine at {} of its speed then: {}: {}",
            number::share(machine),
            percent_change(ratio),
            match (ratio.contains(1.0), ratio.mean > 1.0) {
                (true, _) => "no difference can be told",
                (false, true) => "faster",
                (false, false) => "slower",
            }
        ),
        (Some(machine), Some(corrected), None) => format!(
            "by processor time, with the machine at {} of its speed then: {}; no interval with \
             fewer than three runs in each bench (--runs 5)",
            number::share(machine),
            percent(corrected)
        ),
        _ => "how fast the machine was then is not known: this does not measure the change"
            .to_owned(),
    });
    lines
}

/// What happened to a position, in a word or two.
fn trouble(measure: &Measure) -> &'static str {
    match measure.status {
        Status::Done => "",
        Status::RanOn => "stopped at the depth",
        Status::Overran => "not done in time",
        Status::Hung => "hung",
        Status::Crashed => "crashed",
        Status::NoBench => "no bench",
    }
}
