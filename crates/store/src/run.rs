//! A run and its parts, as values.

use serde::{Deserialize, Serialize};
use std::fmt;
use uuid::Uuid;

/// The name of a run: unique everywhere, and sorted by the time it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(Uuid);

impl RunId {
    /// A new one.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "each is different from every other")]
    pub fn new() -> Self {
        Self(Uuid::now_v7())
    }

    /// The name of a run that was saved elsewhere: the same content is always the same run.
    #[must_use]
    pub fn of_content(created_ms: u64, content: &[u8]) -> Self {
        let hash = blake3::hash(content);
        let mut random = [0; 10];
        random.copy_from_slice(&hash.as_bytes()[..10]);
        Self(uuid::Builder::from_unix_timestamp_millis(created_ms, &random).into_uuid())
    }

    pub(crate) const NIL: Self = Self(Uuid::nil());

    pub(crate) fn parse(text: &str) -> Option<Self> {
        Uuid::try_parse(text).ok().map(Self)
    }

    /// The last characters, which differ even between runs of one second: enough to type.
    #[must_use]
    pub fn short(&self) -> String {
        let text = self.to_string();
        text[text.len() - 8..].to_owned()
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One command that measured something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its name.
    pub id: RunId,
    /// The command: `check`, `suite`, `match` …
    pub kind: String,
    /// What was measured, in a few words.
    pub title: String,
    /// The version of Dyno.
    pub dyno: String,
    /// Milliseconds since 1970.
    pub started_ms: i64,
    /// Milliseconds it took.
    pub elapsed_ms: i64,
    /// Where it ran.
    pub machine: Machine,
    /// What was asked for: only what decides the figures, so that equal plans are comparable.
    pub plan: serde_json::Value,
    /// How it ended.
    pub ending: Ending,
    /// What the command told its shell.
    pub exit_code: i32,
    /// Later runs are compared with this one; its details are never pruned.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub baseline: bool,
    /// The engines, in their order.
    pub builds: Vec<RunBuild>,
    /// Files that were written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artefacts: Vec<Artefact>,
    /// The figures.
    pub measures: Vec<Measure>,
    /// The whole result, as `--json` prints it; absent once pruned, and in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<serde_json::Value>,
}

impl Run {
    /// Equal where plans are comparable.
    #[must_use]
    pub fn plan_hash(&self) -> String {
        plan_hash(&self.kind, &self.plan)
    }

    /// A figure by its name.
    #[must_use]
    pub fn measure(&self, metric: &str, subject: &str) -> Option<&Measure> {
        self.measures.iter().find(|m| m.metric == metric && m.subject == subject)
    }
}

/// The fingerprint of a plan: object keys are sorted, so that equal plans have equal ones.
#[must_use]
pub fn plan_hash(kind: &str, plan: &serde_json::Value) -> String {
    let text = format!("{kind}\n{plan}");
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// All was as it should be.
    Passed,
    /// Measured to the end, and found wanting.
    Failed,
    /// Stopped by the user; the figures are of what was done until then.
    Interrupted,
    /// Could not be measured to the end.
    Error,
}

impl Ending {
    /// Its name in the database and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Ending::Passed => "passed",
            Ending::Failed => "failed",
            Ending::Interrupted => "interrupted",
            Ending::Error => "error",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        let all = [Ending::Passed, Ending::Failed, Ending::Interrupted, Ending::Error];
        all.into_iter().find(|ending| ending.name() == name)
    }
}

/// What decides a machine's speed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Machine {
    /// Its host name.
    pub name: String,
    /// The processor's model.
    pub cpu: String,
    /// Logical processors.
    pub cores: u32,
    /// Operating system and architecture.
    pub system: String,
}

/// A program as it was when it was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The fingerprint of its file.
    pub file_hash: String,
    /// What it calls itself.
    pub uci_name: String,
    /// The commit of the repository its file lies in; empty outside of one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub commit: String,
    /// The branch, likewise.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub branch: String,
    /// The work tree had changes that were not committed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dirty: bool,
    /// The nodes of its bench, where one was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<u64>,
}

impl Build {
    /// Short enough for a table: the commit, or else the file's fingerprint.
    #[must_use]
    pub fn label(&self) -> String {
        let of = if self.commit.is_empty() { &self.file_hash } else { &self.commit };
        let short: String = of.chars().take(8).collect();
        if self.dirty { format!("{short}+") } else { short }
    }
}

/// An engine's part in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunBuild {
    /// What the run calls it.
    pub name: String,
    /// The program.
    pub build: Build,
}

/// A file that a run wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artefact {
    /// `html`, `pgn`, `journal` …
    pub kind: String,
    /// Its path.
    pub path: String,
}

/// A figure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// What was measured: `nps`, `solved`, `elo` …
    pub metric: String,
    /// Of what: an engine, a position, a check.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subject: String,
    /// The figure.
    pub value: f64,
    /// The lower end of its 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// The upper end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// From how many observations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<i64>,
    /// The value in units of the machine's speed of that moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pace: Option<f64>,
    /// What that unit was: paces of different yardsticks cannot be compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yardstick: Option<String>,
}

impl Measure {
    /// A figure that has no interval.
    #[must_use]
    pub fn exact(metric: &str, subject: &str, value: f64) -> Self {
        Self { metric: metric.into(), subject: subject.into(), value, ..Self::default() }
    }

    /// A figure with its 95 % interval.
    #[must_use]
    pub fn between(metric: &str, subject: &str, value: f64, low: f64, high: f64) -> Self {
        Self { low: Some(low), high: Some(high), ..Self::exact(metric, subject, value) }
    }

    /// With the number of observations.
    #[must_use]
    pub fn of(self, n: u64) -> Self {
        Self { n: i64::try_from(n).ok(), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn equal_plans_have_equal_hashes_however_they_are_written() {
        let plan = |text: &str| serde_json::from_str(text).unwrap_or_default();
        let a: serde_json::Value = plan(r#"{"nodes": 1000, "suite": "wac"}"#);
        let b: serde_json::Value = plan(r#"{"suite":"wac","nodes":1000}"#);
        assert_eq!(plan_hash("suite", &a), plan_hash("suite", &b));
        assert_ne!(plan_hash("suite", &a), plan_hash("mate", &a));
        assert_ne!(plan_hash("suite", &a), plan_hash("suite", &json!({"nodes": 1001})));
    }

    #[test]
    fn runs_sort_by_time_and_have_a_short_name() {
        let ids: Vec<RunId> = (0..100).map(|_| RunId::new()).collect();
        assert!(ids.is_sorted());
        assert_eq!(ids[0].short().len(), 8);
        assert_eq!(RunId::parse(&ids[7].to_string()), Some(ids[7]));
    }
}
