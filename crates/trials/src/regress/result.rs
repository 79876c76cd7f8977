//! What a battery yields, and what the next one is held against: the same value serves as both.

use crate::check::Verdict;
use dyno_driver::{EngineIdentity, RunHeader};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A part of the battery, in the order of running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Section {
    Perft,
    Suite,
    Check,
    Bench,
    Match,
}

impl Section {
    pub const ALL: [Section; 5] =
        [Section::Perft, Section::Suite, Section::Check, Section::Bench, Section::Match];

    /// The name in `dyno.toml` and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Section::Perft => "perft",
            Section::Suite => "suite",
            Section::Check => "check",
            Section::Bench => "bench",
            Section::Match => "match",
        }
    }
}

impl std::str::FromStr for Section {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = || Section::ALL.into_iter();
        known().find(|s| s.name() == text).ok_or_else(|| {
            let names: Vec<&str> = known().map(Section::name).collect();
            format!("unknown section {text:?}: {}", names.join(", "))
        })
    }
}

/// One thing that was judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    pub id: String,
    pub verdict: Verdict,
    pub summary: String,
    /// Evidence, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// What to type to see it again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reproduce: Vec<String>,
}

impl Case {
    pub(super) fn new(id: impl Into<String>, verdict: Verdict, summary: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            verdict,
            summary: summary.into(),
            details: Vec::new(),
            reproduce: Vec::new(),
        }
    }

    pub(super) fn details(mut self, lines: impl IntoIterator<Item = String>) -> Self {
        self.details.extend(lines);
        self
    }

    pub(super) fn reproduce(mut self, lines: impl IntoIterator<Item = String>) -> Self {
        self.reproduce.extend(lines);
        self
    }

    /// What a report shows below it: so much of the evidence, and the lines to type, which are of no
    /// use unless they are all there.
    #[must_use]
    pub fn shown(&self, most: usize) -> Vec<String> {
        let mut lines: Vec<String> = self.details.iter().take(most).cloned().collect();
        match self.details.len() - lines.len() {
            0 => {}
            1 => lines.push("… and 1 more line".to_owned()),
            more => lines.push(format!("… and {more} more lines")),
        }
        if !self.reproduce.is_empty() {
            lines.push("to see it again:".to_owned());
            lines.extend(self.reproduce.iter().map(|line| format!("  {line}")));
        }
        lines
    }
}

/// One step of the battery: a section, or one suite of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub section: Section,
    pub name: String,
    pub verdict: Verdict,
    /// The result in one line.
    pub summary: String,
    pub cases: Vec<Case>,
    /// What later batteries are compared by.
    #[serde(default)]
    pub figures: BTreeMap<String, f64>,
    pub seconds: f64,
}

impl Step {
    /// A step that is judged by its worst case.
    pub(super) fn new(section: Section, name: impl Into<String>, cases: Vec<Case>) -> Self {
        Self {
            section,
            name: name.into(),
            verdict: worst(&cases),
            summary: String::new(),
            cases,
            figures: BTreeMap::new(),
            seconds: 0.0,
        }
    }

    pub(super) fn summary(mut self, summary: impl Into<String>) -> Self {
        self.summary = summary.into();
        self
    }

    pub(super) fn figure(mut self, name: &str, value: Option<f64>) -> Self {
        if let Some(value) = value {
            self.figures.insert(name.to_owned(), value);
        }
        self
    }

    /// The cases that came out so.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        self.cases.iter().filter(|case| case.verdict == verdict).count()
    }
}

/// The gravest verdict; nothing at all is a skip.
fn worst(cases: &[Case]) -> Verdict {
    let has = |verdict| cases.iter().any(|case| case.verdict == verdict);
    [Verdict::Fail, Verdict::Warn, Verdict::Pass]
        .into_iter()
        .find(|v| has(*v))
        .unwrap_or(Verdict::Skip)
}

/// The whole battery.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RegressResult {
    #[serde(flatten)]
    pub header: RunHeader<Value>,
    pub engine: EngineIdentity,
    /// Who the baseline was made by, where there is one.
    pub baseline: Option<String>,
    /// By what work of Dyno's the machine's speed was measured.
    #[serde(default)]
    pub yardstick: Option<String>,
    pub steps: Vec<Step>,
    pub interrupted: bool,
}

impl RegressResult {
    /// The steps that came out so.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        self.steps.iter().filter(|step| step.verdict == verdict).count()
    }

    /// The step of that name in that section.
    #[must_use]
    pub fn step(&self, section: Section, name: &str) -> Option<&Step> {
        self.steps.iter().find(|s| s.section == section && s.name == name)
    }

    /// Marks every failure that was none in the baseline.
    pub(super) fn mark_new_failures(&mut self, baseline: &RegressResult) {
        for step in &mut self.steps {
            let Some(then) = baseline.step(step.section, &step.name) else { continue };
            for case in step.cases.iter_mut().filter(|case| case.verdict == Verdict::Fail) {
                let passed = |c: &&Case| c.id == case.id && c.verdict == Verdict::Pass;
                if then.cases.iter().any(|c| passed(&c)) {
                    case.summary += " (it passed in the baseline)";
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_is_cut_and_reproductions_are_not() {
        let lines = |n: usize| (0..n).map(|i| i.to_string()).collect::<Vec<_>>();
        let case = |details, reproduce| {
            Case::new("x", Verdict::Fail, "s").details(lines(details)).reproduce(lines(reproduce))
        };
        assert_eq!(case(2, 0).shown(2), ["0", "1"]);
        assert_eq!(case(3, 0).shown(2), ["0", "1", "… and 1 more line"]);
        assert_eq!(case(4, 0).shown(2), ["0", "1", "… and 2 more lines"]);
        assert_eq!(case(0, 40).shown(2).len(), 41);
        assert_eq!(case(1, 1).shown(2), ["0", "to see it again:", "  0"]);
    }
}
