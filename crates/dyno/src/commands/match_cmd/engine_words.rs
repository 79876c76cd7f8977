//! The settings of `-engine` and `-each`.

use super::words::{DialectError, Result, Setting, fail, hint};
use dyno_driver::{EngineSpec, Protocol, engine_names, named_engine, split_command_line};
use dyno_tournament::{EngineEntry, Limits, Restart, seconds};

/// What an engine can be told, besides `option.NAME=VALUE`.
const KEYS: [&str; 28] = [
    "name",
    "cmd",
    "conf",
    "dir",
    "arg",
    "args",
    "proto",
    "protocol",
    "initstr",
    "stderr",
    "restart",
    "ponder",
    "whitepov",
    "book",
    "bookdepth",
    "tc",
    "st",
    "depth",
    "plies",
    "nodes",
    "timemargin",
    "tscale",
    "patience",
    "trust",
    "hash",
    "threads",
    "env.",
    "option.",
];

/// Shorthands for options that nearly every engine has.
const SHORTHANDS: [(&str, &str); 9] = [
    ("hash", "Hash"),
    ("threads", "Threads"),
    ("multipv", "MultiPV"),
    ("contempt", "Contempt"),
    ("ownbook", "OwnBook"),
    ("syzygypath", "SyzygyPath"),
    ("evalfile", "EvalFile"),
    ("skill", "Skill Level"),
    ("moveoverhead", "Move Overhead"),
];

/// An engine with settings, the last word on each counts: first those that all engines share,
/// then its own. What a file of engines says under the name of `conf=` comes before both.
pub fn entry<'a>(
    mut engine: EngineEntry,
    settings: impl Iterator<Item = Setting<'a>>,
) -> Result<EngineEntry> {
    let (named, settings): (Vec<_>, Vec<_>) = settings.partition(|s| s.name == "conf");
    if let Some(named) = named.last() {
        engine.spec = configured(named.value)?;
    }
    for setting in settings {
        apply(&mut engine, setting)?;
    }
    Ok(engine)
}

fn apply(engine: &mut EngineEntry, setting: Setting<'_>) -> Result<()> {
    let value = setting.value;
    let spec = &mut engine.spec;
    match setting.name {
        "name" => spec.name = Some(value.to_owned()),
        "cmd" => command(spec, value)?,
        "dir" => spec.dir = Some(value.into()),
        "arg" => spec.args.push(value.to_owned()),
        "args" => spec.args.extend(split_command_line(value).map_err(as_fault)?),
        "proto" | "protocol" => {
            spec.protocol = setting.choice(&[
                ("uci", Protocol::Uci),
                ("xboard", Protocol::Xboard),
                ("auto", Protocol::Auto),
            ])?;
        }
        "initstr" => spec.init.extend(value.split("\\n").map(str::to_owned)),
        "stderr" => spec.stderr = Some(value.into()),
        "restart" => {
            let choices = [
                ("auto", Restart::Auto),
                ("on", Restart::On),
                ("off", Restart::Off),
                ("true", Restart::On),
                ("false", Restart::Off),
            ];
            engine.restart = setting.choice(&choices)?;
        }
        "ponder" => engine.ponder = setting.flag_value()?,
        "whitepov" => engine.whitepov = setting.flag_value()?,
        "book" => engine.book = Some(value.into()),
        "bookdepth" => engine.bookdepth = Some(setting.number()?),
        // cutechess-cli only checks moves of engines it does not trust; Dyno trusts none.
        "trust" => {}
        name => match name.strip_prefix("option.") {
            None if name.starts_with("env.") => match name.split_once('.') {
                Some((_, variable)) if !variable.is_empty() => {
                    spec.env.push((variable.to_owned(), value.to_owned()));
                }
                _ => return fail(format!("-{}: write env.NAME=VALUE", setting.flag)),
            },
            Some("") => return fail(format!("-{}: write option.NAME=VALUE", setting.flag)),
            Some(option) => spec.set_option(option, value),
            None => match SHORTHANDS.iter().find(|s| s.0.eq_ignore_ascii_case(name)) {
                Some((_, option)) => spec.set_option(option, value),
                None if limit(&mut engine.limits, setting)? => {}
                None => {
                    let fault = setting.unknown::<()>(&KEYS).err();
                    let fault = fault.map(|e| e.0).unwrap_or_default();
                    return fail(format!(
                        "{fault} (a UCI option is written option.{name}={value})"
                    ));
                }
            },
        },
    }
    Ok(())
}

/// Limits on thinking; `false` when the setting is none.
fn limit(limits: &mut Limits, setting: Setting<'_>) -> Result<bool> {
    match setting.name {
        "tc" if matches!(setting.value, "inf" | "infinite") => limits.tc = None,
        "tc" => {
            let tc = setting.value.parse();
            limits.tc = Some(tc.map_err(|e| DialectError(format!("-{} tc: {e}", setting.flag)))?);
        }
        "st" => match seconds(setting.value) {
            Some(time) => limits.st = Some(time.as_secs_f64()),
            None => {
                return fail(format!(
                    "-{} st: not a number of seconds: {:?}",
                    setting.flag, setting.value
                ));
            }
        },
        "depth" | "plies" => limits.depth = Some(setting.number()?),
        "nodes" => limits.nodes = Some(setting.number()?),
        "timemargin" => limits.timemargin = Some(setting.number()?),
        "tscale" => limits.tscale = Some(setting.number()?),
        "patience" => limits.patience = Some(setting.number()?),
        _ => return Ok(false),
    }
    Ok(true)
}

/// A program's path may hold blanks; a command line is split only when no such file exists.
fn command(spec: &mut EngineSpec, value: &str) -> Result<()> {
    let command: EngineSpec = value.parse().map_err(as_fault)?;
    spec.program = command.program;
    spec.args.extend(command.args);
    Ok(())
}

/// An engine known by name from engines.json or engines.toml.
fn configured(name: &str) -> Result<EngineSpec> {
    let known = named_engine(name, &[]).map_err(|e| DialectError(format!("conf={name}: {e}")))?;
    known.map_or_else(
        || {
            let names = engine_names().unwrap_or_default();
            let hint = hint(name, names.iter().map(String::as_str), "");
            fail(format!(
                "conf={name}: no engine of that name in engines.toml or engines.json{hint}"
            ))
        },
        Ok,
    )
}

fn as_fault(error: impl std::fmt::Display) -> DialectError {
    DialectError(error.to_string())
}
