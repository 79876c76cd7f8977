//! `dyno.toml`: what a project wants to be held to.

use super::Section;
use crate::check::{CATALOGUE, Group, Profile};
use dyno_driver::{EngineSpec, Go, Protocol, SpecError};
use dyno_suites::{Kind, builtins};
use dyno_uci::nearest_name;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The whole file.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub engine: EngineConfig,
    pub perft: Option<PerftConfig>,
    #[serde(default, rename = "suite")]
    pub suites: Vec<SuiteConfig>,
    pub check: Option<CheckConfig>,
    pub bench: Option<BenchConfig>,
    #[serde(rename = "match")]
    pub game_match: Option<MatchConfig>,
}

/// `[engine]`: what is tested.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EngineConfig {
    pub command: String,
    pub name: Option<String>,
    #[serde(default)]
    pub args: Vec<String>,
    pub dir: Option<PathBuf>,
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    #[serde(default)]
    pub options: toml::Table,
    pub protocol: Option<String>,
}

/// `[perft]`: positions whose moves are counted.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PerftConfig {
    /// How deep the six usual positions are counted, and the file's at most.
    #[serde(default = "four")]
    pub depth: u32,
    /// Whether the usual positions are counted at all.
    #[serde(default = "yes")]
    pub usual: bool,
    /// A file of counts, as `dyno perft --suite` takes it.
    pub file: Option<PathBuf>,
    /// A built-in suite of counts: `standard` or `chess960`.
    pub suite: Option<String>,
    /// The largest count of the suite that is asked for.
    #[serde(default = "fifty_thousand")]
    pub max_nodes: u64,
    /// Positions of the project's own.
    #[serde(default, rename = "position")]
    pub positions: Vec<PerftPosition>,
}

/// `[[perft.position]]`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PerftPosition {
    pub name: Option<String>,
    pub fen: String,
    pub depth: u32,
}

/// `[[suite]]`: an EPD suite and the least score.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteConfig {
    /// A file, or the name of a built-in suite.
    pub epd: String,
    pub name: Option<String>,
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    pub movetime: Option<u64>,
    pub limit: Option<u64>,
    /// Per cent.
    pub min_score: Option<f64>,
    /// Percentage points below the baseline that are still well.
    pub max_drop: Option<f64>,
    #[serde(default = "one")]
    pub concurrency: usize,
}

/// `[check]`: the examination.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct CheckConfig {
    pub profile: Profile,
    pub only: Vec<String>,
    pub skip: Vec<String>,
    /// Checks whose warnings and failures are known and accepted.
    pub allow: Vec<String>,
    /// Whether a warning fails the battery.
    pub fail_on_warning: bool,
    pub seed: Option<u64>,
    pub games: Option<u32>,
    pub concurrency: Option<usize>,
}

/// `[bench]`: signature and speed.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BenchConfig {
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    pub movetime: Option<u64>,
    /// The engine's own bench instead, by this command.
    pub own: Option<String>,
    pub epd: Option<PathBuf>,
    #[serde(default = "two")]
    pub runs: u32,
    pub signature: Option<Wanted>,
    /// Per cent slower than the baseline that are still well.
    pub speed_tolerance: Option<f64>,
    /// Measure in turn with this engine, and hold the speed against it.
    pub against: Option<String>,
}

/// The signature that is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(untagged)]
pub enum Wanted {
    Nodes(u64),
    /// `"baseline"`: the one of the baseline.
    Word(String),
}

/// `[match]`: a match against an older version.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct MatchConfig {
    pub opponent: Option<String>,
    pub tc: Option<String>,
    /// Seconds a move.
    pub st: Option<f64>,
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    #[serde(default = "five_hundred")]
    pub games: u32,
    #[serde(default = "one")]
    pub concurrency: usize,
    pub openings: Option<PathBuf>,
    pub pgn: Option<PathBuf>,
    #[serde(default)]
    pub seed: u64,
    #[serde(default = "minus_ten")]
    pub elo0: f64,
    #[serde(default = "five")]
    pub elo1: f64,
    #[serde(default = "a_twentieth")]
    pub alpha: f64,
    #[serde(default = "a_twentieth")]
    pub beta: f64,
    #[serde(default)]
    pub model: dyno_stats::Model,
    /// Whether a test without a verdict fails the battery.
    #[serde(default)]
    pub fail_undecided: bool,
}

fn yes() -> bool {
    true
}

fn one() -> usize {
    1
}

fn two() -> u32 {
    2
}

fn four() -> u32 {
    4
}

fn fifty_thousand() -> u64 {
    50_000
}

fn five_hundred() -> u32 {
    500
}

fn minus_ten() -> f64 {
    -10.0
}

fn five() -> f64 {
    5.0
}

fn a_twentieth() -> f64 {
    0.05
}

/// What is wrong with the file.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("cannot read {}: {source}", .path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{}:{line}: {message}", .path.display())]
    Format { path: PathBuf, line: usize, message: String },
    #[error("{}: [{section}]: {message}", .path.display())]
    Value { path: PathBuf, section: String, message: String },
}

impl Config {
    /// Reads and checks the file.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ConfigError::Read { path: path.to_owned(), source })?;
        Self::parse(path, &text)
    }

    /// Reads and checks a text; `path` is for the messages.
    pub fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let config: Config = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let line = text.as_bytes().iter().take(at).filter(|b| **b == b'\n').count() + 1;
            ConfigError::Format { path: path.to_owned(), line, message: explain(error.message()) }
        })?;
        config.check().map_err(|(section, message)| ConfigError::Value {
            path: path.to_owned(),
            section: section.to_owned(),
            message,
        })?;
        Ok(config)
    }

    fn check(&self) -> Result<(), (&'static str, String)> {
        let at = |section: &'static str| move |message: String| (section, message);
        for (index, suite) in self.suites.iter().enumerate() {
            let name = super::suite::name(suite);
            if self.suites[..index].iter().any(|other| super::suite::name(other) == name) {
                let message = format!("two are called {name:?}: give one of them a name = \"...\"");
                return Err(("[suite]", message));
            }
            let of = |message: String| ("[suite]", format!("{}: {message}", suite.epd));
            limit(suite.depth, suite.nodes, suite.movetime).map_err(of)?;
            percent("min_score", suite.min_score).map_err(of)?;
            percent("max_drop", suite.max_drop).map_err(of)?;
            positive("concurrency", suite.concurrency as u64).map_err(of)?;
        }
        if let Some(perft) = &self.perft {
            positive("depth", perft.depth.into()).map_err(at("perft"))?;
            for position in &perft.positions {
                positive("position.depth", position.depth.into()).map_err(at("perft"))?;
                dyno_chess::Position::from_fen(&position.fen)
                    .map_err(|e| ("perft", format!("fen {:?}: {e}", position.fen)))?;
            }
            if let Some(suite) = &perft.suite {
                known_suite(suite).map_err(at("perft"))?;
            }
            let more = perft.file.is_some() || perft.suite.is_some();
            if !perft.usual && perft.positions.is_empty() && !more {
                let message = "usual = false, but neither suite nor file nor [[perft.position]]";
                return Err(("perft", message.to_owned()));
            }
        }
        if let Some(bench) = &self.bench {
            limit(bench.depth, bench.nodes, bench.movetime).map_err(at("bench"))?;
            positive("runs", bench.runs.into()).map_err(at("bench"))?;
            percent("speed_tolerance", bench.speed_tolerance).map_err(at("bench"))?;
            if let Some(Wanted::Word(word)) = &bench.signature
                && word != "baseline"
            {
                let message = format!("signature must be a number or \"baseline\", not {word:?}");
                return Err(("bench", message));
            }
        }
        if let Some(check) = &self.check {
            let names = check.only.iter().chain(&check.skip).chain(&check.allow);
            { names }.try_for_each(|name| known_check(name)).map_err(at("check"))?;
        }
        if let Some(game_match) = &self.game_match {
            positive("games", game_match.games.into()).map_err(at("match"))?;
            positive("concurrency", game_match.concurrency as u64).map_err(at("match"))?;
        }
        Ok(())
    }

    /// What decides the figures: the file without the engine and without the bars it is held to.
    #[must_use]
    pub fn work(&self) -> Value {
        const BARS: [&str; 8] = [
            "signature",
            "speed_tolerance",
            "min_score",
            "max_drop",
            "allow",
            "fail_on_warning",
            "against",
            "concurrency",
        ];
        fn without_bars(value: &mut Value) {
            match value {
                Value::Object(fields) => {
                    fields.retain(|name, _| !BARS.contains(&name.as_str()));
                    fields.values_mut().for_each(without_bars);
                }
                Value::Array(values) => values.iter_mut().for_each(without_bars),
                _ => {}
            }
        }
        let mut work = serde_json::to_value(self).unwrap_or_default();
        if let Some(sections) = work.as_object_mut() {
            sections.remove("engine");
        }
        without_bars(&mut work);
        work
    }

    /// The sections the file has.
    #[must_use]
    pub fn sections(&self) -> Vec<Section> {
        let has = |section: &Section| match section {
            Section::Perft => self.perft.is_some(),
            Section::Suite => !self.suites.is_empty(),
            Section::Check => self.check.is_some(),
            Section::Bench => self.bench.is_some(),
            Section::Match => self.game_match.is_some(),
        };
        Section::ALL.into_iter().filter(has).collect()
    }
}

impl EngineConfig {
    /// What to run; paths are relative to the folder of the file.
    pub fn spec(&self, folder: &Path) -> Result<EngineSpec, SpecError> {
        let mut spec = spec_of(&self.command, folder)?;
        if let Some(protocol) = &self.protocol {
            spec.protocol = protocol.parse::<Protocol>()?;
        }
        spec.args.extend(self.args.iter().cloned());
        spec.name.clone_from(&self.name);
        spec.dir = self.dir.as_ref().map(|dir| folder.join(dir));
        spec.env = self.env.clone().into_iter().collect();
        let text = |value: &toml::Value| match value {
            toml::Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        spec.options = self.options.iter().map(|(k, v)| (k.clone(), text(v))).collect();
        Ok(spec)
    }
}

/// An engine by its command, looked for beside the file first.
pub(super) fn spec_of(command: &str, folder: &Path) -> Result<EngineSpec, SpecError> {
    // Without the `./././engine` that joining would make of a path that says so already.
    let beside = |path: &Path| folder.join(path.strip_prefix(".").unwrap_or(path));
    let program = beside(Path::new(command));
    if command != "builtin" && program.is_file() {
        return Ok(EngineSpec::program(program));
    }
    let mut spec: EngineSpec = command.parse()?;
    if let dyno_driver::Program::Path(path) = &spec.program {
        let beside = beside(path);
        if beside.is_file() {
            spec.program = dyno_driver::Program::Path(beside);
        }
    }
    Ok(spec)
}

/// The one limit of three, or none.
pub(super) fn limit(
    depth: Option<u32>,
    nodes: Option<u64>,
    movetime: Option<u64>,
) -> Result<Option<Go>, String> {
    match (depth, nodes, movetime) {
        (Some(0), ..) | (_, Some(0), _) | (.., Some(0)) => {
            Err("depth, nodes and movetime must be 1 at least".to_owned())
        }
        (Some(depth), None, None) => Ok(Some(Go::depth(depth))),
        (None, Some(nodes), None) => Ok(Some(Go::nodes(nodes))),
        (None, None, Some(ms)) => Ok(Some(Go::movetime(ms))),
        (None, None, None) => Ok(None),
        _ => Err("give one of depth, nodes and movetime".to_owned()),
    }
}

fn positive(what: &str, value: u64) -> Result<(), String> {
    if value == 0 { Err(format!("{what} must be 1 at least")) } else { Ok(()) }
}

fn percent(what: &str, value: Option<f64>) -> Result<(), String> {
    match value {
        Some(value) if !(0.0..=100.0).contains(&value) => {
            Err(format!("{what} must be a number from 0 to 100, not {value}"))
        }
        _ => Ok(()),
    }
}

/// Whether a built-in suite of counts is called so.
fn known_suite(name: &str) -> Result<(), String> {
    let names: Vec<&str> = builtins(Kind::Perft).map(|suite| suite.name).collect();
    if builtins(Kind::Perft).any(|suite| suite.is_named(name)) {
        return Ok(());
    }
    Err(format!("no suite of counts is called {name:?}: there are {}", names.join(", ")))
}

/// Whether a check or a group is called so.
fn known_check(name: &str) -> Result<(), String> {
    if CATALOGUE.iter().any(|check| check.is_named(name)) {
        return Ok(());
    }
    let names = CATALOGUE.iter().map(|c| c.id).chain(Group::ALL.into_iter().map(Group::name));
    let hint = nearest_name(name, names).map(|near| format!(" (did you mean {near:?}?)"));
    Err(format!("no check or group is called {name:?}{}", hint.unwrap_or_default()))
}

/// serde's words on a wrong key, with the key that may have been meant.
fn explain(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let is_unknown = message.starts_with("unknown field") || message.starts_with("unknown variant");
    let Some(key) = quoted.next().filter(|_| is_unknown) else { return message.to_owned() };
    let known: Vec<&str> = quoted.collect();
    let what = if message.starts_with("unknown field") { "key" } else { "value" };
    match nearest_name(key, known.iter().copied()) {
        Some(nearest) => format!("unknown {what} {key:?} (did you mean {nearest:?}?)"),
        None => format!("unknown {what} {key:?}: known here are {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn parse(text: &str) -> Result<Config, String> {
        Config::parse(Path::new("dyno.toml"), text).map_err(|e| e.to_string())
    }

    #[test]
    fn a_wrong_key_is_named_with_its_line() {
        let text = "[engine]\ncommand = \"x\"\n\n[perft]\ndeph = 3\n";
        assert_eq!(
            parse(text).unwrap_err(),
            "dyno.toml:5: unknown key \"deph\" (did you mean \"depth\"?)"
        );
        let text = "[engine]\ncommand = \"x\"\n[sute]\n";
        let error = parse(text).unwrap_err();
        assert!(
            error.starts_with("dyno.toml:3: unknown key \"sute\" (did you mean \"suite\"?)"),
            "{error}"
        );
        let error = parse("[engine]\ncommand = 'x'\n[check]\nprofile = 'quik'\n").unwrap_err();
        assert!(error.contains("did you mean \"quick\"?"), "{error}");
        let error = parse("[engine]\ncommand = 'x'\n[bench]\nruns = 'many'\n").unwrap_err();
        assert!(error.starts_with("dyno.toml:4:"), "{error}");
        assert!(parse("[engine]\ncommand = \n").unwrap_err().starts_with("dyno.toml:2:"));
    }

    #[test]
    fn values_are_checked() {
        let with = |rest: &str| parse(&format!("[engine]\ncommand = 'x'\n{rest}"));
        for (rest, part) in [
            ("[[suite]]\nepd='wac'\nmin_score=101", "min_score must be"),
            ("[[suite]]\nepd='wac'\ndepth=3\nnodes=3", "one of depth"),
            ("[[suite]]\nepd='wac'\n[[suite]]\nepd='wac'", "two are called"),
            ("[bench]\nruns=0", "runs must be 1"),
            ("[bench]\nsignature='same'", "\"baseline\""),
            ("[bench]\ndepth=0", "1 at least"),
            ("[perft]\nusual=false", "neither suite nor file nor"),
            ("[perft]\nsuite='standart'", "there are standard"),
            ("[[perft.position]]\nfen='8/8 w'\ndepth=2", "fen"),
            ("[check]\nallow=['protocl']", "did you mean \"protocol\"?"),
            ("[match]\ngames=0", "games must be 1"),
        ] {
            let error = with(rest).unwrap_err();
            assert!(error.contains(part), "{rest}: {error}");
        }
        let config = with("[bench]\nsignature=17\n[match]\ntc='1+0.1'\n[check]\n").unwrap();
        assert_eq!(config.sections(), [Section::Check, Section::Bench, Section::Match]);
        assert_eq!(config.bench.unwrap().signature, Some(Wanted::Nodes(17)));
        let game_match = config.game_match.unwrap();
        assert_eq!((game_match.elo0, game_match.elo1, game_match.games), (-10.0, 5.0, 500));
    }
}
