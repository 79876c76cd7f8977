//! The picture of a plan.

use super::PlanReport;
use super::status::unit;
use crate::html::{LineChart, Series};

/// The probability of passing over the true strength, as a picture of its own; simulated
/// strengths are dots.
pub fn pass_chart(report: &PlanReport) -> String {
    let sprt = report.plan().sprt();
    let bounds = sprt.bounds();
    let unit = unit(sprt.model());
    let title =
        format!("SPRT from {} to {} {unit}: how often it passes", bounds.elo0(), bounds.elo1());
    let curve = report.curve().iter().map(|e| (e.elo, e.pass));
    let mut chart = LineChart::new(title)
        .x("true difference, Elo")
        .y("probability of passing")
        .y_range(0.0, 1.0)
        .percent()
        .series(Series::new("expected", curve))
        .bound(bounds.alpha(), "α")
        .bound(1.0 - bounds.beta(), "1 − β");
    let simulated: Vec<(f64, f64)> = report
        .strengths()
        .iter()
        .filter_map(|s| s.simulated.as_ref())
        .map(|s| (s.elo, s.pass()))
        .collect();
    if !simulated.is_empty() {
        chart = chart.series(Series::new("simulated", simulated).dots());
    }
    chart.svg()
}
