//! The history at a prompt: lists, one run, two runs side by side, one figure over time.

mod compare;
pub mod html;
mod list;
mod run;
mod trend;

pub use compare::Comparison;
pub use list::{RunList, RunView};
pub use run::{outcomes, run_of_saved};
pub use trend::TrendView;

use crate::number;
use dyno_store::{Measure, Run};

/// Day and minute in UTC.
fn when(ms: i64) -> String {
    let (day, time) = dyno_tournament::pgn::utc(u64::try_from(ms).unwrap_or_default());
    format!("{} {}", day.replace('.', "-"), &time[..5])
}

/// The engines of a run with their builds.
fn engines(run: &Run) -> String {
    let one = |part: &dyno_store::RunBuild| format!("{} {}", part.name, part.build.label());
    run.builds.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// A figure with its interval, where it has one.
fn value(measure: &Measure) -> String {
    let of = |x: f64| number::figure(x);
    match measure.low.zip(measure.high) {
        Some((low, high)) => format!("{} [{}, {}]", of(measure.value), of(low), of(high)),
        None => of(measure.value),
    }
}
