//! Two runs side by side.

use super::{engines, value, when};
use crate::number;
use crate::row;
use crate::terminal::{Table, clean, left, right};
use dyno_store::{Measure, Run};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// What two runs have in common, and where they differ.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison<'a> {
    /// The earlier run.
    pub a: &'a Run,
    /// The later one.
    pub b: &'a Run,
    /// Why their figures should not be compared, if so.
    pub doubts: Vec<String>,
    /// Figures of both.
    pub figures: Vec<FigureChange>,
    /// Positions and checks whose outcome is another one.
    pub outcomes: Vec<OutcomeChange>,
}

/// A figure in both runs.
#[derive(Clone, Debug, Serialize)]
pub struct FigureChange {
    /// The figure in the first run.
    pub a: Measure,
    /// The figure in the second.
    pub b: Measure,
    /// The second by the first, of a speed; in units of the machine's own where both runs measured
    /// that.
    pub ratio: Option<f64>,
    /// Half the 95 % interval of the ratio, as a share of it, where both figures have intervals.
    pub error: Option<f64>,
    /// Whether it is in those units.
    pub corrected: bool,
    /// Whether the difference is beyond the intervals, where there are some.
    pub is_clear: bool,
}

impl FigureChange {
    fn of(a: &Measure, b: &Measure) -> Self {
        let same_work = a.yardstick.is_some() && a.yardstick == b.yardstick;
        let paces = a.pace.zip(b.pace).filter(|_| same_work);
        let (then, now) = paces.unwrap_or((a.value, b.value));
        let corrected = paces.is_some();
        let is_speed = corrected || a.metric.ends_with("nps");
        let ratio = Some(now / then).filter(|ratio| is_speed && ratio.is_finite());
        let error = ratio.and(half_width(a).zip(half_width(b))).map(|(x, y)| x.hypot(y));
        let is_clear = match (corrected, error, ratio) {
            (true, Some(error), Some(ratio)) => ratio.ln().abs() > error,
            _ => is_clear(a, b),
        };
        Self { a: a.clone(), b: b.clone(), ratio, error, corrected, is_clear }
    }

    /// What changed, in words: `-3.1 % ± 0.4 %` of a speed, `+3` of anything else.
    #[must_use]
    pub fn words(&self) -> String {
        let percent = |share: f64| 100.0 * share;
        match (self.ratio, self.error) {
            _ if self.a.value == self.b.value && !self.corrected => "same".to_owned(),
            (Some(ratio), Some(error)) => format!(
                "{} % ± {} %",
                number::signed(percent(ratio - 1.0), 1),
                number::fixed(percent(error), 1)
            ),
            (Some(ratio), None) => format!("{} %", number::signed(percent(ratio - 1.0), 1)),
            (None, _) => {
                let change = self.b.value - self.a.value;
                let digits = if change.fract() == 0.0 { 0 } else { 1 };
                number::signed(change, digits)
            }
        }
    }
}

/// Half the interval of a figure, as a share of it.
fn half_width(measure: &Measure) -> Option<f64> {
    let (low, high) = measure.low.zip(measure.high)?;
    Some((high / low).ln() / 2.0).filter(|half| half.is_finite())
}

/// A position or a check that came out differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutcomeChange {
    /// The position's or the check's name.
    pub name: String,
    /// What came of it in the first run.
    pub a: String,
    /// And in the second.
    pub b: String,
}

impl<'a> Comparison<'a> {
    /// Compares two runs; `outcomes` names what came of each position or check of a run.
    pub fn new(
        a: &'a Run,
        b: &'a Run,
        outcomes: impl Fn(&Run) -> BTreeMap<String, String>,
    ) -> Self {
        let mut doubts = Vec::new();
        if a.kind != b.kind {
            doubts.push(format!("one is a {}, the other a {}", a.kind, b.kind));
        } else if a.plan_hash() != b.plan_hash() {
            doubts.push("their plans differ: the figures may not mean the same".into());
        }
        if a.machine != b.machine {
            doubts.push("they ran on different machines: speeds cannot be compared".into());
        }
        let figures = a
            .measures
            .iter()
            .filter_map(|m| Some((m, partner(m, a, b)?)))
            .map(|(a, b)| FigureChange::of(a, b))
            .collect();
        Self { a, b, doubts, figures, outcomes: changed(&outcomes(a), &outcomes(b)) }
    }
}

/// The same figure of the other run. Where each has one engine, these two are compared, whatever
/// they are called.
fn partner<'r>(measure: &Measure, a: &Run, b: &'r Run) -> Option<&'r Measure> {
    let alone = match (&a.builds[..], &b.builds[..]) {
        ([one], [other]) if one.name == measure.subject => b.measure(&measure.metric, &other.name),
        _ => None,
    };
    b.measure(&measure.metric, &measure.subject).or(alone)
}

fn is_clear(a: &Measure, b: &Measure) -> bool {
    match (a.low.zip(a.high), b.low.zip(b.high)) {
        (Some(a), Some(b)) => a.1 < b.0 || b.1 < a.0,
        _ => a.value != b.value,
    }
}

fn changed(a: &BTreeMap<String, String>, b: &BTreeMap<String, String>) -> Vec<OutcomeChange> {
    let all = a.keys().chain(b.keys().filter(|name| !a.contains_key(*name)));
    let of = |run: &BTreeMap<String, String>, name: &str| {
        run.get(name).cloned().unwrap_or_else(|| "not there".into())
    };
    let change =
        |name: &String| OutcomeChange { name: name.clone(), a: of(a, name), b: of(b, name) };
    all.map(change).filter(|change| change.a != change.b).collect()
}

impl fmt::Display for Comparison<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (label, run) in [("A", self.a), ("B", self.b)] {
            let text = format!(
                "{} {}: {} [{}]",
                run.id.short(),
                when(run.started_ms),
                run.title,
                engines(run)
            );
            writeln!(f, "{label}  {}", clean(&text))?;
        }
        for doubt in &self.doubts {
            writeln!(f, "Note: {doubt}.")?;
        }
        let heads = [left("figure"), left("of"), right("A"), right("B"), right("change"), left("")];
        let mut table = Table::new(heads);
        for change in &self.figures {
            let (a, b) = (&change.a, &change.b);
            let clear = match (change.is_clear, a.low.is_some(), change.corrected) {
                (true, true, false) => "beyond the intervals",
                (false, true, false) => "within the intervals",
                (true, true, true) => "by the machine's speed; beyond the intervals",
                (false, true, true) => "by the machine's speed; within the intervals",
                (_, false, true) => "by the machine's speed",
                (_, false, false) => "",
            };
            let (metric, subject) = (a.metric.as_str(), a.subject.as_str());
            table.push(row![metric, subject, value(a), value(b), change.words(), clear]);
        }
        if table.is_empty() {
            writeln!(f, "\nThey have no figure in common.")?;
        } else {
            write!(f, "\n{table}")?;
        }
        if !self.outcomes.is_empty() {
            let mut table = Table::new(["what changed", "A", "B"].map(left));
            for change in &self.outcomes {
                table.push(row![change.name.as_str(), change.a.as_str(), change.b.as_str()]);
            }
            write!(f, "\n{table}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(a: Measure, b: Measure) -> FigureChange {
        FigureChange::of(&a, &b)
    }

    #[test]
    fn speeds_change_by_a_share_and_other_figures_by_a_difference() {
        let elo = |value| Measure::between("elo", "x", value, value - 5.0, value + 5.0);
        let gained = change(elo(-3.2), elo(1.5));
        assert_eq!((gained.words().as_str(), gained.is_clear), ("+4.7", false));
        let solved = |count| Measure::exact("solved", "x", count);
        assert_eq!(change(solved(254.0), solved(257.0)).words(), "+3");
        assert_eq!(change(solved(254.0), solved(254.0)).words(), "same");
        let speed = |nps: f64| Measure::between("nps", "x", nps, 0.99 * nps, 1.01 * nps);
        let slower = change(speed(1e6), speed(0.97e6));
        assert_eq!((slower.words().as_str(), slower.is_clear), ("-3.0 % ± 1.4 %", true));
        assert_eq!(change(Measure::exact("nps", "x", 8.0), speed(10.0)).words(), "+25.0 %");
    }

    #[test]
    fn speeds_of_a_busy_machine_are_compared_by_its_yardstick() {
        let speed = |nps: f64, pace: f64, unit: &str| Measure {
            pace: Some(pace),
            yardstick: Some(unit.to_owned()),
            ..Measure::between("nps", "x", nps, 0.995 * nps, 1.005 * nps)
        };
        let same = change(speed(1e6, 1.0, "y"), speed(0.5e6, 1.001, "y"));
        assert_eq!((same.words().as_str(), same.is_clear), ("+0.1 % ± 0.7 %", false));
        let other = change(speed(1e6, 1.0, "y"), speed(0.5e6, 1.001, "z"));
        assert_eq!((other.corrected, other.is_clear), (false, true), "another yardstick");
    }
}
