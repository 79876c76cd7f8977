//! The parameters of a tuning, held against the options that the engine really has.

use crate::engine_args::engine_error;
use crate::suggest::hint;
use anyhow::Context as _;
use dyno_driver::{Engine, EngineSpec, Settings};
use dyno_tournament::tune::{Parameter, read_parameters};
use dyno_uci::{EngineOption, OptionKind};
use std::path::PathBuf;

/// Which parameters were asked for, in every way that they can be.
#[derive(Debug, Default)]
pub struct Wanted {
    pub params: Vec<Parameter>,
    pub files: Vec<PathBuf>,
    pub patterns: Vec<String>,
}

impl Wanted {
    pub fn is_empty(&self) -> bool {
        self.params.is_empty() && self.files.is_empty() && self.patterns.is_empty()
    }
}

/// All parameters that were asked for, with what only the engine knows filled in. What does not
/// fit the engine is an error before the first game.
pub fn resolve(wanted: &Wanted, engine: &EngineSpec) -> anyhow::Result<Vec<Parameter>> {
    let engine = Engine::start(engine, &Settings::default()).map_err(engine_error)?;
    let options = engine.options().to_vec();
    engine.quit();
    let mut parameters = wanted.params.clone();
    for file in &wanted.files {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {name}"))?;
        parameters.extend(read_parameters(&name, &text)?);
    }
    for pattern in &wanted.patterns {
        parameters.extend(matching(pattern, &options)?);
    }
    for parameter in &mut parameters {
        fit(parameter, &options)?;
    }
    Parameter::check_all(&parameters)?;
    Ok(parameters)
}

/// The range of a spin option with its default.
fn spin(option: &EngineOption) -> Option<(i64, i64, i64)> {
    match option.kind {
        OptionKind::Spin { default, min, max } => Some((default, min, max)),
        _ => None,
    }
}

/// Options of every engine that no tuning should touch.
const USUAL: [&str; 4] = ["Hash", "Threads", "MultiPV", "Move Overhead"];

fn matching(pattern: &str, options: &[EngineOption]) -> anyhow::Result<Vec<Parameter>> {
    let named = |option: &&EngineOption| matches_pattern(pattern, &option.name);
    let is_usual = |option: &EngineOption| USUAL.iter().any(|name| option.is_named(name));
    let found: Vec<Parameter> = options
        .iter()
        .filter(named)
        .filter(|option| !is_usual(option))
        .filter_map(|option| {
            let (default, min, max) = spin(option)?;
            let text = format!("{}={default}@{min}..{max}", option.name);
            Parameter::parse(&text).ok()
        })
        .collect();
    let spins = options.iter().filter(|option| spin(option).is_some()).count();
    anyhow::ensure!(
        !found.is_empty(),
        "--params-from {pattern}: none of the engine's {spins} spin options fits"
    );
    Ok(found)
}

/// `*` stands for any text.
fn matches_pattern(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_lowercase(), name.to_lowercase());
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut tail) = name.strip_prefix(head) else { return false };
    let parts: Vec<&str> = rest.split('*').collect();
    let Some((last, middle)) = parts.split_last() else { return true };
    for part in middle {
        match tail.find(part) {
            Some(at) => tail = &tail[at + part.len()..],
            None => return false,
        }
    }
    tail.ends_with(last)
}

/// Holds a parameter against its option.
fn fit(parameter: &mut Parameter, options: &[EngineOption]) -> anyhow::Result<()> {
    let name = parameter.name.clone();
    let names = || options.iter().filter(|o| spin(o).is_some()).map(|o| o.name.as_str());
    anyhow::ensure!(names().next().is_some(), "the engine has no spin options: nothing to tune");
    let option = options
        .iter()
        .find(|option| option.is_named(&name))
        .with_context(|| format!("the engine has no option {name}{}", hint(&name, names())))?;
    let (default, min, max) = spin(option)
        .with_context(|| format!("option {name} is not a spin option: only those can be tuned"))?;
    let (low, high) = (parameter.min * parameter.scale, parameter.max * parameter.scale);
    anyhow::ensure!(
        low >= min as f64 && high <= max as f64,
        "parameter {name}: {low}..{high} goes beyond the option's own {min}..{max}"
    );
    if parameter.start.is_nan() {
        parameter.start = default as f64 / parameter.scale;
    }
    parameter.name.clone_from(&option.name);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, name, fits) in [
            ("Tune*", "TuneRazor", true),
            ("tune*", "TuneRazor", true),
            ("*margin", "RazorMargin", true),
            ("*a*g*", "RazorMargin", true),
            ("Tune*", "Razor", false),
            ("Razor", "RazorMargin", false),
            ("*", "x", true),
        ] {
            assert_eq!(matches_pattern(pattern, name), fits, "{pattern} {name}");
        }
    }

    #[test]
    fn parameters_are_held_against_the_engine() {
        let spin = |name: &str, default, min, max| EngineOption {
            name: name.into(),
            kind: OptionKind::Spin { default, min, max },
        };
        let clear = EngineOption { name: "Clear".into(), kind: OptionKind::Button };
        let options = [spin("Razor", 250, 0, 1000), spin("Hash", 16, 1, 1024), clear];
        let fitted = |text: &str| {
            let mut parameter = Parameter::parse(text)?;
            fit(&mut parameter, &options).map(|()| parameter)
        };
        assert!(fitted("razor=100..600").is_ok_and(|p| (p.start, &*p.name) == (250.0, "Razor")));
        let error = |text| fitted(text).map_or_else(|e| e.to_string(), |p| format!("{p:?}"));
        assert!(error("Razr=100..600").contains("no option Razr"), "{}", error("Razr=100..600"));
        assert!(error("Clear=1..2").contains("not a spin option"));
        assert!(error("Razor=100..6000").contains("beyond the option's own 0..1000"));
        assert_eq!(matching("*", &options).map(|found| found.len()).unwrap_or(0), 1);
        assert!(matching("Tune*", &options).is_err());
    }
}
