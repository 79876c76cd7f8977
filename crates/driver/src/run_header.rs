//! The header that every result carries: enough to know the run again, and to repeat it.

use crate::identity::EngineIdentity;
use crate::machine::Machine;
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What a run was: when, by which Dyno, on which machine, with which engines and which plan.
///
/// Every result flattens it into its own JSON, so that its fields stand at the top level there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunHeader<P> {
    /// The version of the layout of results: [`SCHEMA`] in what this version writes.
    pub schema: u32,
    /// What was run: `suite`, `match` …
    #[serde(default)]
    pub kind: String,
    /// The version of Dyno. Results of version 0.1 may call it `version`.
    #[serde(alias = "version")]
    pub dyno_version: String,
    /// When it began: milliseconds since 1970.
    #[serde(default)]
    pub created_ms: u64,
    /// How long it took.
    #[serde(default)]
    pub seconds: f64,
    /// The command line, word by word.
    #[serde(default)]
    pub command: Vec<String>,
    /// What decided everything random; absent where nothing was.
    #[serde(default)]
    pub seed: Option<u64>,
    /// Where it ran.
    #[serde(default)]
    pub machine: Machine,
    /// What was asked for.
    #[serde(default)]
    pub plan: P,
    /// The engines that took part.
    #[serde(default, rename = "ids")]
    pub engines: Vec<EngineIdentity>,
}

/// The version of the layout of results. Raised when a reader of older results would misunderstand
/// newer ones.
pub const SCHEMA: u32 = 2;

impl<P> RunHeader<P> {
    /// The header of a run that begins now.
    pub fn begin(kind: &str, plan: P) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            schema: SCHEMA,
            kind: kind.to_owned(),
            dyno_version: env!("CARGO_PKG_VERSION").to_owned(),
            created_ms: now.as_millis() as u64,
            seconds: 0.0,
            command: command_line(),
            seed: None,
            machine: Machine::this(),
            plan,
            engines: Vec::new(),
        }
    }

    /// The same with what decides everything random.
    #[must_use]
    pub fn seed(mut self, seed: Option<u64>) -> Self {
        self.seed = seed;
        self
    }

    /// The same with the engines that take part.
    #[must_use]
    pub fn engines(mut self, engines: Vec<EngineIdentity>) -> Self {
        self.engines = engines;
        self
    }

    /// How long it took.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        Duration::try_from_secs_f64(self.seconds).unwrap_or_default()
    }
}

/// The words of this process's command line, the program by its name alone.
fn command_line() -> Vec<String> {
    let mut words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let program = words.next().unwrap_or_default();
    let name = std::path::Path::new(&program).file_stem();
    let name = name.map_or_else(|| program.clone(), |name| name.to_string_lossy().into_owned());
    std::iter::once(name).chain(words).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Result {
        #[serde(flatten)]
        header: RunHeader<Vec<u32>>,
        engines: u64,
    }

    #[test]
    fn a_header_stands_at_the_top_level_and_comes_back() {
        let engine = EngineIdentity { name: "one".into(), ..EngineIdentity::default() };
        let header = RunHeader::begin("test", vec![1, 2]).seed(Some(7)).engines(vec![engine]);
        let result = Result { header, engines: 3 };
        let text = serde_json::to_string(&result).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&value["schema"], &value["seed"]), (&SCHEMA.into(), &7.into()));
        assert_eq!((&value["ids"][0]["name"], &value["engines"]), (&"one".into(), &3.into()));
        assert_eq!(serde_json::from_str::<Result>(&text).unwrap(), result);
    }

    #[test]
    fn headers_of_the_first_version_are_read() {
        for name in ["version", "dyno_version"] {
            let text = format!("{{\"schema\":1,\"{name}\":\"0.1.0\",\"elapsed_ms\":5}}");
            let header: RunHeader<()> = serde_json::from_str(&text).unwrap();
            assert_eq!((header.schema, header.dyno_version.as_str()), (1, "0.1.0"));
            assert!(header.kind.is_empty() && header.engines.is_empty());
        }
    }
}
